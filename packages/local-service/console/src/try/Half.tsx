/** One of the two operations in the room. Its parts stand in the same rows as those of the other. */
import type { ComponentChildren, HTMLAttributes } from "preact"
import { useId } from "preact/hooks"
import { address } from "../address.js"
import { useStore } from "../store.js"

export const halves = ["speak", "listen"] as const
export type HalfName = (typeof halves)[number]

export const titles: Readonly<Record<HalfName, string>> = { speak: "Speak", listen: "Listen" }

/** Which operation a narrow page shows. */
export const useHalf = (): HalfName => {
  const { path, room } = useStore(address)
  return room === "try" && path[0] === "listen" ? "listen" : "speak"
}

export interface HalfProps extends HTMLAttributes<HTMLElement> {
  readonly name: HalfName
  /** What it does, beside its title. */
  readonly summary: string
  /** In the line of the title. */
  readonly beside?: ComponentChildren
  readonly children: ComponentChildren
}

export const Half = ({ beside, children, name, summary, ...attributes }: HalfProps) => {
  const id = useId()
  return (
    <section class={`half ${name}`} data-shown={useHalf() === name} aria-labelledby={id} {...attributes}>
      <div class="title">
        <h2 id={id}>{titles[name]}</h2>
        <span class="quiet">{summary}</span>
        <span class="spring" />
        {beside}
      </div>
      {children}
    </section>
  )
}

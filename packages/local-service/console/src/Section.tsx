/** A part of a room under a heading, without a box. */
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

export interface SectionProps {
  readonly class?: string
  readonly title: string
  /** In the line of the title. */
  readonly beside?: ComponentChildren
  readonly children: ComponentChildren
}

export const Section = ({ beside, children, class: name = "", title }: SectionProps) => {
  const id = useId()
  return (
    <section class={`section ${name}`} aria-labelledby={id}>
      <div class="section-title">
        <h2 id={id}>{title}</h2>
        {beside}
      </div>
      {children}
    </section>
  )
}

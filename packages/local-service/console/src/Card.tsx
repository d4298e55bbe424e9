/** A part of the page, under a heading. */
import type { ComponentChildren, HTMLAttributes } from "preact"
import { useId } from "preact/hooks"

export interface CardProps extends Omit<HTMLAttributes<HTMLElement>, "title"> {
  readonly title: string
  /** In the line of the title. */
  readonly beside?: ComponentChildren
  readonly children: ComponentChildren
}

export const Card = ({ beside, children, class: name, title, ...attributes }: CardProps) => {
  const id = useId()
  return (
    <section class={`card ${name}`} aria-labelledby={id} {...attributes}>
      <div class="title">
        <h2 id={id}>{title}</h2>
        {beside}
      </div>
      {children}
    </section>
  )
}

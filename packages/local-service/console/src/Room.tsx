/** A room of the page: its heading, and what belongs to the whole of it. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

export interface RoomProps {
  /** Class of the room, which its style sheet uses. */
  readonly name: string
  readonly title: string
  /** In the line of the heading. */
  readonly beside?: ComponentChildren
  readonly children: ComponentChildren
}

export const Room = ({ beside, children, name, title }: RoomProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Local speech service`
  }, [title])
  return (
    <section class={`room ${name}`} aria-labelledby={`room-${name}`}>
      <div class="room-title">
        <h1 id={`room-${name}`} ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {beside}
      </div>
      {children}
    </section>
  )
}

/** The keys of a room, which work wherever the focus is, unless it is in a field. */
import { useLayoutEffect, useRef } from "preact/hooks"

export interface RoomKeys {
  /** `/` */
  readonly onSearch: () => void
  /** `j` and `k`: by how many rows. */
  readonly onMove: (rows: number) => void
  /** Escape. */
  readonly onLeave: () => void
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=range])"))

export const useRoomKeys = (keys: Partial<RoomKeys>): void => {
  const latest = useRef(keys)
  latest.current = keys
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { altKey, ctrlKey, key, metaKey, target } = event
      if (event.defaultPrevented || ctrlKey || metaKey || altKey || isTyping(target)) return
      if (document.querySelector("dialog[open]") !== null) return
      const { onLeave, onMove, onSearch } = latest.current
      const move = (rows: number) => onMove && (() => onMove(rows))
      const action = { "/": onSearch, j: move(1), k: move(-1), Escape: onLeave }[key]
      if (action === undefined) return
      event.preventDefault()
      action()
    }
    document.addEventListener("keydown", onKeyDown)
    return () => document.removeEventListener("keydown", onKeyDown)
  }, [])
}

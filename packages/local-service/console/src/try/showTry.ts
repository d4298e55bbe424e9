import { linkTo, show } from "../address.js"
import type { HalfName } from "./Half.js"

/** Shows one of the operations, and puts the focus on one of its fields. */
export const showTry = (half: HalfName, id: string): void => {
  show(linkTo("try", [half]))
  focusWhenVisible(id, mostFrames)
}

const mostFrames = 60

/** The address changes a moment after it is set, and the room is visible after the next drawing. */
const focusWhenVisible = (id: string, frames: number): void => {
  requestAnimationFrame(() => {
    const field = document.getElementById(id)
    const isVisible = field?.checkVisibility() ?? false
    if (!isVisible && frames > 0) return focusWhenVisible(id, frames - 1)
    field?.scrollIntoView({ block: "center" })
    field?.focus()
  })
}

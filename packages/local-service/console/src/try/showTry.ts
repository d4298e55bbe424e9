import { linkTo, show } from "../address.js"
import type { HalfName } from "./Half.js"

/** Shows one of the operations, and puts the focus on one of its fields. */
export const showTry = (half: HalfName, id: string): void => {
  show(linkTo("try", [half]))
  // The room is visible after the next drawing.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const field = document.getElementById(id)
      field?.scrollIntoView({ block: "center" })
      field?.focus()
    })
  )
}

import { linkTo, show } from "../address.js"

/** Shows the room, and puts the focus on one of its fields. */
export const showTry = (id: string): void => {
  show(linkTo("try"))
  // The room is visible after the next drawing.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const field = document.getElementById(id)
      field?.scrollIntoView({ block: "center" })
      field?.focus()
    })
  )
}

/** The room in which a person calls both operations. */
import { linkTo } from "../address.js"
import { Room } from "../Room.js"
import { halves, titles, useHalf } from "./Half.js"
import { Listen } from "./Listen.js"
import { Speak } from "./Speak.js"

export const Try = () => (
  <Room name="try" title="Try" beside={<Switch />}>
    <div class="halves">
      <Speak />
      <Listen />
    </div>
  </Room>
)

/** A narrow page shows one operation at a time. */
const Switch = () => {
  const shown = useHalf()
  return (
    <nav class="switch" aria-label="Operations">
      {halves.map((half) => (
        <a key={half} href={linkTo("try", [half])} aria-current={half === shown ? "page" : undefined}>
          {titles[half]}
        </a>
      ))}
    </nav>
  )
}

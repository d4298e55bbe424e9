/** The room in which a person calls both operations. */
import { Room } from "../Room.js"
import { Listen } from "./Listen.js"
import { Speak } from "./Speak.js"

export const Try = () => (
  <Room name="try" title="Try">
    <div class="halves">
      <Speak />
      <Listen />
    </div>
  </Room>
)

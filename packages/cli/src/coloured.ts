/**
 * Coloured parts of a message. Only the console of the command shows the colours, because it knows where a message goes: text from outside
 * is escaped, so that it can't bring colours of its own.
 */
import { styleText } from "node:util"

export class Coloured {
  readonly colour: "red" | "green" | "yellow"
  readonly text: string
  constructor(colour: Coloured["colour"], text: string) {
    this.colour = colour
    this.text = text
  }
  /** Without a colour, for a console that shows none. */
  toString(): string {
    return this.text
  }
  /** On a stream. Node decides whether it has colours: if it is a terminal, and by `NO_COLOR`, `FORCE_COLOR` and `TERM`. */
  on(stream: NodeJS.WriteStream): string {
    return styleText(this.colour, this.text, { stream })
  }
}

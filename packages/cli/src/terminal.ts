/**
 * How a text is shown: how wide its lines are, and in which colours.
 */
import { styleText } from "node:util"

export interface View {
  /** Characters of a line, 32 to 100. */
  readonly columns: number
  /** Makes a heading of a text. */
  readonly heading: (text: string) => string
  /** Marks what went wrong. */
  readonly failure: (text: string) => string
}

const unchanged = (text: string): string => text

/** For a file, a pipe, and a test. */
export const plainView: View = { columns: 80, heading: unchanged, failure: unchanged }

/**
 * The width is that of `COLUMNS`, or of the first terminal, or 80. Node decides whether a stream has colours: only if it is a terminal,
 * and by `NO_COLOR`, `FORCE_COLOR` and `TERM=dumb`.
 */
export const viewOf = (stream: NodeJS.WriteStream): View => {
  const given = Number(process.env.COLUMNS)
  const found = given > 0 ? given : (process.stdout.columns ?? process.stderr.columns ?? plainView.columns)
  return {
    columns: Math.min(100, Math.max(32, Math.trunc(found))),
    heading: (text) => styleText("bold", text, { stream }),
    failure: (text) => styleText("red", text, { stream })
  }
}

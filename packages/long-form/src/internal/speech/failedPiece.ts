import type { TextPiece } from "@effect-speech/transport/CallReport"
import type { PlannedPiece } from "./plan.js"

const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Number of characters of a text that an error shows. */
const shownCharacters = 24

/** The first words of a text, on one line. */
const beginningOf = (text: string): string => {
  const line = text.trim().slice(0, 200).replace(/\s+/g, " ")
  const characters = Array.from(clusters.segment(line), ({ segment }) => segment)
  if (characters.length <= shownCharacters) return line
  const words = characters.slice(0, shownCharacters).join("")
  return `${words.replace(/ \S*$/, "")} …`
}

/** A piece in the report of its error. `of`: the number of all pieces. */
export const failedPiece =
  ({ endIndex, index, startIndex, text }: PlannedPiece, of: number) =>
  (kept: number, leftCodePoints: number | undefined): TextPiece => ({
    _tag: "TextPiece",
    number: index + 1,
    of,
    startIndex,
    endIndex,
    beginning: beginningOf(text),
    kept,
    leftCodePoints
  })

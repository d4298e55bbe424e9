import type { Piece as FailedPiece } from "@effect-speech/transport/CallReport"
import type { Piece } from "./plan.js"

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

/** The place of a piece for its error. `of`: the number of all pieces. */
export const placeOfPiece = ({ end, index, start, text }: Piece, of: number): Omit<FailedPiece, "kept" | "left"> => ({
  number: index + 1,
  of,
  unit: "characters",
  start,
  end,
  beginning: beginningOf(text)
})

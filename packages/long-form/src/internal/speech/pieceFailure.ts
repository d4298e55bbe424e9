/** Adds the failing piece to an error, and says how to go on. */

import * as Printable from "@effect-speech/common/Printable"
import type { Piece } from "@effect-speech/transport/CallReport"
import { withPiece } from "@effect-speech/transport/ServiceError"
import type { TtsError } from "@effect-speech/tts/TtsError"
import { PieceStoreError } from "../../PieceStore.js"
import type { FailedPieces } from "../failedPieces.js"

const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Number of characters of a text that an error shows. */
const shown = 24

/** The first words of a text, on one line. */
export const beginningOf = (text: string): string => {
  const line = text.trim().slice(0, 200).replace(/\s+/g, " ")
  const characters = Array.from(clusters.segment(line), ({ segment }) => segment)
  if (characters.length <= shown) return line
  const words = characters.slice(0, shown).join("")
  return `${words.replace(/ \S*$/, "")} …`
}

const count = (value: number): string => value.toLocaleString("en")

/** If the store keeps nothing, there is nothing to go on with. */
const sentence = ({ beginning, kept, left, number, of, start }: Piece): string => {
  const place = `Piece ${count(number)}${of === undefined ? "" : ` of ${count(of)}`}, from character ${count(start + 1)}`
  if (kept === 0 && left === undefined) return `${place} (“${beginning ?? ""}”).`
  const keeping = kept === 1 ? "1 piece is kept" : `${count(kept)} pieces are kept`
  const rest = left === undefined ? "" : `, and the rest costs at most ${count(left)} code points`
  return `${place} (“${beginning ?? ""}”). To go on, run it again: ${keeping}${rest}.`
}

/** The same error with the piece in it. An error of a text of one piece keeps its message. */
export const failureOf = (
  error: TtsError | PieceStoreError,
  piece: Piece,
  { billingWith }: FailedPieces
): TtsError | PieceStoreError => {
  const words = piece.of === 1 ? "" : sentence(piece)
  if (error instanceof PieceStoreError) {
    const { code, operation, store } = error
    return new PieceStoreError({
      operation,
      store,
      code,
      piece,
      message: Printable.line(`${error.message} ${words}`.trim())
    })
  }
  return withPiece(error, piece, words, billingWith(error.call.billing))
}

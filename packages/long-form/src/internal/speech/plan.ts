/** The pieces of a text, and what they cost, before anything is sent. */
import { TtsInvalidRequest } from "@effect-speech/tts/TtsError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Passage } from "../../Passages.js"
import * as TextPieces from "../../TextPieces.js"
import { validate } from "./validate.js"

/**
 * The number of pieces and the highest cost of a speech. {@link plan} gives it before anything is sent.
 *
 * @example
 * ```ts
 * import { LongSpeech } from "@effect-speech/long-form"
 *
 * export const isAffordable = ({ cost }: LongSpeech.Plan, credits: number) => cost <= credits
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Plan extends Schema.Class<Plan>("LongSpeechPlan")({
  /** Number of all pieces. */
  pieces: Schema.Int,
  /** Length of the text in Unicode code points. */
  codePoints: Schema.Int,
  /**
   * Code points to send, the unit of billing: the highest cost. Spaces around a piece are not sent, nor are pieces without a
   * letter, a number or a symbol. Pieces that are kept cost nothing.
   */
  cost: Schema.Int
}) {}

/** A piece, and what of it is sent. */
export interface PlannedPiece extends TextPieces.TextPiece {
  readonly sent: string
  readonly cost: number
}

export interface Pieces {
  /** A piece by its index; `undefined` after the last one. The text is split as far as needed. */
  readonly at: (index: number) => PlannedPiece | undefined
  /** Splits the rest of the text. */
  readonly plan: Effect.Effect<Plan>
}

/** Checks a request and its options, and splits its text up to the first piece that is spoken. */
export const prepare = (
  request: { readonly text: string | ReadonlyArray<Passage>; readonly lang?: string | undefined },
  options: TextPieces.Options
): Effect.Effect<Pieces, TtsInvalidRequest> =>
  Effect.gen(function* () {
    const passages = yield* validate(request, options)
    const { firstCodePoints, maximumCodePoints } = options
    const pieces = makePieces(TextPieces.split(passages, { firstCodePoints, maximumCodePoints, lang: request.lang }))
    for (let index = 0; ; index++) {
      const piece = pieces.at(index)
      if (piece?.speakable === true) return pieces
      if (piece === undefined) {
        const problem = "has nothing to speak: no letter, no number and no symbol"
        return yield* new TtsInvalidRequest({ field: "text", problem })
      }
    }
  })

/** Splitting takes time, so a piece is made once, when it is needed. */
const makePieces = (source: Iterator<TextPieces.TextPiece>): Pieces => {
  const made: Array<PlannedPiece> = []
  let isEnded = false
  const at = (index: number) => {
    while (made.length <= index && !isEnded) {
      const next = source.next()
      if (next.done === true) isEnded = true
      else made.push(withCost(next.value))
    }
    return made[index]
  }
  return {
    at,
    plan: Effect.gen(function* () {
      let codePoints = 0
      let cost = 0
      for (let index = 0; ; index++) {
        const piece = at(index)
        if (piece === undefined) return new Plan({ pieces: index, codePoints, cost })
        codePoints += piece.codePoints
        cost += piece.cost
        // Responses are read between two pieces.
        yield* Effect.sleep(0)
      }
    })
  }
}

const withCost = (piece: TextPieces.TextPiece): PlannedPiece => {
  const sent = piece.text.trim()
  // All spaces are one code point and one UTF-16 unit.
  const cost = piece.codePoints - (piece.text.length - sent.length)
  return piece.speakable ? { ...piece, sent, cost } : { ...piece, sent: "", cost: 0 }
}

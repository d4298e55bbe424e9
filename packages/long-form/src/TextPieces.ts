/**
 * Splits a text of any length into pieces that the service takes, at the best places near the limit.
 */
import { structural, unsafeInstance } from "@effect-speech/common/Structural"
import { dual } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Boundary } from "./internal/text/boundary.js"
import { boundaryAt, codePointsOf, cut } from "./internal/text/cuts.js"
import { isSpeakable } from "./internal/text/speakable.js"
import { wholeWithin } from "./internal/wholeWithin.js"
import type { Passage } from "./Passages.js"

export { Boundary }

/**
 * A piece of a text, its place there, and the boundary at which it ends.
 *
 * @example
 * ```ts
 * import { TextPieces } from "@effect-speech/long-form"
 *
 * export const [piece] = TextPieces.split("Hello. How are you?")
 * export const cost = piece?.codePoints // 19
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class TextPiece extends structural(
  Schema.Class<TextPiece>("TextPiece")({
    /** Counts from 0. */
    index: Schema.Int,
    /** The piece with all its spaces: the texts of all pieces together are the whole text. */
    text: Schema.String,
    /** Offset of its first character in the whole text, in UTF-16 units. */
    startIndex: Schema.Int,
    /** Offset after its last character, in UTF-16 units. */
    endIndex: Schema.Int,
    /** Its length in Unicode code points, the unit of billing. */
    codePoints: Schema.Int,
    /** Only the last piece of the whole text has `end`. */
    boundary: Boundary,
    /** The passage that it belongs to, from 0. A text without passages is one. */
    passage: Schema.Int,
    /** The language of its passage, else of the options. */
    lang: Schema.optional(Schema.String),
    /** The voice of its passage. */
    voice: Schema.optional(Schema.String),
    /** The speed of its passage. */
    speed: Schema.optional(Schema.Number),
    /** Whether it has a letter, a number or a symbol. If not, it is not sent: only the pause after it is heard. */
    speakable: Schema.Boolean
  })
) {}

/**
 * The limits of pieces for {@link split}.
 *
 * @example
 * ```ts
 * import { TextPieces } from "@effect-speech/long-form"
 *
 * export const options: TextPieces.Options = { maximumCodePoints: 1000, firstCodePoints: 200, lang: "ta" }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  /** Largest number of code points in a piece, 1 to 10,000. Default: 2,000. */
  readonly maximumCodePoints?: number | undefined
  /** Largest number of code points in the first piece; each next may have twice as many, up to `maximumCodePoints`. Default: 250. */
  readonly firstCodePoints?: number | undefined
  /** Language code of the text, for its abbreviations. Default: the abbreviations of all languages. */
  readonly lang?: string | undefined
}

/** The boundary between two passages. They are read as if a space were between them. */
const boundaryBetween = (before: string, after: string, lang: string | undefined): Boundary => {
  const text = `${before.slice(-512)} ${after.slice(0, 512)}`
  return boundaryAt(text, Math.min(512, before.length) + 1, lang)
}

/**
 * Splits a text, or passages, into pieces. It is lazy: it reads only as much text as the next piece needs, and one passage ahead. The texts of all
 * pieces together are the whole text. Use `Sentences.split` for sentences of any length.
 *
 * A piece ends at the best place in the second half of its limit: the first end of a paragraph, else the last end of a line, a
 * sentence, a clause or a word. No piece ends inside a character that a reader sees (a grapheme cluster or a conjunct), unless
 * that character alone exceeds `maximumCodePoints`. No piece belongs to two passages. A limit that is out of range counts as the nearest that
 * is in it.
 *
 * @example
 * ```ts
 * import { TextPieces } from "@effect-speech/long-form"
 *
 * const options = { maximumCodePoints: 20, firstCodePoints: 20, lang: "hi" }
 * export const pieces = [...TextPieces.split("डॉ. शर्मा आए। उन्होंने रु. 500 दिए।", options)].map(({ text }) => text)
 * // ["डॉ. शर्मा आए। ", "उन्होंने रु. 500 ", "दिए।"]
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const split: {
  (options?: Options): (text: string | Iterable<Passage>) => Generator<TextPiece, void>
  (text: string | Iterable<Passage>, options?: Options): Generator<TextPiece, void>
} = dual(
  ([text]) => Predicate.isIterable(text),
  (text: string | Iterable<Passage>, options: Options = {}): Generator<TextPiece, void> => {
    const maximum = wholeWithin(options.maximumCodePoints ?? 2000, 1, 10_000)
    const first = wholeWithin(options.firstCodePoints ?? 250, 1, maximum)
    return pieces(Predicate.isString(text) ? [{ text }] : text, first, maximum, options.lang)
  }
)

/** A passage with its number, from 0, and the offset of its text. */
interface NumberedPassage {
  readonly passage: Passage
  readonly number: number
  readonly offset: number
}

function* numbered(passages: Iterable<Passage>): Generator<NumberedPassage, void> {
  let number = 0
  let offset = 0
  for (const passage of passages) {
    if (passage.text !== "") yield { passage, number, offset }
    number++
    offset += passage.text.length
  }
}

function* pieces(
  passages: Iterable<Passage>,
  first: number,
  maximum: number,
  defaultLang: string | undefined
): Generator<TextPiece, void> {
  let index = 0
  let budget = first
  const all = numbered(passages)
  for (let current = all.next(), following = current; current.done !== true; current = following) {
    following = all.next()
    const { number, offset, passage } = current.value
    const { speed, text, voice } = passage
    const lang = passage.lang ?? defaultLang
    for (let start = 0; start < text.length; ) {
      const { at, boundary } = cut(text, start, budget, maximum, lang)
      const piece = text.slice(start, at)
      const joint =
        at === text.length && following.done !== true
          ? boundaryBetween(text, following.value.passage.text, lang)
          : boundary
      yield unsafeInstance(TextPiece, {
        index,
        text: piece,
        startIndex: offset + start,
        endIndex: offset + at,
        codePoints: codePointsOf(piece),
        boundary: joint,
        passage: number,
        lang,
        voice,
        speed,
        speakable: isSpeakable(piece)
      })
      index++
      start = at
      budget = Math.min(2 * budget, maximum)
    }
  }
}

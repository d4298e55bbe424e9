/**
 * Splits a text into sentences, in the languages of the service.
 */
import { unsafeInstance } from "@effect-speech/common/Structural"
import { dual } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { closers, terminators } from "./internal/text/around.js"
import { endsSentence } from "./internal/text/sentenceEnds.js"
import { isSpace, lineEnd, spacesAfter, spacesBefore } from "./internal/text/spaces.js"

/**
 * A sentence of a text, and its place there.
 *
 * @example
 * ```ts
 * import { Sentences } from "@effect-speech/long-form"
 *
 * export const wordsOf = ({ text }: Sentences.Sentence) => text.trim().split(/\s+/).length
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Sentence extends Schema.Class<Sentence>("Sentence")({
  /** The sentence with the spaces after it: the texts of all sentences together are the whole text. */
  text: Schema.String,
  /** Offset of its first character in the whole text, in UTF-16 units. */
  startIndex: Schema.Int,
  /** Offset after its last character and the spaces after it, in UTF-16 units. */
  endIndex: Schema.Int
}) {}

/**
 * How {@link split} finds the ends of sentences.
 *
 * @example
 * ```ts
 * import { Sentences } from "@effect-speech/long-form"
 *
 * export const options: Sentences.Options = { lang: "hi" }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  /** Language code of the text, for its abbreviations. Default: the abbreviations of all languages. */
  readonly lang?: string | undefined
}

const candidates = new RegExp(`[${terminators}]+${closers}|[\\n\\r\\v\\f\\x85\\u2028\\u2029]`, "gu")

/**
 * Splits a text into sentences. It is lazy: it reads only as much text as the next sentence needs. Use `TextPieces.split` if each part must
 * have a limited length.
 *
 * Text that you append changes no sentence but the last two.
 *
 * @example
 * ```ts
 * import { Sentences } from "@effect-speech/long-form"
 *
 * export const sentences = [...Sentences.split("Dr. Rao paid Rs. 500. He left.")].map(({ text }) => text)
 * // ["Dr. Rao paid Rs. 500. ", "He left."]
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const split: {
  (options?: Options): (text: string) => Generator<Sentence, void>
  (text: string, options?: Options): Generator<Sentence, void>
} = dual(
  ([text]) => Predicate.isString(text),
  (text: string, options: Options = {}) => sentences(text, options.lang)
)

const sentenceAt = (text: string, startIndex: number, endIndex: number): Sentence =>
  unsafeInstance(Sentence, { text: text.slice(startIndex, endIndex), startIndex, endIndex })

function* sentences(text: string, lang: string | undefined): Generator<Sentence, void> {
  const pattern = new RegExp(candidates)
  let start = spacesAfter(text, 0)
  let from = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const isLine = isSpace(match[0].charCodeAt(0))
    const at = isLine ? spacesBefore(text, match.index) : pattern.lastIndex
    const end = spacesAfter(text, at)
    if (end === text.length) break
    if (at <= start || !(isLine ? lineEnd(text, at, end) !== undefined : endsSentence(text, at, lang))) continue
    yield sentenceAt(text, from, end)
    from = end
    start = end
    pattern.lastIndex = end
  }
  if (from < text.length) yield sentenceAt(text, from, text.length)
}

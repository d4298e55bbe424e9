/**
 * Parts of a text that are spoken in their own way.
 */
import { dual } from "effect/Function"
import * as Predicate from "effect/Predicate"
import { isBoundary } from "./internal/text/clusters.js"
import { wholeWithin } from "./internal/wholeWithin.js"

/**
 * A part of a text with its own language, voice or speed.
 *
 * @example
 * ```ts
 * import { Passages } from "@effect-speech/long-form"
 *
 * export const passages: ReadonlyArray<Passages.Passage> = [
 *   { text: "नमस्ते। ", lang: "hi" },
 *   { text: "Welcome.", lang: "en", speed: 0.9 }
 * ]
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Passage {
  /** The passages joined are the whole text. */
  readonly text: string
  /** Language code. Default: the language of the request. */
  readonly lang?: string | undefined
  /** Voice id. Default: the voice of the request. */
  readonly voice?: string | undefined
  /** Speaking rate, 0.25 to 4. Default: the speed of the request. */
  readonly speed?: number | undefined
}

/**
 * The scripts that {@link byScript} knows, and the default language of each.
 *
 * @example
 * ```ts
 * import { Passages } from "@effect-speech/long-form"
 *
 * export const scripts = Object.keys(Passages.languages) // Arabic, Bengali, Devanagari, …
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const languages = {
  Arabic: "ur",
  Bengali: "bn",
  Devanagari: "hi",
  Gujarati: "gu",
  Gurmukhi: "pa",
  Kannada: "kn",
  Latin: "en",
  Malayalam: "ml",
  Oriya: "or",
  Tamil: "ta",
  Telugu: "te"
} as const

/**
 * A script that {@link byScript} knows, by its name in Unicode.
 *
 * @since 0.1.0
 * @category models
 */
export type Script = keyof typeof languages

/**
 * How {@link byScript} tags a text.
 *
 * @example
 * ```ts
 * import { Passages } from "@effect-speech/long-form"
 *
 * export const options: Passages.Options = { languages: { Devanagari: "mr" }, minimumWords: 2 }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  /** The language of each script, such as `{ Devanagari: "mr" }`. Default: {@link languages}. */
  readonly languages?: { readonly [script in Script]?: string } | undefined
  /**
   * Least number of words in a passage. A foreign passage of fewer words stays in the one before it, such as one Latin word
   * in a Hindi sentence. A number below 1 counts as 1. Default: 1.
   */
  readonly minimumWords?: number | undefined
}

const scripts = Object.keys(languages) as ReadonlyArray<Script>
const ofScript = new RegExp(scripts.map((script) => `(?<${script}>\\p{Script=${script}})`).join("|"), "u")

/**
 * The beginning of a word and the opening marks before it. A longer run of marks would be read again from each of its characters. A
 * longer run of letters would exceed the stack of the regular expression.
 */
const words = /(?<![\p{L}\p{M}\p{N}])["'\p{Ps}\p{Pi}]{0,8}[\p{L}\p{M}\p{N}'’\u200c\u200d]{1,1000}/gu

interface Run {
  readonly start: number
  readonly lang: string
  readonly words: number
}

/**
 * Tags the passages of a mixed text by the script of each word: `{ text, lang }`, one after the other. Use it if a text has several
 * languages in different scripts, such as English words in Hindi.
 *
 * Spaces, punctuation and the digits 0 to 9 stay with the word before them; opening quotes and brackets stay with the word after them. The
 * texts of all passages together are the text. A text without a known script is one passage without `lang`.
 *
 * @example
 * ```ts
 * import { Passages } from "@effect-speech/long-form"
 *
 * export const passages = Passages.byScript("यह एक app है, and it speaks.", { minimumWords: 2 })
 * // [{ text: "यह एक app है, ", lang: "hi" }, { text: "and it speaks.", lang: "en" }]
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const byScript: {
  (options?: Options): (text: string) => ReadonlyArray<Passage>
  (text: string, options?: Options): ReadonlyArray<Passage>
} = dual(
  ([text]) => Predicate.isString(text),
  (text: string, options: Options = {}): ReadonlyArray<Passage> => {
    const minimum = wholeWithin(options.minimumWords ?? 1, 1, Number.POSITIVE_INFINITY)
    return Array.from(passages(text, { ...languages, ...options.languages }, minimum))
  }
)

function* passages(
  text: string,
  langs: { readonly [script in Script]: string },
  minimum: number
): Generator<Passage, void> {
  let current: Run | undefined
  /** A passage that may become the next, if it gets enough words. */
  let foreign: Run | undefined
  let first = true
  for (const { 0: word, index } of text.matchAll(words)) {
    const groups = ofScript.exec(word)?.groups
    const script = groups && scripts.find((each) => groups[each] !== undefined)
    if (script === undefined) continue
    const lang = langs[script]
    if (current === undefined) current = { start: 0, lang, words: 1 }
    else if (lang === current.lang) {
      current = { ...current, words: current.words + 1 }
      foreign = undefined
    } else if (lang === foreign?.lang) foreign = { ...foreign, words: foreign.words + 1 }
    else if (isBoundary(text, Math.max(0, index - 16), index)) foreign = { start: index, lang, words: 1 }
    if (foreign === undefined || foreign.words < minimum) continue
    if (first && current.words < minimum)
      current = { start: 0, lang: foreign.lang, words: current.words + foreign.words }
    else {
      yield { text: text.slice(current.start, foreign.start), lang: current.lang }
      current = foreign
      first = false
    }
    foreign = undefined
  }
  const start = current?.start ?? 0
  if (start < text.length) yield { text: text.slice(start), lang: current?.lang }
}

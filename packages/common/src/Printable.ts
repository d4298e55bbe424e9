/**
 * Makes a string from outside printable: words of a service, file names, arguments, settings. A terminal obeys control
 * characters, and a bidirectional control changes the order in which it shows the rest of a line.
 *
 * Control characters (C0, DEL, C1), bidirectional controls, lone surrogates and the line separators U+2028 and U+2029 become
 * escapes, as JSON writes them. All other text stays as it is, also the joiners of Indic scripts and of emoji.
 */

const unprintable = String.raw`[\p{Cc}\p{Bidi_Control}\p{Surrogate}\u2028\u2029]`
const inLine = new RegExp(unprintable, "gu")
const inLines = new RegExp(String.raw`(?!\n|\t|\r\n)${unprintable}`, "gu")

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const toEscape = (character: string): string =>
  shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/**
 * Text on one line, safe for a terminal or a log. JSON without line breaks and tabs between its values stays valid and keeps its value:
 * only its strings can hold these characters.
 *
 * @example
 * ```ts
 * import { Printable } from "@effect-speech/common"
 *
 * console.log(Printable.line("a\tb\u001b[2J")) // a\tb\u001b[2J
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const line = (text: string): string => text.replace(inLine, toEscape)

/**
 * A sentence as the end of another one: with a small first letter, unless it begins with an abbreviation such as `WAV`, and without its full
 * stop.
 *
 * @example
 * ```ts
 * import { Printable } from "@effect-speech/common"
 *
 * console.log(`It failed: ${Printable.asPhrase("The disk is full.")}; free some space.`)
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const asPhrase = (sentence: string): string =>
  sentence.replace(/\.$/, "").replace(/^(?:[A-Z](?=[a-z])|A(?= ))/, (first) => first.toLowerCase())

/**
 * Text on several lines, safe for a terminal or a log: like {@link line}, but `\n`, `\r\n` and tabs stay.
 *
 * @since 0.1.0
 * @category combinators
 */
export const lines = (text: string): string => text.replace(inLines, toEscape)

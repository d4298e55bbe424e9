/** The text around a mark that may end a sentence, and what a word looks like in the scripts of the service. */
import { isLineEnd } from "./spaces.js"
import { joiningViramas } from "./viramas.js"

/** At most so many units before a place decide whether a sentence ends there. */
export const lookBehind = 320

export const terminators = ".!?‼⁇⁈⁉…।॥۔؟。！？｡．|"

/** Closes a sentence after its terminator: quotes, brackets, and the numbers of footnotes. */
export const closers = `["'“‟‘\\p{Pe}\\p{Pf}]*(?:\\[\\p{Nd}{1,3}\\])*`

export const isTerminator = (unit: string): boolean => unit !== "" && terminators.includes(unit)
export const isDot = (unit: string): boolean => unit !== "" && ".…।॥|".includes(unit)
/** A quote that opens in one style closes in another, as in „…“ and ”…“: right after a terminator, it closes. */
export const isCloser = (unit: string): boolean => /["'“‟‘\p{Pe}\p{Pf}]/u.test(unit)
export const isOpener = (unit: string): boolean => /["'\p{Ps}\p{Pi}*_#]/u.test(unit)
const isOfWord = (unit: string): boolean => /[\p{L}\p{M}\p{N}'’.&/@:\-\u200c\u200d]/u.test(unit)

/** Letters without case, as in all Indic and Arabic scripts and in Han. */
export const isCaseless = (word: string): boolean => /\p{Lo}/u.test(word)

const conjoined = new RegExp(`[${joiningViramas}]\\u200d?\\p{L}`, "gu")

/** Number of characters that a reader sees in a word. A conjunct is one. */
export const length = (word: string): number => word.replace(conjoined, "").replace(/[\p{M}\u200c\u200d]/gu, "").length

/** The beginning of a run of such units that ends at a place. */
export const back = (text: string, at: number, least: number, has: (unit: string) => boolean): number => {
  let from = at
  while (from > least && has(text[from - 1] ?? "")) from--
  return from
}

/** The word that ends at a place. It may have full stops inside, but begins with none. */
export const wordBefore = (text: string, at: number): string =>
  text.slice(back(text, at, Math.max(0, at - 64), isOfWord), at).replace(/^[.'’:&/@-]+/, "")

/** The end of the text before a word, its opening marks and the spaces before them. */
export const beforeOpening = (text: string, at: number): number => {
  const least = Math.max(0, at - lookBehind)
  return back(text, back(text, at, least, isOpener), least, (unit) => /[\p{Zs}\t]/u.test(unit))
}

export const beginsLine = (text: string, at: number): boolean => {
  const from = beforeOpening(text, at)
  const bullet = back(text, from, Math.max(0, from - 8), (unit) => /[\p{Zs}\t•*–-]/u.test(unit))
  return bullet === 0 || isLineEnd(text.charCodeAt(bullet - 1))
}

/** The text around a terminator. */
export interface Around {
  readonly text: string
  readonly lang: string | undefined
  /** 0: the place in question. More: a place before it that decides about it. */
  readonly depth: number
  /** Whether a sentence, a line or a list begins at a place. */
  readonly begins: (at: number) => boolean
  /** Before the terminator, with the full stops inside it, in Unicode's form NFC. */
  readonly word: string
  /** Offset of the word. */
  readonly start: number
  /** After the spaces and what opens. */
  readonly next: string
  /** All after the spaces, with what opens. */
  readonly ahead: string
  /** Whether a full stop follows the next word. */
  readonly nextIsShort: boolean
}

/**
 * The words of a text in the form in which they are compared.
 */
import type { Steps } from "@effect-speech/common/Cooperative"
import { segmentsOf } from "../text/segments.js"

/**
 * Letters that are written in two ways, which NFKC keeps apart: the chillus of Malayalam, the khanda ta of Bengali and the eyelash ra of
 * Marathi are a letter, or a consonant with a virama and a joiner (Unicode Standard, chapter 12). Programs for Urdu write letters of
 * Arabic in place of its own.
 */
const forms: ReadonlyMap<string, string> = new Map([
  ["\u0d23\u0d4d\u200d", "\u0d7a"],
  ["\u0d28\u0d4d\u200d", "\u0d7b"],
  ["\u0d30\u0d4d\u200d", "\u0d7c"],
  ["\u0d32\u0d4d\u200d", "\u0d7d"],
  ["\u0d33\u0d4d\u200d", "\u0d7e"],
  ["\u0d15\u0d4d\u200d", "\u0d7f"],
  ["\u09a4\u09cd\u200d", "\u09ce"],
  ["\u0930\u094d\u200d", "\u0931\u094d"],
  ["\u064a", "\u06cc"],
  ["\u0649", "\u06cc"],
  ["\u0643", "\u06a9"],
  ["\u0647", "\u06c1"],
  ["\u0629", "\u06c3"]
])

const otherForm = new RegExp([...forms.keys()].join("|"), "g")

/** Malayalam nta, which may also begin with the chillu (Unicode Standard, section 12.9). */
const nta = /\u0d28\u0d4d(?=\u0d31)/g

/** NFKC makes digits of fractions and exponents, so 1½ would begin with 11. */
const beforeNumberSign = /\p{Nd}(?=\p{No})/gu

/** A decimal without its 0, such as .5. */
const withoutZero = /(?<![\p{L}\p{M}\p{N}.,]'?)\.(?=\p{Nd})/gu

/** The space of width 0 divides words, in scripts that do not show it. */
const invisibleSpace = /\u200b/g

/** What changes no sound that a recogniser writes: joiners, soft hyphens and selectors; the vowel marks and the line of Arabic. */
const unwritten = /\p{Default_Ignorable_Code_Point}|[\u064b-\u0652\u0670\u0640]/gu

/** NFKC makes a space of one, and others of a letter. */
const apostrophe = /[\u2018\u2019\u02bc\u2032\u00b4`]/g

/** What stands between words. A full stop, a comma and an apostrophe may be in a word. */
const between = /[^\p{L}\p{M}\p{N}.,']/gu

/** A full stop without the space after it. In initials, such as U.S., it stands after one letter. */
const sentenceEnd = /(?<=[\p{L}\p{M}]{2})\.(?=\p{L})/gu

/** What is in a word but not compared: all but the full stop of a decimal. */
const unsaid = /[,']|\.(?!\p{N})|(?<!\p{N})\./gu

const isDigit = (codePoint: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(codePoint))

const digits = new Map<string, string>()

/** The decimal digits of a script follow each other, from 0 to 9 (Unicode Standard, section 4.6). */
const toAscii = (digit: string): string => {
  const known = digits.get(digit)
  if (known !== undefined) return known
  const codePoint = digit.codePointAt(0) ?? 0
  let before = 0
  while (isDigit(codePoint - before - 1)) before++
  const ascii = String(before % 10)
  digits.set(digit, ascii)
  return ascii
}

/** Small letters of one form. Some are the same only as capital letters, such as ß and ss, and some capital letters only as small ones. */
const fold = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ")

/** A part of a text that ends between words. */
const normalize = (text: string): string =>
  fold(text.replace(invisibleSpace, " ").replace(beforeNumberSign, "$& ").replace(apostrophe, "'").normalize("NFKC"))
    .replace(otherForm, (form) => forms.get(form) ?? form)
    .replace(unwritten, "")
    .normalize("NFKC")
    .replace(nta, "\u0d7b\u0d4d")
    .replace(apostrophe, "'")
    .replace(/\p{Nd}/gu, toAscii)
    .replace(/\u066b/g, ".")
    .replace(/\u066c/g, ",")
    .replace(between, " ")
    .replace(withoutZero, "0.")
    .replace(sentenceEnd, " ")

const segmenter = new Intl.Segmenter("en", { granularity: "word" })

/** In UTF-16 units. */
const partLength = 1024

/** Between two steps, in a text without spaces: less than a millisecond. */
const wordsOfStep = 256

/** For `Intl.Segmenter`, a number sign such as ௰ (ten in Tamil) is no word. */
const isWord = ({ isWordLike, segment }: Pick<Intl.SegmentData, "isWordLike" | "segment">): boolean =>
  isWordLike === true || /[\p{L}\p{N}]/u.test(segment)

/** The text in parts that end with a space. */
function* partsOf(text: string): Generator<string, void> {
  const space = /\s/g
  for (let at = 0; at < text.length; ) {
    space.lastIndex = at + partLength
    const end = space.test(text) ? space.lastIndex : text.length
    yield text.slice(at, end)
    at = end
  }
}

/**
 * The words of a text: the segments of UAX #29 with letters or numbers, without punctuation, in small letters, in NFKC, with the digits 0
 * to 9, and with one form of each letter.
 */
export function* wordsOf(text: string): Steps<Array<string>> {
  const words: Array<string> = []
  for (const part of partsOf(text)) {
    for (const found of segmentsOf(segmenter, normalize(part))) {
      // A mark may follow another letter now.
      const word = isWord(found) ? found.segment.replace(unsaid, "").normalize("NFKC") : ""
      if (word !== "" && words.push(word) % wordsOfStep === 0) yield
    }
    yield
  }
  return words
}

import { readFileSync } from "node:fs"
import * as FastCheck from "effect/FastCheck"

type Texts = Readonly<Record<string, ReadonlyArray<string>>>
const read = (name: string): Texts => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"))

/**
 * Paragraphs in each language of the service, written for the tests. They have what a splitter can damage: conjuncts, marks
 * in several layers, joiners (`\u200d`) and non-joiners (`\u200c`), emoji of several code points, and combining accents.
 */
export const paragraphs: Texts = read("paragraphs.json")

/** Texts by language, with ‖ at the end of each sentence but the last. */
export const marked: Texts = read("marked.json")

/** What a splitter can damage: conjuncts, marks, joiners, emoji, lone surrogates, spaces of all kinds and ends of sentences. */
const fragments = [
  ..."क्ष क्‍ष क्‌ष ড্র ਕ੍ਰ ક્ષ ତ୍ର க்ஷ க்க ஸ்ரீ శ్రీ ಕ್ಷ ക്ഷ ണ്‍ نستعلیق پٹّی नि ഇന്ത്യ é e\u0301\u0302 क़् ् \u200d \u0600".split(" "),
  ..."है है. डॉ. ए. पी. रु. कि.मी. मु. ल. Dr. U.S. a.m. J. I. etc. word Word e.g. 3.14 1. १. (क) https://a.b/c?d=e ... … क्या? “कौन?” (!) |".split(
    " "
  ),
  ...'। ॥ ۔ ؟ ! ? . , ; — 。 ， " ” ) ] [1]'.split(" "),
  ..."👩‍👩‍👧 🇮🇳 🇮 👍🏽 𝒳 \ud83d \udc00".split(" "),
  ...[" ", " ", " ", "  ", " ".repeat(300)],
  ..."\n,\r\n,\n\n,\n \n,\r\n\r\n,\u2029,\u2028,\t,\u00a0,\u202f,\u3000".split(","),
  "a".repeat(30),
  "क्".repeat(12),
  `o${"\u0301".repeat(20)}`
]

const corpus = Object.values(paragraphs).flat()

/** A text of fragments, of whole paragraphs, or of any code units. */
export const texts = FastCheck.oneof(
  FastCheck.array(FastCheck.constantFrom(...fragments), { maxLength: 120 }).map((parts) => parts.join("")),
  FastCheck.array(FastCheck.constantFrom(...fragments, " ", " ", ...fragments), { maxLength: 80 }).map((parts) =>
    parts.join(" ")
  ),
  FastCheck.array(FastCheck.constantFrom(...corpus), { maxLength: 3 }).map((parts) => parts.join("\n\n")),
  FastCheck.string16bits({ maxLength: 60 })
)

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** Conjuncts that ICU may divide: a virama, a joiner or none, and a letter of the same script. */
const joined = [
  /\u094d\u200d?(?=[\u0904-\u0939\u0958-\u0961\u0972-\u097f])/g,
  /\u09cd\u200d?(?=[\u0985-\u09b9\u09dc-\u09e1\u09f0\u09f1\u09ce])/g,
  /\u0a4d\u200d?(?=[\u0a05-\u0a39\u0a59-\u0a5e\u0a72\u0a73])/g,
  /\u0acd\u200d?(?=[\u0a85-\u0ab9])/g,
  /\u0b4d\u200d?(?=[\u0b05-\u0b39\u0b5c-\u0b61\u0b71])/g,
  /\u0c4d\u200d?(?=[\u0c05-\u0c39\u0c58-\u0c5a])/g,
  /\u0ccd\u200d?(?=[\u0c85-\u0cb9\u0cde])/g,
  /\u0d4d\u200d?(?=[\u0d05-\u0d39\u0d7a-\u0d7f])/g,
  /\u0b95\u0bcd\u200d?(?=\u0bb7)/g,
  /[\u0bb8\u0bb6]\u0bcd(?=\u0bb0\u0bc0)/g
]

/** The places between what a reader sees as characters: grapheme clusters, and conjuncts as wholes. */
export const clusterEnds = (text: string): ReadonlySet<number> => {
  const ends = new Set([...graphemes.segment(text)].map(({ index }) => index))
  ends.add(text.length)
  for (const pattern of joined) for (const match of text.matchAll(pattern)) ends.delete(match.index + match[0].length)
  return ends
}

import { readFileSync } from "node:fs"

/**
 * Sentences of callers and banks, each with a partner that differs in one word: `[this|that]` is "this" in the sentence and
 * "that" in its partner.
 *
 * Many of the words differ only by a vowel, a nasal or a hiss, and stand at the start or the end, so that the rest of the
 * sentence stays aligned. No two of them sound the same.
 */
export interface Pair {
  readonly lang: "en" | "hi"
  readonly sentence: string
  readonly partner: string
}

const words = /\[(.+)\|(.+)\]/
const pairsOf = (lang: Pair["lang"]): ReadonlyArray<Pair> =>
  readFileSync(new URL(`sentences/${lang}.txt`, import.meta.url), "utf8")
    .trim()
    .split(/(?<=[.?।])\s+/)
    .map((marked) => ({ lang, sentence: marked.replace(words, "$1"), partner: marked.replace(words, "$2") }))

export const pairs: ReadonlyArray<Pair> = [...pairsOf("en"), ...pairsOf("hi")]

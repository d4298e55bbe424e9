/** Precision and recall of splitters on the marked corpora, whose format `../README.md` describes. */
import { readdirSync, readFileSync } from "node:fs"
import { Sentences } from "@effect-speech/long-form"
import { at, sum, table } from "effect-speech-test-support/report"
import { splitters as peers } from "./peers/index.js"

export const languagesOf = (corpus: string): ReadonlyArray<string> =>
  readdirSync(new URL(`${corpus}/`, import.meta.url)).map((file) => file.replace(".txt", ""))

export interface Paragraph {
  readonly lang: string
  readonly text: string
  /** Offset after the last character of each sentence but the last one, whose end every splitter finds. */
  readonly ends: ReadonlySet<number>
}

/** Offset after each of these sentences but the last one, without the spaces that follow it. */
const endsOf = (text: string, sentences: Iterable<string>): ReadonlySet<number> => {
  const ends = new Set<number>()
  let end = 0
  for (const sentence of sentences) {
    const own = sentence.trim()
    if (own === "") continue
    const start = text.indexOf(own, end)
    if (start === -1) throw new Error(`A splitter changed its text: ${own}`)
    end = start + own.length
    ends.add(end)
  }
  ends.delete(text.length)
  return ends
}

export const readParagraphs = (corpus: string, lang: string): ReadonlyArray<Paragraph> =>
  readFileSync(new URL(`${corpus}/${lang}.txt`, import.meta.url), "utf8")
    .trim()
    .split(/\n\n+/)
    .map((paragraph) => {
      const sentences = paragraph.split("\n")
      const text = sentences.join(" ")
      return { lang, text, ends: endsOf(text, sentences) }
    })

type Splitter = (text: string, lang: string) => Iterable<string> | Promise<Iterable<string>>

const ours = "long-form"
const splitters: Readonly<Record<string, Splitter>> = {
  [ours]: (text, lang) => Array.from(Sentences.split(text, { lang }), (sentence) => sentence.text),
  "Intl.Segmenter": (text, lang) =>
    Array.from(new Intl.Segmenter(lang, { granularity: "sentence" }).segment(text), ({ segment }) => segment),
  ...peers
}

export interface Score {
  readonly right: number
  readonly found: number
  readonly marked: number
}
const add = (scores: ReadonlyArray<Score>): Score => ({
  right: sum(scores.map((score) => score.right)),
  found: sum(scores.map((score) => score.found)),
  marked: sum(scores.map((score) => score.marked))
})
export const precision = ({ found, right }: Score) => (found === 0 ? 1 : right / found)
export const recall = ({ marked, right }: Score) => right / marked
export const share = (value: number) => value.toFixed(3)

const around = (text: string, end: number) => `${text.slice(Math.max(0, end - 30), end)} ¶${text.slice(end, end + 30)}`

/** Prints precision and recall of every splitter, and the errors of ours in one language. Returns the total score of ours. */
export const compare = async (corpus: string, errors: string | undefined): Promise<Score> => {
  const paragraphs = languagesOf(corpus).flatMap((lang) => readParagraphs(corpus, lang))
  const scores = new Map<string, ReadonlyArray<Score & { readonly lang: string }>>()
  for (const [name, split] of Object.entries(splitters)) {
    const own: Array<Score & { readonly lang: string }> = []
    for (const { ends, lang, text } of paragraphs) {
      const found = endsOf(text, await split(text, lang))
      const missed = [...ends].filter((end) => !found.has(end))
      own.push({ lang, right: ends.size - missed.length, found: found.size, marked: ends.size })
      if (name !== ours || lang !== errors) continue
      const wrong = [...found].filter((end) => !ends.has(end))
      for (const end of missed) console.log(`- missed: ${around(text, end)}`)
      for (const end of wrong) console.log(`- wrong: ${around(text, end)}`)
    }
    scores.set(name, own)
  }
  const rowOf = (label: string, includes: (lang: string) => boolean) => {
    const totals = Array.from(scores.values(), (own) => add(own.filter(({ lang }) => includes(lang))))
    return [
      label,
      String(at(totals, 0).marked),
      ...totals.map((each) => `${share(precision(each))} / ${share(recall(each))}`)
    ]
  }
  table([
    ["language", "ends", ...scores.keys()],
    ...languagesOf(corpus).map((lang) => rowOf(lang, (each) => each === lang)),
    rowOf("all", () => true)
  ])
  return add(scores.get(ours) ?? [])
}

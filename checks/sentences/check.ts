/**
 * The ends that `Sentences.split` finds in a marked corpus, beside those of bare `Intl.Segmenter`: `pnpm verify sentences`.
 * `--errors LANG` lists the ends of one language that are missed or wrong. `README.md` describes the corpora.
 */
import { readdirSync, readFileSync } from "node:fs"
import { Sentences } from "@effect-speech/long-form"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { bar, exitStatus, sum, table, title } from "effect-speech-test-support/report"

const corpora = {
  corpus: "Sentence ends marked before the rules were tuned",
  abbreviations: "Sentence ends beside abbreviations, marked before their rules",
  unseen: "Sentence ends that no rule was tuned on"
}

const languagesOf = (corpus: string): ReadonlyArray<string> =>
  readdirSync(new URL(`${corpus}/`, import.meta.url)).map((file) => file.replace(".txt", ""))

const { errors } = readOptions({ errors: { type: "string" } })
const languages = languagesOf("unseen")
if (errors !== undefined && !languages.includes(errors)) refuseOptions(`--errors takes one of ${languages.join(", ")}.`)

/** Offset after each of these sentences, without the spaces that follow it. Every splitter finds the last one, so it is left out. */
const endsOf = (text: string, sentences: Iterable<string>): ReadonlySet<number> => {
  const ends = new Set<number>()
  let end = 0
  for (const sentence of sentences) {
    const own = sentence.trim()
    if (own === "") continue
    end = text.indexOf(own, end) + own.length
    ends.add(end)
  }
  ends.delete(text.length)
  return ends
}

/** The paragraphs of a language. Each lists where its sentences end. */
const readParagraphs = (corpus: string, lang: string) =>
  readFileSync(new URL(`${corpus}/${lang}.txt`, import.meta.url), "utf8")
    .trim()
    .split(/\n\n+/)
    .map((paragraph) => {
      const sentences = paragraph.split("\n")
      const text = sentences.join(" ")
      return { text, ends: endsOf(text, sentences) }
    })

const ours = (text: string, lang: string) => Array.from(Sentences.split(text, { lang }), (sentence) => sentence.text)
const bare = (text: string, lang: string) =>
  Array.from(new Intl.Segmenter(lang, { granularity: "sentence" }).segment(text), ({ segment }) => segment)

interface Score {
  readonly right: number
  readonly found: number
  readonly marked: number
}
const add = (scores: ReadonlyArray<Score>): Score => ({
  right: sum(scores.map((score) => score.right)),
  found: sum(scores.map((score) => score.found)),
  marked: sum(scores.map((score) => score.marked))
})
const precision = ({ found, right }: Score) => (found === 0 ? 1 : right / found)
const recall = ({ marked, right }: Score) => right / marked
const share = (value: number) => value.toFixed(3)

const listErrors = (text: string, kind: string, ends: ReadonlyArray<number>) => {
  for (const end of ends)
    console.log(`- ${kind}: ${text.slice(Math.max(0, end - 30), end)} ¶${text.slice(end, end + 30)}`)
}

const scoreOf = (corpus: string, lang: string, split: typeof ours): Score =>
  add(
    readParagraphs(corpus, lang).map(({ ends, text }) => {
      const found = endsOf(text, split(text, lang))
      const missed = [...ends].filter((end) => !found.has(end))
      if (split === ours && lang === errors) {
        listErrors(text, "missed", missed)
        listErrors(
          text,
          "wrong",
          [...found].filter((end) => !ends.has(end))
        )
      }
      return { right: ends.size - missed.length, found: found.size, marked: ends.size }
    })
  )

for (const [corpus, heading] of Object.entries(corpora)) {
  title(`${heading}: precision / recall`)
  const scores = languagesOf(corpus).map((lang) => ({
    lang,
    own: scoreOf(corpus, lang, ours),
    others: scoreOf(corpus, lang, bare)
  }))
  const total = add(scores.map(({ own }) => own))
  const all = { lang: "all", own: total, others: add(scores.map(({ others }) => others)) }
  const both = (score: Score) => `${share(precision(score))} / ${share(recall(score))}`
  table([
    ["language", "ends", "long-form", "Intl.Segmenter"],
    ...[...scores, all].map(({ lang, others, own }) => [lang, String(own.marked), both(own), both(others)])
  ])
  bar(`${heading}: precision of at least .985`, precision(total) >= 0.985, share(precision(total)))
  bar(`${heading}: recall of at least .97`, recall(total) >= 0.97, share(recall(total)))
}
process.exitCode = exitStatus()

/**
 * The ends that `Sentences.split` finds in a marked corpus, compared with bare `Intl.Segmenter` and other libraries, and
 * the time that `TextPieces.split` takes for a long text: `pnpm verify sentences`. `--errors LANG` lists the ends of one
 * language that are missed or wrong, and leaves out the times.
 */
import { readdirSync, readFileSync } from "node:fs"
import { cpus } from "node:os"
import { Sentences, TextPieces } from "@effect-speech/long-form"
import { readOptions, refuseOptions } from "../../test/support/options.js"
import { at, exitStatus, bar as printBar, spread, sum, table, title, whole } from "../../test/support/report.js"
import { splitters as peers } from "./peers/index.js"

const folder = new URL("corpus/", import.meta.url)
const languages = readdirSync(folder).map((file) => file.replace(".txt", ""))
const { errors } = readOptions({ errors: { type: "string" } })
if (errors !== undefined && !languages.includes(errors)) refuseOptions(`--errors takes one of ${languages.join(", ")}.`)

const { devDependencies } = JSON.parse(readFileSync(new URL("peers/package.json", import.meta.url), "utf8"))
console.log(`${cpus()[0]?.model}; Node ${process.version}, ICU ${process.versions.icu}, CLDR ${process.versions.cldr}`)
for (const [name, version] of Object.entries(devDependencies)) console.log(`${name} ${version}`)

interface Paragraph {
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

const paragraphs = languages.flatMap((lang) =>
  readFileSync(new URL(`${lang}.txt`, folder), "utf8")
    .trim()
    .split(/\n\n+/)
    .map((paragraph): Paragraph => {
      const sentences = paragraph.split("\n")
      const text = sentences.join(" ")
      return { lang, text, ends: endsOf(text, sentences) }
    })
)

type Splitter = (text: string, lang: string) => Iterable<string> | Promise<Iterable<string>>

const ours = "long-form"
const splitters: Readonly<Record<string, Splitter>> = {
  [ours]: (text, lang) => Array.from(Sentences.split(text, { lang }), (sentence) => sentence.text),
  "Intl.Segmenter": (text, lang) =>
    Array.from(new Intl.Segmenter(lang, { granularity: "sentence" }).segment(text), ({ segment }) => segment),
  ...peers
}

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

const around = (text: string, end: number) => `${text.slice(Math.max(0, end - 30), end)} ¶${text.slice(end, end + 30)}`

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

title("Sentence ends: precision / recall")
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
  ...languages.map((lang) => rowOf(lang, (each) => each === lang)),
  rowOf("all", () => true)
])
const total = add(scores.get(ours) ?? [])

/** A text of this many bytes in UTF-8. */
const textOf = (unit: string, bytes: number) => {
  const bytesPerUnit = Buffer.byteLength(unit)
  return unit.repeat(Math.ceil(bytes / bytesPerUnit))
}
const sizes = [2 ** 16, 2 ** 18, 2 ** 20]
const texts: Readonly<Record<string, string>> = {
  "the corpus": `${paragraphs.map(({ text }) => text).join("\n\n")}\n\n`,
  "the corpus as one line": `${paragraphs.map(({ text }) => text).join(" ")} `,
  "one line without ends": "सुबह का समय और नदी का किनारा ",
  "initials alone": "A. B. ",
  "full stops alone": ".",
  "one word": "क्षत्रज्ञ",
  "one grapheme cluster": "\u0301",
  "opening brackets alone": "(“",
  "spaces alone": " "
}

title("CPU time of TextPieces.split, in ns per code point (best of 5)")
let worst = 0
const rows: Array<ReadonlyArray<string>> = []
const codePoints = (text: string) => {
  let count = 0
  for (const _ of text) count++
  return count
}
for (const [name, unit] of errors === undefined ? Object.entries(texts) : []) {
  const inputs = sizes.map((bytes) => textOf(unit, bytes))
  const counts = inputs.map(codePoints)
  const times = inputs.map((): Array<number> => [])
  // Interleaved, after one round that warms up. Every figure is of 1 MB of text, in CPU time, which other programs of the
  // machine hardly change.
  for (let round = 0; round <= 5; round++) {
    for (const [index, text] of inputs.entries()) {
      const repeats = at(sizes, 2) / at(sizes, index)
      const before = process.cpuUsage()
      let length = 0
      for (let repeat = 0; repeat < repeats; repeat++) {
        for (const piece of TextPieces.split(text)) length += piece.text.length
      }
      const { system, user } = process.cpuUsage(before)
      if (length !== repeats * text.length) throw new Error(`The pieces of ${name} are not the text.`)
      if (round > 0) at(times, index).push(((user + system) * 1e3) / (repeats * at(counts, index)))
    }
  }
  const best = times.map((each) => Math.min(...each))
  const growth = at(best, 2) / at(best, 0)
  worst = Math.max(worst, growth)
  rows.push([name, ...best.map(whole), spread(at(times, 2), whole), `${growth.toFixed(2)}x`])
}
table([["text", "64 KB", "256 KB", "1 MB", "1 MB, range", "1 MB against 64 KB"], ...rows])

printBar("precision of at least .97", precision(total) >= 0.97, share(precision(total)))
printBar("recall of at least .97", recall(total) >= 0.97, share(recall(total)))
printBar(
  "a text of 1 MB takes at most twice as long per code point as one of 64 KB",
  worst <= 2,
  `${worst.toFixed(2)}x`
)
process.exitCode = exitStatus()

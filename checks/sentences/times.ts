/** The time that `TextPieces.split` takes for texts of three sizes. */
import { TextPieces } from "@effect-speech/long-form"
import { at, spread, table, title, whole } from "effect-speech-test-support/report"
import { languagesOf, readParagraphs } from "./score.js"

/** About this many bytes in UTF-8. */
const textOf = (unit: string, bytes: number) => {
  const units = bytes / Buffer.byteLength(unit)
  return unit.repeat(Math.ceil(units)).slice(0, Math.round(units * unit.length))
}
const sizes = [2 ** 16, 2 ** 18, 2 ** 20]
const prose = languagesOf("corpus").flatMap((lang) => readParagraphs("corpus", lang).map(({ text }) => text))
const texts: Readonly<Record<string, string>> = {
  "the corpus": `${prose.join("\n\n")}\n\n`,
  "the corpus as one line": `${prose.join(" ")} `,
  "one line without ends": "सुबह का समय और नदी का किनारा ",
  "initials alone": "A. B. ",
  "full stops alone": ".",
  "one word": "क्षत्रज्ञ",
  "one grapheme cluster": "\u0301",
  "opening brackets alone": "(“",
  "spaces alone": " "
}

const codePoints = (text: string) => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Prints the times. Returns how much longer a code point takes in the largest text than in the smallest, at worst. */
export const measureTimes = (): number => {
  title("CPU time of TextPieces.split, in ns per code point (best of 5)")
  let worst = 0
  const rows: Array<ReadonlyArray<string>> = []
  for (const [name, unit] of Object.entries(texts)) {
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
  return worst
}

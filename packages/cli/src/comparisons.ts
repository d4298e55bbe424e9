/**
 * What `speech listen-back` prints about recordings and their texts.
 */
import * as Printable from "@effect-speech/common/Printable"
import type { Comparison, Counts, Pair } from "@effect-speech/long-form/WordErrors"
import { total } from "@effect-speech/long-form/WordErrors"
import type { Transcription } from "@effect-speech/stt"
import { count, plural } from "./message.js"

/** Words of the text that follow each other, and what was heard in their place. Either may be empty. */
interface Difference {
  readonly said: string
  readonly heard: string
}

/** The errors of one recording. The words that were heard are dropped: a folder may have many recordings. */
export interface Compared {
  readonly file: string
  readonly words: Counts
  readonly characters: Counts
  readonly differences: ReadonlyArray<Difference>
  readonly warnings: Transcription["warnings"]
}

export const comparedOf = (
  file: string,
  { characters, pairs, words }: Comparison,
  warnings: Transcription["warnings"]
): Compared => ({ file, words, characters, differences: differencesOf(pairs), warnings })

const differencesOf = (pairs: ReadonlyArray<Pair>): ReadonlyArray<Difference> => {
  const runs: Array<Array<Pair>> = []
  let isAfterSame = true
  for (const pair of pairs) {
    if (pair.kind !== "same") {
      if (isAfterSame) runs.push([])
      runs.at(-1)?.push(pair)
    }
    isAfterSame = pair.kind === "same"
  }
  const joined = (words: ReadonlyArray<string>) => words.join(" ")
  return runs.map((run) => ({
    said: joined(run.flatMap((pair) => ("reference" in pair ? pair.reference : []))),
    heard: joined(run.flatMap((pair) => ("heard" in pair ? pair.heard : [])))
  }))
}

export const worstFirst = (all: ReadonlyArray<Compared>): ReadonlyArray<Compared> =>
  all.toSorted(
    // Two rates may be infinite, and have no difference.
    (one, other) => Number(other.words.rate > one.words.rate) - Number(other.words.rate < one.words.rate)
  )

/** Recordings whose differences are printed, and differences of each. --json has all. */
const mostRecordings = 10
const mostDifferences = 5

const shownRate = ({ rate }: Counts): string => rate.toFixed(3)

const quoted = (words: string): string => (words === "" ? "nothing" : `"${words}"`)

const linesOf = ({ differences, file, words }: Compared, index: number): ReadonlyArray<string> => {
  const facts = `${shownRate(words)}  ${plural(words.errors, "error")} in ${plural(words.reference, "word")}  ${Printable.line(file)}`
  if (index >= mostRecordings) return [facts]
  const more = differences.length - mostDifferences
  return [
    facts,
    ...differences
      .slice(0, mostDifferences)
      .map(({ heard, said }) => `       said ${quoted(said)}, heard ${quoted(heard)}`),
    ...(more > 0 ? [`       and ${count(more)} more`] : [])
  ]
}

/** The recordings with errors, and the rates of all together. Empty if none was compared. */
export const describe = (worst: ReadonlyArray<Compared>): ReadonlyArray<string> => {
  if (worst.length === 0) return []
  const { characters, words } = sumOf(worst)
  const wrong = worst.filter((each) => each.words.errors > 0)
  const right = worst.length - wrong.length
  return [
    ...wrong.flatMap(linesOf),
    `${plural(worst.length, "recording")}, ${count(right)} without an error, ${plural(words.reference, "word")}: word error rate ${shownRate(words)}, character error rate ${shownRate(characters)}.`
  ]
}

const sumOf = (all: ReadonlyArray<Compared>): Pick<Compared, "words" | "characters"> => ({
  words: total(all.map(({ words }) => words)),
  characters: total(all.map(({ characters }) => characters))
})

/** JSON has no `Infinity`. If nothing was compared, there is no rate. */
const countsOf = (counts: Counts, compared = 1): object => {
  const { deletions, errors, heard, hits, insertions, rate, reference, substitutions } = counts
  return {
    ...{ reference, heard, hits, substitutions, deletions, insertions, errors },
    rate: compared > 0 && Number.isFinite(rate) ? rate : null
  }
}

/** What `--json` prints: the rates of all together, and each recording. `failed` are those that have no rate. */
export const toJson = (worst: ReadonlyArray<Compared>, failed: ReadonlyArray<object>): object => {
  const { characters, words } = sumOf(worst)
  return {
    words: countsOf(words, worst.length),
    characters: countsOf(characters, worst.length),
    recordings: [
      ...worst.map((each) => ({
        file: each.file,
        words: countsOf(each.words),
        characters: countsOf(each.characters),
        differences: each.differences,
        warnings: each.warnings
      })),
      ...failed
    ]
  }
}

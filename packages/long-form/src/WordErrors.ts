/**
 * Word error rate and character error rate of a transcript, with the alignment of its words.
 */
import { cooperatively, type Steps } from "@effect-speech/common/Cooperative"
import { unsafeInstance } from "@effect-speech/common/Structural"
import type * as Effect from "effect/Effect"
import { clustersOf } from "./internal/text/clusters.js"
import { align, deleted, inserted, same, substituted } from "./internal/words/align.js"
import { Comparison, Counts, type Pair } from "./internal/words/comparison.js"
import { wordsOf } from "./internal/words/wordsOf.js"

export { Comparison, Counts, Pair } from "./internal/words/comparison.js"

/**
 * Compares what was heard, such as a transcript, with what was to be said.
 *
 * The rate is `(substitutions + deletions + insertions) / length of the reference`, of the alignment with the fewest errors. This is the
 * word error rate of Morris, Maier and Green, "From WER and RIL to MER and WIL" (2004), and of jiwer. sclite of NIST has the same rate, but
 * chooses the alignment by other weights (4 for a substitution, 3 for a deletion or an insertion), and so may count more errors. If several
 * alignments have the fewest errors, you get one of them, always the same.
 *
 * A word is a segment of `Intl.Segmenter` (UAX #29) that has letters or numbers. Words are compared without regard to:
 *
 * - case, punctuation, symbols and apostrophes: `Don’t` is `dont`, `1,000` is `1000`, `3.5` stays, and `.5` is `0.5`
 * - forms of Unicode: NFKC, which also makes one of the two encodings of a letter with a nukta
 * - the script of digits: `४२` is `42`; fractions are digits, so `1½` is `1 1/2`
 * - joiners and other invisible characters, the encodings of a chillu and of nta, and letters of Arabic in place of those of Urdu
 * - the vowel marks of Arabic
 *
 * Other spellings are errors: `twenty` for `20`, `percent` for `%`, `e-mail` for `email`, and a letter with a nukta for one without.
 * A number sign that is no digit, such as `௰` for ten, is a word of its own and differs from `10`. A vowel sign without a letter is no word.
 *
 * A character is a grapheme cluster, and a conjunct is one in every script. The characters of all words are aligned as one text without
 * spaces, as by `sclite -c`. So a text whose words are divided otherwise has errors in words alone. jiwer counts spaces too.
 *
 * Time grows with the product of the lengths, and memory with their sum. Timers and the network can run meanwhile.
 *
 * @example
 * ```ts
 * import { WordErrors } from "@effect-speech/long-form"
 * import { Effect } from "effect"
 *
 * export const rate = Effect.map(WordErrors.compare("Platform two", "flat form two"), ({ words }) => words.rate) // 1
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const compare = (reference: string, heard: string): Effect.Effect<Comparison> =>
  cooperatively(comparing(reference, heard))

/**
 * The sum of several counts. Its rate is that of all words together, in which long texts weigh more.
 *
 * @example
 * ```ts
 * import { WordErrors } from "@effect-speech/long-form"
 *
 * export const rateOf = (all: ReadonlyArray<WordErrors.Comparison>) => WordErrors.total(all.map(({ words }) => words)).rate
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const total = (all: Iterable<Counts>): Counts => {
  let [hits, substitutions, deletions, insertions] = [0, 0, 0, 0]
  for (const counts of all) {
    hits += counts.hits
    substitutions += counts.substitutions
    deletions += counts.deletions
    insertions += counts.insertions
  }
  return new Counts({ hits, substitutions, deletions, insertions })
}

function* comparing(reference: string, heard: string): Steps<Comparison> {
  const said = yield* wordsOf(reference)
  const got = yield* wordsOf(heard)
  const wordNumber = numbering()
  const words = yield* align(Int32Array.from(said, wordNumber), Int32Array.from(got, wordNumber))
  const clusterNumber = numbering()
  const characters = yield* align(yield* charactersOf(said, clusterNumber), yield* charactersOf(got, clusterNumber))
  return unsafeInstance(Comparison, {
    words: countsOf(words),
    characters: countsOf(characters),
    pairs: pairsOf(words, said, got)
  })
}

type Numbering = (symbol: string) => number

/** Gives each symbol a number: the same for the same one. */
const numbering = (): Numbering => {
  const numbers = new Map<string, number>()
  return (symbol) => {
    const number = numbers.get(symbol) ?? numbers.size
    numbers.set(symbol, number)
    return number
  }
}

/** Between two steps: less than a millisecond. */
const charactersOfStep = 256

function* charactersOf(words: ReadonlyArray<string>, numberOf: Numbering): Steps<Int32Array> {
  const ofWord = new Map<string, ReadonlyArray<number>>()
  const numbers: Array<number> = []
  for (const word of words) {
    const own = ofWord.get(word) ?? (yield* charactersOfWord(word, numberOf))
    ofWord.set(word, own)
    for (const number of own) if (numbers.push(number) % charactersOfStep === 0) yield
  }
  return Int32Array.from(numbers)
}

function* charactersOfWord(word: string, numberOf: Numbering): Steps<ReadonlyArray<number>> {
  const numbers: Array<number> = []
  for (const cluster of clustersOf(word)) if (numbers.push(numberOf(cluster)) % charactersOfStep === 0) yield
  return numbers
}

const countsOf = (steps: ReadonlyArray<number>): Counts => {
  const count = (wanted: number) => steps.reduce((sum, step) => (step === wanted ? sum + 1 : sum), 0)
  return new Counts({
    hits: count(same),
    substitutions: count(substituted),
    deletions: count(deleted),
    insertions: count(inserted)
  })
}

const pairsOf = (
  steps: ReadonlyArray<number>,
  said: ReadonlyArray<string>,
  got: ReadonlyArray<string>
): ReadonlyArray<Pair> => {
  let next = 0
  let nextHeard = 0
  const reference = () => said[next++] ?? ""
  const heard = () => got[nextHeard++] ?? ""
  return steps.map((step): Pair => {
    if (step === deleted) return { kind: "deleted", reference: reference() }
    if (step === inserted) return { kind: "inserted", heard: heard() }
    return { kind: step === same ? "same" : "substituted", reference: reference(), heard: heard() }
  })
}

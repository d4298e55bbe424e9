import { arab, crore, hundred, lakh, type NumberWord, type Part, type Reader, readerOf } from "./numberWords.js"

/**
 * Writes spoken numbers in ASCII digits, for `parse_number`. Languages: hi, mr, gu, kn, ml. Any other text stays as it is.
 * Takes time in proportion to the text.
 *
 * - Cardinals up to 99 of the largest scale: दो लाख पैंतीस हज़ार चार सौ छह is 235406, दो लाख करोड़ is 2000000000000, उन्नीस सौ
 *   बारह is 1912, डेढ़ सौ is 150, साढ़े तीन लाख is 350000.
 * - A hundred or a thousand without a count is 100 or 1000. A lakh or a crore without a count stays a word, because it
 *   rarely means exactly one. So do inflected words (सैकड़ों, लाखों, दोनों), ordinals, and a fraction without a scale: साढ़े
 *   तीन बजे becomes साढ़े 3 बजे.
 * - Some words are often no number: Hindi एक and दो, Marathi एक, Gujarati એક and બસો, Kannada ಒಂದು, Malayalam ഒന്ന്, a bare
 *   lakh or crore. They are written in digits only as part of a greater number, in a run of digits, beside a single
 *   digit that is always a number, or alone between two punctuation marks. Other homographs (Hindi नौ, Kannada ಏಳು) are
 *   always written, because they nearly always are numbers.
 * - Three or more single digits in a row are joined: नौ आठ सात शून्य is 9870. Two are not, because चार पाँच लोग means four or
 *   five people: 4 5. Numbers in a row are never added up.
 * - Words that form no single number become several numbers in the same order. A punctuation mark or the end of a line
 *   ends a number. No word is dropped.
 */
export const writeNumbers = (lang: string, text: string): string => {
  let written = ""
  let from = 0
  for (const { end, start, value } of [...numbersOfText(lang, text)].flat()) {
    written += text.slice(from, start) + value
    from = end
  }
  return written + text.slice(from)
}

/** {@link writeNumbers}, step by step: the numbers of a hundred words or more, with their places in the text. */
export function* numbersOfText(lang: string, text: string): Generator<ReadonlyArray<NumberInText>> {
  const reader = readerOf(lang)
  if (reader === undefined) return
  for (const words of spokenWords(text, reader)) yield runsOf(words).flatMap((run) => writtenOf(run, text))
}

/** A number, as it is written, and the place of its words in the text. */
export interface NumberInText {
  readonly start: number
  readonly end: number
  readonly value: string
}

/** A word and its place in the text. `follows` is the gap before it. */
interface SpokenWord {
  readonly start: number
  readonly end: number
  readonly follows: "space" | "hyphen" | "other"
  readonly number: NumberWord | undefined
}

interface WrittenNumber extends NumberInText {
  readonly isDigit: boolean
  readonly isEveryday: boolean
  readonly follows: SpokenWord["follows"]
}

const wordPattern = /[\p{L}\p{M}\p{N}\u200c\u200d]+/gu

/** A step reads so many words, or more. */
const wordsOfStep = 100

/**
 * The words of a text. A step ends with a word that is no number, and the next one begins with the same word: so both know what is
 * beside their numbers.
 */
function* spokenWords(text: string, reader: Reader): Generator<ReadonlyArray<SpokenWord>> {
  let found: Array<SpokenWord> = []
  let end = 0
  for (const { 0: word, index } of text.matchAll(wordPattern)) {
    const gap = text.slice(end, index)
    const follows =
      index > 0 && /^[^\S\r\n]+$/u.test(gap)
        ? "space"
        : /^[^\S\r\n]*[-\u2010-\u2014][^\S\r\n]*$/u.test(gap)
          ? "hyphen"
          : "other"
    end = index + word.length
    const spoken: SpokenWord = { start: index, end, follows, number: reader(word) }
    found.push(spoken)
    if (found.length > wordsOfStep && spoken.number === undefined) {
      yield withoutIncomplete(found)
      found = [spoken]
    }
  }
  yield withoutIncomplete(found)
}

/** Removes the number of each word that is none at its place, such as a fraction without a scale. */
const withoutIncomplete = (all: ReadonlyArray<SpokenWord>): Array<SpokenWord> => {
  const complete = [...all]
  const next = (index: number): NumberWord | undefined =>
    complete[index + 1]?.follows === "space" ? complete[index + 1]?.number : undefined
  const removeNumber = (index: number, word: SpokenWord) => {
    complete[index] = { ...word, number: undefined }
  }
  for (let index = complete.length - 1; index >= 0; index--) {
    const word = complete[index]
    if (word?.number === undefined) continue
    const following = next(index)
    const ahead = [
      ...word.number.parts,
      ...(following?.parts ?? []),
      ...(following ? (next(index + 1)?.parts ?? []) : [])
    ]
    const [first] = word.number.parts
    const isIncomplete =
      (word.number.before !== undefined && following === undefined) ||
      (word.number.before === "scale" && following?.parts[0]?.kind !== "scale") ||
      (first?.kind === "fraction" && fractionOf(ahead, 0) === undefined)
    if (isIncomplete) removeNumber(index, word)
  }
  for (const [index, word] of complete.entries()) {
    const isAfterNumber = word.follows === "space" && complete[index - 1]?.number !== undefined
    if (word.number?.after === true && !isAfterNumber) removeNumber(index, word)
  }
  return complete
}

/** The count of the following scale that a fraction makes, and the number of parts it takes. */
const fractionOf = (parts: ReadonlyArray<Part>, at: number): { value: number; length: number } | undefined => {
  const [fraction, second, third] = parts.slice(at, at + 3)
  if (fraction?.kind !== "fraction") return undefined
  if (second?.kind === "scale" && fraction.alone !== undefined) return { value: fraction.alone, length: 1 }
  if (second?.kind === "count" && second.value > 0 && third?.kind === "scale" && fraction.added !== undefined) {
    return { value: second.value + fraction.added, length: 2 }
  }
  return undefined
}

interface Run {
  readonly words: ReadonlyArray<SpokenWord>
  /** End of the word before, and start of the word after. */
  readonly before: number
  readonly after: number | undefined
}

/** Groups adjacent number words. */
const runsOf = (all: ReadonlyArray<SpokenWord>): Array<Run> => {
  const runs: Array<Run> = []
  for (let index = 0; index < all.length; ) {
    let end = index
    while (all[end]?.number !== undefined && (end === index || all[end]?.follows !== "other")) end++
    if (end > index) {
      runs.push({ words: all.slice(index, end), before: all[index - 1]?.end ?? 0, after: all[end]?.start })
    }
    index = Math.max(end, index + 1)
  }
  return runs
}

/** The numbers of a run to write in digits. */
const writtenOf = (run: Run, text: string): Array<WrittenNumber> => {
  const numbers = numbersOf(run.words)
  const isAlone =
    endsClause(text.slice(run.before, run.words[0]?.start), run.before === 0) &&
    endsClause(text.slice(run.words.at(-1)?.end, run.after), run.after === undefined)
  const written: Array<WrittenNumber> = []
  for (let index = 0; index < numbers.length; ) {
    let end = index
    while (numbers[end]?.isDigit === true) end++
    const digits = numbers.slice(index, end)
    const first = numbers[index]
    if (first === undefined) break
    if (digits.length === 0) {
      if (!first.isEveryday || isAlone) written.push(first)
    } else if (digits.length > 2 && digits.slice(1).every(({ follows }) => follows === "space")) {
      const value = digits.map((digit) => digit.value).join("")
      written.push({ ...first, end: digits.at(-1)?.end ?? first.end, value })
    } else if (digits.length > 2 || isAlone || !digits.every(({ isEveryday }) => isEveryday)) {
      for (const digit of digits) written.push(digit)
    }
    index = Math.max(end, index + 1)
  }
  return written
}

const endsClause = (gap: string, isEndOfText: boolean): boolean => isEndOfText || /[.,!?;:।॥…\r\n"'()]/u.test(gap)

/** Combines the words of a run from left to right. Starts a new number if a word does not extend the current one. */
const numbersOf = (run: ReadonlyArray<SpokenWord>): Array<WrittenNumber> => {
  const found: Array<WrittenNumber> = []
  const finish = (from: number, to: number, value: number) => {
    const [first, last] = [run[from], run[to - 1]]
    if (first === undefined || last === undefined) return
    const isOneWord = to - from === 1
    const isUnit = isOneWord && first.number?.parts.length === 1 && first.number.parts[0]?.kind === "count"
    found.push({
      start: first.start,
      end: last.end,
      value: String(value),
      isDigit: isUnit && value < 10,
      isEveryday: isOneWord && first.number?.everyday === true,
      follows: first.follows
    })
  }

  const parts = run.flatMap((word, index) => (word.number?.parts ?? []).map((part, at) => ({ part, index, at })))
  const plain = parts.map(({ part }) => part)
  let number: Unfinished | undefined
  for (let at = 0; at < parts.length; ) {
    const { at: inWord, index } = parts[at] ?? { at: 0, index: 0 }
    const fraction = fractionOf(plain, at)
    const part: Part | undefined = fraction === undefined ? plain[at] : { kind: "count", value: fraction.value }
    at += fraction?.length ?? 1
    if (part === undefined) break
    if (number !== undefined && inWord === 0 && run[index]?.follows === "hyphen") {
      finish(number.from, index, readSoFar(number))
      number = undefined
    }
    const step: Step =
      number === undefined ? { number: begin(part, index) } : advance(number, part, index, inWord === 0)
    if (step.finished !== undefined) finish(step.finished.from, step.finished.to, step.finished.value)
    number = step.number
  }
  if (number !== undefined) finish(number.from, run.length, readSoFar(number))
  return found
}

/** A number so far: the sum of its scales, and a pending count whose scale may follow. */
interface Unfinished {
  /** Index of its first word. */
  readonly from: number
  readonly total: number
  /** Smallest scale so far. The next one must be smaller. */
  readonly smallest: number
  readonly largest: number
  readonly pending?: Pending
}

interface Pending {
  readonly value: number
  readonly from: number
  readonly beginsWord: boolean
  readonly isOpen: boolean
}

interface Step {
  readonly finished?: { readonly from: number; readonly to: number; readonly value: number }
  readonly number: Unfinished
}

const begin = (part: Part, from: number): Unfinished =>
  part.kind === "scale"
    ? { from, total: part.value, smallest: part.value, largest: part.value }
    : { from, total: 0, smallest: Number.POSITIVE_INFINITY, largest: 0, pending: pendingOf(part, from, true) }

const pendingOf = (part: Part, from: number, beginsWord: boolean): Pending => ({
  value: part.kind === "count" ? part.value : 0,
  from,
  beginsWord,
  isOpen: part.kind === "count" && part.open === true
})

const readSoFar = ({ pending, total }: Unfinished): number => total + (pending?.value ?? 0)

/** Adds a part. Never splits a word between two numbers: only the first part of a word may start a new one. */
const advance = (number: Unfinished, part: Part, index: number, beginsWord: boolean): Step => {
  const { from, largest, pending, smallest, total } = number
  const another: Step = { finished: { from, to: index, value: readSoFar(number) }, number: begin(part, index) }

  if (part.kind !== "scale") {
    const next = pendingOf(part, index, beginsWord)
    if (next.value === 0) return another
    if (pending?.isOpen === true && next.value < 10) {
      return { number: { ...number, pending: { ...pending, value: pending.value + next.value, isOpen: false } } }
    }
    const hasRoom = pending === undefined && (smallest >= hundred || !beginsWord)
    return hasRoom ? { number: { ...number, pending: next } } : another
  }

  if (pending?.value === 0) return another
  const counted = Math.round((pending?.value ?? 1) * part.value)
  // Nothing follows a fraction of a scale: डेढ़ हज़ार पाँच is not 1505.
  const room = Number.isInteger(pending?.value ?? 1) ? part.value : 1
  if (smallest > part.value || !(beginsWord || pending?.beginsWord)) {
    return { number: { from, total: total + counted, smallest: room, largest: Math.max(largest, part.value) } }
  }
  const isCount =
    readSoFar(number) < largestCountOf(part.value) && largest < (pending === undefined ? part.value : lakh)
  if (beginsWord && isCount) {
    return { number: { from, total: readSoFar(number) * part.value, smallest: part.value, largest: part.value } }
  }
  // The scale belongs to the count before it: सौ दो सौ means a hundred or two.
  if (pending?.beginsWord === true) {
    return {
      finished: { from, to: pending.from, value: total },
      number: { from: pending.from, total: counted, smallest: room, largest: part.value }
    }
  }
  return another
}

/** Largest count of a scale in smaller scales: पाँच सौ लाख, दो लाख करोड़, सौ अरब. All results are exact. */
const largestCountOf = (value: number): number =>
  value === crore ? 1000 * lakh : value === lakh || value === arab ? 1000 : 0

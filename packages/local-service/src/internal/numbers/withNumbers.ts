/**
 * Writes the numbers of a transcript in digits.
 */
import type { Steps } from "@effect-speech/common/Cooperative"
import type { Recognised, RecognisedSegment } from "@effect-speech/engine/Recogniser"
import { type NumberInText, numbersOfText, writeNumbers } from "./spokenNumbers.js"

/**
 * The text and its segments with the same numbers. A number whose words are in several segments is in the first one, and a segment
 * without other words joins it. Segments that are not the parts of the text, in order, have their own numbers.
 */
export function* withNumbers(lang: string, { segments, text, ...rest }: Recognised): Steps<Recognised> {
  const numbers: Array<NumberInText> = []
  for (const some of numbersOfText(lang, text)) {
    numbers.push(...some)
    yield
  }
  const written = writeIn(text, 0, text.length, numbers)
  if (segments === undefined) return { ...rest, text: written }
  const starts = startsOf(text, segments)
  const all = starts === undefined ? yield* eachAlone(lang, segments) : together(text, segments, starts, numbers)
  return { ...rest, text: written, segments: all }
}

function* eachAlone(lang: string, segments: ReadonlyArray<RecognisedSegment>): Steps<ReadonlyArray<RecognisedSegment>> {
  const all: Array<RecognisedSegment> = []
  for (const segment of segments) {
    all.push({ ...segment, text: writeNumbers(lang, segment.text) })
    yield
  }
  return all
}

/** Where each segment begins in the text. `undefined`: there is more between them than blanks. */
const startsOf = (text: string, segments: ReadonlyArray<RecognisedSegment>): ReadonlyArray<number> | undefined => {
  const starts: Array<number> = []
  let end = 0
  for (const segment of segments) {
    while (end < text.length && !text.startsWith(segment.text, end) && isBlank(text.charAt(end))) end += 1
    if (!text.startsWith(segment.text, end)) return undefined
    starts.push(end)
    end += segment.text.length
  }
  return text.slice(end).trim() === "" ? starts : undefined
}

const isBlank = (character: string): boolean => character.trim() === ""

const together = (
  text: string,
  segments: ReadonlyArray<RecognisedSegment>,
  starts: ReadonlyArray<number>,
  numbers: ReadonlyArray<NumberInText>
): ReadonlyArray<RecognisedSegment> => {
  const all: Array<RecognisedSegment> = []
  let next = 0
  let written = 0
  for (const [at, segment] of segments.entries()) {
    const start = starts[at] ?? 0
    const end = start + segment.text.length
    const first = next
    while ((numbers[next]?.start ?? Number.POSITIVE_INFINITY) < end) next += 1
    const own = numbers.slice(first, next)
    const from = Math.max(start, written)
    const to = Math.max(end, own.at(-1)?.end ?? 0)
    const left = from > start ? writeIn(text, from, to, own).trim() : writeIn(text, from, to, own)
    const before = all.at(-1)
    if (from > start && left === "" && before !== undefined) {
      all[all.length - 1] = { ...before, endMillis: segment.endMillis }
    } else {
      all.push({ ...segment, text: left })
    }
    written = Math.max(written, to)
  }
  return all
}

/** A part of a text with these numbers in digits. */
const writeIn = (text: string, from: number, to: number, numbers: ReadonlyArray<NumberInText>): string => {
  let written = ""
  let at = from
  for (const { end, start, value } of numbers) {
    written += text.slice(at, start) + value
    at = end
  }
  return written + text.slice(at, to)
}

/**
 * Subtitles: cues with times, laid out in short lines, written as SRT or WebVTT, and read back.
 */
import { cloneable } from "@effect-speech/common/Cloneable"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { segmentsOf } from "./internal/text/segments.js"
import { allViramas } from "./internal/text/viramas.js"
import * as Sentences from "./Sentences.js"

/** A text and the time in which it is shown. */
export interface Cue {
  /** In milliseconds from the beginning of the audio. */
  readonly startMillis: number
  /** In milliseconds, after `startMillis`. */
  readonly endMillis: number
  /** One or more lines. */
  readonly text: string
}

export interface LayoutOptions {
  /** Largest number of grapheme clusters in a line. Default: 42. */
  readonly clustersPerLine?: number | undefined
  /** Largest number of lines in a cue. Default: 2. */
  readonly lines?: number | undefined
  /** Longest time of a cue, in milliseconds. Default: 7,000. */
  readonly maximumMillis?: number | undefined
  /** Shortest time of a cue, in milliseconds. Default: 833. */
  readonly minimumMillis?: number | undefined
}

/** A part of a text that no line break divides. */
interface Unit {
  readonly text: string
  readonly clusters: number
  /** Whether a space separates it from the unit before, if both are in one line. */
  readonly spaced: boolean
}

interface Draft {
  readonly start: number
  readonly end: number
  readonly units: ReadonlyArray<Unit>
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })
const words = new Intl.Segmenter(undefined, { granularity: "word" })

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

const countClusters = (text: string): number => {
  if (isAscii(text)) return text.length
  let count = 0
  for (const _ of segmentsOf(graphemes, text)) count++
  return count
}

/** A space at which a line may break: a no-break space is none. */
const spaces = /[^\S\u00a0\u2007\u202f]+/u

/** Scripts that write no spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u

/** The words of a text in a script without spaces. Punctuation stays with the word that it closes or opens. */
const unspacedWords = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let opens = false
  for (const { isWordLike, segment } of segmentsOf(words, text)) {
    const isOpening = /^[\p{Ps}\p{Pi}]+$/u.test(segment)
    if (found.length > 0 && (opens || !(isWordLike || isOpening))) found[found.length - 1] += segment
    else found.push(segment)
    opens = isOpening
  }
  return found
}

/** ICU before 74 knows no conjuncts, and later versions not those of all scripts. */
const endsWithVirama = new RegExp(`[${allViramas}]\\u200d?$`, "u")

/** Divides a word that is longer than a line, between clusters, and not inside a conjunct if the conjunct fits. */
const breakWord = (word: string, width: number): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let part: Array<string> = []
  for (const { segment } of segmentsOf(graphemes, word)) {
    if (part.length === width) {
      const conjunct = part.findLastIndex((cluster) => !endsWithVirama.test(cluster)) + 1
      const cut = conjunct === 0 ? width : conjunct
      parts.push(part.slice(0, cut).join(""))
      part = part.slice(cut)
    }
    part.push(segment)
  }
  return [...parts, part.join("")]
}

const unitsOf = (text: string, width: number): ReadonlyArray<Unit> => {
  const units: Array<Unit> = []
  for (const chunk of text.split(spaces)) {
    if (chunk === "") continue
    let spaced = true
    for (const word of unspaced.test(chunk) ? unspacedWords(chunk) : [chunk]) {
      const clusters = countClusters(word)
      for (const part of clusters <= width ? [word] : breakWord(word, width)) {
        units.push({ text: part, clusters: part === word ? clusters : countClusters(part), spaced })
        spaced = false
      }
    }
  }
  return units
}

/** Fills lines one after the other. */
const fillLines = (units: ReadonlyArray<Unit>, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let length = width
  for (const { clusters, spaced, text } of units) {
    const longer = length + clusters + (spaced ? 1 : 0)
    if (lines.length > 0 && longer <= width) {
      lines[lines.length - 1] += spaced ? ` ${text}` : text
      length = longer
    } else {
      lines.push(text)
      length = clusters
    }
  }
  return lines
}

/** The smallest whole number from `low` to `high` for which the condition holds. It holds for `high`. */
const smallest = (low: number, high: number, holds: (value: number) => boolean): number => {
  let from = low
  let to = high
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (holds(middle)) to = middle
    else from = middle + 1
  }
  return to
}

/** Lines of about the same length, no more of them than needed. */
const balancedLines = (units: ReadonlyArray<Unit>, width: number): ReadonlyArray<string> => {
  const count = fillLines(units, width).length
  return fillLines(
    units,
    smallest(1, width, (narrower) => fillLines(units, narrower).length <= count)
  )
}

const sumClusters = (units: ReadonlyArray<Unit>): number => units.reduce((sum, { clusters }) => sum + clusters, 0)

/** Fills cues one after the other, each with at most so many lines, and so many clusters unless a unit has more. */
const fillCues = (
  units: ReadonlyArray<Unit>,
  { limit, lines, width }: { readonly limit: number; readonly lines: number; readonly width: number }
): ReadonlyArray<ReadonlyArray<Unit>> => {
  const cues: Array<Array<Unit>> = []
  let line = 1
  let length = 0
  let total = 0
  for (const unit of units) {
    const longer = length + unit.clusters + (unit.spaced ? 1 : 0)
    const isBreak = length > 0 && longer > width
    const cue = cues.at(-1)
    if (cue === undefined || total + unit.clusters > limit || (isBreak && line === lines)) {
      cues.push([unit])
      line = 1
      length = unit.clusters
      total = unit.clusters
    } else {
      cue.push(unit)
      if (isBreak) line += 1
      length = isBreak ? unit.clusters : longer
      total += unit.clusters
    }
  }
  return cues
}

/** The last time that a file has, in milliseconds: hours have four digits. */
const lastMillis = 10_000 * 3_600_000 - 1

/** The cue in whole milliseconds, from 0, and at least one long. `name` is its name in an error. */
const withWholeTimes = ({ endMillis, startMillis, text }: Cue, name: string): Cue => {
  const from = Math.max(0, Math.round(startMillis))
  const to = Math.max(from + 1, Math.round(endMillis))
  if (!(Number.isFinite(startMillis) && Number.isFinite(endMillis) && to <= lastMillis)) {
    throw new RangeError(
      `The times of ${name} must be milliseconds up to ${lastMillis.toLocaleString("en")}, not ${startMillis} and ${endMillis}.`
    )
  }
  return { startMillis: from, endMillis: to, text }
}

/** In order of their starts, without blank texts. Texts that start in the same millisecond are one. */
const sortSegments = (segments: Iterable<Cue>): ReadonlyArray<Cue> => {
  const sorted: Array<Cue> = []
  const starting = Array.from(segments, (segment, index) => withWholeTimes(segment, `segment ${index + 1}`))
  for (const segment of starting.toSorted((one, other) => one.startMillis - other.startMillis)) {
    if (segment.text.trim() === "") continue
    const before = sorted.at(-1)
    if (before === undefined || before.startMillis < segment.startMillis) sorted.push(segment)
    else {
      const text = `${before.text} ${segment.text}`
      sorted[sorted.length - 1] = {
        startMillis: before.startMillis,
        endMillis: Math.max(before.endMillis, segment.endMillis),
        text
      }
    }
  }
  return sorted
}

/** A segment that ends where the next one starts, or its sentences if it is too long for one cue. */
const partsOf = (
  { endMillis: stated, startMillis: start, text }: Cue,
  next: number,
  { fitsCue, width }: { readonly fitsCue: (part: Draft) => boolean; readonly width: number }
): ReadonlyArray<Draft> => {
  const end = Math.min(next, stated)
  const whole = { start, end, units: unitsOf(text, width) }
  if (fitsCue(whole)) return [whole]
  const sentences = Array.from(Sentences.split(text), (sentence) => unitsOf(sentence.text, width))
  const total = sumClusters(whole.units)
  let spoken = 0
  const timeOf = (clusters: number) => Math.round(start + ((end - start) * clusters) / total)
  return sentences.map((sentence) => {
    const from = timeOf(spoken)
    spoken += sumClusters(sentence)
    return { start: from, end: timeOf(spoken), units: sentence }
  })
}

const checkWhole = (name: string, value: number): void => {
  if (!(Number.isSafeInteger(value) && value >= 1)) {
    throw new RangeError(`${name} must be a whole number from 1, not ${value}.`)
  }
}

/**
 * Lays out timed texts, such as the segments of a transcription, as cues that a person can read: in order, without overlap,
 * within the limits of lines and time.
 *
 * - A line breaks between words, in every script. A word that is longer than a line breaks between clusters.
 * - A segment that is too long for one cue is divided, at the ends of sentences if possible. **Its time is divided by clusters, which is an estimate**: only the
 *   start of its first cue is as the segment states it.
 * - A cue shorter than the minimum is shown longer if there is time before the next, or else joined with the next if
 *   both fit. If neither is possible, it stays short.
 * - A segment that overlaps the next ends where the next starts. If both start at the same time, their texts are joined.
 *
 * @throws RangeError if an option is not a whole number from 1, `minimumMillis` is above `maximumMillis`, or a time is not finite
 * or not below 10,000 hours.
 */
export const layout = (segments: Iterable<Cue>, options: LayoutOptions = {}): ReadonlyArray<Cue> => {
  const { clustersPerLine: width = 42, lines = 2, maximumMillis = 7000, minimumMillis = 833 } = options
  for (const [name, value] of Object.entries({ clustersPerLine: width, lines, maximumMillis, minimumMillis })) {
    checkWhole(name, value)
  }
  if (minimumMillis > maximumMillis) throw new RangeError("minimumMillis must not be above maximumMillis.")

  const joinIfShort = (one: Draft, next: Draft): Draft | undefined => {
    if (one.end - one.start >= minimumMillis || next.end - one.start > maximumMillis) return undefined
    const units = [...one.units, ...next.units.map((unit, index) => (index === 0 ? { ...unit, spaced: true } : unit))]
    return fillLines(units, width).length <= lines ? { start: one.start, end: next.end, units } : undefined
  }

  const drafts: Array<Draft> = []
  /** Where the cue before ends. */
  let free = 0
  const fitsCue = ({ end, start, units }: Draft) =>
    end - start <= maximumMillis && fillLines(units, width).length <= lines
  const parts = sortSegments(segments).flatMap((segment, index, sorted) =>
    partsOf(segment, sorted[index + 1]?.startMillis ?? Number.POSITIVE_INFINITY, { fitsCue, width })
  )
  for (const [index, segment] of parts.entries()) {
    const next = parts[index + 1]?.start ?? Number.POSITIVE_INFINITY
    const { units } = segment
    const total = sumClusters(units)
    const stated = segment.end - segment.start
    const limit = stated > maximumMillis ? Math.max(1, Math.floor((total * maximumMillis) / stated)) : total
    const fill = (most: number) => fillCues(units, { limit: most, lines, width })
    const count = fill(limit).length
    const cues = fill(smallest(1, limit, (most) => fill(most).length <= count))
    const time = Math.max(0, Math.min(next - segment.start, Math.max(stated, count * minimumMillis)))

    let spoken = 0
    for (const cue of cues) {
      const from = segment.start + (time * spoken) / total
      spoken += sumClusters(cue)
      const to = segment.start + (time * spoken) / total
      // Only if there is less than a millisecond for a cue, the next ones come later than they should.
      const start = Math.max(free, Math.round(from))
      free = Math.max(start + 1, Math.min(Math.round(to), start + maximumMillis))
      drafts.push({ start, end: free, units: cue })
    }
  }

  const joined: Array<Draft> = []
  for (const draft of drafts) {
    const before = joined.at(-1)
    const both = before === undefined ? undefined : joinIfShort(before, draft)
    if (both === undefined) joined.push(draft)
    else joined[joined.length - 1] = both
  }
  return joined.map(({ end, start, units }) => ({
    startMillis: start,
    endMillis: end,
    text: balancedLines(units, width).join("\n")
  }))
}

/** The lines of a text that are not blank: a blank line would end the cue. */
const textLines = (text: string): ReadonlyArray<string> => text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "")

const formatTime = (millis: number, separator: "," | "."): string => {
  const pad = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, "0")
  const seconds = Math.floor(millis / 1000)
  const clock = [pad(seconds / 3600, 2), pad((seconds / 60) % 60, 2), pad(seconds % 60, 2)].join(":")
  return `${clock}${separator}${pad(millis % 1000, 3)}`
}

const formatCue = (cue: Cue, index: number, separator: "," | "."): string => {
  const { endMillis, startMillis, text } = withWholeTimes(cue, `cue ${index + 1}`)
  return `${[`${formatTime(startMillis, separator)} --> ${formatTime(endMillis, separator)}`, ...textLines(text)].join("\n")}\n`
}

/**
 * Writes cues as SRT (`.srt`), with LF. Times are rounded to milliseconds: a time before 0 is 0, and a cue that ends before it has
 * lasted a millisecond lasts one. Blank lines inside a text are left out. SRT has no escapes: a tag such as `<i>` is kept.
 *
 * @throws RangeError if a time is not finite or not below 10,000 hours: {@link parse} could not read it.
 */
export const toSrt = (cues: Iterable<Cue>): string =>
  Array.from(cues, (cue, index) => `${index + 1}\n${formatCue(cue, index, ",")}`).join("\n")

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/**
 * Writes cues as WebVTT (`.vtt`), with LF. Times are those of {@link toSrt}. `&`, `<` and `>` are escaped, blank lines inside a text
 * are left out.
 *
 * @throws RangeError if a time is not finite or not below 10,000 hours: {@link parse} could not read it.
 */
export const toVtt = (cues: Iterable<Cue>): string =>
  [
    "WEBVTT\n",
    ...Array.from(cues, (cue, index) =>
      formatCue({ ...cue, text: cue.text.replace(/[&<>]/g, (sign) => escapes[sign] ?? sign) }, index, ".")
    )
  ].join("\n")

/** The text is neither SRT nor WebVTT. */
export class SubtitlesError extends cloneable(
  Schema.TaggedError<SubtitlesError>("@effect-speech/long-form/SubtitlesError")("SubtitlesError", {
    /** Counts from 1. */
    line: Schema.Number,
    message: Schema.String
  })
) {}

const clock = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{3})`
const timing = new RegExp(String.raw`^\s*${clock}\s*-->\s*${clock}(?:\s.*)?$`)

const millisOf = (parts: ReadonlyArray<string | undefined>): number | undefined => {
  const [hours = 0, minutes = 0, seconds = 0, millis = 0] = parts.map((part) => Number(part ?? 0))
  return minutes > 59 || seconds > 59 ? undefined : ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis
}

const characters: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  lrm: "\u200e",
  rlm: "\u200f"
}

/** The text of a WebVTT cue without its tags. */
const plainText = (text: string): string =>
  text.replace(/<[^>]*>?/g, "").replace(/&([a-z]+);/g, (escaped, name: string) => characters[name] ?? escaped)

/**
 * Reads SRT or WebVTT, in the order of the file. A text that begins with `WEBVTT` is WebVTT.
 *
 * A byte order mark, CRLF, missing numbers and hours, and `,` or `.` before the milliseconds are accepted. Settings of cues,
 * identifiers, and the blocks `NOTE`, `STYLE` and `REGION` are left out, and so are the tags of WebVTT. Tags in SRT are
 * text.
 */
export const parse = (text: string): Either.Either<ReadonlyArray<Cue>, SubtitlesError> => {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)
  const isVtt = /^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? "")
  const isTiming = (index: number) => lines[index]?.includes("-->") === true
  /** The line after the block: a blank one or, since no text of WebVTT has an arrow, the next times. */
  const blockEnd = (from: number): number => {
    let at = from
    while (at < lines.length && lines[at]?.trim() !== "" && !(isVtt && isTiming(at))) at++
    return at
  }
  const refuse = (index: number, problem: string) =>
    Either.left(new SubtitlesError({ line: index + 1, message: `Line ${index + 1} ${problem}` }))
  const example = `Write times as 00:00:01${isVtt ? "." : ","}000 --> 00:00:02${isVtt ? "." : ","}500.`

  const cues: Array<Cue> = []
  let at = isVtt ? blockEnd(1) : 0
  while (at < lines.length) {
    const line = lines[at] ?? ""
    if (line.trim() === "") {
      at += 1
    } else if (isVtt && /^(?:NOTE|STYLE|REGION)(?:\s|$)/.test(line) && !isTiming(at + 1)) {
      at = blockEnd(at + 1)
    } else {
      const times = isTiming(at) ? at : at + 1
      if (!isTiming(times)) return refuse(at, `belongs to no cue: no times follow. ${example}`)
      const match = timing.exec(lines[times] ?? "")
      const start = millisOf(match?.slice(1, 5) ?? [])
      const end = millisOf(match?.slice(5, 9) ?? [])
      if (match === null || start === undefined || end === undefined) {
        return refuse(times, `has times that can't be read. ${example}`)
      }
      if (end <= start) return refuse(times, "has an end that is not after its start. Correct the times.")
      at = blockEnd(times + 1)
      const written = lines.slice(times + 1, at).join("\n")
      cues.push({ startMillis: start, endMillis: end, text: isVtt ? plainText(written) : written })
    }
  }
  return Either.right(cues)
}

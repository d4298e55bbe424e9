/** Lays out timed texts as cues: in short lines, and within the limits of time. */
import * as Sentences from "../../Sentences.js"
import { segmentsOf } from "../text/segments.js"
import { allViramas } from "../text/viramas.js"
import { type Cue, makeCue, withWholeTimes } from "./cue.js"

/** The limits of a cue. All are whole numbers from 1. */
export interface Limits {
  /** In grapheme clusters. */
  readonly width: number
  readonly lines: number
  readonly maximumMillis: number
  readonly minimumMillis: number
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

/** In order of their starts, without blank texts. Texts that start in the same millisecond are one. */
const sortSegments = (segments: Iterable<Cue>): ReadonlyArray<Cue> => {
  const sorted: Array<Cue> = []
  const starting = Array.from(segments, withWholeTimes)
  for (const segment of starting.toSorted((one, other) => one.startMillis - other.startMillis)) {
    if (segment.text.trim() === "") continue
    const before = sorted.at(-1)
    if (before === undefined || before.startMillis < segment.startMillis) sorted.push(segment)
    else {
      const text = `${before.text} ${segment.text}`
      sorted[sorted.length - 1] = { ...before, endMillis: Math.max(before.endMillis, segment.endMillis), text }
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

export const layoutCues = (
  segments: Iterable<Cue>,
  { lines, maximumMillis, minimumMillis, width }: Limits
): ReadonlyArray<Cue> => {
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
  return joined.map(({ end, start, units }) => makeCue(start, end, balancedLines(units, width).join("\n")))
}

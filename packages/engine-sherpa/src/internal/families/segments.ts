/**
 * Makes segments from the result of sherpa-onnx for a piece of a recording. No text is lost, whatever its times are.
 */
import type { RecognisedSegment } from "@effect-speech/engine"
import type { RawResult } from "../host/protocol.js"

/** The segments of a piece, in order: none overlaps another, and the piece contains all. */
export type SegmentsOf = (result: RawResult, durationMillis: number) => ReadonlyArray<RecognisedSegment>

/** Where a part of a text is: its first character, and the one after its last. */
interface Place {
  readonly start: number
  readonly end: number
}

/** A segment before its place and its times are checked. */
interface Rough {
  readonly place: Place
  /** In milliseconds. */
  readonly from: number
  /** In milliseconds. */
  readonly to: number
  /** Of its tokens. */
  readonly logarithms: ReadonlyArray<number>
}

/**
 * From the start of a token to the start of the next one, in milliseconds, a new segment begins: only starts are known. A token is part
 * of a word and takes {@link tokenMillis}; a pause has 300 ms, as in `Quiet` of audio-codec. Both are our choice.
 */
export const pauseMillis = 600

/** Duration of the last token of a segment, in milliseconds. */
const tokenMillis = 300

const isBlank = /\s/u

const withoutBlanks = (text: string): string => text.replaceAll(/\s+/gu, "")

/** A token of a byte is `<0xE0>`: several are a character. */
const withoutBytes = (text: string): string =>
  text.replaceAll(/(?:<0x[0-9A-F]{2}>)+/g, (bytes) => Buffer.from(bytes.replaceAll(/<0x|>/g, ""), "hex").toString())

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

/** With the punctuation of these scripts. */
const scriptsWithoutBlanks =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}\\uff01-\\uff60"

const endsWithoutBlank = new RegExp(`[${scriptsWithoutBlanks}]$`, "u")

const beginsWithoutBlank = new RegExp(`^[${scriptsWithoutBlanks}]`, "u")

/** Joins the texts of pieces by a blank, or by nothing between characters of scripts that have no blanks. */
export const joinTexts = (texts: ReadonlyArray<string>): string =>
  texts
    .map((text, index) => {
      const before = texts[index - 1]
      const needsBlank =
        before !== undefined && !(endsWithoutBlank.test(before.slice(-2)) && beginsWithoutBlank.test(text))
      return needsBlank ? ` ${text}` : text
    })
    .join("")

const words = new Intl.Segmenter("en", { granularity: "word" })

/** Whether a segment may begin there: after a blank, or between two words of a script without blanks. */
const mayBegin = (text: string, at: number): boolean => {
  const before = text.slice(Math.max(0, at - 2), at)
  if (before === "" || /\s$/u.test(before)) return true
  if (!endsWithoutBlank.test(before)) return false
  const word = words.segment(text).containing(at)
  return word?.index === at && word.isWordLike === true
}

/** Without those that have no text. One that begins within a word joins the one before. */
const withWholeWords = (text: string, segments: ReadonlyArray<Rough>): ReadonlyArray<Rough> => {
  const joined: Array<Rough> = []
  for (const segment of segments) {
    const { end, start } = segment.place
    if (start === end) continue
    const before = joined.at(-1)
    if (before === undefined || mayBegin(text, start)) {
      joined.push(segment)
    } else {
      joined[joined.length - 1] = {
        place: { start: before.place.start, end },
        from: before.from,
        to: segment.to,
        logarithms: [...before.logarithms, ...segment.logarithms]
      }
    }
  }
  return joined
}

/** The segments with whole milliseconds, each after the one before. If there is no room for one, its text joins the one before. */
const inOrder = (
  text: string,
  segments: ReadonlyArray<Rough>,
  durationMillis: number
): ReadonlyArray<RecognisedSegment> => {
  const ordered: Array<RecognisedSegment> = []
  const last = Math.max(1, Math.floor(durationMillis))
  let written = 0
  for (const { from, logarithms, place, to } of withWholeWords(text, segments)) {
    const before = ordered.at(-1)
    const least = before?.endMillis ?? 0
    if (before !== undefined && least >= last) {
      ordered[ordered.length - 1] = { ...before, text: before.text + text.slice(written, place.end) }
    } else {
      const startMillis = within(Math.round(from), least, last - 1)
      const endMillis = within(Math.round(to), startMillis + 1, last)
      const confidence = confidenceOf(logarithms)
      const part = text.slice(place.start, place.end)
      ordered.push({ text: part, startMillis, endMillis, ...(confidence !== undefined && { confidence }) })
    }
    written = place.end
  }
  return ordered
}

/** Where the parts of a text are in it, blanks aside. `undefined`: it has not these parts. */
const placesOf = (text: string, parts: ReadonlyArray<string>): ReadonlyArray<Place> | undefined => {
  const bare = parts.map(withoutBlanks)
  if (bare.join("") !== withoutBlanks(text)) return undefined
  let at = 0
  return bare.map((part) => {
    while (isBlank.test(text.charAt(at))) at += 1
    const start = at
    for (let left = part.length; left > 0; at += 1) if (!isBlank.test(text.charAt(at))) left -= 1
    return { start, end: at }
  })
}

/** The geometric mean of the probabilities of the tokens, or none. */
const confidenceOf = (logarithms: ReadonlyArray<number>): number | undefined => {
  if (logarithms.length === 0) return undefined
  const mean = logarithms.reduce((sum, logarithm) => sum + logarithm, 0) / logarithms.length
  return Number.isFinite(mean) ? within(Math.exp(mean), 0, 1) : undefined
}

/** A blank has no sound, and is nowhere between two words. */
const hasSound = (token: string): boolean => withoutBlanks(token) !== ""

/** Tokens between two pauses. */
interface Group {
  /** Position of the first one. */
  readonly from: number
  /** Position after the last one. */
  to: number
  /** In milliseconds. */
  readonly start: number
  /** When its last sound starts, in milliseconds. */
  last: number
}

const groupsOf = (tokens: ReadonlyArray<string>, starts: ReadonlyArray<number>): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  for (const [index, token] of tokens.entries()) {
    const start = starts[index] ?? 0
    const group = groups.at(-1)
    if (group === undefined || (hasSound(token) && start - group.last >= pauseMillis)) {
      groups.push({ from: index, to: index + 1, start, last: start })
    } else {
      group.to = index + 1
      if (hasSound(token)) group.last = start
    }
  }
  return groups
}

const nowhere: Place = { start: 0, end: 0 }

const whole = (text: string, durationMillis: number, logarithms: ReadonlyArray<number> = []) =>
  inOrder(text, [{ place: { start: 0, end: text.length }, from: 0, to: durationMillis, logarithms }], durationMillis)

/** Segments by the pauses between tokens. If the times are not those of the text, the piece is one segment. */
export const byPauses: SegmentsOf = ({ text, timestamps, tokens, ys_log_probs }, durationMillis) => {
  const said = text.trim()
  if (said === "") return []
  const logarithms = ys_log_probs.length === tokens.length ? ys_log_probs : []
  if (timestamps.length !== tokens.length) return whole(said, durationMillis, logarithms)
  const starts = timestamps.map((seconds) => seconds * 1000)
  const groups = groupsOf(tokens, starts)
  const places = placesOf(
    said,
    groups.map(({ from, to }) => withoutBytes(tokens.slice(from, to).join("")))
  )
  if (places === undefined) return whole(said, durationMillis, logarithms)
  const segments = groups.map(
    ({ from, last, start, to }, index): Rough => ({
      place: places[index] ?? nowhere,
      from: start,
      to: last + tokenMillis,
      logarithms: logarithms.slice(from, to)
    })
  )
  return inOrder(said, segments, durationMillis)
}

/** The segments that the model itself writes. If they do not have the whole text, the piece is one segment. */
export const byModel: SegmentsOf = ({ segment_durations, segment_texts, segment_timestamps, text }, durationMillis) => {
  const said = text.trim()
  if (said === "") return []
  const places = placesOf(said, segment_texts)
  if (places === undefined || segment_timestamps.length !== places.length) return whole(said, durationMillis)
  const segments = places.map((place, index): Rough => {
    const from = (segment_timestamps[index] ?? 0) * 1000
    const duration = (segment_durations[index] ?? 0) * 1000
    const next = (segment_timestamps[index + 1] ?? Number.POSITIVE_INFINITY) * 1000
    const to = duration > 0 ? Math.min(from + duration, next) : Math.min(next, durationMillis)
    return { place, from, to, logarithms: [] }
  })
  return inOrder(said, segments, durationMillis)
}

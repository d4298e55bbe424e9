/**
 * From what sherpa-onnx says of a piece of a recording to segments. No text is lost, whatever it says of the times.
 */
import type { RecognisedSegment } from "@effect-speech/engine"

/** A result of sherpa-onnx. Times are in seconds from the beginning of the piece. */
export interface Heard {
  readonly text: string
  readonly tokens: ReadonlyArray<string>
  /** When each token starts. Whisper has none. */
  readonly timestamps: ReadonlyArray<number>
  /** Logarithm of the probability of each token. Only transducers have it. */
  readonly ys_log_probs: ReadonlyArray<number>
  /** Only Whisper has segments. */
  readonly segment_texts: ReadonlyArray<string>
  readonly segment_timestamps: ReadonlyArray<number>
  /** 0 for a last segment without an end. */
  readonly segment_durations: ReadonlyArray<number>
}

/** The segments of a piece, in order: none overlaps another, and the piece contains all. */
export type SegmentsOf = (heard: Heard, durationMillis: number) => ReadonlyArray<RecognisedSegment>

/** A segment before its times are checked. */
interface Rough {
  readonly text: string
  /** In milliseconds. */
  readonly from: number
  /** In milliseconds. */
  readonly to: number
  readonly confidence?: number | undefined
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

/** The segments with whole milliseconds, each after the one before. If there is no room for one, its text joins the one before. */
const inOrder = (segments: ReadonlyArray<Rough>, durationMillis: number): ReadonlyArray<RecognisedSegment> => {
  const ordered: Array<RecognisedSegment> = []
  const last = Math.max(1, Math.floor(durationMillis))
  for (const { confidence, from, text, to } of segments) {
    const before = ordered.at(-1)
    const least = before?.endMillis ?? 0
    if (before !== undefined && least >= last) {
      ordered[ordered.length - 1] = { ...before, text: `${before.text} ${text}` }
      continue
    }
    const startMillis = within(Math.round(from), least, last - 1)
    const endMillis = within(Math.round(to), startMillis + 1, last)
    ordered.push({ text, startMillis, endMillis, ...(confidence !== undefined && { confidence }) })
  }
  return ordered
}

/** The parts of a text that has these parts, blanks aside. `undefined`: it has not. */
const partsOf = (text: string, parts: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const bare = parts.map(withoutBlanks)
  if (bare.join("") !== withoutBlanks(text)) return undefined
  let at = 0
  return bare.map((part) => {
    const start = at
    for (let left = part.length; left > 0; at += 1) if (!isBlank.test(text.charAt(at))) left -= 1
    return text.slice(start, at).trim()
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

const whole = (text: string, durationMillis: number, logarithms: ReadonlyArray<number> = []) =>
  inOrder([{ text, from: 0, to: durationMillis, confidence: confidenceOf(logarithms) }], durationMillis)

/** Segments by the pauses between tokens. If the times are not those of the text, the piece is one segment. */
export const byPauses: SegmentsOf = ({ text, timestamps, tokens, ys_log_probs }, durationMillis) => {
  const said = text.trim()
  if (said === "") return []
  const logarithms = ys_log_probs.length === tokens.length ? ys_log_probs : []
  if (timestamps.length !== tokens.length) return whole(said, durationMillis, logarithms)
  const starts = timestamps.map((seconds) => seconds * 1000)
  const groups = groupsOf(tokens, starts)
  const texts = partsOf(
    said,
    groups.map(({ from, to }) => withoutBytes(tokens.slice(from, to).join("")))
  )
  if (texts === undefined) return whole(said, durationMillis, logarithms)
  const segments = groups.map(
    ({ from, last, start, to }, index): Rough => ({
      text: texts[index] ?? "",
      from: start,
      to: last + tokenMillis,
      confidence: confidenceOf(logarithms.slice(from, to))
    })
  )
  return inOrder(
    segments.filter((segment) => segment.text !== ""),
    durationMillis
  )
}

/** The segments that the model itself writes. If they do not have the whole text, the piece is one segment. */
export const byModel: SegmentsOf = ({ segment_durations, segment_texts, segment_timestamps, text }, durationMillis) => {
  const said = text.trim()
  if (said === "") return []
  const texts = partsOf(said, segment_texts)
  if (texts === undefined || segment_timestamps.length !== texts.length) return whole(said, durationMillis)
  const segments = texts.map((part, index): Rough => {
    const from = (segment_timestamps[index] ?? 0) * 1000
    const duration = (segment_durations[index] ?? 0) * 1000
    const next = (segment_timestamps[index + 1] ?? Number.POSITIVE_INFINITY) * 1000
    return { text: part, from, to: duration > 0 ? Math.min(from + duration, next) : Math.min(next, durationMillis) }
  })
  return inOrder(
    segments.filter((segment) => segment.text !== ""),
    durationMillis
  )
}

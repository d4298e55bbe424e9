/**
 * Subtitles: cues with times, laid out in short lines, written as SRT or WebVTT, and read back.
 */
import { documented } from "@effect-speech/common/ErrorPage"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import { dual } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type Cue, lastMillis, makeCue, withWholeTimes } from "./internal/subtitles/cue.js"
import { layoutCues } from "./internal/subtitles/layout.js"
import { wholeWithin } from "./internal/wholeWithin.js"

export { Cue } from "./internal/subtitles/cue.js"

/**
 * The limits of cues for {@link layout}.
 *
 * @example
 * ```ts
 * import { Subtitles } from "@effect-speech/long-form"
 *
 * export const options: Subtitles.Options = { clustersPerLine: 32, lines: 1, maximum: "5 seconds" }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface Options {
  /** Largest number of grapheme clusters in a line, at least 1. Default: 42. */
  readonly clustersPerLine?: number | undefined
  /** Largest number of lines in a cue, at least 1. Default: 2. */
  readonly lines?: number | undefined
  /** Longest time of a cue, at least a millisecond. Default: 7 seconds. */
  readonly maximum?: Duration.DurationInput | undefined
  /** Shortest time of a cue, up to `maximum`. Default: 833 milliseconds. */
  readonly minimum?: Duration.DurationInput | undefined
}

/**
 * Lays out timed texts, such as the segments of a transcription, as cues that a person can read: in order, without overlap,
 * within the limits of lines and time.
 *
 * - A line breaks between words, in every script. A word that is longer than a line breaks between clusters.
 * - A segment that is too long for one cue is divided, at the ends of sentences if possible. **Its time is divided by clusters, which is an estimate**: only the
 *   start of its first cue is as the segment states it.
 * - A cue shorter than the minimum is shown longer if there is time before the next, or else joined with the next if
 *   both fit. If neither is possible, it stays short. So may the cues of a divided segment, which share its time.
 * - A segment that overlaps the next ends where the next starts. If both start at the same time, their texts are joined.
 *
 * A time that no file has counts as the nearest: see {@link toSrt}. An option that is out of range counts as the nearest in it.
 *
 * @example
 * ```ts
 * import { Subtitles } from "@effect-speech/long-form"
 *
 * export const cues = Subtitles.layout([
 *   { startMillis: 0, endMillis: 2400, text: "नमस्ते, आप कैसे हैं?" },
 *   { startMillis: 2600, endMillis: 5000, text: "मैं ठीक हूँ।" }
 * ])
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const layout: {
  (options?: Options): (segments: Iterable<Cue>) => ReadonlyArray<Cue>
  (segments: Iterable<Cue>, options?: Options): ReadonlyArray<Cue>
} = dual(
  ([segments]) => Predicate.isIterable(segments),
  (segments: Iterable<Cue>, options: Options = {}): ReadonlyArray<Cue> => {
    const { clustersPerLine = 42, lines = 2, maximum = "7 seconds", minimum = "833 millis" } = options
    const maximumMillis = wholeWithin(Duration.toMillis(maximum), 1, lastMillis)
    return layoutCues(segments, {
      width: wholeWithin(clustersPerLine, 1, Number.MAX_SAFE_INTEGER),
      lines: wholeWithin(lines, 1, Number.MAX_SAFE_INTEGER),
      maximumMillis,
      minimumMillis: wholeWithin(Duration.toMillis(minimum), 1, maximumMillis)
    })
  }
)

/** The lines of a text that are not blank: a blank line would end the cue. */
const textLines = (text: string): ReadonlyArray<string> => text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "")

const formatTime = (millis: number, separator: "," | "."): string => {
  const pad = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, "0")
  const seconds = Math.floor(millis / 1000)
  const clock = [pad(seconds / 3600, 2), pad((seconds / 60) % 60, 2), pad(seconds % 60, 2)].join(":")
  return `${clock}${separator}${pad(millis % 1000, 3)}`
}

const formatCue = (cue: Cue, separator: "," | "."): string => {
  const { endMillis, startMillis, text } = withWholeTimes(cue)
  return `${[`${formatTime(startMillis, separator)} --> ${formatTime(endMillis, separator)}`, ...textLines(text)].join("\n")}\n`
}

/**
 * Writes cues as SRT (`.srt`), with LF. Times are rounded to milliseconds: a time before 0 and NaN are 0, one from 10,000 hours is the
 * last millisecond before it, and a cue that ends before it has lasted a millisecond lasts one. Blank lines inside a text are left out. SRT has
 * no escapes: a tag such as `<i>` is kept.
 *
 * @example
 * ```ts
 * import { Subtitles } from "@effect-speech/long-form"
 *
 * export const srt = Subtitles.toSrt([{ startMillis: 0, endMillis: 1500, text: "Hello" }])
 * // "1\n00:00:00,000 --> 00:00:01,500\nHello\n"
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const toSrt = (cues: Iterable<Cue>): string =>
  Array.from(cues, (cue, index) => `${index + 1}\n${formatCue(cue, ",")}`).join("\n")

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/**
 * Writes cues as WebVTT (`.vtt`), with LF. Use it for browsers and {@link toSrt} for most players. Times are those of {@link toSrt}. `&`, `<`
 * and `>` are escaped, blank lines inside a text are left out.
 *
 * @example
 * ```ts
 * import { Subtitles } from "@effect-speech/long-form"
 *
 * export const vtt = Subtitles.toVtt([{ startMillis: 0, endMillis: 1500, text: "Hello" }])
 * // "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello\n"
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const toVtt = (cues: Iterable<Cue>): string =>
  [
    "WEBVTT\n",
    ...Array.from(cues, ({ endMillis, startMillis, text }) =>
      formatCue({ startMillis, endMillis, text: text.replace(/[&<>]/g, (sign) => escapes[sign] ?? sign) }, ".")
    )
  ].join("\n")

/**
 * The text is neither SRT nor WebVTT. `line` is the first line that can't be read, and the message says what to write.
 *
 * @example
 * ```ts
 * import { Subtitles } from "@effect-speech/long-form"
 * import { Either } from "effect"
 *
 * export const line = Either.match(Subtitles.parse("no subtitles"), {
 *   onLeft: (error) => error.line, // 1
 *   onRight: () => undefined
 * })
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class SubtitlesError extends documented(
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
 *
 * Fails with `SubtitlesError` if a line belongs to no cue, or has times that can't be read or do not go forward.
 *
 * @example
 * ```ts
 * import { Subtitles } from "@effect-speech/long-form"
 *
 * export const cues = Subtitles.parse("1\n00:00:00,000 --> 00:00:01,500\nHello\n")
 * // Either.right([{ startMillis: 0, endMillis: 1500, text: "Hello" }])
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
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
      cues.push(makeCue(start, end, isVtt ? plainText(written) : written))
    }
  }
  return Either.right(cues)
}

/**
 * Subtitles of what was spoken or transcribed.
 */
import * as Subtitles from "@effect-speech/long-form/Subtitles"
import type { Duration } from "./Call.js"

/**
 * A text with its time, in milliseconds from the beginning: a segment of `speakLong` or of `transcribeLong`.
 *
 * @example
 * ```ts
 * import { type TimedText, toSrt } from "@effect-speech/promise"
 *
 * const segments: ReadonlyArray<TimedText> = [{ startMillis: 0, endMillis: 1_500, text: "Platform two." }]
 * console.log(toSrt(segments))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface TimedText {
  /** Its beginning, in milliseconds. */
  readonly startMillis: number
  /** Its end, in milliseconds. */
  readonly endMillis: number
  /** The text to show. */
  readonly text: string
}

/**
 * How texts are laid out as subtitles. A value that is out of range counts as the nearest in it.
 *
 * @example
 * ```ts
 * import { connect, type SubtitleOptions, toVtt } from "@effect-speech/promise"
 *
 * const forPhones: SubtitleOptions = { clustersPerLine: 30, lines: 1, maximum: "4 seconds" }
 * const { segments } = await connect().transcribeLong("meeting.wav", { model: "hi-general-v2-8khz" })
 * console.log(toVtt(segments, forPhones))
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface SubtitleOptions {
  /** Largest number of characters (grapheme clusters) in a line, at least 1. Default: 42. */
  readonly clustersPerLine?: number | undefined
  /** Largest number of lines at the same time, at least 1. Default: 2. */
  readonly lines?: number | undefined
  /** Longest time of a subtitle, at least a millisecond. Default: 7 seconds. */
  readonly maximum?: Duration | undefined
  /** Shortest time of a subtitle, up to `maximum`. Default: 833 milliseconds. */
  readonly minimum?: Duration | undefined
}

/**
 * Subtitles as SRT (`.srt`). Long segments are divided, at the ends of sentences if possible; lines break between words.
 *
 * For a `<track>` of a web page, use {@link toVtt}.
 *
 * @example
 * ```ts
 * import { writeFile } from "node:fs/promises"
 * import { connect, toSrt } from "@effect-speech/promise"
 *
 * const { segments } = await connect().transcribeLong("meeting.wav", { model: "hi-general-v2-8khz" })
 * await writeFile("meeting.srt", toSrt(segments))
 * ```
 *
 * @since 0.1.0
 * @category subtitles
 */
export const toSrt = (segments: Iterable<TimedText>, options?: SubtitleOptions): string =>
  Subtitles.toSrt(Subtitles.layout(segments, options))

/**
 * Subtitles as WebVTT (`.vtt`), laid out as those of {@link toSrt}.
 *
 * Use it for the `<track>` of a web page.
 *
 * @example
 * ```ts
 * import { writeFile } from "node:fs/promises"
 * import { connect, toVtt } from "@effect-speech/promise"
 *
 * const { segments } = await connect().speakLong("One sentence. Another one.", { lang: "en" }).toFile("article.wav")
 * await writeFile("article.vtt", toVtt(segments))
 * ```
 *
 * @since 0.1.0
 * @category subtitles
 */
export const toVtt = (segments: Iterable<TimedText>, options?: SubtitleOptions): string =>
  Subtitles.toVtt(Subtitles.layout(segments, options))

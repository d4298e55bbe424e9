import { unsafeInstance } from "@effect-speech/common/Structural"
import * as Schema from "effect/Schema"

/**
 * A text and the time in which it is shown. A literal with these fields is one too.
 *
 * @example
 * ```ts
 * import { Subtitles } from "@effect-speech/long-form"
 *
 * export const later = (cue: Subtitles.Cue, millis: number): Subtitles.Cue => ({
 *   ...cue,
 *   startMillis: cue.startMillis + millis,
 *   endMillis: cue.endMillis + millis
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Cue extends Schema.Class<Cue>("SubtitlesCue")({
  /** In milliseconds from the beginning of the audio. */
  startMillis: Schema.Finite,
  /** In milliseconds, after `startMillis`. */
  endMillis: Schema.Finite,
  /** One or more lines. */
  text: Schema.String
}) {}

export const makeCue = (startMillis: number, endMillis: number, text: string): Cue =>
  unsafeInstance(Cue, { startMillis, endMillis, text })

/** The last time that a file has, in milliseconds: hours have four digits. */
export const lastMillis = 10_000 * 3_600_000 - 1

const wholeMillis = (time: number, from: number, to: number): number =>
  Math.min(to, Math.max(from, Math.round(time) || 0))

/** The cue at a time that a file has: in whole milliseconds, and at least one long. NaN counts as 0. */
export const withWholeTimes = ({ endMillis, startMillis, text }: Cue): Cue => {
  const from = wholeMillis(startMillis, 0, lastMillis - 1)
  return { startMillis: from, endMillis: wholeMillis(endMillis, from + 1, lastMillis), text }
}

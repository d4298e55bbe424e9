import { SttWarning } from "@effect-speech/stt/SttWarning"
import * as Schema from "effect/Schema"

/** The sentence of each warning, which says what to do. */
const message = { message: Schema.String }

/**
 * The times of the segments of some pieces can't be read, or lie outside of them: such a piece is one segment. If your service names the
 * times differently, set the option `segments`.
 *
 * @example
 * ```ts
 * import { LongTranscription } from "@effect-speech/long-form"
 *
 * export const lacksTimes = ({ warnings }: LongTranscription.Transcript) =>
 *   warnings.some(({ _tag }) => _tag === "SegmentTimesUnread")
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class SegmentTimesUnread extends Schema.TaggedClass<SegmentTimesUnread>()("SegmentTimesUnread", {
  /** The number of these pieces. */
  pieces: Schema.Int,
  ...message
}) {}

/**
 * The segments of some pieces do not have the words of their transcript: such a piece is one segment.
 *
 * @since 0.1.0
 * @category models
 */
export class SegmentTextsDiffer extends Schema.TaggedClass<SegmentTextsDiffer>()("SegmentTextsDiffer", {
  /** The number of these pieces. */
  pieces: Schema.Int,
  ...message
}) {}

/**
 * The WAV file has fewer samples than its header states. The transcript covers those that are there.
 *
 * @example
 * ```ts
 * import { LongTranscription } from "@effect-speech/long-form"
 *
 * export const missingMillis = ({ warnings }: LongTranscription.Transcript) =>
 *   warnings.find((warning) => warning._tag === "RecordingEndsEarly")?.missingMillis ?? 0
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class RecordingEndsEarly extends Schema.TaggedClass<RecordingEndsEarly>()("RecordingEndsEarly", {
  /** By how much it is shorter than its header states. */
  missingMillis: Schema.Finite,
  ...message
}) {}

/**
 * The whole recording is digital silence. Nothing was sent.
 *
 * @since 0.1.0
 * @category models
 */
export class NothingButSilence extends Schema.TaggedClass<NothingButSilence>()("NothingButSilence", message) {}

/**
 * A reason why the transcript of a long recording may be worse than you expect. The message says what to do.
 *
 * @example
 * ```ts
 * import { LongTranscription } from "@effect-speech/long-form"
 * import { Console, Effect } from "effect"
 *
 * export const show = (warnings: ReadonlyArray<LongTranscription.Warning>) =>
 *   Effect.forEach(warnings, ({ message }) => Console.error(message), { discard: true })
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Warning = Schema.Union(
  ...SttWarning.members,
  SegmentTimesUnread,
  SegmentTextsDiffer,
  RecordingEndsEarly,
  NothingButSilence
)
/**
 * @since 0.1.0
 * @category schemas
 */
export type Warning = typeof Warning.Type

export const timesUnread = (pieces: number, all: number): SegmentTimesUnread =>
  new SegmentTimesUnread({
    pieces,
    message:
      `The response has no times of segments for ${pieces} of ${all} pieces, or times that lie outside of the piece, so each of ` +
      "these pieces is one segment. If your service names the times differently, use the option segments."
  })

export const textsDiffer = (pieces: number, all: number): SegmentTextsDiffer =>
  new SegmentTextsDiffer({
    pieces,
    message:
      `The segments of ${pieces} of ${all} pieces do not have the words of the transcript, so each of these pieces is one segment. ` +
      "If your service names the text of a segment differently, use the option segments."
  })

export const endsEarly = (missingMillis: number): ReadonlyArray<RecordingEndsEarly> =>
  missingMillis === 0
    ? []
    : [
        new RecordingEndsEarly({
          missingMillis,
          message: `The WAV file ends ${missingMillis} ms before the end that its header states: check whether it is complete.`
        })
      ]

export const onlySilence: NothingButSilence = new NothingButSilence({
  message: "The whole recording is digital silence, so nothing was sent: check how it was recorded."
})

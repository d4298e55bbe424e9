/**
 * The error of reading and writing WAV files.
 */
import { documented } from "@effect-speech/common/ErrorPage"
import * as Schema from "effect/Schema"

/**
 * The bytes are not a WAV file that this package reads, or the audio cannot be written as one.
 *
 * | reason           | meaning |
 * | ---------------- | ------- |
 * | `NotWav`         | the file is of another kind, or too short to recognise |
 * | `Unsupported`    | the WAV file has a codec or a layout that this package does not read, or a rate too low for telephony |
 * | `Malformed`      | the chunks of the WAV file contradict each other, or the file ends before its samples begin |
 * | `LengthMismatch` | the audio to write was longer or shorter than announced, or ended inside a frame |
 *
 * @example
 * ```ts
 * import { Wav } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const read = (path: string) =>
 *   Wav.readFile(path).pipe(
 *     Effect.tapErrorTag("WavError", ({ found, offset, reason }) => Effect.logWarning(reason, { found, offset }))
 *   )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class WavError extends documented(
  Schema.TaggedError<WavError>("@effect-speech/audio-codec/WavError")("WavError", {
    /** What is wrong. */
    reason: Schema.Literal("NotWav", "Unsupported", "Malformed", "LengthMismatch"),
    /** The place, in bytes from the start of the file. For a `LengthMismatch`, from the start of the samples. */
    offset: Schema.Number,
    /** What should be there. */
    expected: Schema.String,
    /** What is there. */
    found: Schema.String,
    /** What happened, and what to do. */
    message: Schema.String
  })
) {}

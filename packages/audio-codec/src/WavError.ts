import * as Schema from "effect/Schema"

/**
 * Bytes that are not a WAV file this library reads, or audio that can't be written as one.
 *
 * | reason           | means |
 * | ---------------- | ----- |
 * | `NotWav`         | the file is of another kind, or too short to tell |
 * | `Unsupported`    | a WAV file in a codec or a layout that is not read here |
 * | `Malformed`      | a WAV file whose chunks contradict each other |
 * | `LengthMismatch` | the audio to be written was longer or shorter than it had announced, or ended inside a frame |
 */
export class WavError extends Schema.TaggedError<WavError>("@effect-speech/audio-codec/WavError")("WavError", {
  reason: Schema.Literal("NotWav", "Unsupported", "Malformed", "LengthMismatch"),
  /** Where in the file, in bytes from its start; of a `LengthMismatch`, in the samples. */
  offset: Schema.Number,
  expected: Schema.String,
  found: Schema.String,
  message: Schema.String
}) {}

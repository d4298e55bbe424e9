import * as Schema from "effect/Schema"

/**
 * Bytes that are not a WAV file this library reads, or audio that can't be written as one.
 *
 * | reason           | means |
 * | ---------------- | ----- |
 * | `NotWav`         | the file is of another kind, or too short to tell |
 * | `Unsupported`    | a WAV file in a codec or a layout that is not read here |
 * | `Malformed`      | a WAV file whose chunks contradict each other |
 * | `LengthMismatch` | the audio to be written was longer or shorter than it had announced |
 */
export class WavError extends Schema.TaggedError<WavError>("@effect-speech/audio-codec/WavError")("WavError", {
  reason: Schema.Literal("NotWav", "Unsupported", "Malformed", "LengthMismatch"),
  /** Where in the file, in bytes from its start. */
  offset: Schema.Number,
  expected: Schema.String,
  found: Schema.String,
  message: Schema.String
}) {}

const advice: Record<WavError["reason"], string> = {
  NotWav: "This is not a WAV file",
  Unsupported: "This WAV file is of a kind that is not read here; convert it to PCM",
  Malformed: "This WAV file is damaged; export it again",
  LengthMismatch: "The audio is not as long as it said it would be, so no file was written"
}

/** Builds the error and its sentence from the facts. */
export const wavError = (
  reason: WavError["reason"],
  facts: { readonly offset: number; readonly expected: string; readonly found: string }
): WavError =>
  new WavError({
    reason,
    ...facts,
    message: `${advice[reason]} (at byte ${facts.offset}: expected ${facts.expected}, found ${facts.found}).`
  })

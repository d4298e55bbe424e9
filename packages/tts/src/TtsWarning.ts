/**
 * What a response omits, or states differently from the request. Its audio is usable and was billed, so this is no
 * error. The message of a warning says what to do.
 */
import * as Schema from "effect/Schema"
import { Encoding } from "./TtsContract.js"

/** The audio is not in the requested format. `format` of the speech is the actual one. */
export const FormatDiffers = Schema.TaggedStruct("FormatDiffers", {
  /** The requested format, `<sample_rate>:<encoding>`. */
  asked: Schema.String,
  /** Sample rate of the audio, in Hz. */
  sampleRate: Schema.Number,
  /** Encoding of the audio. */
  encoding: Encoding,
  message: Schema.String
})
export type FormatDiffers = typeof FormatDiffers.Type

/** The response does not state the duration of its audio, so the client can't detect audio that was cut short. */
export const DurationMissing = Schema.TaggedStruct("DurationMissing", { message: Schema.String })
export type DurationMissing = typeof DurationMissing.Type

/** The response has no request id. `requestId` of the speech is the id that was sent. */
export const RequestIdMissing = Schema.TaggedStruct("RequestIdMissing", { message: Schema.String })
export type RequestIdMissing = typeof RequestIdMissing.Type

/** The response has a different request id from the one that was sent. */
export const RequestIdDiffers = Schema.TaggedStruct("RequestIdDiffers", {
  sentId: Schema.String,
  receivedId: Schema.String,
  message: Schema.String
})
export type RequestIdDiffers = typeof RequestIdDiffers.Type

export const TtsWarning = Schema.Union(FormatDiffers, DurationMissing, RequestIdMissing, RequestIdDiffers)
export type TtsWarning = typeof TtsWarning.Type

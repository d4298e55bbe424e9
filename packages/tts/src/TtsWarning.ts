/**
 * What a response omits, or states differently from the request. Its audio is usable and was billed, so this is no
 * error. The message of a warning says what to do.
 */
import * as Schema from "effect/Schema"
import { Encoding } from "./TtsContract.js"

/** A warning with these fields, and a `message` that says what to do. */
const warning = <const Tag extends string, Fields extends Schema.Struct.Fields>(tag: Tag, fields: Fields) =>
  Schema.TaggedStruct(tag, { ...fields, message: Schema.String })

/** The audio is not in the requested format. `format` of the speech is the actual one. */
export const FormatDiffers = warning("FormatDiffers", {
  /** The requested format, `<sample_rate>:<encoding>`. */
  asked: Schema.String,
  /** Sample rate of the audio, in Hz. */
  sampleRate: Schema.Number,
  /** Encoding of the audio. */
  encoding: Encoding
})
export type FormatDiffers = typeof FormatDiffers.Type

/** The response does not state the duration of its audio, so the client can't detect audio that was cut short. */
export const DurationMissing = warning("DurationMissing", {})
export type DurationMissing = typeof DurationMissing.Type

/** The response has no request id. `requestId` of the speech is the id that was sent. */
export const RequestIdMissing = warning("RequestIdMissing", {})
export type RequestIdMissing = typeof RequestIdMissing.Type

/** The response has a different request id from the one that was sent. */
export const RequestIdDiffers = warning("RequestIdDiffers", {
  sentId: Schema.String,
  receivedId: Schema.String
})
export type RequestIdDiffers = typeof RequestIdDiffers.Type

export const TtsWarning = Schema.Union(FormatDiffers, DurationMissing, RequestIdMissing, RequestIdDiffers)
export type TtsWarning = typeof TtsWarning.Type

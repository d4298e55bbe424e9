/**
 * What an answer leaves out or says otherwise, though its audio can be used: it was billed, so it is not thrown away.
 * Each warning has a message for a person.
 */
import * as Schema from "effect/Schema"
import { Encoding } from "./TtsContract.js"

/** The audio is not in the format that was asked for; `format` of the speech is what it is in. */
export const FormatDiffers = Schema.TaggedStruct("FormatDiffers", {
  /** As it was asked for, `<sample_rate>:<encoding>`. */
  asked: Schema.String,
  /** In Hz. */
  sampleRate: Schema.Number,
  encoding: Encoding,
  message: Schema.String
})
export type FormatDiffers = typeof FormatDiffers.Type

/** The answer does not say how long its audio is, so one that was cut short may look whole. */
export const DurationMissing = Schema.TaggedStruct("DurationMissing", { message: Schema.String })
export type DurationMissing = typeof DurationMissing.Type

/** The answer has no request id; `requestId` of the speech is the one that was sent. */
export const RequestIdMissing = Schema.TaggedStruct("RequestIdMissing", { message: Schema.String })
export type RequestIdMissing = typeof RequestIdMissing.Type

/** The answer has another request id than was sent. */
export const RequestIdDiffers = Schema.TaggedStruct("RequestIdDiffers", {
  sentId: Schema.String,
  receivedId: Schema.String,
  message: Schema.String
})
export type RequestIdDiffers = typeof RequestIdDiffers.Type

export const TtsWarning = Schema.Union(FormatDiffers, DurationMissing, RequestIdMissing, RequestIdDiffers)
export type TtsWarning = typeof TtsWarning.Type

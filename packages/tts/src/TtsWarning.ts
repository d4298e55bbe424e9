/**
 * What a response omits, or states differently from the request. Its audio is usable and was billed, so this is no
 * error. The message of a warning says what to do.
 */
import * as Schema from "effect/Schema"
import { Encoding } from "./TtsContract.js"

/** The sentence of each warning, which says what to do. */
const message = { message: Schema.String }

/**
 * The audio is not in the requested format. `format` of the speech is the actual one.
 *
 * @since 0.1.0
 * @category models
 */
export class FormatDiffers extends Schema.TaggedClass<FormatDiffers>()("FormatDiffers", {
  /** The requested format, `<sample_rate>:<encoding>`. */
  asked: Schema.String,
  /** Sample rate of the audio, in Hz. */
  sampleRate: Schema.Finite,
  /** Encoding of the audio. */
  encoding: Encoding,
  ...message
}) {}

/**
 * The response does not state the duration of its audio, so the client can't detect audio that was cut short.
 *
 * @since 0.1.0
 * @category models
 */
export class DurationMissing extends Schema.TaggedClass<DurationMissing>()("DurationMissing", { ...message }) {}

/**
 * The response has no request id. `requestId` of the speech is the id that was sent.
 *
 * @since 0.1.0
 * @category models
 */
export class RequestIdMissing extends Schema.TaggedClass<RequestIdMissing>()("RequestIdMissing", { ...message }) {}

/**
 * The response has a different request id from the one that was sent.
 *
 * @since 0.1.0
 * @category models
 */
export class RequestIdDiffers extends Schema.TaggedClass<RequestIdDiffers>()("RequestIdDiffers", {
  sentId: Schema.String,
  receivedId: Schema.String,
  ...message
}) {}

/**
 * @since 0.1.0
 * @category schemas
 */
export const TtsWarning = Schema.Union(FormatDiffers, DurationMissing, RequestIdMissing, RequestIdDiffers)
/**
 * @since 0.1.0
 * @category schemas
 */
export type TtsWarning = typeof TtsWarning.Type

/**
 * What a response omits, or states differently from the request. Its audio is usable and was billed, so this is no
 * error. The message of a warning says what to do.
 */
import * as Schema from "effect/Schema"
import { Encoding } from "./TtsContract.js"

/** What each warning has. */
const message = {
  /** What the client found, and what to do. */
  message: Schema.String
}

/**
 * The audio is not in the requested format. `format` of the speech is the actual one.
 *
 * @example
 * ```ts
 * import { FormatDiffers, type Speech } from "@effect-speech/tts"
 *
 * // `16000:pcm16` in place of what was asked for.
 * export const otherFormat = ({ warnings }: Speech): string | undefined => {
 *   const found = warnings.find((warning) => warning instanceof FormatDiffers)
 *   return found === undefined ? undefined : `${found.sampleRate}:${found.encoding}`
 * }
 * ```
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
 * @example
 * ```ts
 * import { DurationMissing, type Speech } from "@effect-speech/tts"
 *
 * // Whether a cut would have been noticed.
 * export const isProvenWhole = ({ warnings }: Speech): boolean =>
 *   !warnings.some((warning) => warning instanceof DurationMissing)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class DurationMissing extends Schema.TaggedClass<DurationMissing>()("DurationMissing", { ...message }) {}

/**
 * The response has no request id. `requestId` of the speech is the id that was sent.
 *
 * @example
 * ```ts
 * import { RequestIdMissing, type Speech } from "@effect-speech/tts"
 *
 * // Whether `requestId` is only the id that was sent.
 * export const isUnconfirmed = ({ warnings }: Speech): boolean =>
 *   warnings.some((warning) => warning instanceof RequestIdMissing)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class RequestIdMissing extends Schema.TaggedClass<RequestIdMissing>()("RequestIdMissing", { ...message }) {}

/**
 * The response has a different request id from the one that was sent.
 *
 * @example
 * ```ts
 * import { RequestIdDiffers, type Speech } from "@effect-speech/tts"
 *
 * // Both ids, to report a call to the service.
 * export const idsOf = ({ requestId, warnings }: Speech): ReadonlyArray<string> =>
 *   warnings.flatMap((each) => (each instanceof RequestIdDiffers ? [each.sentId, each.receivedId] : [])).concat(requestId)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class RequestIdDiffers extends Schema.TaggedClass<RequestIdDiffers>()("RequestIdDiffers", {
  /** The id that was sent. */
  sentId: Schema.String,
  /** The id in the response. */
  receivedId: Schema.String,
  ...message
}) {}

/**
 * All warnings of a synthesis, as a Schema: you can encode a warning to JSON and decode it. Each has a `message` that says what to do.
 *
 * @example
 * ```ts
 * import type { TtsWarning } from "@effect-speech/tts"
 * import { Effect } from "effect"
 *
 * export const logAll = (warnings: ReadonlyArray<TtsWarning>) =>
 *   Effect.forEach(warnings, ({ _tag, message }) => Effect.logWarning(`${_tag}: ${message}`))
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const TtsWarning = Schema.Union(FormatDiffers, DurationMissing, RequestIdMissing, RequestIdDiffers)
/**
 * @since 0.1.0
 * @category schemas
 */
export type TtsWarning = typeof TtsWarning.Type

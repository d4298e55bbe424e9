/**
 * Options for retries.
 */
import type * as Duration from "effect/Duration"
import type * as Schedule from "effect/Schedule"
import type { ServiceError } from "./ServiceError.js"

/**
 * Which failed attempts are retried: options of a layer.
 *
 * `E` are the errors of the operation.
 *
 * @example
 * ```ts
 * import type { Retries } from "@effect-speech/transport"
 *
 * // One request, and no retry.
 * export const once: Retries.RetryOptions = { retries: 0 }
 *
 * // Up to five retries, also of attempts that may have been billed.
 * export const eager: Retries.RetryOptions = { retries: 5, retryAmbiguous: true }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface RetryOptions<E = ServiceError> {
  /**
   * Highest number of retries (a whole number), a {@link RetryPolicy}, or a `Schedule`. Only errors that allow a retry
   * are retried. 0 is exactly one request, unless the key was replaced or the call has an `outage`. Default: 2, which makes three
   * attempts. All calls of a layer share a budget of retries: when many calls fail, a call may be retried less often.
   *
   * A `Schedule` gets each error that allows a retry. It decides how many retries there are, and after which delays. The time of a
   * `Retry-After` is added to the delay. If it is longer than 8 seconds and than the delay, the call fails at once, unless a `total`
   * deadline or an `outage` of the call leaves the time. After an attempt that may be billed, such as a transcription's 500, it allows
   * at most 2 retries. The `times` of a {@link RetryPolicy} allows more.
   */
  readonly retries?: number | RetryPolicy | Schedule.Schedule<unknown, E> | undefined
  /**
   * Also retry if the service may have carried out the failed attempt: the connection was lost after the whole request was
   * sent, or a gateway got no response. Each attempt may be billed. Default: false.
   */
  readonly retryAmbiguous?: boolean | undefined
}

/**
 * How often and how long a call is retried. The `total` deadline limits all of it. Each duration is longer than zero,
 * and only that of `outage` may be infinite.
 *
 * Use a number in its place if the default delays suit you, and a `Schedule` for delays of another kind.
 *
 * @example
 * ```ts
 * import { SpeechToText } from "@effect-speech/stt"
 * import type { Retries } from "@effect-speech/transport"
 * import { Config } from "effect"
 *
 * // For work that can wait.
 * const throughOutages: Retries.RetryPolicy = { longestDelay: "30 seconds", outage: "15 minutes" }
 *
 * export const layer = SpeechToText.layerConfig({
 *   apiKey: Config.redacted("SPEECH_API_KEY"),
 *   baseUrl: Config.string("SPEECH_STT_BASE_URL"),
 *   retries: Config.succeed(throughOutages)
 * })
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface RetryPolicy {
  /** Highest number of retries, a whole number. Default: 2. */
  readonly times?: number | undefined
  /** Longest delay before the first retry. It doubles with each further retry. Default: 200 milliseconds. */
  readonly firstDelay?: Duration.DurationInput | undefined
  /**
   * Limit of the delay before any retry. The time of a `Retry-After` is added to it. If the service asks for a longer one, the call fails
   * at once, unless a `total` deadline or an `outage` leaves the time. Default: 8 seconds.
   */
  readonly longestDelay?: Duration.DurationInput | undefined
  /**
   * How long to retry through an outage, from the start of the call. As long as the service can't be reached or says
   * that it is unavailable, neither `times` nor the budget of retries that all calls of the layer share ends the call. Default: none.
   */
  readonly outage?: Duration.DurationInput | undefined
}

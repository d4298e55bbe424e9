/**
 * Events of a call while it runs, to show progress. Sizes are in bytes. Attempts count from 1.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Deadlines } from "./Deadlines.js"

/**
 * What the option `onEvent` of a call gets. `_tag` says which event it is.
 *
 * @example
 * ```ts
 * import type { CallEvent } from "@effect-speech/transport"
 *
 * export const lineOf = (event: CallEvent.CallEvent): string => {
 *   switch (event._tag) {
 *     case "Queued":
 *       return `${event.ahead} calls before this one`
 *     case "Uploading":
 *       return `${event.sentBytes} of ${event.totalBytes ?? "unknown"} bytes`
 *     case "Retrying":
 *       return `attempt ${event.attempt} in ${event.delayMillis} ms`
 *     default:
 *       return event._tag
 *   }
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type CallEvent = Queued | Uploading | Waiting | Answered | Retrying

/**
 * As many calls of the layer run as its `concurrency` allows. The call waits for its turn.
 *
 * @example
 * ```ts
 * import type { CallEvent } from "@effect-speech/transport"
 *
 * export const lineOf = ({ ahead }: CallEvent.Queued): string => `${ahead} calls have their turn before this one`
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Queued {
  readonly _tag: "Queued"
  /** Number of calls that have their turn before this one. */
  readonly ahead: number
}

/**
 * A part of the recording was passed to the connection.
 *
 * @example
 * ```ts
 * import type { CallEvent } from "@effect-speech/transport"
 *
 * // From 0 to 1.
 * export const progressOf = ({ sentBytes, totalBytes }: CallEvent.Uploading): number | undefined =>
 *   totalBytes === undefined ? undefined : sentBytes / totalBytes
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Uploading {
  readonly _tag: "Uploading"
  /** Number of the attempt. Counts from 1. */
  readonly attempt: number
  /** Counts the whole request, which is a little longer than the recording. */
  readonly sentBytes: number
  /** `undefined` if the length of the recording is unknown. */
  readonly totalBytes: number | undefined
}

/**
 * The whole request was sent, and the call waits for the response. For a text, this includes connecting.
 *
 * @since 0.1.0
 * @category models
 */
export interface Waiting {
  readonly _tag: "Waiting"
  /** Number of the attempt. Counts from 1. */
  readonly attempt: number
}

/**
 * The response has begun.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answered {
  readonly _tag: "Answered"
  /** Number of the attempt. Counts from 1. */
  readonly attempt: number
  /** The status of the response. */
  readonly status: number
}

/**
 * An attempt failed. The next one follows after the delay. A new key after a 401 is tried at once, without this event.
 *
 * @example
 * ```ts
 * import type { CallEvent } from "@effect-speech/transport"
 *
 * export const lineOf = ({ attempt, delayMillis }: CallEvent.Retrying): string =>
 *   `Attempt ${attempt} follows in ${delayMillis / 1000} s`
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Retrying {
  readonly _tag: "Retrying"
  /** Number of the next attempt. The first one is 1. */
  readonly attempt: number
  /** Delay before the next attempt, in milliseconds. */
  readonly delayMillis: number
}

/**
 * The options of one call: the second argument of `transcribe`, `stream` and `synthesize`.
 *
 * @example
 * ```ts
 * import type { CallEvent } from "@effect-speech/transport"
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Console, Effect } from "effect"
 *
 * const options: CallEvent.CallOptions = {
 *   onEvent: ({ _tag }) => Console.error(_tag),
 *   deadlines: { total: "3 seconds" },
 *   retryIfBilled: false
 * }
 *
 * export const speech = Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text: "One moment." }, options))
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface CallOptions {
  /**
   * Runs at each event, in order. The call never waits for it, and a defect in it is logged and does not affect the call. While
   * it runs, further events wait; of `Uploading` only the latest does. After the call it has 10 seconds for the events that are
   * left. If the call is interrupted, so is the handler. Default: none.
   */
  readonly onEvent?: ((event: CallEvent) => Effect.Effect<void>) | undefined
  /**
   * How long each phase of this call may take. A field that is absent is that of the layer. A value that is no duration longer than
   * zero is a defect of the call. Default: those of the layer.
   */
  readonly deadlines?: Deadlines | undefined
  /**
   * How long to retry this call through an outage, in place of `outage` of the layer's `RetryPolicy`. If a `Schedule` of the layer is
   * done, the delays are those of the default policy. A value that is no duration longer than zero is a defect of the call.
   * Default: that of the layer.
   */
  readonly outage?: Duration.DurationInput | undefined
  /**
   * Whether to retry after an attempt that may have been billed, such as one of a transcription that got a 500. With `false`, the call is
   * billed at most once. Default: true.
   */
  readonly retryIfBilled?: boolean | undefined
}

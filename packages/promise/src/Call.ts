/**
 * What all calls share: options, events while a call runs, and its report.
 */

/**
 * A duration: milliseconds, or a number with its unit, such as `"30 seconds"`.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const speech = connect({ deadlines: { total: "2 minutes", uploadIdle: 10_000 } })
 * await speech.speak("Platform two", { lang: "en", outage: "30 seconds" })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type Duration =
  | number
  | `${number} ${"milli" | "millis" | "second" | "seconds" | "minute" | "minutes" | "hour" | "hours"}`

/**
 * Time limits for the phases of a call.
 *
 * A phase that takes longer ends the call with `TtsDeadlineExceeded` or `SttDeadlineExceeded`, which say what was sent and billed. Use
 * an `AbortSignal` instead if your program decides when to stop.
 *
 * @example
 * ```ts
 * import { connect, type Deadlines } from "@effect-speech/promise"
 *
 * const deadlines: Deadlines = { answer: "30 seconds", total: "2 minutes" }
 * const speech = connect({ deadlines })
 * await speech.transcribe("call.wav", { model: "hi-general-v2-8khz", deadlines: { ...deadlines, total: "10 minutes" } })
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface Deadlines {
  /** Longest time in which no further 64 KiB of a recording leave this process. Default: 60 seconds. */
  readonly uploadIdle?: Duration | undefined
  /** From the last byte of the request to the head of the response. Default: 10 minutes for a text, one hour for a recording. */
  readonly answer?: Duration | undefined
  /** Longest pause while the response is read. Default: 60 seconds. */
  readonly downloadIdle?: Duration | undefined
  /** From the start of the call to the last byte of the response, with its retries. Default: none. */
  readonly total?: Duration | undefined
}

/**
 * Progress of a call. Sizes are in bytes. Attempts count from 1.
 *
 * | tag         | when |
 * | ----------- | ---- |
 * | `Queued`    | as many calls run as `concurrency` allows: the call waits, and `ahead` calls have their turn before it |
 * | `Uploading` | a part of the request was passed to the connection; `totalBytes` is absent if the length is unknown |
 * | `Waiting`   | the whole request was sent |
 * | `Answered`  | the response has begun |
 * | `Retrying`  | an attempt failed; the next one, `attempt`, follows after the delay |
 *
 * @example
 * ```ts
 * import { type CallEvent, connect } from "@effect-speech/promise"
 *
 * const show = (event: CallEvent) => {
 *   if (event.tag === "Uploading") console.log(`${event.sentBytes} of ${event.totalBytes ?? "unknown"} bytes`)
 *   if (event.tag === "Retrying") console.log(`attempt ${event.attempt} in ${event.delayMillis} ms`)
 * }
 * await connect().transcribe("call.wav", { model: "hi-general-v2-8khz", onEvent: show })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type CallEvent =
  | { readonly tag: "Queued"; readonly ahead: number }
  | {
      readonly tag: "Uploading"
      readonly attempt: number
      readonly sentBytes: number
      readonly totalBytes: number | undefined
    }
  | { readonly tag: "Waiting"; readonly attempt: number }
  | { readonly tag: "Answered"; readonly attempt: number; readonly status: number }
  | { readonly tag: "Retrying"; readonly attempt: number; readonly delayMillis: number }

/**
 * Options of every call.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const speech = connect()
 * await speech.transcribe("call.wav", {
 *   model: "hi-general-v2-8khz",
 *   signal: AbortSignal.timeout(30_000),
 *   onEvent: ({ tag }) => console.log(tag)
 * })
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface CallOptions<Event = CallEvent> {
  /** Ends the call, which rejects with the reason of the signal, as `fetch` does. Default: none. */
  readonly signal?: AbortSignal | undefined
  /**
   * Runs at each event, in order. The call does not wait for its promise, and what it throws is only a warning of the process. While its
   * promise is pending, further events wait, at most until 10 seconds after the call. It runs in the async context of the call
   * (`AsyncLocalStorage`). Default: none.
   */
  readonly onEvent?: ((event: Event) => unknown) | undefined
}

/**
 * One request of a call, and its response.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const { call } = await connect().speak("Platform two", { lang: "en" })
 * for (const { elapsedMillis, status } of call.attempts) console.log(status, `${elapsedMillis} ms`)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Attempt {
  /** Status of the response. Absent if there was none. */
  readonly status?: number | undefined
  /** How much of the request left this process. */
  readonly sent: "nothing" | "part" | "all"
  /** Delay after the previous attempt, in milliseconds. */
  readonly delayMillis: number
  /** Delay that the response asked for (`Retry-After`), in milliseconds. */
  readonly retryAfterMillis?: number | undefined
  /** From the start of the attempt to its response or its end, in milliseconds. */
  readonly elapsedMillis: number
}

/**
 * The piece of a longer text or recording that a call was made for, and what a new run has left to do.
 *
 * @example
 * ```ts
 * import { connect, isTranscribeError } from "@effect-speech/promise"
 *
 * const options = { model: "hi-general-v2-8khz", keepIn: "pieces" }
 * await connect().transcribeLong("meeting.wav", options).catch((error) => {
 *   if (!isTranscribeError(error) || error.call.piece?.tag !== "RecordingPiece") throw error
 *   console.log(`It failed at ${error.call.piece.startMillis} ms. ${error.call.piece.kept} pieces are kept.`)
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type CallPiece =
  | {
      readonly tag: "TextPiece"
      /** Counts from 1. */
      readonly number: number
      /** Number of all pieces, if it is known. */
      readonly of?: number | undefined
      /** Number of pieces whose results are kept: a new run does not send them again. */
      readonly kept: number
      /** Offset of its first character in the whole text, in UTF-16 units. */
      readonly startIndex: number
      /** Offset after its last character, in UTF-16 units. */
      readonly endIndex: number
      /** Its first words. */
      readonly beginning: string
      /** Code points that a new run has to send. Absent if it is not known. */
      readonly leftCodePoints?: number | undefined
    }
  | {
      readonly tag: "RecordingPiece"
      /** Counts from 1. */
      readonly number: number
      /** Number of all pieces, if it is known. */
      readonly of?: number | undefined
      /** Number of pieces whose results are kept: a new run does not send them again. */
      readonly kept: number
      /** In milliseconds from the beginning of the recording. */
      readonly startMillis: number
      /** In milliseconds from the beginning of the recording. */
      readonly endMillis: number
      /** Duration of the whole recording, in milliseconds, if it is known. */
      readonly wholeMillis?: number | undefined
      /** Audio that a new run has to send, in milliseconds. Absent if it is not known. */
      readonly leftMillis?: number | undefined
    }

/**
 * What a call did: `call` of each error, of an `Audio` and of a `Transcription`, and `report` of a `Speech`. Log its `sentId` and
 * `receivedId`.
 *
 * @example
 * ```ts
 * import { connect } from "@effect-speech/promise"
 *
 * const { call } = await connect().transcribe("call.wav", { model: "hi-general-v2-8khz" })
 * console.log(call.sentId, call.receivedId, call.billing, `${call.attempts.length} attempts`)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface CallReport {
  /** Id of the call, which all attempts send: a transaction id or a request id. Empty if no call began, such as for a request that breaks a rule. */
  readonly sentId: string
  /** Id in the response, if there was one. */
  readonly receivedId?: string | undefined
  /** In order. Empty if nothing was sent. */
  readonly attempts: ReadonlyArray<Attempt>
  /**
   * Whether the service charged for the call, as far as its contract says.
   *
   * | value       | means |
   * | ----------- | ----- |
   * | `notBilled` | no attempt was billed |
   * | `billed`    | the last attempt was billed |
   * | `unknown`   | at least one attempt may be billed |
   */
  readonly billing: "notBilled" | "billed" | "unknown"
  /** How long the call waited for its turn, in milliseconds. Absent if it did not wait. */
  readonly queuedMillis?: number | undefined
  /** From the start of the call to its end, in milliseconds. */
  readonly elapsedMillis: number
  /** Set if the call was made for a piece of a longer text or recording. */
  readonly piece?: CallPiece | undefined
}

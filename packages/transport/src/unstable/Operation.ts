/**
 * An operation of the service, as the transport runs it: its request, its reading of the response, and its errors. The
 * transport knows no status and no error tag. An operation knows no retry and no deadline.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Attempt, Sent } from "../CallReport.js"
import type { ServiceError } from "../ServiceError.js"
import type { Failure, ReadFailed, UploadFailed } from "./Failure.js"
import type { Upload } from "./Upload.js"

/**
 * `Reading` are those errors of `E` that a response can end with after it has begun.
 *
 * @since 0.1.0
 * @category models
 */
export interface Operation<A, E extends ServiceError, Context = undefined, Reading extends E = E> {
  /** Name in spans, metrics and logs: `transcribe`, `synthesize`. */
  readonly name: string
  /** Id of the call in reports and spans. To send it, put it into the request. */
  readonly sentId: string
  /**
   * The request without the key; or an effect that builds a new one for each attempt, from memory and without waiting; or
   * a function that opens one, and waits only as `opening` does.
   */
  readonly request:
    | Request<Context>
    | Effect.Effect<Request<Context>, UploadFailed>
    | ((opening: Opening) => Effect.Effect<Request<Context>, Failure>)
  /** Whether the request can be built more than once. */
  readonly repeatable: boolean
  /** Turns a response of any status into a result or an error. `context` is that of the request. */
  readonly accept: (response: Response<Reading>, context: Context) => Effect.Effect<A, E>
  /** Turns a failure into an error of the operation. `latest` is the latest response of the call, if there was one. */
  readonly fail: (failure: Failure, progress: Progress, latest: Response<Reading> | undefined) => E
  /** Turns a failure of a response that had begun into an error of the operation. */
  readonly failReading: (failure: ReadFailed, progress: Progress, response: Response<Reading>) => Reading
}

/**
 * How the request of an attempt is opened. A deadline ends both.
 *
 * @since 0.1.0
 * @category models
 */
export interface Opening {
  /**
   * Runs an effect in a fiber of its own, since it may be slow to interrupt. What it opens in the scope is closed at the end of the
   * attempt.
   */
  readonly inScope: <A>(open: (scope: Scope.Scope) => Effect.Effect<A, UploadFailed>) => Effect.Effect<A, Failure>
  /** Waits until `start` calls `done`. After a deadline or an interruption it runs the effect that `start` returned. */
  readonly wait: <A>(start: (done: (value: A) => void) => Effect.Effect<void>) => Effect.Effect<A, Failure>
}

/**
 * A POST request, and what its operation learned while it built it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Request<Context = undefined> {
  readonly url: URL
  /** All headers except the key and the length, which the transport adds. */
  readonly headers: Readonly<Record<string, string>>
  /** A `Uint8Array` is a short message: it is sent at once, with no upload phase and no `Uploading` events. */
  readonly body: Uint8Array | Upload
  /** Passed to `accept` together with the response. */
  readonly context: Context
}

/**
 * The state of a call.
 *
 * @since 0.1.0
 * @category models
 */
export interface Progress {
  readonly sentId: string
  readonly attempts: ReadonlyArray<Attempt>
  /** How much of the latest attempt's request has left this process. */
  readonly sent: Sent
  /** How long the call waited for its turn. Absent if it did not wait. */
  readonly queuedMillis?: number | undefined
  readonly elapsedMillis: number
}

/**
 * A response whose body obeys the deadlines and fails with errors of the operation.
 *
 * @since 0.1.0
 * @category models
 */
export interface Response<E> {
  readonly status: number
  /** The value of a header, redacted and printable. `undefined` if the header is absent or empty. */
  readonly header: (name: string) => string | undefined
  /** The next bytes of the body, or `undefined` at its end. The body can be read once, inside the scope of the call. */
  readonly pull: Effect.Effect<Uint8Array | undefined, E>
  /** The beginning of an error body: at most 64 KiB, read for at most 3 seconds. It never fails. */
  readonly errorText: Effect.Effect<string>
  /** Removes the key from decoded text. */
  readonly withoutKey: (text: string) => string
  /** Removes the key from text and makes the rest printable, by `Printable.line`. */
  readonly redact: (text: string) => string
  readonly progress: () => Progress
}

/**
 * What the transport is asked to run: how to build a request, what to make of an answer, and how to name a
 * failure. The transport knows no status and no tag; an operation knows no retry and no deadline.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Attempt, Sent } from "./CallReport.js"
import type { Failure, UploadFailed } from "./Failure.js"
import type { ServiceError } from "./ServiceError.js"

export interface Operation<A, E extends ServiceError> {
  /** Of the span: `transcribe`, `synthesize`. */
  readonly name: string
  /** The id that is sent with every attempt. */
  readonly sentId: string
  /**
   * The request without the key, or what builds it afresh for each attempt; what that opens in the scope is closed when
   * the attempt ends.
   */
  readonly request: Outgoing | ((scope: Scope.Scope) => Effect.Effect<Outgoing, UploadFailed>)
  /** Whether the request can be built more than once. */
  readonly repeatable: boolean
  /** Makes a result or an error of an answer, whatever its status. */
  readonly accept: (response: Response<E>) => Effect.Effect<A, E>
  /** Names a call that got no usable answer. */
  readonly fail: (failure: Failure, progress: Progress) => E
}

/** A POST request. */
export interface Outgoing {
  readonly url: URL
  /** With the content type; the key and the length are the transport's. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | Upload
}

/** A body that is read as it is sent. */
export interface Upload {
  readonly stream: Stream.Stream<Uint8Array, UploadFailed>
  /**
   * The same, but each chunk is valid only until the next one is asked for, so that one block of memory serves for all.
   * A transport that sends a chunk before it asks for the next takes this one.
   */
  readonly lent?: Stream.Stream<Uint8Array, UploadFailed> | undefined
  /** The same, where all of it is in memory: a transport that need not run a stream takes these one after another. */
  readonly parts?: ReadonlyArray<Uint8Array> | undefined
  /** The exact number of bytes; without it, the request has no Content-Length. */
  readonly byteLength: number | undefined
}

/** How far a call has come. */
export interface Progress {
  readonly sentId: string
  readonly attempts: ReadonlyArray<Attempt>
  /** How much of the request of the last attempt had left this process. */
  readonly sent: Sent
  readonly elapsedMillis: number
}

/** An answer whose body stays within the deadlines and fails with the operation's own errors. */
export interface Response<E> {
  readonly status: number
  /** A header in words that can be shown; `undefined` where it is absent or empty. */
  readonly header: (name: string) => string | undefined
  /** The next bytes of the body; nothing at its end. It can be read once, inside the scope of the call. */
  readonly pull: Effect.Effect<Uint8Array | undefined, E>
  /** The beginning of the body of a failure, as much as comes within 3 seconds and 64 KiB, however it ends. */
  readonly errorText: Effect.Effect<string>
  /** Decoded words of the service, without the key. */
  readonly withoutKey: (text: string) => string
  /** The same without control characters, fit to be shown. */
  readonly redact: (text: string) => string
  readonly progress: () => Progress
}

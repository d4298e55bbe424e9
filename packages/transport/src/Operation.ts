/**
 * What the transport is asked to run: how to build a request, what to make of an answer, and how to name a
 * failure. The transport knows no status and no tag; an operation knows no retry and no deadline.
 */
import type * as Headers from "@effect/platform/Headers"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Attempt, Sent } from "./CallReport.js"
import type { Failure } from "./Failure.js"

export interface Operation<A, E> {
  /** Of the span: `transcribe`, `synthesize`. */
  readonly name: string
  /** The id that is sent with every attempt. */
  readonly sentId: string
  /** Builds the request afresh for each attempt, without the key. */
  readonly request: Effect.Effect<HttpClientRequest.HttpClientRequest, E>
  /** Makes a result or an error of an answer, whatever its status. */
  readonly accept: (response: Response<E>) => Effect.Effect<A, E, Scope.Scope>
  /** Names a call that got no usable answer. */
  readonly fail: (failure: Failure, progress: Progress) => E
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
  /** As they arrive, names in lower case. */
  readonly headers: Headers.Headers
  /** A header in words that can be shown; `undefined` where it is absent or empty. */
  readonly header: (name: string) => string | undefined
  /** The body. It can be read once, inside the scope of the call. */
  readonly body: Stream.Stream<Uint8Array, E>
  /** The beginning of the body of a failure, 64 KiB at most, however it ends. */
  readonly errorText: Effect.Effect<string>
  /** Words of the service, decoded, without the key and fit to be shown. */
  readonly redact: (text: string) => string
  readonly progress: Effect.Effect<Progress>
}

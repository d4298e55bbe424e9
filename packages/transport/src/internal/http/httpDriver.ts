import type * as Effect from "effect/Effect"
import type { Failure } from "../../Failure.js"
import type { Outgoing } from "../../Operation.js"
import type { Watch } from "../call/callTimer.js"

/** One request and its answer. */
export interface Exchange {
  /** Sends the request and waits for the head of the answer; to be run once. */
  readonly answer: Effect.Effect<Incoming, Failure>
  /** Ends whatever of it is still going on. A connection whose answer has been read to its end is free for the next. */
  readonly close: Effect.Effect<void>
}

export interface Incoming {
  readonly status: number
  /** Of a header in lower case; values of one that came several times are joined by commas. */
  readonly header: (name: string) => string | undefined
  /** The next bytes; nothing at the end. */
  readonly pull: Effect.Effect<Uint8Array | undefined, Failure>
}

/** What is to be done as an upload goes on. */
export interface UploadObserver {
  /** After each part that was sent. */
  readonly onChunk: (byteLength: number) => Effect.Effect<void>
  readonly onComplete: Effect.Effect<void>
}

/** A way to the network. */
export interface Wire {
  /** Without an observer nobody wants to know how the upload goes on. */
  readonly open: (outgoing: Outgoing, watch: Watch, observer: UploadObserver | undefined) => Exchange
}

/**
 * By this symbol the HttpClient of `@effect-speech/transport/node` offers the wire below it. It is not shared: another
 * version of this package may know other wires, and takes the HttpClient for what it is.
 */
export const WireId: unique symbol = Symbol("@effect-speech/transport/Wire")

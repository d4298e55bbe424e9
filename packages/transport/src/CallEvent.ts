/**
 * What a call tells of itself while it runs, to show progress. All sizes are in bytes, and attempts count from 1.
 */
import type * as Effect from "effect/Effect"

export type CallEvent = Uploading | Waiting | Answered | Retrying

/** A part of the recording has been handed to the connection. */
export interface Uploading {
  readonly _tag: "Uploading"
  readonly attempt: number
  /** Of the whole request, which is a little longer than the recording. */
  readonly sentBytes: number
  /** `undefined` where the length of the recording is not known. */
  readonly totalBytes: number | undefined
}

/** There is nothing more to send, and the service is awaited; for a text, connecting included. */
export interface Waiting {
  readonly _tag: "Waiting"
  readonly attempt: number
}

/** The answer has begun. */
export interface Answered {
  readonly _tag: "Answered"
  readonly attempt: number
  readonly status: number
}

/** An attempt failed, and the next one follows after the delay. */
export interface Retrying {
  readonly _tag: "Retrying"
  /** The one that is to come. */
  readonly attempt: number
  readonly delayMillis: number
}

export interface CallOptions {
  /**
   * Is run at each event, between the parts of the upload: while it runs, nothing more is sent. A defect in it is
   * logged and does not touch the call. Default: none.
   */
  readonly onEvent?: ((event: CallEvent) => Effect.Effect<void>) | undefined
}

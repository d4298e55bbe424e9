/**
 * Keeps the result of each piece that was paid for, so that a run that failed goes on where it was.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

/** A piece can't be read or kept. */
export interface PieceStoreError {
  readonly _tag: "PieceStoreError"
}

export interface PieceStoreService {
  /** Reads the result that was kept under this name. */
  readonly get: (name: string) => Effect.Effect<Option.Option<Uint8Array>, PieceStoreError>
  /** Keeps a result: whole or not at all. */
  readonly put: (name: string, result: Uint8Array) => Effect.Effect<void, PieceStoreError>
}

export class PieceStore extends Context.Tag("@effect-speech/long-form/PieceStore")<PieceStore, PieceStoreService>() {}

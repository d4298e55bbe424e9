import { withoutLink } from "@effect-speech/common/ErrorPage"
import type { Billing, CallReport, Piece } from "@effect-speech/transport/CallReport"
import type { ServiceError } from "@effect-speech/transport/ServiceError"
import { withPiece } from "@effect-speech/transport/unstable/ErrorDefinition"
import { describePiece } from "@effect-speech/transport/unstable/Report"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { PieceStoreError, type PieceStoreService } from "../PieceStore.js"
import { read } from "./cacheEntry.js"

type CallError = ServiceError & { readonly call: CallReport; readonly message: string }

/** What a new run need not send: code points of a text, or milliseconds of a recording. */
export interface Kept {
  readonly pieces: number
  readonly amount: number
}

/** What became of the pieces of a run. The error that ends it says this. */
export interface RunProgress {
  /** The result of this key was sent and kept, or found. */
  readonly keep: (key: string, amount: number) => void
  /** A piece that is not sent, such as silence. */
  readonly skip: (amount: number) => void
  readonly fail: (error: CallError | PieceStoreError) => void
  /** `undefined`: the store gives nothing back, so no sentence may say that something is kept. */
  readonly kept: Effect.Effect<Kept | undefined>
  /** The billing of a call that failed, together with that of all other calls that failed: pieces run at the same time. */
  readonly billingWith: (billing: Billing) => Billing
  /** The error with its piece: `pieceOf` gets the number of kept pieces, and what is left of the amount of all pieces. */
  readonly explain: <E extends CallError>(
    error: E | PieceStoreError,
    amount: number | undefined,
    pieceOf: (kept: number, left: number | undefined) => Piece
  ) => Effect.Effect<E | PieceStoreError>
}

export const makeRunProgress = (store: PieceStoreService): RunProgress => {
  let kept: Kept = { pieces: 0, amount: 0 }
  let lastKey: string | undefined
  let mayBeBilled = false

  const givesBack = (key: string): Effect.Effect<boolean> =>
    Effect.orElseSucceed(Effect.map(read(store, key), Option.isSome), () => false)
  const keptNow = Effect.suspend(() =>
    Effect.map(lastKey === undefined ? Effect.succeed(true) : givesBack(lastKey), (isKept) =>
      isKept ? kept : undefined
    )
  )
  const billingWith = (billing: Billing): Billing => (mayBeBilled && billing === "notBilled" ? "unknown" : billing)
  return {
    keep: (key, amount) => {
      lastKey = key
      kept = { pieces: kept.pieces + 1, amount: kept.amount + amount }
    },
    skip: (amount) => {
      kept = { pieces: kept.pieces, amount: kept.amount + amount }
    },
    fail: (error) => {
      mayBeBilled ||= error instanceof PieceStoreError ? error.operation === "put" : error.call.billing !== "notBilled"
    },
    kept: keptNow,
    billingWith,
    explain: (error, amount, pieceOf) =>
      Effect.map(keptNow, (kept) => {
        const left = kept && amount !== undefined ? Math.max(0, Math.round(amount - kept.amount)) : undefined
        const piece = pieceOf(kept?.pieces ?? 0, left)
        return error instanceof PieceStoreError
          ? new PieceStoreError({
              ...error,
              piece,
              message: `${withoutLink(error.message)} ${describePiece(piece)}`.trim()
            })
          : withPiece(error, piece, billingWith(error.call.billing))
      })
  }
}

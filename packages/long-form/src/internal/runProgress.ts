import { type Billing, type CallReport, describePiece, type Piece } from "@effect-speech/transport/CallReport"
import * as ServiceError from "@effect-speech/transport/ServiceError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { PieceStoreError, type PieceStoreService } from "../PieceStore.js"
import { read } from "./cacheEntry.js"

type CallError = ServiceError.ServiceError & { readonly call: CallReport; readonly message: string }

export type RunProgress = ReturnType<typeof makeRunProgress>

/** What became of the pieces of a run. The error that ends it says this. */
export const makeRunProgress = (store: PieceStoreService) => {
  /** What a new run need not send: code points of a text, or milliseconds of a recording. */
  let kept = { pieces: 0, amount: 0 }
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
    /** The result of this key was sent and kept, or found. */
    keep: (key: string, amount: number): void => {
      lastKey = key
      kept = { pieces: kept.pieces + 1, amount: kept.amount + amount }
    },
    /** A piece that is not sent, such as silence. */
    skip: (amount: number): void => {
      kept = { pieces: kept.pieces, amount: kept.amount + amount }
    },
    fail: (error: CallError | PieceStoreError): void => {
      mayBeBilled ||= error instanceof PieceStoreError ? error.operation === "put" : error.call.billing !== "notBilled"
    },
    /** `undefined`: the store gives nothing back, so no sentence may say that something is kept. */
    kept: keptNow,
    /** The billing of a call that failed, together with that of all other calls that failed: pieces run at the same time. */
    billingWith,
    /** The error with its piece, what is kept, and what is left of the amount of all pieces. */
    explain: <E extends CallError>(
      error: E | PieceStoreError,
      place: Omit<Piece, "kept" | "left">,
      amount: number | undefined
    ): Effect.Effect<E | PieceStoreError> =>
      Effect.map(keptNow, (kept) => {
        const left = kept && amount !== undefined ? Math.max(0, Math.round(amount - kept.amount)) : undefined
        const piece: Piece = { ...place, kept: kept?.pieces ?? 0, left }
        return error instanceof PieceStoreError
          ? new PieceStoreError({ ...error, piece, message: `${error.message} ${describePiece(piece)}`.trim() })
          : ServiceError.withPiece(error, piece, billingWith(error.call.billing))
      })
  }
}

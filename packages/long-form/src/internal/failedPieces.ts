import type { Billing } from "@effect-speech/transport/CallReport"
import type { PieceStoreError } from "../PieceStore.js"

type PieceError = { readonly call: { readonly billing: Billing } } | PieceStoreError

/** The pieces that failed. One error is reported for all of them, and pieces that run at once may all have been billed. */
export interface FailedPieces {
  readonly add: (error: PieceError) => void
  /** Of a call that failed, together with those of the other pieces that failed. */
  readonly billingWith: (billing: Billing) => Billing
}

export const makeFailedPieces = (): FailedPieces => {
  let mayBeBilled = false
  return {
    add: (error) => {
      mayBeBilled ||= "call" in error ? error.call.billing !== "notBilled" : error.operation === "put"
    },
    billingWith: (billing) => (mayBeBilled && billing === "notBilled" ? "unknown" : billing)
  }
}

/**
 * What is known of a call when it ends: it travels with every error and with every result.
 */
import * as Schema from "effect/Schema"

/** How much of the request had left this process. */
export const Sent = Schema.Literal("nothing", "part", "all")
export type Sent = typeof Sent.Type

/** One request of a call. */
export const Attempt = Schema.Struct({
  /** The status of the answer, if one came. */
  status: Schema.optional(Schema.Number),
  sent: Sent,
  /** How long this attempt was held back after the one before it, in milliseconds. */
  delayMillis: Schema.Number,
  /** What the answer asked to wait before the next attempt, in milliseconds. */
  retryAfterMillis: Schema.optional(Schema.Number),
  /** From the start of this attempt until its answer or its end, in milliseconds. */
  elapsedMillis: Schema.Number
})
export type Attempt = typeof Attempt.Type

/** Whether the service charged for the call, as far as the contract tells. */
export const Billing = Schema.Literal("notBilled", "billed", "unknown")
export type Billing = typeof Billing.Type

export const CallReport = Schema.Struct({
  /** The id that was sent, the same in all attempts: of a transaction or of a request. */
  sentId: Schema.String,
  /** The id that the service answered with, if it did. */
  receivedId: Schema.optional(Schema.String),
  attempts: Schema.Array(Attempt),
  billing: Billing,
  /** From the first step of the call until it ended, in milliseconds. */
  elapsedMillis: Schema.Number
})
export type CallReport = typeof CallReport.Type

/** The report of a call that has come so far. */
export const reportOf = (
  { attempts, elapsedMillis, sentId }: Pick<CallReport, "attempts" | "elapsedMillis" | "sentId">,
  billing: Billing,
  receivedId?: string | undefined
): CallReport => ({ sentId, receivedId, attempts, billing, elapsedMillis })

/** The report of a call that sent nothing. */
export const nothingSent: CallReport = { sentId: "", attempts: [], billing: "notBilled", elapsedMillis: 0 }

/** The attempt of a double. */
export const answeredAtOnce: Attempt = { status: 200, sent: "all", delayMillis: 0, elapsedMillis: 0 }

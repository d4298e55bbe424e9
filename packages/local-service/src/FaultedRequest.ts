/**
 * What a client did after its request met a fault.
 */
import * as Schema from "effect/Schema"
import { OperationName } from "./OperationName.js"

const millis = Schema.NonNegativeInt

/**
 * A request that met a fault, and what its client did next. `faults.report` has one for each.
 *
 * Attempts of one call have the same id: the `X-Request-Id` of a synthesis, the `transaction_id` of a transcription. Requests without an id
 * are attempts of one call if their operation and content are equal, and the later one arrived after the earlier one had failed.
 *
 * @example
 * ```ts
 * import type { FaultedRequest } from "@effect-speech/local-service"
 *
 * export const lineOf = ({ afterMillis, number, outcome, reaction }: FaultedRequest): string =>
 *   reaction === "retried" ? `${number} was retried after ${afterMillis} ms and ${outcome}` : `${number}: ${reaction}`
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const FaultedRequest = Schema.Struct({
  /** Number of the request in the journal. */
  number: Schema.Int,
  /** When it arrived: ISO 8601, UTC. */
  at: Schema.String,
  operation: OperationName,
  /** The id that the client sent. `null` if it sent none that is valid, or if its form was not read. */
  id: Schema.NullOr(Schema.String),
  /** Number of the fault in the list, counted from 1. */
  fault: Schema.Int,
  /** Which attempt of its call it is. The first attempt that met a fault is 1. */
  attempt: Schema.Int,
  /** Status of the response. `null` if none was sent, and for `malformedHeader`. */
  status: Schema.NullOr(Schema.Int),
  /** When it arrived, in milliseconds after the faults were set. */
  arrivedMillis: millis,
  /** When its response was complete, or its connection closed, as `arrivedMillis`. `null` while it is in progress. */
  endedMillis: Schema.NullOr(millis),
  /**
   * What the client did next:
   *
   * - `retried`: it sent another request of the same call.
   * - `gaveUp`: no further request of the call has arrived so far.
   * - `delivered`: the fault only delayed or changed the operation's own response. It was sent whole, with a status below 300, and no
   *   further request followed.
   * - `underWay`: the request is still in progress.
   * - `notKnown`: the fault ended the request before its id or its content was read, or a later request was not read, and may belong to the
   *   call.
   */
  reaction: Schema.Literal("retried", "gaveUp", "delivered", "underWay", "notKnown"),
  /** Number of the next request of the call. `null` unless `retried`. */
  next: Schema.NullOr(Schema.Int),
  /** What links it to the next request. `null` unless `retried`. */
  linkedBy: Schema.NullOr(Schema.Literal("id", "content")),
  /**
   * Milliseconds until the next request arrived: since this response began, or, if it was not sent whole, since its connection closed. `null`
   * unless `retried`.
   */
  afterMillis: Schema.NullOr(millis),
  /** How the last request of the call ended: `succeeded` if its response was `delivered`. `null` unless `retried`. */
  outcome: Schema.NullOr(Schema.Literal("succeeded", "failed", "underWay")),
  /** Delay that the response asked for by `Retry-After`, in milliseconds. `null` if it asked for none. */
  retryAfterMillis: Schema.NullOr(millis),
  /** Whether the next request arrived no earlier than `Retry-After` asked. `null` unless `retried` after such a response. */
  retryAfterHonoured: Schema.NullOr(Schema.Boolean),
  /**
   * Number of the first later request with equal content and another id. `null` if there is none, and unless `gaveUp` with an id. It is
   * a retry if the client makes a new id for each attempt.
   */
  sameContent: Schema.NullOr(Schema.Int)
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type FaultedRequest = typeof FaultedRequest.Type

const count = Schema.NonNegativeInt

/**
 * How many of the requests in a report have each result.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * // Whether the client gave up no request that met a fault, and retried none too early.
 * export const isPatient = Effect.gen(function* () {
 *   const { faults } = yield* LocalService
 *   const { summary } = yield* faults.report
 *   return summary.gaveUp === 0 && summary.retryAfterIgnored === 0
 * })
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const FaultSummary = Schema.Struct({
  /** Retried, and the call succeeded. */
  retriedAndSucceeded: count,
  /** Retried, and the last request of the call failed too. */
  retriedAndFailed: count,
  /** Retried, and the last request of the call is in progress. */
  retriedAndUnderWay: count,
  /** Not sent again. */
  gaveUp: count,
  /** Not sent again, and first attempts of their calls. They are among `gaveUp`. */
  gaveUpAtOnce: count,
  /** Not sent again, because the response was delivered. */
  delivered: count,
  /** In progress. */
  underWay: count,
  /** What the client did is not known. */
  notKnown: count,
  /** Sent again no earlier than `Retry-After` asked. */
  retryAfterHonoured: count,
  /** Sent again earlier than `Retry-After` asked. */
  retryAfterIgnored: count
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type FaultSummary = typeof FaultSummary.Type

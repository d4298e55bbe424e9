/**
 * Fault injection: failures of production, at the requests that you choose.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FaultedRequest, FaultSummary } from "./FaultedRequest.js"
import { OperationName } from "./OperationName.js"

const optional = Schema.optional
const positive = Schema.Int.pipe(Schema.positive())

const effects = [
  "status",
  "body",
  "headers",
  "delayMillis",
  "reset",
  "truncateAtByte",
  "stallAtByte",
  "malformedHeader"
] as const

/** The names and values that HTTP allows (RFC 9110, 5.1 and 5.5). Node sends no response with others. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

const FaultHeaders = Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) }).pipe(
  Schema.filter(
    (headers) =>
      Object.entries(headers).every(([name, value]) => headerName.test(name) && headerValue.test(value ?? "")) ||
      "must have valid header names and values"
  )
)

/**
 * Which requests fail, when, and how. Each fault counts the requests of its time, from the moment it was set. If several
 * faults match a request, the first applies.
 *
 * A fault with `status`, `body`, `reset` or `malformedHeader` skips all checks, including the key. It bills nothing.
 *
 * @example
 * ```ts
 * import type { Faults } from "@effect-speech/local-service"
 *
 * // An outage of 20 seconds, and then one slow synthesis in ten.
 * export const faults: ReadonlyArray<Faults.Fault> = [
 *   { forMillis: 20_000, status: 503, headers: { "Retry-After": "5" } },
 *   { operation: "synthesize", probability: 0.1, delayMillis: 3000 }
 * ]
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Fault = Schema.Struct({
  /** Operation to match. Default: both. */
  operation: optional(OperationName),
  /** When the fault begins, in milliseconds after it was set. Default: 0. */
  afterMillis: optional(Schema.NonNegativeInt),
  /** How long the fault lasts after its beginning, in milliseconds. Default: until it is replaced. */
  forMillis: optional(positive),
  /** Matches each request of this many: 3 matches the third, the sixth, the ninth. Default: 1. */
  every: optional(positive),
  /**
   * First request to match, counted from 1, of those that arrive while the fault lasts. Later ones match by `every`: 2 alone matches all but
   * the first. Default: `every`.
   */
  nth: optional(positive),
  /** Number of failures. Default: no limit. */
  times: optional(positive),
  /** Probability at each request, 0 to 1. Default: 1. */
  probability: optional(Schema.Number.pipe(Schema.between(0, 1))),
  /** Seed of `probability`: the same seed selects the same requests. Default: 0. */
  seed: optional(Schema.Int),

  /** Reads the request and responds with this status, without any work. */
  status: optional(Schema.Int.pipe(Schema.between(200, 599))),
  /** Message of the response with `status`. Default: "this failure is an injected fault". */
  message: optional(Schema.String),
  /** Body of the response with `status`, instead of the operation's error body. Default of `status` with it: 200. */
  body: optional(Schema.String),
  /**
   * Headers to set on any response but that of `malformedHeader`, such as `Retry-After` or a wrong `X-Sample-Rate`. `null` removes a
   * header.
   */
  headers: optional(FaultHeaders),
  /** Delay of the response in milliseconds, up to an hour. */
  delayMillis: optional(Schema.Int.pipe(Schema.between(0, 3_600_000))),
  /** Resets the connection: `request` when the request arrives, `answer` after the service has read it. */
  reset: optional(Schema.Literal("request", "answer")),
  /** Closes the connection after this many bytes of the response body. A body that is not longer is sent whole. */
  truncateAtByte: optional(Schema.NonNegativeInt),
  /** Sends this many bytes of the response body, and then nothing. A body that is not longer is sent whole. */
  stallAtByte: optional(Schema.NonNegativeInt),
  /** Responds with a header line without a colon, which no client can parse. Default of `status` with it: 200. */
  malformedHeader: optional(Schema.Literal(true))
})
  .annotations({ parseOptions: { onExcessProperty: "error" } })
  .pipe(
    Schema.filter(
      (fault) =>
        effects.some((effect) => fault[effect] !== undefined) || `must say what happens: one of ${effects.join(", ")}`,
      // Without the allOf, the anyOf would replace the fields.
      { jsonSchema: { allOf: [{ anyOf: effects.map((effect) => ({ required: [effect] })) }] } }
    )
  )
/**
 * @since 0.1.0
 * @category schemas
 */
export type Fault = typeof Fault.Type

/**
 * A fault that is set, the number of failures so far, and the time that it has left. `faults.list` has one for each.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * // Whether each fault has happened: a test that met none of them shows nothing.
 * export const haveHappened = Effect.gen(function* () {
 *   const { faults } = yield* LocalService
 *   const records = yield* faults.list
 *   return records.every(({ happened }) => happened > 0)
 * })
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const FaultRecord = Schema.Struct({
  fault: Fault,
  /** Number of failures so far. */
  happened: Schema.NonNegativeInt,
  /** Milliseconds until the fault begins. Absent if it has begun. */
  beginsInMillis: optional(positive),
  /** Milliseconds until the fault ends. 0: it is over. Absent without `forMillis`. */
  endsInMillis: optional(Schema.NonNegativeInt)
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type FaultRecord = typeof FaultRecord.Type

/**
 * What happened since the current faults were set: which request met which fault, and what its client did next.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * export const notRetried = Effect.gen(function* () {
 *   const { faults } = yield* LocalService
 *   const { requests } = yield* faults.report
 *   return requests.filter(({ reaction }) => reaction === "gaveUp").map(({ id }) => id)
 * })
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const FaultReport = Schema.Struct({
  /** Milliseconds since the faults were set. */
  elapsedMillis: Schema.NonNegativeInt,
  /** The faults, and how often each has happened. */
  faults: Schema.Array(FaultRecord),
  /** The latest 10,000 requests that met a fault, oldest first. */
  requests: Schema.Array(FaultedRequest),
  /** How many earlier requests that met a fault are left out. */
  leftOut: Schema.NonNegativeInt,
  /** Counts the `requests`. */
  summary: FaultSummary
})
/**
 * @since 0.1.0
 * @category schemas
 */
export type FaultReport = typeof FaultReport.Type

/**
 * Injects failures into a local service, and says what its clients did. It is the field `faults` of the service.
 *
 * It does not fail. A fault that is not allowed, such as one without an effect, is a defect of `set`: a `TypeError` that names the fault,
 * counted from 0, and its field.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * // The second synthesis is 502, and the client may try again after a second.
 * export const setFaults = Effect.gen(function* () {
 *   const { faults } = yield* LocalService
 *   yield* faults.set([{ operation: "synthesize", nth: 2, times: 1, status: 502, headers: { "Retry-After": "1" } }])
 * })
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export interface FaultsService {
  /** Replaces all faults. An empty list removes them. */
  readonly set: (faults: ReadonlyArray<Fault>) => Effect.Effect<void>
  /** The current faults. */
  readonly list: Effect.Effect<ReadonlyArray<FaultRecord>>
  /**
   * What happened since the faults were set: which request met which fault, and what its client did next. If a request that met a fault is
   * in progress, it waits up to 0.1 seconds for its end.
   */
  readonly report: Effect.Effect<FaultReport>
}

/**
 * Failures on demand: what production can show, at the requests that are named.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
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

/** What HTTP can carry (RFC 9110, 5.1 and 5.5): with anything else no answer could be sent at all. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

const FaultHeaders = Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) }).pipe(
  Schema.filter(
    (headers) =>
      Object.entries(headers).every(([name, value]) => headerName.test(name) && headerValue.test(value ?? "")) ||
      "must have names and values that a header may have"
  )
)

/**
 * Which requests a fault is for, and what becomes of them. Requests are counted for each fault by itself, from when it
 * was set; of several faults that a request meets, the first counts.
 */
export const Fault = Schema.Struct({
  /** Default: both. */
  operation: optional(OperationName),
  /** The first request that it is for, counted from 1. Default: 1. */
  nth: optional(positive),
  /** How often it happens. Default: always. */
  times: optional(positive),
  /** How likely it is at each request, 0 to 1. Default: 1. */
  probability: optional(Schema.Number.pipe(Schema.between(0, 1))),
  /** Of the chances: the same seed, the same requests. Default: 0. */
  seed: optional(Schema.Int),

  /** Answers with this status, in place of the work, once the request has been read. */
  status: optional(Schema.Int.pipe(Schema.between(200, 599))),
  /** What such an answer says. Default: that it was asked for. */
  message: optional(Schema.String),
  /** Such an answer's body, in place of the operation's own. With it alone the status is 200. */
  body: optional(Schema.String),
  /** Headers of the answer, whatever it is: `Retry-After`, or another `X-Sample-Rate`; `null` leaves one out. */
  headers: optional(FaultHeaders),
  /** Keeps the answer back for so many milliseconds, up to an hour. */
  delayMillis: optional(Schema.Int.pipe(Schema.between(0, 3_600_000))),
  /** Resets the connection: as the request arrives, or once it has been read. */
  reset: optional(Schema.Literal("request", "answer")),
  /** Ends the connection after so many bytes of the answer's body. */
  truncateAtByte: optional(Schema.NonNegativeInt),
  /** Sends so many bytes of the answer's body, and then nothing. */
  stallAtByte: optional(Schema.NonNegativeInt),
  /** Answers with a header line that has no colon, which no client can read. */
  malformedHeader: optional(Schema.Literal(true))
})
  .annotations({ parseOptions: { onExcessProperty: "error" } })
  .pipe(
    Schema.filter(
      (fault) =>
        effects.some((effect) => fault[effect] !== undefined) || `must say what happens: one of ${effects.join(", ")}`,
      // An anyOf that is not within an allOf would take the place of the fields.
      { jsonSchema: { allOf: [{ anyOf: effects.map((effect) => ({ required: [effect] })) }] } }
    )
  )
export type Fault = typeof Fault.Type

/** A fault, and how often it has happened. */
export const FaultRecord = Schema.Struct({ fault: Fault, happened: Schema.NonNegativeInt })
export type FaultRecord = typeof FaultRecord.Type

export interface FaultsService {
  /** Sets the faults anew; none ends them all. */
  readonly set: (faults: ReadonlyArray<Fault>) => Effect.Effect<void>
  readonly list: Effect.Effect<ReadonlyArray<FaultRecord>>
}

/**
 * The latest requests of both operations.
 */
import { structural } from "@effect-speech/common/Structural"
import * as Schema from "effect/Schema"
import { OperationName } from "./OperationName.js"

/**
 * A request that a local service received, with its response and its cost. `requests` of the service has the latest thousand.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * // What was spoken, and what it cost.
 * export const spoken = Effect.gen(function* () {
 *   const { requests } = yield* LocalService
 *   return (yield* requests)
 *     .filter(({ operation }) => operation === "synthesize")
 *     .map(({ credits = 0, request }) => ({ text: request?.text, credits }))
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class JournalEntry extends structural(
  Schema.Class<JournalEntry>("JournalEntry")({
    /** Counts from 1 since the start or the latest `reset`. */
    number: Schema.Int,
    /** When the request arrived: ISO 8601, UTC. */
    at: Schema.String,
    /** `transcribe` or `synthesize`. */
    operation: OperationName,
    /**
     * The id of the key. `null` if the call was refused for its key, the account or a credit of 0, or if a fault skipped the check. `console`
     * for a call of the console, which needs no key. `replay` in a replay, which accepts any key.
     */
    keyId: Schema.NullOr(Schema.String),
    /**
     * Why this service refused it: its key, the account or the credit. A synthesis is refused with 401 for each of these. `noCredit`: the
     * credit was 0, or less than the call costs.
     */
    refusal: Schema.optional(Schema.Literal("unknownKey", "accountNotActive", "missingScope", "noCredit")),
    /**
     * The id of the key that was refused, if the service has made it: that of a revoked key too. `console` for a call of the console. Absent
     * if the key was accepted and the call costs more than the credit: `keyId` has it.
     */
    refusedKeyId: Schema.optional(Schema.String),
    /** The request id of a synthesis, or the call id of a transcription. `null` for a transcription that has not succeeded. */
    id: Schema.NullOr(Schema.String),
    /**
     * The id of the long text that a synthesis is a piece of: its own id without the number, such as `book` of `book.007`. Absent for any
     * other id, and for transcriptions: a piece of a long recording has a UUID that begins as that of the whole.
     */
    parent: Schema.optional(Schema.String),
    /**
     * The fields of the request by their names in HTTP, without the recording. Those of a synthesis include the defaults, and
     * its whole text. Any other value is cut at 1,000 characters; if it is no string, it then becomes the beginning of its JSON.
     * At most 16 fields, and at most 8,000 characters of JSON beside the text. `null` if the request was not read or could not be
     * read, if the fields of a synthesis are not valid, and for the oldest requests, if those of all have more than 16 MB.
     */
    request: Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
    /** `true` if `request` is not whole: a field was cut or left out. */
    shortened: Schema.optional(Schema.Literal(true)),
    /** The status of the response. `null` if none has begun, and for the fault `malformedHeader`. */
    status: Schema.NullOr(Schema.Int),
    /**
     * `underWay`: in progress. `answered`: the response has begun. `faulted`: a fault was applied, also if the client then disconnected.
     * `abandoned`: the connection closed before the whole response was sent. `clientLeft` says whether the client closed it.
     */
    outcome: Schema.Literal("underWay", "answered", "faulted", "abandoned"),
    /** `true`: the client closed the connection before it had the whole response. Also with the outcome `faulted`. */
    clientLeft: Schema.optional(Schema.Literal(true)),
    /** Milliseconds from the headers of the request to those of the response. `null` as for `status`. */
    millis: Schema.NullOr(Schema.Number),
    /** Number of the fault that it met, counted from 1 in the list of that time. */
    fault: Schema.optional(Schema.Int),
    /** Message of a response with a status of 400 or more: at most 300 characters. */
    problem: Schema.optional(Schema.String),
    /**
     * Credits that it cost. Absent: nothing was billed, unless `billing` is `notKnown`. If `setAccount` left the account less meanwhile, the
     * debit was that.
     */
    credits: Schema.optional(Schema.Number),
    /** `notKnown`: it was sent on to the service that is recorded, which may have billed it. Absent: `credits` says all. */
    billing: Schema.optional(Schema.Literal("notKnown")),
    /** Bytes of the response body that were handed to the connection. Absent until the request has ended. */
    sentBytes: Schema.optional(Schema.Int),
    /** Length of the response body that its headers announced. Absent until the response has ended, and if they announced none. */
    totalBytes: Schema.optional(Schema.Int),
    /** Milliseconds of the speech, or of the recording. */
    audioMillis: Schema.optional(Schema.Number),
    /** Name of the uploaded file: at most 200 characters. */
    fileName: Schema.optional(Schema.String),
    /** Length of the uploaded file. */
    fileBytes: Schema.optional(Schema.Int),
    /** The first 300 characters of the text of a transcription. */
    transcript: Schema.optional(Schema.String)
  })
) {}

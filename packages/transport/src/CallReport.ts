/**
 * The report of a call: what it sent, and what is known of its billing.
 */
import { structural } from "@effect-speech/common/Structural"
import * as Schema from "effect/Schema"

/**
 * How much of the request left this process.
 *
 * @example
 * ```ts
 * import type { CallReport } from "@effect-speech/transport"
 *
 * // Whether the service may have carried out the request.
 * export const mayBeCarriedOut = (sent: CallReport.Sent): boolean => sent === "all"
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Sent = Schema.Literal("nothing", "part", "all")
/**
 * @since 0.1.0
 * @category schemas
 */
export type Sent = typeof Sent.Type

/**
 * One request of a call, and its response.
 *
 * Its constructor throws a `ParseError` if a field is missing or not valid.
 *
 * @example
 * ```ts
 * import type { CallReport } from "@effect-speech/transport"
 *
 * // `503, 503, 200`
 * export const statusesOf = ({ attempts }: CallReport.CallReport): string =>
 *   attempts.map(({ status }) => status ?? "no response").join(", ")
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Attempt extends structural(
  Schema.Class<Attempt>("CallAttempt")({
    /** Status of the response. Absent if there was none. */
    status: Schema.optional(Schema.Finite),
    /** How much of the request left this process. */
    sent: Sent,
    /** Delay after the previous attempt, in milliseconds. 0 for the first. */
    delayMillis: Schema.Finite,
    /** Delay that the response asked for (`Retry-After`), in milliseconds. */
    retryAfterMillis: Schema.optional(Schema.Finite),
    /** From the start of the attempt to its response or its end, in milliseconds. */
    elapsedMillis: Schema.Finite
  })
) {}

/**
 * Whether the service charged for the call, as far as its contract says.
 *
 * | value       | means |
 * | ----------- | ----- |
 * | `notBilled` | no attempt was billed |
 * | `billed`    | the last attempt was billed. With `retryAmbiguous`, an earlier one may be billed too |
 * | `unknown`   | at least one attempt may be billed. After a 500, a transcription is retried, and each attempt may be billed |
 *
 * @example
 * ```ts
 * import type { CallReport } from "@effect-speech/transport"
 *
 * const words: Record<CallReport.Billing, string> = {
 *   notBilled: "not billed",
 *   billed: "billed",
 *   unknown: "perhaps billed"
 * }
 *
 * export const lineOf = ({ billing, sentId }: CallReport.CallReport): string => `${sentId}: ${words[billing]}`
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Billing = Schema.Literal("notBilled", "billed", "unknown")
/**
 * @since 0.1.0
 * @category schemas
 */
export type Billing = typeof Billing.Type

/** What the pieces of a text and of a recording have in common. */
const pieceFields = {
  /** Counts from 1. */
  number: Schema.Finite,
  /** Number of all pieces, if it is known. */
  of: Schema.optional(Schema.Finite),
  /** Number of pieces whose results are kept: a new run does not send them again. */
  kept: Schema.Finite
}

/**
 * A piece of a long text.
 *
 * The report of a call of `LongSpeech` has it. Its constructor throws a `ParseError` if a field is missing or not valid.
 *
 * @example
 * ```ts
 * import type { CallReport } from "@effect-speech/transport"
 *
 * export const lineOf = ({ beginning, number, of }: CallReport.TextPiece): string =>
 *   `piece ${number} of ${of ?? "unknown"}, which begins with "${beginning}"`
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class TextPiece extends structural(
  Schema.TaggedClass<TextPiece>("CallTextPiece")("TextPiece", {
    ...pieceFields,
    /** Offset of its first character in the whole text, in UTF-16 units. */
    startIndex: Schema.Finite,
    /** Offset after its last character, in UTF-16 units. */
    endIndex: Schema.Finite,
    /** Its first words. */
    beginning: Schema.String,
    /** Code points that a new run has to send. Absent if it is not known. */
    leftCodePoints: Schema.optional(Schema.Finite)
  })
) {}

/**
 * A piece of a long recording.
 *
 * The report of a call of `LongTranscription` has it. Its constructor throws a `ParseError` if a field is missing or not valid.
 *
 * @example
 * ```ts
 * import type { CallReport } from "@effect-speech/transport"
 *
 * export const lineOf = ({ endMillis, number, startMillis }: CallReport.RecordingPiece): string =>
 *   `piece ${number}, from ${startMillis / 1000} to ${endMillis / 1000} s`
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class RecordingPiece extends structural(
  Schema.TaggedClass<RecordingPiece>("CallRecordingPiece")("RecordingPiece", {
    ...pieceFields,
    /** In milliseconds from the beginning of the recording. */
    startMillis: Schema.Finite,
    /** In milliseconds from the beginning of the recording. */
    endMillis: Schema.Finite,
    /** Duration of the whole recording, in milliseconds, if it is known. */
    wholeMillis: Schema.optional(Schema.Finite),
    /** Audio that a new run has to send, in milliseconds. Absent if it is not known. */
    leftMillis: Schema.optional(Schema.Finite)
  })
) {}

/**
 * The piece of a longer text or recording that a call was made for, and what a new run has left to do.
 *
 * @example
 * ```ts
 * import type { CallReport } from "@effect-speech/transport"
 *
 * // How much a new run has to send.
 * export const left = (piece: CallReport.Piece): string =>
 *   piece._tag === "TextPiece" ? `${piece.leftCodePoints ?? "?"} code points` : `${piece.leftMillis ?? "?"} ms`
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Piece = Schema.Union(TextPiece, RecordingPiece)
/**
 * @since 0.1.0
 * @category schemas
 */
export type Piece = typeof Piece.Type

/**
 * What a call did. Reports are equal if their contents are.
 *
 * A result or an error has it as `call`; a long text or recording has one for each piece. Its constructor throws a `ParseError` if a field is missing or not valid.
 *
 * @example
 * ```ts
 * import type { CallReport } from "@effect-speech/transport"
 * import { Effect } from "effect"
 *
 * export const log = ({ attempts, billing, elapsedMillis, sentId }: CallReport.CallReport) =>
 *   Effect.logInfo(`${sentId}: ${attempts.length} attempts, ${elapsedMillis} ms, ${billing}`)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class CallReport extends structural(
  Schema.Class<CallReport>("CallReport")({
    /** Id of the call, which all attempts send: a transaction id or a request id. Empty if the request broke a rule, so that no call began. */
    sentId: Schema.String,
    /** Id in the response, if there was one. */
    receivedId: Schema.optional(Schema.String),
    /** The requests of the call, in order. */
    attempts: Schema.Array(Attempt),
    /** Whether the service charged for the call. */
    billing: Billing,
    /** How long the call waited for its turn, in milliseconds. Absent if it did not wait. */
    queuedMillis: Schema.optional(Schema.Finite),
    /** From the start of the call to its end, in milliseconds. For speech that still arrives: until now. */
    elapsedMillis: Schema.Finite,
    /** Set if the call was made for a piece of a longer text or recording. */
    piece: Schema.optional(Piece)
  })
) {}

/**
 * The report of a call that sent nothing.
 *
 * @example
 * ```ts
 * import { CallReport } from "@effect-speech/transport"
 *
 * export const wasSent = (call: CallReport.CallReport): boolean =>
 *   call.attempts.length > CallReport.nothingSent.attempts.length
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const nothingSent: CallReport = new CallReport({
  sentId: "",
  attempts: [],
  billing: "notBilled",
  elapsedMillis: 0
})

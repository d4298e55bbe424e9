/**
 * The report of a call. Every error and every result has one.
 */
import * as Printable from "@effect-speech/common/Printable"
import * as Schema from "effect/Schema"

/** How much of the request left this process. */
export const Sent = Schema.Literal("nothing", "part", "all")
export type Sent = typeof Sent.Type

/** One request of a call, and its response. */
export const Attempt = Schema.Struct({
  /** Status of the response. Absent if there was none. */
  status: Schema.optional(Schema.Number),
  sent: Sent,
  /** Delay after the previous attempt, in milliseconds. */
  delayMillis: Schema.Number,
  /** Delay that the response asked for (`Retry-After`), in milliseconds. */
  retryAfterMillis: Schema.optional(Schema.Number),
  /** From the start of the attempt to its response or its end, in milliseconds. */
  elapsedMillis: Schema.Number
})
export type Attempt = typeof Attempt.Type

/**
 * Whether the service charged for the call, as far as its contract says.
 *
 * | value       | means |
 * | ----------- | ----- |
 * | `notBilled` | no attempt was billed |
 * | `billed`    | the last attempt was billed. With `retryAmbiguous`, an earlier one may be billed too |
 * | `unknown`   | at least one attempt may be billed. After a 500, a transcription is retried, and each attempt may be billed |
 */
export const Billing = Schema.Literal("notBilled", "billed", "unknown")
export type Billing = typeof Billing.Type

/** What the pieces of a text and of a recording have in common. */
const pieceFields = {
  /** Counts from 1. */
  number: Schema.Number,
  /** Number of all pieces, if it is known. */
  of: Schema.optional(Schema.Number),
  /** Number of pieces whose results are kept: a new run does not send them again. */
  kept: Schema.Number
}

/** A piece of a long text. */
export const TextPiece = Schema.TaggedStruct("TextPiece", {
  ...pieceFields,
  /** Offset of its first character in the whole text, in UTF-16 units. */
  startIndex: Schema.Number,
  /** Offset after its last character, in UTF-16 units. */
  endIndex: Schema.Number,
  /** Its first words. */
  beginning: Schema.String,
  /** Code points that a new run has to send. Absent if it is not known. */
  leftCodePoints: Schema.optional(Schema.Number)
})
export type TextPiece = typeof TextPiece.Type

/** A piece of a long recording. */
export const RecordingPiece = Schema.TaggedStruct("RecordingPiece", {
  ...pieceFields,
  /** In milliseconds from the beginning of the recording. */
  startMillis: Schema.Number,
  /** In milliseconds from the beginning of the recording. */
  endMillis: Schema.Number,
  /** Duration of the whole recording, in milliseconds, if it is known. */
  wholeMillis: Schema.optional(Schema.Number),
  /** Audio that a new run has to send, in milliseconds. Absent if it is not known. */
  leftMillis: Schema.optional(Schema.Number)
})
export type RecordingPiece = typeof RecordingPiece.Type

/** The piece of a longer text or recording that a call was made for, and what a new run has left to do. */
export const Piece = Schema.Union(TextPiece, RecordingPiece)
export type Piece = typeof Piece.Type

const grouped = (value: number): string => value.toLocaleString("en")

/** Hours, minutes and seconds. */
const clockTime = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  const two = (value: number) => String(Math.floor(value) % 60).padStart(2, "0")
  return `${Math.floor(seconds / 3600)}:${two(seconds / 60)}:${two(seconds)}`
}

const placeOf = (piece: Piece): string => {
  const name = `Piece ${grouped(piece.number)}`
  if (piece._tag === "TextPiece") {
    const { beginning, of, startIndex } = piece
    return `${name}${of === undefined ? "" : ` of ${grouped(of)}`}, from character ${grouped(startIndex + 1)} (“${beginning}”).`
  }
  const { endMillis, startMillis, wholeMillis } = piece
  const whole = wholeMillis === undefined ? "" : ` of ${clockTime(wholeMillis)}`
  return `${name}, from ${clockTime(startMillis)} to ${clockTime(endMillis)}${whole}.`
}

/** What a new run has to send, as a verb and its object. `undefined` if it is not known. */
const restOf = (piece: Piece): string | undefined => {
  if (piece._tag === "TextPiece") {
    const { leftCodePoints: left } = piece
    return left === undefined ? undefined : `costs at most ${grouped(left)} code points`
  }
  return piece.leftMillis === undefined ? undefined : `is ${clockTime(piece.leftMillis)} of audio`
}

/**
 * A sentence on one line about the piece in an error: its place, and how to resume. Empty if the piece is the whole. If nothing is kept,
 * it says only the place.
 */
export const describePiece = (piece: Piece): string => {
  const { kept, of } = piece
  if (of === 1) return ""
  const place = placeOf(piece)
  const rest = restOf(piece)
  if (kept === 0 && rest === undefined) return Printable.line(place)
  const keeping = kept === 1 ? "1 piece is kept" : `${grouped(kept)} pieces are kept`
  return Printable.line(
    `${place} To go on, run it again: ${keeping}${rest === undefined ? "" : `, and the rest ${rest}`}.`
  )
}

export const CallReport = Schema.Struct({
  /** Id that all attempts sent: a transaction id or a request id. Empty if nothing was sent. */
  sentId: Schema.String,
  /** Id in the response, if there was one. */
  receivedId: Schema.optional(Schema.String),
  attempts: Schema.Array(Attempt),
  billing: Billing,
  /** How long the call waited for its turn, in milliseconds. Absent if it did not wait. */
  queuedMillis: Schema.optional(Schema.Number),
  /** From the start of the call to its end, in milliseconds. */
  elapsedMillis: Schema.Number,
  /** Set if the call was made for a piece of a longer text or recording. */
  piece: Schema.optional(Piece)
})
export type CallReport = typeof CallReport.Type

/** The report of a call with this progress. */
export const reportOf = (
  { attempts, elapsedMillis, queuedMillis, sentId }: Omit<CallReport, "billing" | "receivedId">,
  billing: Billing,
  receivedId?: string | undefined
): CallReport => ({ sentId, receivedId, attempts, billing, queuedMillis, elapsedMillis })

/**
 * Statuses that refuse a request before any work is done: 400 to 403 by the contract, 404, 413, 429 and 503 by their meaning
 * in HTTP (RFC 9110; RFC 6585), and those by which Cloudflare says that it has not sent the request to the service: 521
 * (refused), 523 (unreachable), 525 and 526 (no TLS) and 530 (no address). The contract does not say which of these are
 * billed, so `notBilled` is a choice of this project.
 */
const refusals: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 413, 429, 503, 521, 523, 525, 526, 530])

/** Whether a status says that the service has not carried out the request. */
export const isRefusal = (status: number): boolean => refusals.has(status)

/**
 * The billing of a call without a complete result. It is `unknown` after an attempt that the service may have carried out:
 * one without a response to the whole request, or with a status that is no refusal and for which `maySpend` holds.
 */
export const billingOf = (attempts: ReadonlyArray<Attempt>, maySpend: (status: number) => boolean): Billing =>
  attempts.some(({ sent, status }) =>
    status === undefined
      ? sent === "all"
      : (sent === "all" || isSuccess(status)) && !isRefusal(status) && maySpend(status)
  )
    ? "unknown"
    : "notBilled"

/** A 2xx. One that is not 200 may be a 200 that a proxy changed, such as 203 (RFC 9110, 15.3.4). */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The report of a call that sent nothing. */
export const nothingSent: CallReport = { sentId: "", attempts: [], billing: "notBilled", elapsedMillis: 0 }

/** The attempt that a test double reports. */
export const answeredAtOnce: Attempt = { status: 200, sent: "all", delayMillis: 0, elapsedMillis: 0 }

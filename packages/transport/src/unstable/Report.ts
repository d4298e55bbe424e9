/**
 * Makes the report of a call, and the sentence about its piece.
 */
import * as Printable from "@effect-speech/common/Printable"
import { unsafeInstance } from "@effect-speech/common/Structural"
import { Attempt, type Billing, CallReport, type Piece, RecordingPiece, TextPiece } from "../CallReport.js"

/**
 * The report of a call with this progress.
 *
 * @since 0.1.0
 * @category constructors
 */
export const reportOf = (
  { attempts, elapsedMillis, queuedMillis, sentId }: Omit<CallReport, "billing" | "receivedId">,
  billing: Billing,
  receivedId?: string | undefined
): CallReport =>
  unsafeInstance(CallReport, {
    sentId,
    receivedId,
    attempts: attempts.map(toAttempt),
    billing,
    queuedMillis,
    elapsedMillis
  })

/**
 * The report, if it is an instance. Else one with the fields of a plain object, which are checked.
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const toReport = (report: CallReport): CallReport => {
  if (report instanceof CallReport) return report
  const { attempts, piece, ...fields }: CallReport = report
  return new CallReport({
    ...fields,
    attempts: attempts.map((attempt) => (attempt instanceof Attempt ? attempt : new Attempt(attempt))),
    piece: piece && toPiece(piece)
  })
}

/**
 * The same report, of a call for this piece.
 *
 * @since 0.1.0
 * @category constructors
 */
export const withPieceOf = (report: CallReport, piece: Piece, billing: Billing): CallReport =>
  unsafeInstance(CallReport, { ...report, piece: toPiece(piece), billing })

const toAttempt = (attempt: Attempt): Attempt =>
  attempt instanceof Attempt ? attempt : unsafeInstance(Attempt, attempt)

/**
 * The piece, if it is an instance. Else one with the fields of a plain object, which are checked.
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const toPiece = (piece: Piece): Piece => {
  if (piece._tag === "TextPiece") return piece instanceof TextPiece ? piece : new TextPiece(piece)
  return piece instanceof RecordingPiece ? piece : new RecordingPiece(piece)
}

/**
 * Statuses that refuse a request before any work is done: 400 to 403 by the contract, 404, 413, 429 and 503 by their meaning
 * in HTTP (RFC 9110; RFC 6585), and those by which Cloudflare says that it has not sent the request to the service: 521
 * (refused), 523 (unreachable), 525 and 526 (no TLS) and 530 (no address). The contract does not say which of these are
 * billed, so `notBilled` is a choice of this project.
 */
const refusals: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 413, 429, 503, 521, 523, 525, 526, 530])

/**
 * Whether a status says that the service has not carried out the request.
 *
 * @since 0.1.0
 * @category guards
 */
export const isRefusal = (status: number): boolean => refusals.has(status)

/**
 * The billing of a call without a complete result. It is `unknown` after an attempt that the service may have carried out:
 * one without a response to the whole request, or with a status that is no refusal and for which `maySpend` holds.
 *
 * @since 0.1.0
 * @category getters
 */
export const billingOf = (attempts: ReadonlyArray<Attempt>, maySpend: (status: number) => boolean): Billing =>
  attempts.some(({ sent, status }) =>
    status === undefined
      ? sent === "all"
      : (sent === "all" || isSuccess(status)) && !isRefusal(status) && maySpend(status)
  )
    ? "unknown"
    : "notBilled"

/**
 * A 2xx. One that is not 200 may be a 200 that a proxy changed, such as 203 (RFC 9110, 15.3.4).
 *
 * @since 0.1.0
 * @category guards
 */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/**
 * The attempt that a test double reports.
 *
 * @since 0.1.0
 * @category constants
 */
export const answeredAtOnce: Attempt = new Attempt({ status: 200, sent: "all", delayMillis: 0, elapsedMillis: 0 })

const grouped = (value: number): string => value.toLocaleString("en")

/**
 * Hours, minutes and seconds, such as `1:02:03`.
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const clockTime = (millis: number): string => {
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
 *
 * @since 0.1.0
 * @category encoding and decoding
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

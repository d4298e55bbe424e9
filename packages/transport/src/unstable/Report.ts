/**
 * Makes the report of a call, and the sentence about its piece.
 */
import * as Printable from "@effect-speech/common/Printable"
import type { Attempt, Billing, CallReport, Piece } from "../CallReport.js"

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

/** The attempt that a test double reports. */
export const answeredAtOnce: Attempt = { status: 200, sent: "all", delayMillis: 0, elapsedMillis: 0 }

const grouped = (value: number): string => value.toLocaleString("en")

/** Hours, minutes and seconds. */
const clockTime = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  const two = (value: number) => String(Math.floor(value) % 60).padStart(2, "0")
  return `${Math.floor(seconds / 3600)}:${two(seconds / 60)}:${two(seconds)}`
}

/**
 * A sentence on one line about the piece in an error: its place, and how to resume. Empty if the piece is the whole. If nothing is kept,
 * it says only the place.
 */
export const describePiece = ({ beginning, end, kept, left, number, of, start, unit, whole }: Piece): string => {
  if (of === 1) return ""
  const isText = unit === "characters"
  const name = `Piece ${grouped(number)}${of !== undefined && isText ? ` of ${grouped(of)}` : ""}`
  const place = isText
    ? `${name}, from character ${grouped(start + 1)} (“${beginning ?? ""}”).`
    : `${name}, from ${clockTime(start)} to ${clockTime(end)}${whole === undefined ? "" : ` of ${clockTime(whole)}`}.`
  if (kept === 0 && left === undefined) return Printable.line(place)
  const keeping = kept === 1 ? "1 piece is kept" : `${grouped(kept)} pieces are kept`
  const cost = isText ? `costs at most ${grouped(left ?? 0)} code points` : `is ${clockTime(left ?? 0)} of audio`
  const rest = left === undefined ? "" : `, and the rest ${cost}`
  return Printable.line(`${place} To go on, run it again: ${keeping}${rest}.`)
}

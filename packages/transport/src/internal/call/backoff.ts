import type { Retry } from "../../ServiceError.js"
import type { ResolvedRetries } from "../options/retries.js"

/** Number of tokens in a full budget. */
export const fullBudget = 500

const costs: Partial<Record<Retry, number>> = { transient: 14, ambiguous: 14, overload: 5 }

/** Tokens that a retry costs. `undefined`: the error is not retried. */
export const costOf = (retry: Retry, { retryAmbiguous }: ResolvedRetries): number | undefined =>
  retry === "ambiguous" && !retryAmbiguous ? undefined : costs[retry]

/**
 * Delay before a retry: full jitter, `random * min(longestDelay, firstDelay * 2^n)` for retry n, counted from 0. It spreads
 * clients that failed together. `random` is from 0 to 1. Source: M. Brooker, "Exponential Backoff And Jitter", AWS
 * Architecture Blog, 2015.
 */
export const backoffMillis = (
  retry: number,
  random: number,
  { firstDelay, longestDelay }: Pick<ResolvedRetries, "firstDelay" | "longestDelay">
): number => Math.round(random * Math.min(longestDelay, firstDelay * 2 ** retry))

/**
 * The three date formats of HTTP (RFC 9110, 5.6.7). `Date.parse` alone accepts many more, and reads the third as local
 * time.
 */
const httpDates = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/
]

/** Reads a header that holds a date, as milliseconds since 1970. */
export const dateIn = (header: string | undefined): number | undefined => {
  if (header === undefined || !httpDates.some((format) => format.test(header))) return undefined
  const date = Date.parse(header.endsWith(" GMT") ? header : `${header} GMT`)
  return Number.isNaN(date) ? undefined : date
}

/** Delay that a Retry-After header asks for, in milliseconds. The header holds whole seconds or a date (RFC 9110, 10.2.3). */
export const retryAfterMillis = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1000, Number.MAX_SAFE_INTEGER)
  const date = dateIn(header)
  return date === undefined ? undefined : Math.max(0, date - now)
}

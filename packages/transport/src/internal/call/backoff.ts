import * as Duration from "effect/Duration"
import type { ResolvedRetries } from "../../Retries.js"
import type { Retry } from "../../ServiceError.js"

/** The tokens of a budget when it is full. */
export const fullBudget = 500

const costs: Partial<Record<Retry, number>> = { transient: 14, ambiguous: 14, overload: 5 }

/** What a retry takes from the budget; `undefined` for an error that is not to be retried. */
export const costOf = (retry: Retry, { retryAmbiguous }: ResolvedRetries): number | undefined =>
  retry === "ambiguous" && !retryAmbiguous ? undefined : costs[retry]

const firstDelayMillis = 200
const longestDelayMillis = 8_000

/**
 * Full jitter, `random * min(8 s, 200 ms * 2^n)` before retry n (from 0), so that clients that failed together do not
 * come back together: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015. `random` is from 0 to 1.
 */
export const backoffMillis = (retry: number, random: number): number =>
  Math.round(random * Math.min(longestDelayMillis, firstDelayMillis * 2 ** retry))

/** The longest that a service can make a call wait that has no deadline for all of it. */
export const longestRetryAfter = Duration.toMillis("60 seconds")

/** The three forms of a date in HTTP (RFC 9110, 5.6.7). `Date.parse` takes much more for a date, and the last for local time. */
const httpDates = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/
]

/** What a Retry-After header asks for, in milliseconds: whole seconds, or a date (RFC 9110, 10.2.3). */
export const retryAfterMillis = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1000, Number.MAX_SAFE_INTEGER)
  if (!httpDates.some((form) => form.test(header))) return undefined
  const date = Date.parse(header.endsWith(" GMT") ? header : `${header} GMT`)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

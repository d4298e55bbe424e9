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

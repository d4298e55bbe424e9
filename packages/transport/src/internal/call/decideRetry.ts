import type { ServiceError } from "../../ServiceError.js"
import type { ResolvedRetries } from "../options/retries.js"
import { longestSleep } from "../timer/callTimer.js"
import { costOf } from "./backoff.js"
import type { Call } from "./call.js"
import { isOutage, type PlannedRetry } from "./planRetries.js"
import type { RetryBudget } from "./retryBudget.js"

/** What limits the retries of a call. */
export interface RetryLimits {
  readonly budget: RetryBudget
  /** How long to retry through an outage, from the start of the call. */
  readonly outageMillis: number
  readonly retries: ResolvedRetries
  /** Whether to retry after an attempt that may have been billed. */
  readonly retryIfBilled: boolean
}

export interface RetryDecision {
  readonly delayMillis: number
  /** Tokens that were taken from the budget. */
  readonly cost: number
}

/** Tokens that a retry of this error would cost. `undefined`: the error, or the call, forbids one. */
export const costOfRetry = (
  { call: report, retry: allowed }: ServiceError,
  { retries, retryIfBilled }: RetryLimits
): number | undefined =>
  !retryIfBilled && report !== undefined && report.billing !== "notBilled" ? undefined : costOf(allowed, retries)

/**
 * Whether a failed attempt is retried, and after which delay. `cost` is {@link costOfRetry}. `undefined`: the plan forbids it, or a
 * deadline or the budget.
 */
export const decideRetry = (
  { retry: allowed }: ServiceError,
  call: Call,
  planned: PlannedRetry,
  cost: number,
  { budget, outageMillis, retries }: RetryLimits
): RetryDecision | undefined => {
  const { attempts, elapsedMillis } = call.progress()
  const latest = attempts.at(-1)
  const askedMillis = latest?.retryAfterMillis ?? 0
  // Calls that got the same Retry-After do not come back at the same time.
  const delayMillis = askedMillis + planned.delayMillis
  if (delayMillis > longestDelay(call)) return undefined
  const isInOutage = isOutage(allowed, latest) && elapsedMillis + delayMillis < outageMillis
  const isTooLong = askedMillis > Math.max(retries.longestDelay, planned.delayMillis) && !hasTotal(call)
  if (!isInOutage && (planned.isOver || isTooLong)) return undefined
  const isInBudget = budget.take(cost)
  if (!isInBudget && !isInOutage) return undefined
  return { delayMillis, cost: isInBudget ? cost : 0 }
}

const hasTotal = ({ timer }: Call): boolean => Number.isFinite(timer.left)

/** The longest useful delay before a retry: until the total deadline. */
const longestDelay = ({ timer }: Call): number => Math.min(timer.left, longestSleep)

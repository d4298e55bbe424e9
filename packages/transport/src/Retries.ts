/**
 * Options for retries.
 */
import * as ConfigError from "effect/ConfigError"
import type * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { millisOf } from "./internal/durationOption.js"

export interface RetryOptions {
  /**
   * Highest number of retries, a whole number, or a whole {@link RetryPolicy}. Only errors that allow a retry are
   * retried. 0 is exactly one request, unless the key was replaced. Default: 2, which makes three attempts.
   */
  readonly retries?: number | RetryPolicy | undefined
  /**
   * Also retry if the service may have carried out the failed attempt: the connection was lost after the whole request was
   * sent, or a gateway got no response. Each attempt may be billed. Default: false.
   */
  readonly retryAmbiguous?: boolean | undefined
}

/** How often and how long a call is retried. The `total` deadline limits all of it. */
export interface RetryPolicy {
  /** Highest number of retries, a whole number. Default: 2. */
  readonly times?: number | undefined
  /** Longest delay before the first retry. It doubles with each further retry. Default: 200 milliseconds. */
  readonly firstDelay?: Duration.DurationInput | undefined
  /**
   * Limit of the delay before any retry. If the service asks for a longer one by `Retry-After`, the call fails at once, unless a
   * `total` deadline or an `outage` leaves the time. Default: 8 seconds.
   */
  readonly longestDelay?: Duration.DurationInput | undefined
  /**
   * How long to retry through an outage, from the start of the call. As long as the service can't be reached or says
   * that it is unavailable, neither `times` nor the budget of the layer ends the call. Default: none.
   */
  readonly outage?: Duration.DurationInput | undefined
}

/** All options. Durations are in milliseconds. */
export interface ResolvedRetries {
  readonly times: number
  readonly firstDelay: number
  readonly longestDelay: number
  readonly outage: number
  readonly retryAmbiguous: boolean
}

/**
 * Fills in the defaults. A number of retries that is negative or not whole, and a value that is not a duration, is a
 * `ConfigError`.
 */
export const parse = (given: RetryOptions): Either.Either<ResolvedRetries, ConfigError.ConfigError> => {
  const { retries = {}, retryAmbiguous = false } = given
  const isPolicy = Predicate.isRecord(retries)
  const policy: RetryPolicy = isPolicy ? retries : { times: retries }
  const { firstDelay = "200 millis", longestDelay = "8 seconds", outage, times = 2 } = policy
  return Either.all({
    times:
      Number.isSafeInteger(times) && times >= 0
        ? Either.right(times)
        : Either.left(
            ConfigError.InvalidData(
              isPolicy ? ["retries", "times"] : ["retries"],
              `must be a whole number from 0, not ${times}`
            )
          ),
    firstDelay: finiteMillisOf("firstDelay", firstDelay),
    longestDelay: finiteMillisOf("longestDelay", longestDelay),
    outage: outage === undefined ? Either.right(0) : millisOf(["retries", "outage"], outage),
    retryAmbiguous: Either.right(retryAmbiguous)
  })
}

const finiteMillisOf = (name: keyof RetryPolicy, given: Duration.DurationInput) =>
  Either.filterOrLeft(millisOf(["retries", name], given), Number.isFinite, () =>
    ConfigError.InvalidData(["retries", name], "must be finite")
  )

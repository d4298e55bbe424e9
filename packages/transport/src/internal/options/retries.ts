import * as ConfigError from "effect/ConfigError"
import type * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import type { RetryOptions, RetryPolicy } from "../../Retries.js"
import type { ServiceError } from "../../ServiceError.js"
import { millisOf } from "./durationOption.js"

/** All options. Durations are in milliseconds. */
export interface ResolvedRetries {
  readonly times: number
  readonly firstDelay: number
  readonly longestDelay: number
  readonly outage: number
  readonly retryAmbiguous: boolean
  /** Decides on delays and their number in place of the policy. */
  readonly schedule: Schedule.Schedule<unknown, ServiceError> | undefined
}

/**
 * Fills in the defaults. A number of retries that is negative or not whole, and a value that is not a duration, is a
 * `ConfigError`.
 */
export const parse = <E extends ServiceError>(
  given: RetryOptions<E>
): Either.Either<ResolvedRetries, ConfigError.ConfigError> => {
  const schedule = Schedule.isSchedule(given.retries) ? given.retries : undefined
  const { retries = {}, retryAmbiguous = false } = schedule === undefined ? given : { ...given, retries: {} }
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
    retryAmbiguous: Either.right(retryAmbiguous),
    // The options of a client name the errors of its operation, and its transport runs no other.
    schedule: Either.right(schedule as ResolvedRetries["schedule"])
  })
}

const finiteMillisOf = (name: keyof RetryPolicy, given: Duration.DurationInput) =>
  Either.filterOrLeft(millisOf(["retries", name], given), Number.isFinite, () =>
    ConfigError.InvalidData(["retries", name], "must be finite")
  )

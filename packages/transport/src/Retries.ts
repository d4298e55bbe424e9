/**
 * Options for retries.
 */
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"

export interface RetryOptions {
  /**
   * Highest number of retries, a whole number. Only errors that allow a retry are retried. 0 is exactly one request, unless
   * the key was replaced. Default: 2, which makes three attempts.
   */
  readonly retries?: number | undefined
  /**
   * Also retry if the connection was lost after the whole request was sent. The service may then bill the call twice.
   * Default: false.
   */
  readonly retryAmbiguous?: boolean | undefined
}

/** All options. */
export interface ResolvedRetries {
  readonly retries: number
  readonly retryAmbiguous: boolean
}

/** Fills in the defaults. A number of retries that is negative or not whole is a `ConfigError`. */
export const parse = (given: RetryOptions): Either.Either<ResolvedRetries, ConfigError.ConfigError> => {
  const { retries = 2, retryAmbiguous = false } = given
  return Number.isSafeInteger(retries) && retries >= 0
    ? Either.right({ retries, retryAmbiguous })
    : Either.left(ConfigError.InvalidData(["retries"], `must be a whole number from 0, not ${retries}`))
}

/**
 * Which attempts follow one that failed, and when.
 */
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"

export interface RetryOptions {
  /**
   * How often a call is repeated at most, where its error says that this may help. Default: 2, which makes three
   * attempts; a whole number, and 0 is exactly one request, but for a key that was replaced.
   */
  readonly retries?: number | undefined
  /**
   * Also repeat a call whose connection was lost after all of it had been sent, though the service may have carried it
   * out and billed it. Default: false.
   */
  readonly retryAmbiguous?: boolean | undefined
}

/** The same with the defaults filled in. */
export interface ResolvedRetries {
  readonly retries: number
  readonly retryAmbiguous: boolean
}

/** Fills in the defaults, and refuses a number of retries that is none. */
export const parse = (given: RetryOptions): Either.Either<ResolvedRetries, ConfigError.ConfigError> => {
  const { retries = 2, retryAmbiguous = false } = given
  return Number.isSafeInteger(retries) && retries >= 0
    ? Either.right({ retries, retryAmbiguous })
    : Either.left(ConfigError.InvalidData(["retries"], `must be a whole number from 0, not ${retries}`))
}

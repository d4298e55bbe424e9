/**
 * The limit of the calls of a layer that run at the same time.
 */
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"

export interface ConcurrencyOptions {
  /**
   * Highest number of calls that run at the same time, a whole number from 1. Further calls wait in the order in which
   * they came. A call runs from its first request to its end, with the delays before its retries; a stream, until it is
   * read to its end or its scope closes. Default: 64.
   */
  readonly concurrency?: number | undefined
}

/**
 * Each call needs a socket, and a file for a recording from a path. Two clients with this number of calls stay below 256
 * open files, the lowest limit of a common system (macOS).
 */
const defaultConcurrency = 64

/** Fills in the default. A number that is below 1 or not whole is a `ConfigError`. */
export const parse = ({
  concurrency = defaultConcurrency
}: ConcurrencyOptions): Either.Either<number, ConfigError.ConfigError> =>
  Number.isSafeInteger(concurrency) && concurrency >= 1
    ? Either.right(concurrency)
    : Either.left(ConfigError.InvalidData(["concurrency"], `must be a whole number from 1, not ${concurrency}`))

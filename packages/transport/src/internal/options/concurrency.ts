import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import type { ClientOptions } from "../../ClientOptions.js"

/**
 * Each call needs a socket, and a file for a recording from a path. Two clients with this number of calls stay below 256
 * open files, the lowest limit of a common system (macOS).
 */
const defaultConcurrency = 64

/** Fills in the default. `Infinity` stands for no limit. A number that is below 1 or not whole is a `ConfigError`. */
export const parse = ({
  concurrency = defaultConcurrency
}: Pick<ClientOptions, "concurrency">): Either.Either<number, ConfigError.ConfigError> =>
  concurrency === "unbounded"
    ? Either.right(Number.POSITIVE_INFINITY)
    : Number.isSafeInteger(concurrency) && concurrency >= 1
      ? Either.right(concurrency)
      : Either.left(
          ConfigError.InvalidData(["concurrency"], `must be a whole number from 1 or "unbounded", not ${concurrency}`)
        )

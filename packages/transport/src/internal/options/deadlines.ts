import type * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import type { Deadlines } from "../../Deadlines.js"
import { millisOf } from "./durationOption.js"

/** All deadlines in milliseconds. */
export interface ResolvedDeadlines {
  readonly uploadIdle: number
  readonly answer: number
  readonly downloadIdle: number
  readonly total: number
}

/** The given deadlines, and those of `defaults` that are not given. A value that is not a duration is a `ConfigError`. */
export const merge = (
  given: Deadlines,
  defaults: ResolvedDeadlines
): Either.Either<ResolvedDeadlines, ConfigError.ConfigError> => {
  const millis = (name: keyof Deadlines) => {
    const value = given[name]
    return value === undefined ? Either.right(defaults[name]) : millisOf(["deadlines", name], value)
  }
  return Either.all({
    uploadIdle: millis("uploadIdle"),
    answer: millis("answer"),
    downloadIdle: millis("downloadIdle"),
    total: millis("total")
  })
}

/** {@link merge} with the defaults of a layer. `answer` is that of the operation. */
export const parse = (
  given: Deadlines,
  answer: Duration.DurationInput
): Either.Either<ResolvedDeadlines, ConfigError.ConfigError> =>
  merge(given, {
    uploadIdle: 60_000,
    answer: Duration.toMillis(answer),
    downloadIdle: 60_000,
    total: Number.POSITIVE_INFINITY
  })

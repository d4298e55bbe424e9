import type * as ConfigError from "effect/ConfigError"
import type * as Duration from "effect/Duration"
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

/** Fills in the defaults. `answer` is the default of the operation. A value that is not a duration is a `ConfigError`. */
export const parse = (
  given: Deadlines,
  answer: Duration.DurationInput
): Either.Either<ResolvedDeadlines, ConfigError.ConfigError> =>
  Either.all({
    uploadIdle: millisOf(["deadlines", "uploadIdle"], given.uploadIdle ?? "60 seconds"),
    answer: millisOf(["deadlines", "answer"], given.answer ?? answer),
    downloadIdle: millisOf(["deadlines", "downloadIdle"], given.downloadIdle ?? "60 seconds"),
    total:
      given.total === undefined ? Either.right(Number.POSITIVE_INFINITY) : millisOf(["deadlines", "total"], given.total)
  })

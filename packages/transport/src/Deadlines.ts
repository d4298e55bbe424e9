/**
 * Time limits for the phases of a call, from its start to the end of the response body. Connecting counts as upload if the
 * body is a recording, and as answer if it is a text.
 */
import * as ConfigError from "effect/ConfigError"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

export const Phase = Schema.Literal("upload", "answer", "download", "total")
export type Phase = typeof Phase.Type

export interface Deadlines {
  /** Longest pause while a recording is sent, in steps of 64 KiB. Default: 60 seconds. */
  readonly uploadIdle?: Duration.DurationInput | undefined
  /** From the last byte of the request to the head of the response. Each operation has its own default. */
  readonly answer?: Duration.DurationInput | undefined
  /** Longest pause while the response body is read. Default: 60 seconds. */
  readonly downloadIdle?: Duration.DurationInput | undefined
  /** From the start of the call to the last byte of the response. Default: none. */
  readonly total?: Duration.DurationInput | undefined
}

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
    uploadIdle: millisOf("uploadIdle", given.uploadIdle ?? "60 seconds"),
    answer: millisOf("answer", given.answer ?? answer),
    downloadIdle: millisOf("downloadIdle", given.downloadIdle ?? "60 seconds"),
    total: given.total === undefined ? Either.right(Number.POSITIVE_INFINITY) : millisOf("total", given.total)
  })

const millisOf = (
  name: keyof Deadlines,
  given: Duration.DurationInput
): Either.Either<number, ConfigError.ConfigError> =>
  Option.match(Duration.decodeUnknown(given), {
    onNone: () => Either.left(ConfigError.InvalidData(["deadlines", name], 'is not a duration, such as "2 minutes"')),
    onSome: (duration) =>
      Duration.greaterThan(duration, Duration.zero)
        ? Either.right(Duration.toMillis(duration))
        : Either.left(ConfigError.InvalidData(["deadlines", name], "must be longer than zero"))
  })

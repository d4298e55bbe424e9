/**
 * Time limits for the phases of a call, from its start to the end of the response body. Connecting counts as upload if the
 * body is a recording, and as answer if it is a text.
 */
import type * as ConfigError from "effect/ConfigError"
import type * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { millisOf } from "./internal/durationOption.js"

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
    uploadIdle: millisOf(["deadlines", "uploadIdle"], given.uploadIdle ?? "60 seconds"),
    answer: millisOf(["deadlines", "answer"], given.answer ?? answer),
    downloadIdle: millisOf(["deadlines", "downloadIdle"], given.downloadIdle ?? "60 seconds"),
    total:
      given.total === undefined ? Either.right(Number.POSITIVE_INFINITY) : millisOf(["deadlines", "total"], given.total)
  })

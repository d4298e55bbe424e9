/**
 * The failures of the command: its own errors, and those of the packages that it runs.
 */
import type { PlatformError } from "@effect/platform/Error"
import type { ServeError } from "@effect/platform/HttpServerError"
import type { ArchiveError } from "@effect-speech/archive/ArchiveError"
import type { WavError } from "@effect-speech/audio-codec/WavError"
import type { SherpaError } from "@effect-speech/engine-sherpa/Sherpa"
import type { LocalServiceError } from "@effect-speech/local-service/LocalServiceError"
import type { PieceStoreError } from "@effect-speech/long-form/PieceStore"
import type { SttError } from "@effect-speech/stt/SttError"
import type { TtsError } from "@effect-speech/tts/TtsError"
import type * as ConfigError from "effect/ConfigError"
import * as Data from "effect/Data"

/** The arguments make no sense together. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

export const refuse = (message: string): UsageError => new UsageError({ message })

/** A text could not be read. */
export class InputFailed extends Data.TaggedError("InputFailed")<{ readonly message: string }> {}

/** A result could not be written. */
export class OutputFailed extends Data.TaggedError("OutputFailed")<{ readonly message: string }> {}

/** The service has no list of what it offers, or it can't be read. */
export class ListUnavailable extends Data.TaggedError("ListUnavailable")<{
  readonly code: number
  readonly message: string
}> {}

/** The command of `speech run` could not be started. The exit codes are those of a shell. */
export class CommandNotStarted extends Data.TaggedError("CommandNotStarted")<{
  readonly code: 126 | 127
  readonly message: string
}> {}

/** Some of the work failed, and each failure was reported when it happened. */
export class AlreadyReported extends Data.TaggedError("AlreadyReported")<{ readonly code: number }> {}

/** A job of many pieces failed after some of them. */
export class LongJobFailed extends Data.TaggedError("LongJobFailed")<{
  readonly error: Exclude<CommandError, LongJobFailed>
  /** A sentence about the paid pieces: where they are kept, or that they are lost. */
  readonly note: string
}> {}

export type CommandError =
  | AlreadyReported
  | LongJobFailed
  | CommandNotStarted
  | ListUnavailable
  | UsageError
  | InputFailed
  | OutputFailed
  | SttError
  | TtsError
  | PieceStoreError
  | WavError
  | PlatformError
  | ServeError
  | LocalServiceError
  | ArchiveError
  | SherpaError
  | ConfigError.ConfigError

/**
 * How a failure of any kind reaches the person or the program that called the command.
 */

import { isPlatformError, type PlatformError } from "@effect/platform/Error"
import type { ServeError } from "@effect/platform/HttpServerError"
import { WavError } from "@effect-speech/audio-codec/WavError"
import { SttError } from "@effect-speech/stt/SttError"
import { TtsError } from "@effect-speech/tts/TtsError"
import * as ConfigError from "effect/ConfigError"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ExitCode from "./exitCode.js"

/** The command was called in a way that makes no sense. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

export type CommandError =
  | UsageError
  | SttError
  | TtsError
  | WavError
  | PlatformError
  | ServeError
  | ConfigError.ConfigError

interface Failure {
  readonly code: number
  readonly tag: string
  readonly message: string
  /** The error for `--json`. */
  readonly details: unknown
}

const isServiceError = Schema.is(Schema.Union(SttError, TtsError))

const describe = (error: CommandError): Failure => {
  if (ConfigError.isConfigError(error)) {
    const message = `The configuration is not complete: ${configProblem(error)}.`
    return { code: ExitCode.invalid, tag: "ConfigError", message, details: { _tag: "ConfigError", message } }
  }
  const known = { tag: error._tag, message: error.message, details: { _tag: error._tag, message: error.message } }
  if (isServiceError(error)) return { ...known, code: ExitCode.ofServiceError(error), details: error }
  if (error instanceof UsageError) return { ...known, code: ExitCode.invalid }
  if (error instanceof WavError) return { ...known, code: ExitCode.fileFailed, details: error }
  return { ...known, code: isPlatformError(error) ? ExitCode.fileFailed : ExitCode.invalid }
}

const configProblem = (error: ConfigError.ConfigError): string => {
  switch (error._op) {
    case "And":
    case "Or":
      return `${configProblem(error.left)}; ${configProblem(error.right)}`
    case "MissingData":
      return `set ${error.path.join(".")} in the environment (\`speech serve\` prints lines that do, for a service on this machine)`
    default:
      return `${error.path.join(".")} ${error.message}`
  }
}

/** Tells of a failure, on stdout as JSON or on stderr in words, and gives the exit code. */
export const report = (error: CommandError, options: { readonly json: boolean }): Effect.Effect<number> => {
  const { code, details, message, tag } = describe(error)
  const told = options.json
    ? Console.log(JSON.stringify({ error: details }))
    : Console.error(`speech: ${message} [${tag}]`)
  return Effect.as(told, code)
}

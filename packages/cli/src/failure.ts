/**
 * How a failure of any kind reaches the person or the program that called the command.
 */

import type { PlatformError, SystemError } from "@effect/platform/Error"
import type { ServeError } from "@effect/platform/HttpServerError"
import type { WavError } from "@effect-speech/audio-codec/WavError"
import type { LocalServiceError } from "@effect-speech/local-service/LocalServiceError"
import { SttError } from "@effect-speech/stt/SttError"
import { TtsError } from "@effect-speech/tts/TtsError"
import * as Cause from "effect/Cause"
import * as ConfigError from "effect/ConfigError"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as ExitCode from "./exitCode.js"

/** The command was called in a way that makes no sense. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** A text could not be read. */
export class InputFailed extends Data.TaggedError("InputFailed")<{ readonly message: string }> {}

/** A result could not be written. */
export class OutputFailed extends Data.TaggedError("OutputFailed")<{ readonly message: string }> {}

/** Some of the work failed, which was told as it happened. */
export class AlreadyTold extends Data.TaggedError("AlreadyTold")<{ readonly code: number }> {}

export type CommandError =
  | AlreadyTold
  | UsageError
  | InputFailed
  | OutputFailed
  | SttError
  | TtsError
  | WavError
  | PlatformError
  | ServeError
  | LocalServiceError
  | ConfigError.ConfigError

interface Failure {
  readonly code: number
  readonly tag: string
  readonly message: string
  /** The error for `--json`. */
  readonly details: unknown
}

const isServiceError = Schema.is(Schema.Union(SttError, TtsError))

const describe = (error: Exclude<CommandError, AlreadyTold>): Failure => {
  const told = (code: number, tag: string, message: string): Failure => ({
    code,
    tag,
    message,
    details: { _tag: tag, message }
  })
  if (ConfigError.isConfigError(error)) {
    return told(ExitCode.invalid, "ConfigError", `The configuration is not valid: ${configProblem(error)}.`)
  }
  if (isServiceError(error)) {
    const message = inOwnWords(error.message)
    return { code: ExitCode.ofServiceError(error), tag: error._tag, message, details: error }
  }
  switch (error._tag) {
    case "WavError":
      return { code: ExitCode.fileFailed, tag: error._tag, message: error.message, details: error }
    case "ServeError":
      return told(ExitCode.invalid, error._tag, serveProblem(error))
    case "BadArgument":
      return told(ExitCode.fileFailed, error._tag, error.message)
    case "SystemError":
      return told(ExitCode.fileFailed, error._tag, fileProblem(error))
    case "OptionInvalid":
      return told(ExitCode.invalid, error._tag, error.message)
    case "DataDirectoryUnusable":
    case "RecordingUnusable":
      return told(ExitCode.fileFailed, error._tag, error.message)
    case "UsageError":
      return told(ExitCode.invalid, error._tag, error.message)
    case "InputFailed":
    case "OutputFailed":
      return told(ExitCode.fileFailed, error._tag, error.message)
  }
}

/** The system's code of an error (`EADDRINUSE`), or what it is called. */
export const codeOf = (error: unknown): string =>
  Predicate.hasProperty(error, "code") ? String(error.code) : error instanceof Error ? error.name : "unknown"

const serveProblem = (error: ServeError): string => {
  const code = codeOf(error.cause)
  return code === "EADDRINUSE"
    ? "A port is in use already: give another --port, whose next two are free as well, or 0 for any three."
    : `The service can't listen (${code}).`
}

const fileProblem = ({ cause, pathOrDescriptor, reason }: SystemError): string => {
  const file = String(pathOrDescriptor)
  switch (reason) {
    case "NotFound":
      return `${file} does not exist; check the path.`
    case "PermissionDenied":
      return `${file} can't be read or written: this process may not.`
    default:
      return `${file} can't be read or written (${codeOf(cause)}); it must be a file.`
  }
}

/** What the library tells a program to do, and what a person does here. */
const ownWords: Readonly<Record<string, string>> = {
  "deadlines.total": "--timeout",
  allowInsecureHttp: "--allow-insecure-http",
  transactionId: "--transaction-id",
  requestId: "--request-id",
  outputFormat: "--output-format",
  numStep: "--num-step",
  g2pOverrides: "--g2p-overrides",
  "telephony does so": "--telephony does so",
  "telephony out": "--telephony out",
  "read it as a stream, and give that to AudioSource.fromOneShotStream":
    "send it as standard input: speech transcribe - < FILE"
}
const libraryWords = new RegExp(`\\b(${Object.keys(ownWords).join("|").replaceAll(".", "\\.")})\\b`, "g")

/** A sentence of the library for who knows the command alone. */
export const inOwnWords = (message: string): string =>
  message.replace(libraryWords, (words) => ownWords[words] ?? words)

export const configProblem = (error: ConfigError.ConfigError): string => {
  switch (error._op) {
    case "And":
    case "Or":
      return `${configProblem(error.left)}; ${configProblem(error.right)}`
    case "MissingData":
      return `set ${error.path.join(".")} in the environment (\`speech serve\` prints lines that do, for a service on this machine)`
    default:
      return `${error.path.join(".")} ${inOwnWords(error.message)}`
  }
}

/** For a person who is told of several: what to do, and the tag to look it up by. */
export const inWords = ({ _tag, message }: SttError | TtsError): string => `${inOwnWords(message)} [${_tag}]`

/** Tells of a failure, on stdout as JSON or on stderr in words, and gives the exit code. */
export const report = (error: CommandError, options: { readonly json: boolean }): Effect.Effect<number> => {
  if (error._tag === "AlreadyTold") return Effect.succeed(error.code)
  const { code, details, message, tag } = describe(error)
  const told = options.json
    ? Console.log(JSON.stringify({ error: details }))
    : Console.error(`speech: ${message} [${tag}]`)
  return Effect.as(told, code)
}

/** The same for what nobody foresaw. */
export const reportDefect = (
  cause: Cause.Cause<unknown>,
  options: { readonly json: boolean }
): Effect.Effect<number> => {
  const message = `This is a defect of the command: ${Cause.pretty(cause)}`
  return Effect.as(
    options.json
      ? Console.log(JSON.stringify({ error: { _tag: "Defect", message } }))
      : Console.error(`speech: ${message}`),
    ExitCode.defect
  )
}

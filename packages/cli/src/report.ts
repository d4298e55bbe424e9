/**
 * Reports a failure: its exit code, and its sentence for a person or JSON for a program.
 */
import type { ServeError } from "@effect/platform/HttpServerError"
import { linkOf, withoutLink } from "@effect-speech/common/ErrorPage"
import { codeOrName } from "@effect-speech/common/SystemCode"
import type { PieceStoreError } from "@effect-speech/long-form/PieceStore"
import type { SttError } from "@effect-speech/stt/SttError"
import * as Cause from "effect/Cause"
import * as ConfigError from "effect/ConfigError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as ExitCode from "./exitCode.js"
import type { AlreadyReported, CommandError, InputFailed, LongJobFailed, OutputFailed } from "./failure.js"
import { describeSystemError } from "./fileFailure.js"
import * as Json from "./json.js"
import { say, sayFailure } from "./message.js"
import { describeField, describeServiceError, isServiceError } from "./serviceFailure.js"
import { describeMissing, SettingsPlace } from "./settings.js"
import { describeUnreachable } from "./unreachable.js"

interface Described {
  /** The exit code. */
  readonly code: number
  readonly tag: string
  /** For a person. */
  readonly text: string
  /** For `--json`. */
  readonly details: unknown
}

/** The single errors of an error of several settings. */
const singleErrors = (error: ConfigError.ConfigError): ReadonlyArray<ConfigError.ConfigError> =>
  error._op === "And" || error._op === "Or" ? [error.left, error.right].flatMap(singleErrors) : [error]

/** Settings that are missing or wrong. */
export const describeConfigError = (error: ConfigError.ConfigError, place: SettingsPlace["Type"]): string => {
  const errors = singleErrors(error)
  const missing = errors.flatMap((each) => (each._op === "MissingData" ? [each] : []))
  const wrong = errors.flatMap((each) =>
    each._op === "MissingData" || each._op === "And" || each._op === "Or"
      ? []
      : [`${each.path.join(".")} ${each.message}`]
  )
  return [...wrong, ...(missing.length === 0 ? [] : [describeMissing(missing, place)])].join("; ")
}

/** The port of a server that could not start, by the error of Node. */
const portOf = ({ cause }: ServeError): string =>
  typeof cause === "object" && cause !== null && "port" in cause && typeof cause.port === "number"
    ? `Port ${cause.port}`
    : "A port"

const describeServeError = (error: ServeError): string => {
  const code = codeOrName(error)
  return code === "EADDRINUSE"
    ? `${portOf(error)} is in use already: give another --port, with two free ports after it, or 0 for any three.`
    : `The service can't listen (${code}).`
}

const describe = (
  error: Exclude<CommandError, AlreadyReported | LongJobFailed>,
  place: SettingsPlace["Type"] = { file: undefined }
): Described => {
  if (isServiceError(error)) {
    return { code: ExitCode.ofServiceError(error), tag: error._tag, text: describeServiceError(error), details: error }
  }
  const described = (
    code: number,
    tag: string,
    message: string,
    details: unknown = { _tag: tag, message }
  ): Described => ({
    code,
    tag,
    text: `${withoutLink(message)} [${tag}]`,
    details
  })
  if (ConfigError.isConfigError(error)) {
    return described(
      ExitCode.invalid,
      "ConfigError",
      `The configuration is not valid: ${describeConfigError(error, place)}.`
    )
  }
  switch (error._tag) {
    case "WavError":
    case "PieceStoreError":
      return described(ExitCode.fileFailed, error._tag, error.message, error)
    case "ServeError":
      return described(ExitCode.invalid, error._tag, describeServeError(error))
    case "SystemError":
      return described(ExitCode.fileFailed, error._tag, describeSystemError(error))
    case "LocalServiceOptionInvalid":
      return described(ExitCode.invalid, error._tag, `${describeField(error.option)} ${error.problem}.`)
    case "SherpaNotInstalled":
    case "UsageError":
      return described(ExitCode.invalid, error._tag, error.message)
    case "ArchiveRunInvalid": {
      const field = describeField(error.field.replace(/^(operation|output|limits)\./, ""))
      return described(ExitCode.invalid, error._tag, `Nothing was sent: ${field} ${error.problem}.`, error)
    }
    case "ArchiveStoreLocked":
    case "ArchiveStoreTooNew":
    case "ArchiveStoreFailed":
    case "ArchiveSourceFailed":
    case "ArchiveRunNotFound":
    case "ArchiveRunConflict":
      return described(ExitCode.ofArchiveError(error), error._tag, error.message, error)
    case "CommandNotStarted":
    case "ListUnavailable":
      return described(error.code, error._tag, error.message)
    case "BadArgument":
    case "LocalServiceDataDirectoryUnusable":
    case "LocalServiceRecordingUnusable":
    case "LocalServiceExchangesUnusable":
    case "InputFailed":
    case "ArchiveOutputFailed":
    case "OutputFailed":
    case "ModelFolderUnreadable":
    case "SherpaModelMissing":
    case "SherpaModelRefused":
      return described(ExitCode.fileFailed, error._tag, error.message)
  }
}

/** The failure of one of several recordings. */
export type FailureOfRecording = SttError | PieceStoreError | InputFailed | OutputFailed

/** For a person. */
export const describeFailure = (error: FailureOfRecording): string => describe(error).text

/** For `--json`. */
export const detailsOf = (error: FailureOfRecording): unknown => describe(error).details

export const exitCodeOf = (error: FailureOfRecording): number => describe(error).code

/** Prints a failure, on stdout as JSON or on stderr in words. The result is the exit code. */
export const report = (error: CommandError, options: { readonly json: boolean }): Effect.Effect<number> => {
  if (error._tag === "AlreadyReported") return Effect.succeed(error.code)
  if (error._tag === "LongJobFailed") {
    return Effect.tap(report(error.error, options), () => say(error.note))
  }
  return Effect.flatMap(SettingsPlace, (place) => {
    const { code, details, tag, text } = describe(error, place)
    if (options.json) return Effect.as(Console.log(Json.stringify({ error: details })), code)
    const unreachable = isServiceError(error) ? describeUnreachable(error) : Effect.succeed("")
    return Effect.as(
      Effect.flatMap(unreachable, (advice) => sayFailure(`${text}${advice}${linkOf(tag)}`)),
      code
    )
  })
}

/** {@link report} for a defect. */
export const reportDefect = (
  cause: Cause.Cause<unknown>,
  options: { readonly json: boolean }
): Effect.Effect<number> => {
  const message = `This is a defect of the command: ${Cause.pretty(cause)}`
  return Effect.as(
    options.json
      ? Console.log(JSON.stringify({ error: { _tag: "Defect", message } }))
      : Effect.forEach(`speech: ${message}`.split("\n"), (line) => Console.error(line), { discard: true }),
    ExitCode.defect
  )
}

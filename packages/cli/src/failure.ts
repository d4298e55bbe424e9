/**
 * Failures of the command: their exit code, and their sentence for a person or JSON for a program.
 */
import type { PlatformError, SystemError } from "@effect/platform/Error"
import type { ServeError } from "@effect/platform/HttpServerError"
import type { ArchiveError } from "@effect-speech/archive/ArchiveError"
import type { WavError } from "@effect-speech/audio-codec/WavError"
import { codeOrName, isTooManyOpenFiles } from "@effect-speech/common/SystemCode"
import type { LocalServiceError } from "@effect-speech/local-service/LocalServiceError"
import type { LongTranscriptionWarning } from "@effect-speech/long-form/LongTranscription"
import type { PieceStoreError } from "@effect-speech/long-form/PieceStore"
import { type AudioHint, type SttAudioUnreadable, SttError } from "@effect-speech/stt/SttError"
import type { SttWarning } from "@effect-speech/stt/SttWarning"
import * as BaseUrl from "@effect-speech/transport/BaseUrl"
import type { Piece } from "@effect-speech/transport/CallReport"
import { quoteService } from "@effect-speech/transport/CommonError"
import type { Phase } from "@effect-speech/transport/Deadlines"
import { TtsError } from "@effect-speech/tts/TtsError"
import type { TtsWarning } from "@effect-speech/tts/TtsWarning"
import * as Cause from "effect/Cause"
import * as ConfigError from "effect/ConfigError"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { commandNames, commands } from "./declaration.js"
import * as ExitCode from "./exitCode.js"

/** The arguments make no sense together. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** A text could not be read. */
export class InputFailed extends Data.TaggedError("InputFailed")<{ readonly message: string }> {}

/** A result could not be written. */
export class OutputFailed extends Data.TaggedError("OutputFailed")<{ readonly message: string }> {}

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
  | ConfigError.ConfigError

/** The option that sets each field of a request, or the operand. */
const optionNames: ReadonlyMap<string, string> = new Map([
  ["text", "TEXT"],
  ["source", "SOURCE"],
  ["pieceMillis", "--piece-minutes"],
  ["callsPerSecond", "--rate"],
  ["directory", "--out"],
  ...commandNames.flatMap((name) =>
    Object.entries(commands[name].options).map(([field, option]) => [field, `--${option.name}`] as const)
  )
])

/** A field of a request by the option that sets it, such as `--hotword (1.score)` for `hotwords.0.score`. */
const describeField = (path: string): string => {
  const [field = "", ...rest] = path.split(".")
  const option = optionNames.get(field.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))
  if (option === undefined) return path
  const inside = rest.map((part) => (/^\d+$/.test(part) ? `number ${Number(part) + 1}` : part))
  return inside.length === 0 ? option : `${option} (${inside.join(", ")})`
}

const audioHints: Record<AudioHint, string> = {
  sendAsStream: "Send it as standard input: speech transcribe - < FILE",
  omitTelephony: "To send it as it is, leave out --telephony."
}

/** Node reads bytes that are not UTF-8 as U+FFFD, and then finds no such file. */
const adviceOn = ({ hint, problem, source }: SttAudioUnreadable): string => {
  if (source.includes("\ufffd") && problem.startsWith("it does not exist")) {
    return " If its name is not valid UTF-8, rename it, or send it as standard input: speech transcribe - < FILE"
  }
  return hint === undefined ? "" : ` ${audioHints[hint]}`
}

const seconds = (millis: number): string => `${millis / 1000} s`

/** Only the deadline of the whole call has an option. */
const describeDeadline = (phase: Phase, limitMillis: number): string => {
  switch (phase) {
    case "total":
      return `The call took longer than the ${seconds(limitMillis)} of --timeout. If the service was still at work, raise --timeout.`
    case "upload":
      return `Sending made no progress for ${seconds(limitMillis)}. Check the network and try again.`
    case "answer":
      return `The service did not respond within ${seconds(limitMillis)}. Try again later.`
    case "download":
      return `Receiving made no progress for ${seconds(limitMillis)}. Check the network and try again.`
  }
}

/** What happened and what to do, in the words of the command if those of the library name its options. */
const describeError = (error: SttError | TtsError): string => {
  switch (error._tag) {
    case "SttInvalidRequest":
    case "TtsInvalidRequest":
      return `Nothing was sent: ${describeField(error.field)} ${error.problem}.`
    case "SttInvalidApiKey":
    case "TtsInvalidApiKey":
      return `Nothing was sent, because of SPEECH_API_KEY: ${error.problem}. Set it to the whole <prefix>.<secret> value of your key.`
    case "SttAudioUnreadable":
      return `The recording ${error.source} can't be sent: ${error.problem}.${adviceOn(error)}`
    case "TtsBadRequest":
      return error.field === undefined
        ? error.message
        : `The service refused the request (${error.status}).${quoteService(error.serverMessage)} Change ${describeField(error.field)} and send it again.`
    case "SttDeadlineExceeded":
    case "TtsDeadlineExceeded":
      return describeDeadline(error.phase, error.limitMillis)
    default:
      return error.message
  }
}

/** Facts to quote to the service: the number of attempts if more than one, and the id unless the message has it. */
const describeCall = ({ _tag, call }: SttError | TtsError, sentence: string): string => {
  if (call.attempts.length === 0) return ""
  const id = call.receivedId ?? call.sentId
  const kind = _tag.startsWith("Tts") ? "request" : call.receivedId === undefined ? "transaction" : "call"
  const facts = [
    ...(call.attempts.length === 1 ? [] : [`${call.attempts.length} attempts`]),
    ...(id === "" || sentence.includes(id) ? [] : [`${kind} ${id}`])
  ]
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`
}

const clockTime = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  const pad = (value: number) => String(Math.floor(value) % 60).padStart(2, "0")
  return `${Math.floor(seconds / 3600)}:${pad(seconds / 60)}:${pad(seconds)}`
}

/** The place of a piece in the whole. */
const describePiece = ({ beginning, end, number, of, start, unit }: Piece): string => {
  const piece = `It was piece ${number.toLocaleString("en")}${of === undefined ? "" : ` of ${of.toLocaleString("en")}`}`
  return unit === "milliseconds"
    ? `${piece}, from ${clockTime(start)} to ${clockTime(end)}.`
    : `${piece}, from character ${(start + 1).toLocaleString("en")}: “${beginning ?? ""}”`
}

/** The cost of the rest after a failure, as the end of a sentence about the command. Empty if it is not known. */
export const describeRest = (error: unknown): string => {
  const piece = isServiceError(error) ? error.call.piece : undefined
  if (piece?.left === undefined) return ""
  return piece.unit === "milliseconds"
    ? `, and sends the other ${clockTime(piece.left)}`
    : `, and costs at most ${piece.left.toLocaleString("en")} code points`
}

/** The error with the message that it has without a piece. */
const withoutPiece = <E extends SttError | TtsError>(error: E): E => {
  const Class = error.constructor as new (props: object) => E
  return new Class({ ...error, call: { ...error.call, piece: undefined }, message: undefined })
}

/** What happened and what to do, and to which piece of a long text or recording it happened. */
const describeWithPiece = (error: SttError | TtsError): string => {
  const { piece } = error.call
  if (piece === undefined || piece.of === 1) return describeError(error)
  return `${describeError(withoutPiece(error))} ${describePiece(piece)}`
}

/** A failure of an operation for a person: what to do, the tag to look it up by, the attempts and the id. */
export const describeServiceError = (error: SttError | TtsError): string => {
  const sentence = describeWithPiece(error)
  return `${sentence} [${error._tag}]${describeCall(error, sentence)}`
}

/** A warning for a person, in the words of the command if those of the library name its options. */
export const describeWarning = (warning: SttWarning | TtsWarning | LongTranscriptionWarning): string => {
  switch (warning._tag) {
    case "SegmentTimesUnread":
      return `The response has no usable times of segments for ${warning.pieces} pieces, so each of these is one segment. If the service names the times differently, use --segment-fields.`
    case "SegmentTextsDiffer":
      return `The segments of ${warning.pieces} pieces do not have the words of the transcript, so each of these pieces is one segment. If the service names the text of a segment differently, use --segment-fields.`
    case "MoreThanOneChannel":
      return `The recording has ${warning.channels} channels, but the service takes mono. Mix them with --telephony, if it is a WAV file, or send each speaker's channel as a recording of its own.`
    case "SampleRateFarFrom8kHz":
      return warning.sampleRate < 8000
        ? warning.message
        : `The recording is at ${warning.sampleRate} Hz, but the models are trained at 8000 Hz. Send it with --telephony, if it is a WAV file: the upload is smaller, and the models lose nothing.`
    case "ParseNumberWithoutEffect":
      return `--parse-number has no effect with the model ${warning.model}. Leave it out, or use a hi, ml, kn, gu or mr model.`
    default:
      return warning.message
  }
}

export const describeConfigError = (error: ConfigError.ConfigError): string => {
  switch (error._op) {
    case "And":
    case "Or":
      return `${describeConfigError(error.left)}; ${describeConfigError(error.right)}`
    case "MissingData":
      return `set ${error.path.join(".")} in the environment (\`speech serve\` prints the lines for a service on this machine)`
    default:
      return `${error.path.join(".")} ${error.message}`
  }
}

/** What follows the name of the setting in a sentence. */
export const describeBaseUrlProblem = (problem: BaseUrl.Problem): string =>
  problem === "insecureHttp"
    ? "is plain http to another machine, which would show the key; use https or --allow-insecure-http"
    : BaseUrl.problems[problem]

const describeServeError = (error: ServeError): string => {
  const code = codeOrName(error.cause)
  return code === "EADDRINUSE"
    ? "A port is in use already: give another --port, with two free ports after it, or 0 for any three."
    : `The service can't listen (${code}).`
}

const describeSystemError = ({ cause, pathOrDescriptor, reason }: SystemError): string => {
  const file = String(pathOrDescriptor)
  switch (reason) {
    case "NotFound":
      return `${file} does not exist; check the path.`
    case "PermissionDenied":
      return `${file} can't be read or written: this process has no permission.`
    default: {
      const code = codeOrName(cause)
      return isTooManyOpenFiles(code)
        ? `${file} can't be opened: the process has too many open files (${code}). Raise the limit of open files (ulimit -n).`
        : `${file} can't be read or written (${code}); it must be a file.`
    }
  }
}

interface Failure {
  readonly code: number
  /** For a person. */
  readonly text: string
  /** For `--json`. */
  readonly details: unknown
}

const isServiceError = Schema.is(Schema.Union(SttError, TtsError))

const describe = (error: Exclude<CommandError, AlreadyReported | LongJobFailed>): Failure => {
  if (isServiceError(error)) {
    return { code: ExitCode.ofServiceError(error), text: describeServiceError(error), details: error }
  }
  const failure = (code: number, tag: string, message: string, details: unknown = { _tag: tag, message }): Failure => ({
    code,
    text: `${message} [${tag}]`,
    details
  })
  if (ConfigError.isConfigError(error)) {
    return failure(ExitCode.invalid, "ConfigError", `The configuration is not valid: ${describeConfigError(error)}.`)
  }
  switch (error._tag) {
    case "WavError":
    case "PieceStoreError":
      return failure(ExitCode.fileFailed, error._tag, error.message, error)
    case "ServeError":
      return failure(ExitCode.invalid, error._tag, describeServeError(error))
    case "SystemError":
      return failure(ExitCode.fileFailed, error._tag, describeSystemError(error))
    case "OptionInvalid":
      return failure(ExitCode.invalid, error._tag, `${describeField(error.option)} ${error.problem}.`)
    case "UsageError":
      return failure(ExitCode.invalid, error._tag, error.message)
    case "RunInvalid": {
      const field = describeField(error.field.replace(/^(operation|output|limits)\./, ""))
      return failure(ExitCode.invalid, error._tag, `Nothing was sent: ${field} ${error.problem}.`, error)
    }
    case "StoreLocked":
    case "StoreTooNew":
    case "StoreFailed":
    case "SourceFailed":
    case "RunNotFound":
    case "RunConflict":
      return failure(ExitCode.ofArchiveError(error), error._tag, error.message, error)
    case "CommandNotStarted":
      return failure(error.code, error._tag, error.message)
    case "BadArgument":
    case "DataDirectoryUnusable":
    case "RecordingUnusable":
    case "InputFailed":
    case "OutputFailed":
      return failure(ExitCode.fileFailed, error._tag, error.message)
  }
}

/** A failure of one of several recordings for a person. */
export const describeFailure = (error: SttError | PieceStoreError): string => describe(error).text

export const exitCodeOf = (error: SttError | PieceStoreError): number => describe(error).code

/** Prints a failure, on stdout as JSON or on stderr in words. The result is the exit code. */
export const report = (error: CommandError, options: { readonly json: boolean }): Effect.Effect<number> => {
  if (error._tag === "AlreadyReported") return Effect.succeed(error.code)
  if (error._tag === "LongJobFailed") {
    return Effect.tap(report(error.error, options), () => Console.error(`speech: ${error.note}`))
  }
  const { code, details, text } = describe(error)
  return Effect.as(
    options.json ? Console.log(JSON.stringify({ error: details })) : Console.error(`speech: ${text}`),
    code
  )
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

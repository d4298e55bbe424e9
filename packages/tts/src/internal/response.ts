import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import type { Billing, CallReport } from "@effect-speech/transport/CallReport"
import * as Client from "@effect-speech/transport/unstable/Client"
import type { Failure, ReadFailed } from "@effect-speech/transport/unstable/Failure"
import * as Issue from "@effect-speech/transport/unstable/Issue"
import type { Progress, Response } from "@effect-speech/transport/unstable/Operation"
import { billingOf, isSuccess, reportOf } from "@effect-speech/transport/unstable/Report"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { SpeechStream } from "../Speech.js"
import type { SynthesisRequest } from "../SynthesisRequest.js"
import * as Contract from "../TtsContract.js"
import {
  type SpeechStreamError,
  TtsBackendFailed,
  TtsBadRequest,
  TtsConnectionFailed,
  TtsCorruptAudio,
  TtsDeadlineExceeded,
  type TtsError,
  TtsInvalidApiKey,
  TtsInvalidRequest,
  TtsInvalidResponse,
  TtsServerError,
  TtsUnauthorized,
  TtsUnexpectedStatus
} from "../TtsError.js"
import { lengthProblem, longestLength, makeSampleCheck } from "./checkAudio.js"
import { warningsFor } from "./warnings.js"

/** The statuses of the contract that are errors. */
const errorByStatus = {
  400: TtsBadRequest,
  401: TtsUnauthorized,
  500: TtsServerError,
  502: TtsBackendFailed
} as const

const isKnownStatus = (status: number): status is keyof typeof errorByStatus => status in errorByStatus

/** The id of a response. */
const receivedIdOf = ({ header }: Response<SpeechStreamError>): string | undefined => header(Contract.header.requestId)

/**
 * A synthesis is billed after the last byte of a 200, and not after another status of the service. A proxy may have changed
 * such a 200 to another 2xx, and a gateway may have lost it and sent a 5xx of its own.
 */
const callReport = (progress: Progress, receivedId: string | undefined): CallReport =>
  reportOf(
    progress,
    billingOf(progress.attempts, (status) => isSuccess(status) || (status >= 500 && !isKnownStatus(status))),
    receivedId
  )

const readingErrors: Client.ReadingErrors<SpeechStreamError> = {
  ConnectionFailed: TtsConnectionFailed,
  DeadlineExceeded: TtsDeadlineExceeded
}
const failureErrors: Client.FailureErrors<TtsError> = { ...readingErrors, InvalidApiKey: TtsInvalidApiKey }

/** The error of a call without a usable response. `latest` is its latest response. */
export const failureError = (
  failure: Failure,
  progress: Progress,
  latest: Response<SpeechStreamError> | undefined
): TtsError => {
  const call = callReport(progress, latest && receivedIdOf(latest))
  return failure._tag === "UploadFailed"
    ? new TtsInvalidRequest({ field: "request", problem: failure.problem, call })
    : Client.failureError(failureErrors, failure, progress.sent, call)
}

/** The error of audio that broke off. */
export const readingError = (
  failure: ReadFailed,
  progress: Progress,
  response: Response<SpeechStreamError>
): SpeechStreamError =>
  Client.readingError(
    readingErrors,
    // A text is sent at once, so no upload of it can fail.
    failure._tag === "UploadFailed" ? { _tag: "ConnectionFailed", reason: "unknown", code: failure.code } : failure,
    progress.sent,
    callReport(progress, receivedIdOf(response))
  )

const readErrorBody = Client.errorBodyReader(Contract.ErrorBody)

/** The error of a response with a status other than 200. */
const statusError = (response: Response<SpeechStreamError>): Effect.Effect<never, TtsError> =>
  Effect.flatMap(readErrorBody(response), ({ error: serverMessage }): Effect.Effect<never, TtsError> => {
    const { progress, status } = response
    const facts = { status, serverMessage, call: callReport(progress(), receivedIdOf(response)) }
    if (status === 400) return new TtsBadRequest({ ...facts, field: fieldNamedIn(serverMessage ?? "") })
    return isKnownStatus(status) ? new errorByStatus[status](facts) : new TtsUnexpectedStatus(facts)
  })

const bodyFields = new RegExp(
  `(?<![A-Za-z0-9_])(${Object.keys(Contract.SynthesisBody.fields).join("|")})(?![A-Za-z0-9_])`
)

/**
 * The first field of the request that the message of a 400 names, if it names one. A message that names only a sample
 * rate means `output_format`.
 */
const fieldNamedIn = (message: string): string | undefined =>
  bodyFields.exec(message)?.[1] ?? (/\brate\b|\d ?k?Hz\b/i.test(message) ? "output_format" : undefined)

/** The audio of a 200, whose bytes are checked as they are read. */
export interface CheckedAudio extends Pick<SpeechStream, "durationMillis" | "requestId" | "warnings"> {
  readonly format: AudioFormat
  readonly byteLength: number | undefined
  /** The report of the call so far; after the end of the audio, or after an error, the one of that moment. */
  readonly report: () => CallReport
  /** The next chunk, or `undefined` at the end. */
  readonly pull: Effect.Effect<Uint8Array | undefined, SpeechStreamError>
}

/** What the headers of a 200 state of its audio. */
interface StatedAudio {
  readonly format: AudioFormat & { readonly encoding: Contract.Encoding }
  /** In bytes. `undefined` for compressed audio. */
  readonly byteLength: number | undefined
  readonly durationMillis: number | undefined
  /** The service compressed the audio, although the client did not ask for it. */
  readonly isCompressed: boolean
}

/** The audio or the error in a response to a request of this format. */
export const accept = (
  response: Response<SpeechStreamError>,
  { outputFormat }: Pick<SynthesisRequest, "outputFormat">
): Effect.Effect<CheckedAudio, TtsError> => {
  if (response.status !== 200) return statusError(response)
  const { sentId } = response.progress()
  const receivedId = receivedIdOf(response)
  const reportWith = (billing: Billing) => reportOf(response.progress(), billing, receivedId)

  const stated = statedIn(response)
  if (Either.isLeft(stated)) return new TtsInvalidResponse({ problem: stated.left, call: reportWith("unknown") })
  const { byteLength, durationMillis, format } = stated.right
  // The service bills after the last byte, and nothing shows that corrupt audio is complete.
  const corrupt = (problem: string, receivedBytes: number) =>
    new TtsCorruptAudio({ problem, receivedBytes, call: reportWith("unknown") })
  const problem = byteLength === undefined ? undefined : lengthProblem(format, byteLength, durationMillis)
  if (problem !== undefined) return corrupt(problem, 0)
  return Effect.succeed({
    format,
    byteLength,
    durationMillis,
    requestId: receivedId ?? sentId,
    warnings: warningsFor({ asked: outputFormat, format, durationMillis, sentId, receivedId }),
    ...checkedPull(response.pull, stated.right, corrupt, reportWith)
  })
}

/** The values of the headers. The left side says what is wrong with them. */
const statedIn = ({ header }: Response<SpeechStreamError>): Either.Either<StatedAudio, string> => {
  const contentType = header("content-type")
  if (contentType !== undefined && /[/+]json\b|^(text|image|video)\//i.test(contentType)) {
    return Either.left(`its body is ${contentType.split(";")[0]}`)
  }
  const durationMillis = numberIn(header(Contract.header.audioDuration))
  const isCompressed = (header("content-encoding") ?? "identity").toLowerCase() !== "identity"
  // Some HttpClient layers decompress the body. Only the duration shows whether this one did.
  if (isCompressed && durationMillis === undefined) {
    return Either.left("it is compressed, and has no duration to check it by")
  }
  const decoded = decodeHeaders({
    "x-sample-rate": header(Contract.header.sampleRate),
    "x-encoding": header(Contract.header.encoding)
  })
  if (Either.isLeft(decoded)) {
    return Either.left(`its header ${Issue.first(decoded.left.issue).field} is missing or not usable`)
  }
  const { "x-encoding": encoding, "x-sample-rate": sampleRate } = decoded.right
  const format = { sampleRate, channels: 1, encoding } as const
  const problem = Contract.formatProblem(format)
  if (problem !== undefined) return Either.left(problem)
  const byteLength = isCompressed ? undefined : numberIn(header("content-length"))
  return Either.right({ format, byteLength, durationMillis, isCompressed })
}

const decodeHeaders = Schema.decodeUnknownEither(Contract.AudioHeaders)

/** The number in a header. `undefined` if the header is absent or not a number. */
const numberIn = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d+(\.\d+)?$/.test(header) ? Number(header) : undefined

/** Checks each chunk, and at the end the length. Keeps the report of the end, whoever asks for it later. */
const checkedPull = (
  pull: CheckedAudio["pull"],
  { byteLength, durationMillis, format, isCompressed }: StatedAudio,
  corrupt: (problem: string, receivedBytes: number) => TtsCorruptAudio,
  reportWith: (billing: Billing) => CallReport
): Pick<CheckedAudio, "pull" | "report"> => {
  const sampleProblem = makeSampleCheck(format)
  const longest = longestLength(format, durationMillis)
  // Without a length and a duration, audio that was cut looks like complete audio.
  const billingAtEnd = byteLength === undefined && durationMillis === undefined ? "unknown" : "billed"
  let received = 0
  let atEnd: CallReport | undefined
  const fail = (error: SpeechStreamError) => {
    atEnd = error.call
    return Effect.fail(error)
  }
  return {
    // The service charges after the last byte, so a caller that leaves early can't know.
    report: () => atEnd ?? reportWith("unknown"),
    pull: Effect.matchEffect(pull, {
      onFailure: fail,
      onSuccess: (bytes) => {
        if (bytes !== undefined) received += bytes.byteLength
        const problem =
          bytes === undefined || received > longest
            ? lengthProblem(format, received, durationMillis)
            : sampleProblem(bytes)
        if (problem !== undefined) {
          return fail(
            corrupt(
              isCompressed ? `${problem}; the response is compressed, which was not asked for` : problem,
              received
            )
          )
        }
        if (bytes === undefined) atEnd = reportWith(billingAtEnd)
        return Effect.succeed(bytes)
      }
    })
  }
}

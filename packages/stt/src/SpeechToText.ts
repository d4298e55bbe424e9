/**
 * Transcribes recordings with the speech service.
 *
 * ```ts
 * const program = Effect.gen(function* () {
 *   const stt = yield* SpeechToText
 *   const { text } = yield* stt.transcribe({
 *     audio: AudioSource.fromPath("call.wav"),
 *     model: "hi-general-v2-8khz"
 *   })
 *   return text
 * })
 * ```
 */

import * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import type { ApiKey } from "@effect-speech/transport/ApiKey"
import * as BaseUrl from "@effect-speech/transport/BaseUrl"
import type { CallOptions } from "@effect-speech/transport/CallEvent"
import { answeredAtOnce, billingOf, type CallReport, reportOf } from "@effect-speech/transport/CallReport"
import * as Concurrency from "@effect-speech/transport/Concurrency"
import * as Deadlines from "@effect-speech/transport/Deadlines"
import * as Environment from "@effect-speech/transport/Environment"
import type { Failure } from "@effect-speech/transport/Failure"
import type { Operation, Progress, Response } from "@effect-speech/transport/Operation"
import * as OptionalConfig from "@effect-speech/transport/OptionalConfig"
import * as Retries from "@effect-speech/transport/Retries"
import * as Transport from "@effect-speech/transport/Transport"
import { enclose, type Upload } from "@effect-speech/transport/Upload"
import type * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { AudioSource } from "./AudioSource.js"
import { filePartOf } from "./internal/filePart.js"
import { multipartEnvelope } from "./internal/multipart.js"
import { describeRecording, type OpenAudio, openAudio, openBytes } from "./internal/openAudio.js"
import { readAnswer } from "./internal/readAnswer.js"
import { isRepeatable, unreadableAudio } from "./internal/sources.js"
import { asTelephony, describeConverted } from "./internal/telephony.js"
import { noticeWarning, type WarnedFacts, warningsFor } from "./internal/warnings.js"
import type { Recording } from "./Recording.js"
import * as Contract from "./SttContract.js"
import {
  SttAudioUnreadable,
  SttBadRequest,
  SttConnectionFailed,
  SttCreditExhausted,
  SttDeadlineExceeded,
  SttError,
  SttForbidden,
  SttInvalidApiKey,
  SttInvalidResponse,
  SttServerError,
  SttTranscriptionFailed,
  SttUnauthorized,
  SttUnavailable,
  SttUnexpectedStatus
} from "./SttError.js"
import type { SttWarning } from "./SttWarning.js"
import type { Transcription } from "./Transcription.js"
import { type TranscriptionRequest, validate } from "./TranscriptionRequest.js"

export interface SpeechToTextService {
  /** The address of the transcription host, without a slash at its end. Absent in a test double. */
  readonly baseUrl?: string | undefined
  /**
   * Transcribes one recording. It is sent as it is read. The service responds after it has processed the whole
   * recording: for a long one, after minutes.
   */
  readonly transcribe: (request: TranscriptionRequest, options?: CallOptions) => Effect.Effect<Transcription, SttError>
}

export interface SpeechToTextOptions
  extends BaseUrl.BaseUrlOptions,
    Concurrency.ConcurrencyOptions,
    Retries.RetryOptions {
  /**
   * The whole `<prefix>.<secret>` value, or an effect that reads it. The effect runs when the layer is built, and again
   * when the service refuses the key. If the key has changed, the call is repeated.
   */
  readonly apiKey: ApiKey
  /** The address of the transcription host, with or without a path prefix. Required. */
  readonly baseUrl: string
  /**
   * How long each phase may take. Default: one hour until the response begins, and 60 seconds without progress of the
   * upload or the download.
   */
  readonly deadlines?: Deadlines.Deadlines | undefined
  /**
   * How hotwords are encoded in the form; the contract does not state it. Default: `json`, one field with the array.
   */
  readonly hotwordEncoding?: Contract.HotwordEncoding | undefined
}

/** What the client requires. `NodeTransport.layer` of `@effect-speech/transport/node` provides both. */
type Requirements = HttpClient.HttpClient | FileSystem.FileSystem

export class SpeechToText extends Context.Tag("@effect-speech/stt/SpeechToText")<SpeechToText, SpeechToTextService>() {
  /**
   * The service from explicit options. Fails with `ConfigError` for an invalid option, and with `SttInvalidApiKey` for
   * a malformed key.
   */
  static readonly layer = (
    options: SpeechToTextOptions
  ): Layer.Layer<SpeechToText, ConfigError.ConfigError | SttInvalidApiKey, Requirements> =>
    Layer.effect(SpeechToText, make(options))

  /** The service from a `Config` of the options, or from a record with a `Config` for each option. */
  static readonly layerConfig = (
    options: Config.Config.Wrap<SpeechToTextOptions>
  ): Layer.Layer<SpeechToText, ConfigError.ConfigError | SttInvalidApiKey, Requirements> =>
    Layer.effect(
      SpeechToText,
      Effect.flatMap(OptionalConfig.unwrap(options), (unwrapped) => make(unwrapped))
    )

  /** The service from the environment variables `SPEECH_API_KEY` and `SPEECH_STT_BASE_URL`. */
  static readonly layerFromEnv: Layer.Layer<SpeechToText, ConfigError.ConfigError | SttInvalidApiKey, Requirements> =
    SpeechToText.layerConfig({
      apiKey: Environment.apiKey,
      baseUrl: Environment.baseUrl("SPEECH_STT_BASE_URL")
    })

  /**
   * A test double. `answer` is a transcript, parts of a {@link Transcription}, an error, an effect of one of these, or
   * a function of the request that gives one. The double checks requests as {@link SpeechToText.layer} does. It opens
   * no recording, does not retry, and emits no events. {@link SpeechToText.calls} gives its requests.
   */
  static readonly layerTest = (answer: TestAnswer): Layer.Layer<SpeechToText | SpeechToTextCalls> =>
    Layer.effectContext(makeTest(answer))

  /** The requests that the double of {@link SpeechToText.layerTest} has received so far. */
  static readonly calls: Effect.Effect<ReadonlyArray<TranscriptionRequest>, never, SpeechToTextCalls> = Effect.suspend(
    () => Effect.map(SpeechToTextCalls, (calls) => [...calls])
  )
}

/** The requests that a test double received. */
export class SpeechToTextCalls extends Context.Tag("@effect-speech/stt/SpeechToTextCalls")<
  SpeechToTextCalls,
  ReadonlyArray<TranscriptionRequest>
>() {}

/** Makes the service that {@link SpeechToText.layer} provides. */
export const make = (
  options: SpeechToTextOptions
): Effect.Effect<SpeechToTextService, ConfigError.ConfigError | SttInvalidApiKey, Requirements> =>
  Effect.gen(function* () {
    const baseUrl = yield* BaseUrl.parse("baseUrl (SPEECH_STT_BASE_URL)", options.baseUrl, options)
    const fs = yield* FileSystem.FileSystem
    const transport = yield* Effect.mapError(
      Transport.make({
        apiKey: options.apiKey,
        apiKeyHeader: Contract.apiKeyHeader,
        deadlines: yield* Deadlines.parse(options.deadlines ?? {}, "1 hour"),
        retries: yield* Retries.parse(options),
        concurrency: yield* Concurrency.parse(options)
      }),
      ({ problem }) => new SttInvalidApiKey({ problem })
    )
    const url = BaseUrl.resolve(baseUrl, Contract.path)
    const address = BaseUrl.resolve(baseUrl, "").href.replace(/\/$/, "")

    const transcribe = (request: TranscriptionRequest, callOptions?: CallOptions) =>
      Effect.flatMap(
        Effect.suspend(() => validate(request)),
        ({ audio, ...valid }) => {
          // The decoded copy lacks a field `__proto__`, and the caller may change its own record before a retry.
          const fields = { ...valid, additionalFields: { ...request.additionalFields } }
          const sentId = fields.transactionId ?? crypto.randomUUID()
          return transport.run<Transcription, SttError, ReadonlyArray<SttWarning>>(
            {
              name: "transcribe",
              sentId,
              request: requestOf(url, audio, fields, sentId, options.hotwordEncoding ?? "json", fs),
              repeatable: isRepeatable(audio),
              accept: (response, warnings) =>
                Effect.map(accept(response), (result) => {
                  const notice = result.text === "" ? response.header(Contract.noticeHeader) : undefined
                  return {
                    ...result,
                    warnings: notice === undefined ? warnings : [...warnings, noticeWarning(notice)]
                  }
                }),
              fail: (failure, progress) => callError(failure, progress, audio)
            },
            callOptions
          )
        }
      )
    return { baseUrl: address, transcribe }
  })

/** Opens the recording and builds the form around it. The context of the request is its warnings. */
const requestOf = (
  url: URL,
  audio: AudioSource,
  fields: Omit<TranscriptionRequest, "audio">,
  transactionId: string,
  hotwordEncoding: Contract.HotwordEncoding,
  fs: FileSystem.FileSystem
): Operation<Transcription, SttError, ReadonlyArray<SttWarning>>["request"] => {
  const form = (container: Recording["container"], upload: Upload, sent: WarnedFacts) => {
    const part = filePartOf(audio.filename, container)
    const { contentType, head, tail } = multipartEnvelope(fields, transactionId, part, hotwordEncoding)
    return {
      url,
      headers: { "Content-Type": contentType, Accept: "application/json", "Accept-Encoding": "identity" },
      body: enclose(head, upload, tail),
      context: warningsFor(sent, fields)
    }
  }
  const unconverted = (opened: OpenAudio) =>
    Effect.map(describeRecording(opened), (recording) => form(recording.container, opened.upload, recording))
  const converted = (opened: OpenAudio) =>
    Effect.flatMap(describeRecording(opened), (recording) =>
      Effect.map(asTelephony(opened, recording.container), (upload) =>
        form(recording.container, upload, describeConverted(recording))
      )
    )
  if (audio._tag === "Bytes" && fields.telephony !== true) return Effect.flatMap(openBytes(audio.bytes), unconverted)
  return (scope) =>
    openAudio(audio, lookAhead).pipe(
      Effect.flatMap(fields.telephony === true ? converted : unconverted),
      Scope.extend(scope),
      Effect.provideService(FileSystem.FileSystem, fs)
    )
}

/** Number of bytes of a stream to wait for before the upload starts: enough to detect the container. */
const lookAhead = 64

/**
 * The contract does not state when a transcription is billed, so billing is unknown after any complete upload that was not
 * refused.
 */
const callReport = (progress: Progress, receivedId?: string): CallReport =>
  reportOf(
    progress,
    billingOf(progress.attempts, () => true),
    receivedId
  )

const callError = (failure: Failure, progress: Progress, audio: AudioSource): SttError => {
  const call = callReport(progress)
  switch (failure._tag) {
    case "ConnectionFailed":
      return new SttConnectionFailed({ reason: failure.reason, code: failure.code, sent: progress.sent, call })
    case "DeadlineExceeded":
      return new SttDeadlineExceeded({ phase: failure.phase, limitMillis: failure.limitMillis, call })
    case "InvalidApiKey":
      return new SttInvalidApiKey({ problem: failure.problem, call })
    case "UploadFailed":
      return new SttAudioUnreadable({ ...unreadableAudio(audio, failure), call })
  }
}

const errorByStatus = {
  400: SttBadRequest,
  401: SttUnauthorized,
  402: SttCreditExhausted,
  403: SttForbidden,
  500: SttServerError,
  503: SttUnavailable
} as const

const isKnownStatus = (status: number): status is keyof typeof errorByStatus => status in errorByStatus

const accept = (response: Response<SttError>): Effect.Effect<Omit<Transcription, "warnings">, SttError> =>
  response.status === 200
    ? Effect.flatMap(readAnswer(response), (answer): Effect.Effect<Omit<Transcription, "warnings">, SttError> => {
        const call = callReport(response.progress())
        if (Either.isLeft(answer)) return new SttInvalidResponse({ problem: answer.left, call })
        const body = answer.right
        const receivedId = redactOptional(response, body.call_id)
        if (body.status === "error") {
          return new SttTranscriptionFailed({
            serverError: redactOptional(response, body.error),
            serverMessage: redactOptional(response, body.message),
            callId: receivedId,
            call: { ...call, receivedId }
          })
        }
        return Effect.succeed({
          text: body.text,
          callId: response.redact(body.call_id),
          transactionId: call.sentId,
          auxInfo: body.aux_info,
          call: { ...call, receivedId }
        })
      })
    : statusError(response)

const redactOptional = (response: Response<SttError>, text: string | undefined): string | undefined =>
  text === undefined ? undefined : response.redact(text)

const decodeErrorBody = Schema.decodeUnknownOption(Schema.parseJson(Contract.ErrorBody))

const statusError = (response: Response<SttError>): Effect.Effect<never, SttError> =>
  Effect.flatMap(response.errorText, (text): Effect.Effect<never, SttError> => {
    const words = Option.getOrElse(decodeErrorBody(text), (): Contract.ErrorBody => ({}))
    const facts = {
      status: response.status,
      serverError: redactOptional(response, words.error),
      serverMessage: redactOptional(response, words.message),
      call: callReport(response.progress())
    }
    return isKnownStatus(facts.status) ? new errorByStatus[facts.status](facts) : new SttUnexpectedStatus(facts)
  })

/** The answer of a test double: an outcome, or a function of the request that gives one. */
export type TestAnswer = TestOutcome | ((request: TranscriptionRequest) => TestOutcome)

export type TestOutcome =
  | string
  | Partial<Transcription>
  | SttError
  | Effect.Effect<string | Partial<Transcription>, SttError>

const makeTest = (answer: TestAnswer): Effect.Effect<Context.Context<SpeechToText | SpeechToTextCalls>> =>
  Effect.sync(() => {
    const calls: Array<TranscriptionRequest> = []
    const service: SpeechToTextService = {
      transcribe: (request) =>
        Effect.gen(function* () {
          const valid = yield* validate(request)
          calls.push(valid)
          const outcome = typeof answer === "function" ? answer(valid) : answer
          const given = isSttError(outcome) || Effect.isEffect(outcome) ? yield* outcome : outcome
          const transactionId = valid.transactionId ?? crypto.randomUUID()
          const callId = `test-${calls.length}`
          return {
            text: "",
            callId,
            transactionId,
            warnings: warningsFor({}, valid),
            call: reportOf({ sentId: transactionId, attempts: [answeredAtOnce], elapsedMillis: 0 }, "unknown", callId),
            ...(Predicate.isString(given) ? { text: given } : given)
          }
        })
    }
    return Context.make(SpeechToText, service).pipe(Context.add(SpeechToTextCalls, calls))
  })

const isSttError: (value: unknown) => value is SttError = Schema.is(SttError)

/**
 * Speech to text: a recording goes in, a transcript comes out.
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
import { answeredAtOnce, type CallReport, reportOf } from "@effect-speech/transport/CallReport"
import * as Deadlines from "@effect-speech/transport/Deadlines"
import type { Failure, UploadFailed } from "@effect-speech/transport/Failure"
import * as Issue from "@effect-speech/transport/Issue"
import type { Progress, Request, Response } from "@effect-speech/transport/Operation"
import * as OptionalConfig from "@effect-speech/transport/OptionalConfig"
import { collect } from "@effect-speech/transport/ResponseBody"
import * as Retries from "@effect-speech/transport/Retries"
import * as Transport from "@effect-speech/transport/Transport"
import { enclose } from "@effect-speech/transport/Upload"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { AudioSource } from "./AudioSource.js"
import { describeRecording } from "./internal/describeRecording.js"
import { filePartOf } from "./internal/filePart.js"
import { multipartEnvelope } from "./internal/multipart.js"
import { openAudio } from "./internal/openAudio.js"
import { isRepeatable, unreadableAudio } from "./internal/sources.js"
import { asTelephony, converted } from "./internal/telephony.js"
import { warningsFor } from "./internal/warnings.js"
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
  SttInvalidRequest,
  SttInvalidResponse,
  SttServerError,
  SttTranscriptionFailed,
  SttUnauthorized,
  SttUnavailable,
  SttUnexpectedStatus
} from "./SttError.js"
import type { SttWarning } from "./SttWarning.js"
import type { Transcription } from "./Transcription.js"
import { TranscriptionRequest } from "./TranscriptionRequest.js"

export interface SpeechToTextService {
  /**
   * Transcribes one recording, which is sent as it is read. The answer comes when the service has heard all of it,
   * which for a long recording takes minutes.
   */
  readonly transcribe: (request: TranscriptionRequest, options?: CallOptions) => Effect.Effect<Transcription, SttError>
}

export interface SpeechToTextOptions extends BaseUrl.BaseUrlOptions, Retries.RetryOptions {
  /**
   * The whole `<prefix>.<secret>` value, or an effect that reads it: when the layer is built, and again when the
   * service refuses the key. The call is then repeated if the key has really changed.
   */
  readonly apiKey: ApiKey
  /** The address of the transcription host, with or without a path prefix. There is no default. */
  readonly baseUrl: string
  /** How long each phase may take. Default: 60 seconds without progress either way, one hour for the answer. */
  readonly deadlines?: Deadlines.Deadlines | undefined
  /** How hotwords are put into the form; the contract does not show it. Default: `json`, one field with the array. */
  readonly hotwordEncoding?: Contract.HotwordEncoding | undefined
}

/** What the service needs: an HttpClient (`@effect-speech/transport/node` has the recommended one), and files. */
export type Requirements = HttpClient.HttpClient | FileSystem.FileSystem

export class SpeechToText extends Context.Tag("@effect-speech/stt/SpeechToText")<SpeechToText, SpeechToTextService>() {
  /** The service from explicit options. A wrong address is a `ConfigError`, a malformed key an `SttInvalidApiKey`. */
  static readonly layer = (
    options: SpeechToTextOptions
  ): Layer.Layer<SpeechToText, ConfigError.ConfigError | SttInvalidApiKey, Requirements> =>
    Layer.effect(SpeechToText, make(options))

  /** The same from a `Config` of the options, or from a record with a `Config` for each. */
  static readonly layerConfig = (
    options: Config.Config.Wrap<SpeechToTextOptions>
  ): Layer.Layer<SpeechToText, ConfigError.ConfigError | SttInvalidApiKey, Requirements> =>
    Layer.effect(
      SpeechToText,
      Effect.flatMap(OptionalConfig.unwrap(options), (unwrapped) => make(unwrapped))
    )

  /** From `SPEECH_API_KEY` and `SPEECH_STT_BASE_URL`. */
  static readonly layerFromEnv: Layer.Layer<SpeechToText, ConfigError.ConfigError | SttInvalidApiKey, Requirements> =
    SpeechToText.layerConfig({
      apiKey: Config.map(Config.string("SPEECH_API_KEY"), Redacted.make),
      baseUrl: Config.string("SPEECH_STT_BASE_URL")
    })

  /**
   * A double for tests, which checks requests as {@link SpeechToText.layer} does, opens no recording, and answers as
   * told: with a transcript, with parts of a {@link Transcription}, with an error, with an effect of one, or with what a
   * function of the request makes of it. Events are not told.
   *
   * {@link SpeechToText.calls} gives what was asked.
   */
  static readonly layerTest = (answer: TestAnswer): Layer.Layer<SpeechToText | SpeechToTextCalls> =>
    Layer.effectContext(makeTest(answer))

  /** The requests that the double of {@link SpeechToText.layerTest} got so far. */
  static readonly calls: Effect.Effect<ReadonlyArray<TranscriptionRequest>, never, SpeechToTextCalls> = Effect.suspend(
    () => Effect.map(SpeechToTextCalls, (calls) => [...calls])
  )
}

/** The record of a test double. */
export class SpeechToTextCalls extends Context.Tag("@effect-speech/stt/SpeechToTextCalls")<
  SpeechToTextCalls,
  ReadonlyArray<TranscriptionRequest>
>() {}

/** The operation over an HttpClient. */
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
        retries: yield* Retries.parse(options)
      }),
      ({ problem }) => new SttInvalidApiKey({ problem })
    )
    const url = BaseUrl.resolve(baseUrl, Contract.path)

    const transcribe = (request: TranscriptionRequest, callOptions?: CallOptions) =>
      Effect.gen(function* () {
        const { audio, ...valid } = yield* validate(request)
        // A schema's copy of a record has lost the field `__proto__`; the caller's own may be another at the next attempt.
        const fields = { ...valid, additionalFields: { ...request.additionalFields } }
        const sentId = fields.transactionId ?? crypto.randomUUID()
        return yield* transport.run<Transcription, SttError, ReadonlyArray<SttWarning>>(
          {
            name: "transcribe",
            sentId,
            request: (scope) =>
              prepare(url, audio, fields, sentId, options.hotwordEncoding ?? "json").pipe(
                Scope.extend(scope),
                Effect.provideService(FileSystem.FileSystem, fs)
              ),
            repeatable: isRepeatable(audio),
            accept: (response, warnings) => Effect.map(accept(response), (result) => ({ ...result, warnings })),
            fail: (failure, progress) => callError(failure, progress, audio)
          },
          callOptions
        )
      })
    return { transcribe }
  })

/** Opens the recording and builds the request: a form around the recording. The context is the warnings. */
const prepare = (
  url: URL,
  audio: AudioSource,
  fields: Omit<TranscriptionRequest, "audio">,
  transactionId: string,
  hotwordEncoding: Contract.HotwordEncoding
): Effect.Effect<Request<ReadonlyArray<SttWarning>>, UploadFailed, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const opened = yield* openAudio(audio, lookAhead)
    const recording = yield* describeRecording(opened)
    const { telephony = false } = fields
    const upload = telephony ? yield* asTelephony(opened, recording.container) : opened.upload
    const part = filePartOf(audio.filename, recording.container)
    const { contentType, head, tail } = multipartEnvelope(fields, transactionId, part, hotwordEncoding)
    return {
      url,
      headers: { "Content-Type": contentType, Accept: "application/json", "Accept-Encoding": "identity" },
      body: enclose(head, upload, tail),
      context: warningsFor(telephony ? converted(recording) : recording, fields)
    }
  })

/** How much of a stream is waited for before it is sent, in bytes; what comes with it is looked at too. */
const lookAhead = 64

const decodeRequest = Schema.decodeUnknownEither(Schema.typeSchema(TranscriptionRequest), { onExcessProperty: "error" })

const validate = (request: TranscriptionRequest): Either.Either<TranscriptionRequest, SttInvalidRequest> =>
  Either.mapLeft(decodeRequest(request), (error) => new SttInvalidRequest(Issue.first(error.issue)))

/** The contract does not say when a transcription is billed, so nothing is known once all of it was sent. */
const report = (progress: Progress, receivedId?: string): CallReport =>
  reportOf(
    progress,
    progress.attempts.some(({ sent, status }) => sent === "all" || status === 200) ? "unknown" : "notBilled",
    receivedId
  )

const callError = (failure: Failure, progress: Progress, audio: AudioSource): SttError => {
  const call = report(progress)
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

const byStatus = {
  400: SttBadRequest,
  401: SttUnauthorized,
  402: SttCreditExhausted,
  403: SttForbidden,
  500: SttServerError,
  503: SttUnavailable
} as const

const isKnownStatus = (status: number): status is keyof typeof byStatus => status in byStatus

/** The largest transcript that is read, far above that of a day of speech. */
const answerLimit = 64 * 1024 * 1024

const accept = (response: Response<SttError>): Effect.Effect<Omit<Transcription, "warnings">, SttError> =>
  Effect.gen(function* () {
    if (response.status !== 200) return yield* statusError(response)

    const { bytes, complete } = yield* collect(response.pull, answerLimit)
    const call = report(response.progress())
    const invalid = (problem: string) => new SttInvalidResponse({ problem, call })
    if (!complete) return yield* invalid(`it is longer than ${answerLimit} bytes`)

    const json = yield* Either.mapLeft(parseJson(bytes, response), () => invalid("it is not JSON"))
    // The decoder makes a string of `status` to tell the forms apart, which not all that JSON holds can be made.
    const decoded = yield* Either.try({
      try: () => decodeAnswer(json),
      catch: () => invalid("status is missing or of another type")
    })
    const answer = yield* Either.mapLeft(decoded, (error) => invalid(describeIssues(error)))
    const receivedId = answer.call_id === undefined ? undefined : response.redact(answer.call_id)
    if (answer.status === "error") {
      return yield* new SttTranscriptionFailed({
        serverError: shown(response, answer.error),
        serverMessage: shown(response, answer.message),
        callId: receivedId,
        call: { ...call, receivedId }
      })
    }
    return {
      text: answer.text,
      callId: response.redact(answer.call_id),
      transactionId: call.sentId,
      auxInfo: answer.aux_info,
      call: { ...call, receivedId }
    }
  })

const parseJson = (bytes: Uint8Array, { withoutKey }: Response<SttError>): Either.Either<unknown, unknown> =>
  Either.try(() => withoutKeyIn(JSON.parse(new TextDecoder().decode(bytes)), withoutKey))

/** A service that quotes the key must not put it into a transcript either, nor into the name of a field. */
const withoutKeyIn = (json: unknown, withoutKey: (text: string) => string): unknown => {
  if (typeof json === "string") return withoutKey(json)
  if (Array.isArray(json)) return json.map((item) => withoutKeyIn(item, withoutKey))
  if (!Predicate.isRecord(json)) return json
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [withoutKey(name), withoutKeyIn(value, withoutKey)])
  )
}

const shown = (response: Response<SttError>, words: string | undefined): string | undefined =>
  words === undefined ? undefined : response.redact(words)

const decodeAnswer = Schema.decodeUnknownEither(Contract.Answer, { errors: "all" })
const decodeErrorBody = Schema.decodeUnknownOption(Schema.parseJson(Contract.ErrorBody))

/** Names the fields that are wrong, and leaves out what they held: it may be a transcript. */
const describeIssues = (error: ParseResult.ParseError): string => {
  const fields = Issue.fields(error.issue)
  return fields.length === 0
    ? "it is not a JSON object of that form"
    : `${fields.join(", ")} ${fields.length === 1 ? "is" : "are"} missing or of another type`
}

const statusError = (response: Response<SttError>): Effect.Effect<never, SttError> =>
  Effect.flatMap(response.errorText, (text): Effect.Effect<never, SttError> => {
    const words = Option.getOrElse(decodeErrorBody(text), (): Contract.ErrorBody => ({}))
    const facts = {
      status: response.status,
      serverError: shown(response, words.error),
      serverMessage: shown(response, words.message),
      call: report(response.progress())
    }
    return isKnownStatus(facts.status) ? new byStatus[facts.status](facts) : new SttUnexpectedStatus(facts)
  })

/** What a test double says to a request. */
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

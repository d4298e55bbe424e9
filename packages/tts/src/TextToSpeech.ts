/**
 * Text to speech: a text goes in, raw audio comes out.
 *
 * ```ts
 * const program = Effect.gen(function* () {
 *   const tts = yield* TextToSpeech
 *   const speech = yield* tts.stream({ text: "नमस्ते", lang: "hi" })
 *   return yield* Wav.writeFile(speech, "namaste.wav")
 * })
 * ```
 */

import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { AudioFormat } from "@effect-speech/audio-codec/AudioFormat"
import { durationMillis } from "@effect-speech/audio-codec/AudioFormat"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import type { ApiKey } from "@effect-speech/transport/ApiKey"
import * as BaseUrl from "@effect-speech/transport/BaseUrl"
import { type Billing, type CallReport, nothingSent } from "@effect-speech/transport/CallReport"
import * as Deadlines from "@effect-speech/transport/Deadlines"
import type { Failure } from "@effect-speech/transport/Failure"
import * as Issue from "@effect-speech/transport/Issue"
import type { Progress, Response } from "@effect-speech/transport/Operation"
import * as OptionalConfig from "@effect-speech/transport/OptionalConfig"
import { readAtMost } from "@effect-speech/transport/ResponseBody"
import * as Transport from "@effect-speech/transport/Transport"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { lengthProblem, makeSampleCheck } from "./internal/checkAudio.js"
import { fieldNamedIn } from "./internal/fieldNamedIn.js"
import type { Speech, SpeechStream } from "./Speech.js"
import { SynthesisRequest } from "./SynthesisRequest.js"
import * as Contract from "./TtsContract.js"
import {
  TtsBackendFailed,
  TtsBadRequest,
  TtsConnectionFailed,
  TtsCorruptAudio,
  TtsDeadlineExceeded,
  TtsError,
  TtsInvalidApiKey,
  TtsInvalidRequest,
  TtsInvalidResponse,
  TtsServerError,
  TtsUnauthorized,
  TtsUnexpectedStatus
} from "./TtsError.js"

export interface TextToSpeechService {
  /**
   * The format and the ids first, then the bytes as they arrive, in memory that does not grow with them. The answer
   * ends when the scope closes.
   */
  readonly stream: (request: SynthesisRequest) => Effect.Effect<SpeechStream, TtsError, Scope.Scope>
  /** All of it at once, checked. */
  readonly synthesize: (request: SynthesisRequest) => Effect.Effect<Speech, TtsError>
}

export interface TextToSpeechOptions extends BaseUrl.BaseUrlOptions {
  /** The whole `<prefix>.<secret>` value, or an effect that reads it when the layer is built. */
  readonly apiKey: ApiKey
  /** The address of the synthesis host, with or without a path prefix. There is no default. */
  readonly baseUrl: string
  /** How long each phase may take. Default: 60 seconds without progress either way, ten minutes for the answer. */
  readonly deadlines?: Deadlines.Deadlines | undefined
}

export class TextToSpeech extends Context.Tag("@effect-speech/tts/TextToSpeech")<TextToSpeech, TextToSpeechService>() {
  /** The service from explicit options. A wrong address is a `ConfigError`, a malformed key a `TtsInvalidApiKey`. */
  static readonly layer = (
    options: TextToSpeechOptions
  ): Layer.Layer<TextToSpeech, ConfigError.ConfigError | TtsInvalidApiKey, HttpClient.HttpClient> =>
    Layer.effect(TextToSpeech, make(options))

  /** The same from a `Config` of the options, or from a record with a `Config` for each. */
  static readonly layerConfig = (
    options: Config.Config.Wrap<TextToSpeechOptions>
  ): Layer.Layer<TextToSpeech, ConfigError.ConfigError | TtsInvalidApiKey, HttpClient.HttpClient> =>
    Layer.effect(
      TextToSpeech,
      Effect.flatMap(OptionalConfig.unwrap(options), (unwrapped) => make(unwrapped))
    )

  /** From `SPEECH_API_KEY` and `SPEECH_TTS_BASE_URL`. */
  static readonly layerFromEnv: Layer.Layer<
    TextToSpeech,
    ConfigError.ConfigError | TtsInvalidApiKey,
    HttpClient.HttpClient
  > = TextToSpeech.layerConfig({
    apiKey: Config.map(Config.string("SPEECH_API_KEY"), Redacted.make),
    baseUrl: Config.string("SPEECH_TTS_BASE_URL")
  })

  /**
   * A double for tests, which checks requests as the real service does and answers as told: with audio, with an
   * error, or with what a function of the request makes of it.
   *
   * {@link TextToSpeech.calls} gives what was asked.
   */
  static readonly layerTest = (answer: TestAnswer): Layer.Layer<TextToSpeech | TextToSpeechCalls> =>
    Layer.effectContext(makeTest(answer))

  /** The requests that the double of {@link TextToSpeech.layerTest} got so far. */
  static readonly calls: Effect.Effect<ReadonlyArray<SynthesisRequest>, never, TextToSpeechCalls> = Effect.suspend(() =>
    Effect.map(TextToSpeechCalls, (calls) => [...calls])
  )
}

/** The record of a test double. */
export class TextToSpeechCalls extends Context.Tag("@effect-speech/tts/TextToSpeechCalls")<
  TextToSpeechCalls,
  ReadonlyArray<SynthesisRequest>
>() {}

/** The operation over an HttpClient. */
export const make = (
  options: TextToSpeechOptions
): Effect.Effect<TextToSpeechService, ConfigError.ConfigError | TtsInvalidApiKey, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const baseUrl = yield* BaseUrl.parse("baseUrl (SPEECH_TTS_BASE_URL)", options.baseUrl, options)
    const transport = yield* Effect.mapError(
      Transport.make({
        apiKey: options.apiKey,
        apiKeyHeader: Contract.header.apiKey,
        deadlines: Deadlines.resolve(options.deadlines ?? {}, "10 minutes")
      }),
      ({ problem }) => new TtsInvalidApiKey({ problem })
    )
    const url = BaseUrl.resolve(baseUrl, Contract.path)

    const stream = (request: SynthesisRequest) =>
      Effect.gen(function* () {
        const { requestId, ...fields } = yield* validate(request)
        const sentId = requestId ?? crypto.randomUUID()
        let receivedId: string | undefined
        return yield* transport.run<SpeechStream, TtsError>({
          name: "synthesize",
          sentId,
          request: Effect.map(encodeBody(fields), (body) =>
            HttpClientRequest.post(url, { headers: { [Contract.header.requestId]: sentId }, body })
          ),
          accept: (response) => {
            receivedId = response.header(Contract.header.requestId)
            return accept(response)
          },
          fail: (failure, progress) => connectionError(failure, progress, receivedId)
        })
      })

    return { stream, synthesize: (request) => Effect.scoped(Effect.flatMap(stream(request), whole)) }
  })

const decodeRequest = Schema.decodeUnknown(Schema.typeSchema(SynthesisRequest))

const validate = (request: SynthesisRequest): Effect.Effect<SynthesisRequest, TtsInvalidRequest> =>
  Effect.mapError(decodeRequest(request), (error) => new TtsInvalidRequest(Issue.first(error)))

/** The body on the wire: what the caller set, and nothing else. JSON leaves out what is undefined. */
const encodeBody = (
  request: Omit<SynthesisRequest, "requestId">
): Effect.Effect<HttpBody.HttpBody, TtsInvalidRequest> => {
  const body: Contract.SynthesisBody = {
    text: request.text,
    lang: request.lang,
    voice: request.voice,
    output_format: request.outputFormat,
    speed: request.speed,
    num_step: request.numStep,
    g2p_overrides: request.g2pOverrides
  }
  // All other fields are strings and numbers.
  return Effect.mapError(
    HttpBody.json(body),
    () => new TtsInvalidRequest({ field: "g2pOverrides", problem: "must be a value that JSON can hold" })
  )
}

const report = (progress: Progress, billing: Billing, receivedId?: string): CallReport => ({
  sentId: progress.sentId,
  receivedId,
  attempts: progress.attempts,
  billing,
  elapsedMillis: progress.elapsedMillis
})

const connectionError = (failure: Failure, progress: Progress, receivedId: string | undefined): TtsError => {
  const call = report(progress, progress.sent === "all" ? "unknown" : "notBilled", receivedId)
  switch (failure._tag) {
    case "ConnectionFailed":
      return new TtsConnectionFailed({ reason: failure.reason, code: failure.code, sent: progress.sent, call })
    case "DeadlineExceeded":
      return new TtsDeadlineExceeded({ phase: failure.phase, limitMillis: failure.limitMillis, call })
  }
}

const byStatus = {
  400: TtsBadRequest,
  401: TtsUnauthorized,
  500: TtsServerError,
  502: TtsBackendFailed
} as const

const isKnownStatus = (status: number): status is keyof typeof byStatus => status in byStatus

const accept = (response: Response<TtsError>): Effect.Effect<SpeechStream, TtsError> =>
  Effect.gen(function* () {
    if (response.status !== 200) return yield* statusError(response)

    const receivedId = response.header(Contract.header.requestId)
    const progress = yield* response.progress
    const billed = report(progress, "billed", receivedId)
    const format = yield* Effect.mapError(
      audioFormat(response),
      (problem) => new TtsInvalidResponse({ problem, call: report(progress, "unknown", receivedId) })
    )
    const statedMillis = numberIn(response.header(Contract.header.audioDuration))
    const byteLength =
      response.header("content-encoding") === undefined ? numberIn(response.header("content-length")) : undefined

    const corrupt = (problem: string, receivedBytes: number) =>
      new TtsCorruptAudio({ problem, receivedBytes, call: billed })
    if (byteLength !== undefined) {
      const problem = lengthProblem(format, byteLength, statedMillis)
      if (problem !== undefined) return yield* corrupt(problem, 0)
    }

    const checked = Stream.suspend(() => {
      const check = makeSampleCheck(format)
      let received = 0
      return response.body.pipe(
        Stream.tap((bytes) => {
          received += bytes.byteLength
          const problem = check(bytes)
          return problem === undefined ? Effect.void : corrupt(problem, received)
        }),
        Stream.concat(
          Stream.execute(
            Effect.suspend(() => {
              const problem = lengthProblem(format, received, statedMillis)
              return problem === undefined ? Effect.void : corrupt(problem, received)
            })
          )
        )
      )
    })
    return {
      format,
      byteLength,
      stream: checked,
      durationMillis: statedMillis,
      requestId: receivedId ?? progress.sentId,
      call: billed
    }
  })

const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined

/** The format that the headers state, or what is wrong with them. Audio of this service has one channel. */
const audioFormat = (response: Response<TtsError>): Effect.Effect<AudioFormat, string> => {
  const contentType = response.header("content-type")
  if (contentType !== undefined && /^(application\/json|text\/)/i.test(contentType)) {
    return Effect.fail(`its body is ${contentType.split(";")[0]}`)
  }
  return decodeHeaders(response.headers).pipe(
    Effect.map(
      (headers): AudioFormat => ({
        sampleRate: headers["x-sample-rate"],
        encoding: headers["x-encoding"],
        channels: 1
      })
    ),
    Effect.mapError((error) => `its header ${Issue.first(error).field} is missing or not usable`)
  )
}

const decodeHeaders = Schema.decodeUnknown(Contract.AudioHeaders)
const decodeErrorBody = Schema.decodeUnknown(Schema.parseJson(Contract.ErrorBody))

const statusError = (response: Response<TtsError>): Effect.Effect<never, TtsError> =>
  Effect.gen(function* () {
    const words = yield* Effect.option(Effect.flatMap(response.errorText, decodeErrorBody))
    const serverMessage = Option.getOrUndefined(Option.map(words, ({ error }) => response.redact(error)))
    const facts = {
      status: response.status,
      serverMessage,
      call: report(yield* response.progress, "notBilled", response.header(Contract.header.requestId))
    }
    if (facts.status === 400) {
      return yield* new TtsBadRequest({ ...facts, field: serverMessage && fieldNamedIn(serverMessage) })
    }
    return yield* isKnownStatus(facts.status) ? new byStatus[facts.status](facts) : new TtsUnexpectedStatus(facts)
  })

/** Far above an hour of speech, which the longest text at the lowest speed gives. */
const wholeLimit = 512 * 1024 * 1024

/** Collects a stream, whose own checks decide whether there is anything to give. */
const whole = (speech: SpeechStream): Effect.Effect<Speech, TtsError> =>
  Effect.flatMap(readAtMost(speech.stream, wholeLimit), ({ bytes, complete }) =>
    complete
      ? Effect.succeed({
          ...PcmStream.fromBytes(speech.format, bytes),
          bytes,
          durationMillis: speech.durationMillis ?? durationMillis(speech.format, bytes.byteLength),
          requestId: speech.requestId,
          call: speech.call
        })
      : new TtsCorruptAudio({
          problem: `it does not end: ${wholeLimit} bytes have come`,
          receivedBytes: bytes.byteLength,
          call: speech.call
        })
  )

/** What a test double says to a request. */
export type TestAnswer = TestOutcome | ((request: SynthesisRequest) => TestOutcome | Effect.Effect<TestAudio, TtsError>)

export type TestOutcome = TestAudio | TtsError

/** Raw audio, by default in the format that was asked for. */
export interface TestAudio {
  readonly bytes: Uint8Array
  readonly format?: AudioFormat | undefined
}

const makeTest = (answer: TestAnswer): Effect.Effect<Context.Context<TextToSpeech | TextToSpeechCalls>> =>
  Effect.sync(() => {
    const calls: Array<SynthesisRequest> = []
    const synthesize = (request: SynthesisRequest): Effect.Effect<Speech, TtsError> =>
      Effect.gen(function* () {
        const valid = yield* validate(request)
        calls.push(valid)
        const outcome = typeof answer === "function" ? answer(valid) : answer
        if (isTtsError(outcome)) return yield* outcome
        const { bytes, format = Contract.audioFormat(valid.outputFormat ?? Contract.defaultOutputFormat) } =
          Effect.isEffect(outcome) ? yield* outcome : outcome
        const requestId = valid.requestId ?? crypto.randomUUID()
        return {
          ...PcmStream.fromBytes(format, bytes),
          bytes,
          durationMillis: durationMillis(format, bytes.byteLength),
          requestId,
          call: { ...nothingSent, sentId: requestId, receivedId: requestId }
        }
      })
    return Context.make(TextToSpeech, { stream: synthesize, synthesize }).pipe(Context.add(TextToSpeechCalls, calls))
  })

const isTtsError: (value: unknown) => value is TtsError = Schema.is(TtsError)

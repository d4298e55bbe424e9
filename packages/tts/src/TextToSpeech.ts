/**
 * Synthesizes texts with the speech service, as raw audio.
 *
 * ```ts
 * const program = Effect.gen(function* () {
 *   const tts = yield* TextToSpeech
 *   const speech = yield* tts.stream({ text: "नमस्ते", lang: "hi" })
 *   return yield* Wav.writeFile(speech, "namaste.wav")
 * })
 * ```
 */

import type * as HttpClient from "@effect/platform/HttpClient"
import { bytesPerFrame, durationMillis } from "@effect-speech/audio-codec/AudioFormat"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import type { ApiKey } from "@effect-speech/transport/ApiKey"
import * as BaseUrl from "@effect-speech/transport/BaseUrl"
import type { CallOptions } from "@effect-speech/transport/CallEvent"
import {
  answeredAtOnce,
  type Billing,
  billingOf,
  type CallReport,
  isSuccess,
  reportOf
} from "@effect-speech/transport/CallReport"
import * as Concurrency from "@effect-speech/transport/Concurrency"
import * as Deadlines from "@effect-speech/transport/Deadlines"
import * as Environment from "@effect-speech/transport/Environment"
import type { Failure } from "@effect-speech/transport/Failure"
import * as Issue from "@effect-speech/transport/Issue"
import type { Operation, Progress, Response } from "@effect-speech/transport/Operation"
import * as OptionalConfig from "@effect-speech/transport/OptionalConfig"
import { collect } from "@effect-speech/transport/ResponseBody"
import * as Retries from "@effect-speech/transport/Retries"
import * as Transport from "@effect-speech/transport/Transport"
import type * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { lengthProblem, longestLength, makeSampleCheck } from "./internal/checkAudio.js"
import { fieldNamedIn } from "./internal/fieldNamedIn.js"
import { warningsFor } from "./internal/warnings.js"
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
  /** The address of the synthesis host, without a slash at its end. Absent in a test double. */
  readonly baseUrl?: string | undefined
  /**
   * Synthesizes a text as a stream. Gives the format and the ids when the response begins, then the bytes as they
   * arrive, in constant memory. The call ends when the scope closes.
   */
  readonly stream: (
    request: SynthesisRequest,
    options?: CallOptions
  ) => Effect.Effect<SpeechStream, TtsError, Scope.Scope>
  /** Synthesizes a text, and gives the complete, checked audio. */
  readonly synthesize: (request: SynthesisRequest, options?: CallOptions) => Effect.Effect<Speech, TtsError>
}

export interface TextToSpeechOptions
  extends BaseUrl.BaseUrlOptions,
    Concurrency.ConcurrencyOptions,
    Retries.RetryOptions {
  /**
   * The whole `<prefix>.<secret>` value, or an effect that reads it. The effect runs when the layer is built, and again
   * when the service refuses the key. If the key has changed, the call is repeated.
   */
  readonly apiKey: ApiKey
  /** The address of the synthesis host, with or without a path prefix. Required. */
  readonly baseUrl: string
  /**
   * How long each phase may take. Default: ten minutes until the response begins, and 60 seconds without progress of
   * the upload or the download.
   */
  readonly deadlines?: Deadlines.Deadlines | undefined
}

export class TextToSpeech extends Context.Tag("@effect-speech/tts/TextToSpeech")<TextToSpeech, TextToSpeechService>() {
  /**
   * The service from explicit options. Fails with `ConfigError` for an invalid option, and with `TtsInvalidApiKey` for
   * a malformed key.
   */
  static readonly layer = (
    options: TextToSpeechOptions
  ): Layer.Layer<TextToSpeech, ConfigError.ConfigError | TtsInvalidApiKey, HttpClient.HttpClient> =>
    Layer.effect(TextToSpeech, make(options))

  /** The service from a `Config` of the options, or from a record with a `Config` for each option. */
  static readonly layerConfig = (
    options: Config.Config.Wrap<TextToSpeechOptions>
  ): Layer.Layer<TextToSpeech, ConfigError.ConfigError | TtsInvalidApiKey, HttpClient.HttpClient> =>
    Layer.effect(
      TextToSpeech,
      Effect.flatMap(OptionalConfig.unwrap(options), (unwrapped) => make(unwrapped))
    )

  /** The service from the environment variables `SPEECH_API_KEY` and `SPEECH_TTS_BASE_URL`. */
  static readonly layerFromEnv: Layer.Layer<
    TextToSpeech,
    ConfigError.ConfigError | TtsInvalidApiKey,
    HttpClient.HttpClient
  > = TextToSpeech.layerConfig({
    apiKey: Environment.apiKey,
    baseUrl: Environment.baseUrl("SPEECH_TTS_BASE_URL")
  })

  /**
   * A test double. `answer` is audio, an error, an effect of one of these, or a function of the request that gives one.
   * The double checks requests and audio as {@link TextToSpeech.layer} does. It does not retry, and emits no events.
   * {@link TextToSpeech.calls} gives its requests.
   */
  static readonly layerTest = (answer: TestAnswer): Layer.Layer<TextToSpeech | TextToSpeechCalls> =>
    Layer.effectContext(makeTest(answer))

  /** The requests that the double of {@link TextToSpeech.layerTest} has received so far. */
  static readonly calls: Effect.Effect<ReadonlyArray<SynthesisRequest>, never, TextToSpeechCalls> = Effect.suspend(() =>
    Effect.map(TextToSpeechCalls, (calls) => [...calls])
  )
}

/** The requests that a test double received. */
export class TextToSpeechCalls extends Context.Tag("@effect-speech/tts/TextToSpeechCalls")<
  TextToSpeechCalls,
  ReadonlyArray<SynthesisRequest>
>() {}

/** Makes the service that {@link TextToSpeech.layer} provides. */
export const make = (
  options: TextToSpeechOptions
): Effect.Effect<TextToSpeechService, ConfigError.ConfigError | TtsInvalidApiKey, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const baseUrl = yield* BaseUrl.parse("baseUrl (SPEECH_TTS_BASE_URL)", options.baseUrl, options)
    const transport = yield* Effect.mapError(
      Transport.make({
        apiKey: options.apiKey,
        apiKeyHeader: Contract.header.apiKey,
        deadlines: yield* Deadlines.parse(options.deadlines ?? {}, "10 minutes"),
        retries: yield* Retries.parse(options),
        concurrency: yield* Concurrency.parse(options)
      }),
      ({ problem }) => new TtsInvalidApiKey({ problem })
    )
    const url = BaseUrl.resolve(baseUrl, Contract.path)
    const address = BaseUrl.resolve(baseUrl, "").href.replace(/\/$/, "")

    const operationOf = <A>(
      request: SynthesisRequest,
      read: (response: CheckedResponse) => Effect.Effect<A, TtsError>
    ): Either.Either<Operation<A, TtsError, RequestFields>, TtsInvalidRequest> =>
      Either.flatMap(validate(request), ({ requestId, ...fields }) => {
        const sentId = requestId ?? crypto.randomUUID()
        const headers = {
          "Content-Type": "application/json",
          "Accept-Encoding": "identity",
          [Contract.header.requestId]: sentId
        }
        // The decoded copy of a record lacks a field `__proto__`, which JSON may have.
        const { additionalFields, g2pOverrides } = request
        return Either.map(encodeBody({ ...fields, additionalFields, g2pOverrides }), (body) => ({
          name: "synthesize",
          sentId,
          request: { url, headers, body, context: fields },
          repeatable: true,
          accept: (response, context) =>
            Effect.flatMap(accept(response, response.header(Contract.header.requestId), context), read),
          fail: (failure, progress, latest) =>
            connectionError(failure, progress, latest?.header(Contract.header.requestId))
        }))
      })

    return {
      baseUrl: address,
      stream: (request, callOptions) =>
        Effect.suspend(() => operationOf(request, Effect.succeed)).pipe(
          Effect.flatMap((operation) => transport.open(operation, callOptions)),
          Effect.map(toStream)
        ),
      synthesize: (request, callOptions) =>
        Effect.suspend(() => operationOf(request, collectSpeech)).pipe(
          Effect.flatMap((operation) => transport.run(operation, callOptions))
        )
    }
  })

type RequestFields = Omit<SynthesisRequest, "requestId">

const decodeRequest = Schema.decodeUnknownEither(Schema.typeSchema(SynthesisRequest), { onExcessProperty: "error" })

const validate = (request: SynthesisRequest): Either.Either<SynthesisRequest, TtsInvalidRequest> =>
  Either.mapLeft(decodeRequest(request), (error) => new TtsInvalidRequest(Issue.first(error.issue)))

const encoder = new TextEncoder()

/** Encodes the fields that the caller set. JSON omits undefined fields. */
const encodeBody = (request: RequestFields): Either.Either<Uint8Array, TtsInvalidRequest> => {
  const body: Contract.SynthesisBody = {
    text: request.text,
    lang: request.lang,
    voice: request.voice,
    output_format: request.outputFormat,
    speed: request.speed,
    num_step: request.numStep,
    g2p_overrides: request.g2pOverrides
  }
  return Either.try({
    try: () => encoder.encode(JSON.stringify({ ...request.additionalFields, ...body })),
    // Only these fields can hold values that are not JSON.
    catch: () =>
      new TtsInvalidRequest({
        field: request.additionalFields === undefined ? "g2pOverrides" : "g2pOverrides or additionalFields",
        problem: "must be a value that JSON can hold"
      })
  })
}

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

const connectionError = (failure: Failure, progress: Progress, receivedId: string | undefined): TtsError => {
  const call = callReport(progress, receivedId)
  switch (failure._tag) {
    case "ConnectionFailed":
      return new TtsConnectionFailed({ reason: failure.reason, code: failure.code, sent: progress.sent, call })
    case "DeadlineExceeded":
      return new TtsDeadlineExceeded({ phase: failure.phase, limitMillis: failure.limitMillis, call })
    case "InvalidApiKey":
      return new TtsInvalidApiKey({ problem: failure.problem, call })
    case "UploadFailed":
      return new TtsInvalidRequest({ field: "request", problem: failure.problem, call })
  }
}

const errorByStatus = {
  400: TtsBadRequest,
  401: TtsUnauthorized,
  500: TtsServerError,
  502: TtsBackendFailed
} as const

const isKnownStatus = (status: number): status is keyof typeof errorByStatus => status in errorByStatus

/** A 200 whose bytes are checked as they are read. `pull` gives the next chunk, and `undefined` at the end. */
interface CheckedResponse extends Omit<SpeechStream, "stream" | "call"> {
  /** The report of the call so far. */
  readonly reportWith: (billing: Billing) => CallReport
  /** The billing after the last byte. */
  readonly billingAtEnd: Billing
  readonly pull: Effect.Effect<Uint8Array | undefined, TtsError>
}

const accept = (
  response: Response<TtsError>,
  receivedId: string | undefined,
  { outputFormat }: Pick<SynthesisRequest, "outputFormat">
): Effect.Effect<CheckedResponse, TtsError> => {
  if (response.status !== 200) return statusError(response, receivedId)

  const progress = response.progress()
  const reportWith = (billing: Billing) => reportOf(response.progress(), billing, receivedId)
  const statedMillis = numberIn(response.header(Contract.header.audioDuration))
  const compressed = isCompressed(response.header("content-encoding"))
  const headers = decodeHeaders({
    "x-sample-rate": response.header(Contract.header.sampleRate),
    "x-encoding": response.header(Contract.header.encoding)
  })
  const invalid = (problem: string) =>
    new TtsInvalidResponse({ problem, call: reportOf(progress, "unknown", receivedId) })
  const contentType = response.header("content-type")
  if (contentType !== undefined && /[/+]json\b|^(text|image|video)\//i.test(contentType)) {
    return invalid(`its body is ${contentType.split(";")[0]}`)
  }
  // Some HttpClient layers decompress the body. Only the duration shows whether this one did.
  if (compressed && statedMillis === undefined) return invalid("it is compressed, and has no duration to check it by")
  if (Either.isLeft(headers)) {
    return invalid(`its header ${Issue.first(headers.left.issue).field} is missing or not usable`)
  }
  const format = {
    sampleRate: headers.right["x-sample-rate"],
    channels: 1,
    encoding: headers.right["x-encoding"]
  } as const
  const unusable = Contract.formatProblem(format)
  if (unusable !== undefined) return invalid(unusable)
  const byteLength = compressed ? undefined : numberIn(response.header("content-length"))

  // The service bills after the last byte, and nothing shows that corrupt audio is complete.
  const corrupt = (problem: string, receivedBytes: number) =>
    new TtsCorruptAudio({ problem, receivedBytes, call: reportWith("unknown") })
  const announced = byteLength === undefined ? undefined : lengthProblem(format, byteLength, statedMillis)
  if (announced !== undefined) return corrupt(announced, 0)

  const sampleProblem = makeSampleCheck(format)
  const longest = longestLength(format, statedMillis)
  let received = 0
  const pull = Effect.flatMap(response.pull, (bytes) => {
    if (bytes !== undefined) received += bytes.byteLength
    const problem =
      bytes === undefined || received > longest ? lengthProblem(format, received, statedMillis) : sampleProblem(bytes)
    if (problem === undefined) return Effect.succeed(bytes)
    return corrupt(compressed ? `${problem}; the response is compressed, which was not asked for` : problem, received)
  })
  return Effect.succeed({
    format,
    byteLength,
    pull,
    durationMillis: statedMillis,
    requestId: receivedId ?? progress.sentId,
    warnings: warningsFor({
      asked: outputFormat,
      format,
      durationMillis: statedMillis,
      sentId: progress.sentId,
      receivedId
    }),
    reportWith,
    // Without a length and a duration, audio that was cut looks like complete audio.
    billingAtEnd: byteLength === undefined && statedMillis === undefined ? "unknown" : "billed"
  })
}

/** The number in a header. `undefined` if the header is absent or not a number. */
const numberIn = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d+(\.\d+)?$/.test(header) ? Number(header) : undefined

const decodeHeaders = Schema.decodeUnknownEither(Contract.AudioHeaders)
const decodeErrorBody = Schema.decodeUnknownOption(Schema.parseJson(Contract.ErrorBody))

const isCompressed = (contentEncoding: string | undefined): boolean =>
  contentEncoding !== undefined && contentEncoding.toLowerCase() !== "identity"

const statusError = (response: Response<TtsError>, receivedId: string | undefined): Effect.Effect<never, TtsError> =>
  Effect.flatMap(response.errorText, (text): Effect.Effect<never, TtsError> => {
    const words = Option.getOrUndefined(decodeErrorBody(text))
    const serverMessage = words === undefined ? undefined : response.redact(words.error)
    const progress = response.progress()
    const facts = { status: response.status, serverMessage, call: callReport(progress, receivedId) }
    if (facts.status === 400) {
      return new TtsBadRequest({ ...facts, field: words && fieldNamedIn(words.error) })
    }
    return isKnownStatus(facts.status) ? new errorByStatus[facts.status](facts) : new TtsUnexpectedStatus(facts)
  })

const toStream = ({ billingAtEnd, pull, reportWith, ...facts }: CheckedResponse): SpeechStream => {
  let isRead = false
  let atEnd: CallReport | undefined
  const next = Effect.matchEffect(pull, {
    onFailure: (error) => {
      atEnd = error.call
      return Effect.fail(Option.some(error))
    },
    onSuccess: (bytes) => {
      if (bytes !== undefined) return Effect.succeed(bytes)
      atEnd = reportWith(billingAtEnd)
      return Effect.fail(Option.none())
    }
  })
  return {
    ...facts,
    // The service charges after the last byte, so a caller that leaves early can't know.
    call: Effect.sync(() => atEnd ?? reportWith("unknown")),
    stream: Stream.suspend(() => {
      if (isRead) return Stream.dieMessage("The audio of a stream can be read once. Call stream again.")
      isRead = true
      return Stream.repeatEffectOption(next)
    })
  }
}

/** Limit of `synthesize`, in bytes: far more than the longest text at the lowest speed, an hour of speech. */
const collectLimit = 512 * 1024 * 1024

/** Collects the checked bytes. */
const collectSpeech = ({
  billingAtEnd,
  pull,
  reportWith,
  ...facts
}: CheckedResponse): Effect.Effect<Speech, TtsError> =>
  Effect.flatMap(collect(pull, collectLimit), ({ bytes, complete }) =>
    complete
      ? Effect.succeed({
          ...facts,
          ...PcmStream.fromBytes(facts.format, bytes),
          bytes,
          call: reportWith(billingAtEnd),
          durationMillis: facts.durationMillis ?? durationMillis(facts.format, bytes.byteLength)
        })
      : new TtsCorruptAudio({
          problem: `it is longer than ${collectLimit} bytes`,
          receivedBytes: bytes.byteLength,
          call: reportWith("unknown")
        })
  )

/** The answer of a test double: an outcome, or a function of the request that gives one. */
export type TestAnswer = TestOutcome | ((request: SynthesisRequest) => TestOutcome)

export type TestOutcome = TestAudio | TtsError | Effect.Effect<TestAudio, TtsError>

/** Raw audio of a test double. It is checked as the audio of the service is. */
export interface TestAudio {
  readonly bytes: Uint8Array
  /** The format of `bytes`. Default: that of the request, or `24000:float32` if it has none. */
  readonly outputFormat?: Contract.OutputFormat | undefined
  /** The error of the stream after all bytes. Default: none. */
  readonly failure?: TtsError | undefined
}

const makeTest = (answer: TestAnswer): Effect.Effect<Context.Context<TextToSpeech | TextToSpeechCalls>> =>
  Effect.sync(() => {
    const calls: Array<SynthesisRequest> = []
    const call = (request: SynthesisRequest): Effect.Effect<CheckedResponse, TtsError> =>
      Effect.gen(function* () {
        const valid = yield* validate(request)
        calls.push(valid)
        const outcome = typeof answer === "function" ? answer(valid) : answer
        const audio = isTtsError(outcome) || Effect.isEffect(outcome) ? yield* outcome : outcome
        const sentId = valid.requestId ?? crypto.randomUUID()
        return yield* accept(testResponse(audio, valid, sentId), sentId, valid)
      })
    const service: TextToSpeechService = {
      stream: (request) => Effect.map(call(request), toStream),
      synthesize: (request) => Effect.flatMap(call(request), collectSpeech)
    }
    return Context.make(TextToSpeech, service).pipe(Context.add(TextToSpeechCalls, calls))
  })

const testResponse = (
  { bytes, failure, outputFormat }: TestAudio,
  asked: SynthesisRequest,
  sentId: string
): Response<TtsError> => {
  const format = Contract.audioFormat(outputFormat ?? asked.outputFormat ?? Contract.defaultOutputFormat)
  const frames = Math.floor(bytes.byteLength / bytesPerFrame(format))
  const headers: Record<string, string> = {
    [Contract.header.sampleRate]: String(format.sampleRate),
    [Contract.header.encoding]: format.encoding,
    [Contract.header.audioDuration]: String((1000 * frames) / format.sampleRate)
  }
  // As from the service: the caller may write into what it gets.
  const parts: Array<Uint8Array | undefined> = [new Uint8Array(bytes)]
  return {
    status: 200,
    header: (name) => headers[name],
    pull: Effect.suspend(() => {
      const part = parts.shift()
      return part === undefined && failure !== undefined ? Effect.fail(failure) : Effect.succeed(part)
    }),
    errorText: Effect.succeed(""),
    withoutKey: (text) => text,
    redact: (text) => text,
    progress: () => ({ sentId, attempts: [answeredAtOnce], sent: "all", elapsedMillis: 0 })
  }
}

const isTtsError: (value: unknown) => value is TtsError = Schema.is(TtsError)

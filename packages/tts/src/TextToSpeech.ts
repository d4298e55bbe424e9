/**
 * Synthesizes texts with the speech service, as raw audio.
 */

import type * as HttpClient from "@effect/platform/HttpClient"
import type { CallOptions } from "@effect-speech/transport/CallEvent"
import { CallIds } from "@effect-speech/transport/CallIds"
import type { ClientOptions } from "@effect-speech/transport/ClientOptions"
import type * as Deadlines from "@effect-speech/transport/Deadlines"
import type * as Testing from "@effect-speech/transport/Testing"
import * as Client from "@effect-speech/transport/unstable/Client"
import type { Operation } from "@effect-speech/transport/unstable/Operation"
import type * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { encodeBody, headersOf, validate } from "./internal/request.js"
import { accept, type CheckedAudio, failureError, readingError } from "./internal/response.js"
import { collectSpeech, toStream } from "./internal/speech.js"
import { type TestAudio, testResponse } from "./internal/testResponse.js"
import type { Speech, SpeechStream } from "./Speech.js"
import type { SynthesisRequest } from "./SynthesisRequest.js"
import * as Contract from "./TtsContract.js"
import { type SpeechStreamError, type TtsError, TtsInvalidApiKey, type TtsInvalidRequest } from "./TtsError.js"

export type { TestAudio } from "./internal/testResponse.js"

/**
 * What {@link TextToSpeech} provides: the client of syntheses.
 *
 * @example
 * ```ts
 * import { TextToSpeech, type TextToSpeechService } from "@effect-speech/tts"
 * import { Effect } from "effect"
 *
 * // Part of a program that gets the client as an argument.
 * export const durationOf = (tts: TextToSpeechService, text: string) =>
 *   Effect.map(tts.synthesize({ text }), ({ durationMillis }) => durationMillis)
 *
 * export const program = Effect.flatMap(TextToSpeech, (tts) => durationOf(tts, "नमस्ते"))
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export interface TextToSpeechService {
  /** The address of the synthesis host, without a slash at its end. Absent in a test double. */
  readonly baseUrl?: string | undefined
  /**
   * Synthesizes a text as a stream. Gives the format and the ids when the response begins, then the bytes as they
   * arrive, in constant memory. The call ends at the end of the audio, or earlier when the scope closes.
   *
   * Fails with one of `TtsError`. Audio that has begun fails with one of `SpeechStreamError`.
   */
  readonly stream: (
    request: SynthesisRequest,
    options?: CallOptions
  ) => Effect.Effect<SpeechStream, TtsError, Scope.Scope>
  /**
   * Synthesizes a text, and gives the complete, checked audio. Fails with one of `TtsError`, also for audio of more than
   * 512 MiB: that is `TtsCorruptAudio`.
   */
  readonly synthesize: (request: SynthesisRequest, options?: CallOptions) => Effect.Effect<Speech, TtsError>
}

/**
 * The options of {@link TextToSpeech.layer}: those of each client. `R` is what the effect of the key requires.
 *
 * @example
 * ```ts
 * import { TextToSpeech, type TextToSpeechOptions } from "@effect-speech/tts"
 * import { Redacted } from "effect"
 *
 * const options: TextToSpeechOptions = {
 *   apiKey: Redacted.make("prefix.secret"),
 *   baseUrl: "https://host.example",
 *   deadlines: { total: "10 seconds" },
 *   retries: 1
 * }
 *
 * export const layer = TextToSpeech.layer(options)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface TextToSpeechOptions<R = never> extends ClientOptions<R, TtsError> {
  /**
   * How long each phase may take. `uploadIdle` limits nothing here, because a text is sent at once. Default: 10 minutes for
   * `answer`, 60 seconds for `downloadIdle`, no `total`.
   */
  readonly deadlines?: Deadlines.Deadlines | undefined
}

const endpoint: Client.Endpoint<TtsInvalidApiKey> = {
  path: Contract.path,
  apiKeyHeader: Contract.header.apiKey,
  baseUrlVariable: "SPEECH_TTS_BASE_URL",
  answerDeadline: "10 minutes",
  InvalidApiKey: TtsInvalidApiKey
}

const makeService = <R = never>(
  options: TextToSpeechOptions<R>
): Effect.Effect<TextToSpeechService, ConfigError.ConfigError | TtsInvalidApiKey, R | HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const { baseUrl, transport, url } = yield* Client.connect(endpoint, options)

    const operationOf = <A>(
      request: SynthesisRequest,
      read: (audio: CheckedAudio) => Effect.Effect<A, TtsError>
    ): Effect.Effect<Operation<A, TtsError, SynthesisRequest, SpeechStreamError>, TtsInvalidRequest> =>
      Effect.flatMap(validate(request), (valid) =>
        Effect.flatMap(requestIdOf(valid.requestId), (sentId) =>
          // The decoded copy of a record lacks a field `__proto__`, which JSON may have.
          Either.map(encodeBody(valid, request), (body) => ({
            name: "synthesize",
            sentId,
            request: { url, headers: headersOf(sentId), body, context: valid },
            repeatable: true,
            accept: (response, asked) => Effect.flatMap(accept(response, asked), read),
            fail: failureError,
            failReading: readingError
          }))
        )
      )

    return {
      baseUrl,
      stream: (request, callOptions) =>
        operationOf(request, Effect.succeed).pipe(
          Effect.flatMap((operation) => transport.open(operation, callOptions)),
          Effect.map(toStream)
        ),
      synthesize: (request, callOptions) =>
        operationOf(request, collectSpeech).pipe(Effect.flatMap((operation) => transport.run(operation, callOptions)))
    }
  })

const requestIdOf = (given: string | undefined): Effect.Effect<string> =>
  given === undefined ? CallIds.next : Effect.succeed(given)

/**
 * The requests that a test double received. A request that breaks a rule is not among them.
 *
 * {@link TextToSpeech.layerTest} provides it, and {@link TextToSpeech.calls} reads it.
 *
 * @example
 * ```ts
 * import { TextToSpeechCalls } from "@effect-speech/tts"
 * import { Effect } from "effect"
 *
 * // In a test: the texts of all requests so far.
 * export const texts = Effect.gen(function* () {
 *   const { all } = yield* TextToSpeechCalls
 *   return (yield* all).map(({ text }) => text)
 * })
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class TextToSpeechCalls extends Context.Tag("@effect-speech/tts/TextToSpeechCalls")<
  TextToSpeechCalls,
  Testing.TestCalls<SynthesisRequest>
>() {}

/**
 * The client of syntheses. Its statics make it: {@link TextToSpeech.layerFromEnv}, {@link TextToSpeech.layerConfig},
 * {@link TextToSpeech.layer}, and {@link TextToSpeech.layerTest} for tests.
 *
 * The layers fail with `ConfigError` if an option is missing or not valid, and with `TtsInvalidApiKey` if the key can't be read or has the wrong
 * form. A call fails with one of {@link TtsError}.
 *
 * @example
 * ```ts
 * import { Wav } from "@effect-speech/audio-codec"
 * import * as NodeTransport from "@effect-speech/transport/NodeTransport"
 * import { TextToSpeech } from "@effect-speech/tts"
 * import { Effect } from "effect"
 *
 * export const program = Effect.gen(function* () {
 *   const tts = yield* TextToSpeech
 *   return yield* Wav.writeFile(yield* tts.stream({ text: "नमस्ते", lang: "hi" }), "namaste.wav")
 * }).pipe(Effect.scoped, Effect.provide(TextToSpeech.layerFromEnv), Effect.provide(NodeTransport.layer))
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class TextToSpeech extends Context.Tag("@effect-speech/tts/TextToSpeech")<TextToSpeech, TextToSpeechService>() {
  /** Makes the service that {@link TextToSpeech.layer} provides, with the same errors. */
  static readonly make: <R = never>(
    options: TextToSpeechOptions<R>
  ) => Effect.Effect<TextToSpeechService, ConfigError.ConfigError | TtsInvalidApiKey, R | HttpClient.HttpClient> =
    makeService

  /**
   * The service from explicit options. Fails with `ConfigError` for an invalid option, and with `TtsInvalidApiKey` for
   * a key that can't be read or is malformed.
   */
  static readonly layer = <R = never>(
    options: TextToSpeechOptions<R>
  ): Layer.Layer<TextToSpeech, ConfigError.ConfigError | TtsInvalidApiKey, R | HttpClient.HttpClient> =>
    Layer.effect(TextToSpeech, makeService(options))

  /**
   * The service from a `Config` of the options, or from a record with a `Config` for each option. Fails with `ConfigError` if one is missing or
   * not valid, and with `TtsInvalidApiKey` for a key that can't be read or is malformed.
   */
  static readonly layerConfig = <R = never>(
    options: Config.Config.Wrap<TextToSpeechOptions<R>>
  ): Layer.Layer<TextToSpeech, ConfigError.ConfigError | TtsInvalidApiKey, R | HttpClient.HttpClient> =>
    Client.layerConfig(TextToSpeech, makeService, options)

  /**
   * The service from the environment variables `SPEECH_API_KEY` and `SPEECH_TTS_BASE_URL`. Fails with `ConfigError` if one is missing or not
   * valid, and with `TtsInvalidApiKey` for a malformed key.
   */
  static readonly layerFromEnv: Layer.Layer<
    TextToSpeech,
    ConfigError.ConfigError | TtsInvalidApiKey,
    HttpClient.HttpClient
  > = Client.layerFromEnv(TextToSpeech, makeService, endpoint)

  /**
   * A test double. `answer` is audio, an error, an effect of one of these, or a function of the request that gives one.
   * The double checks requests and audio as {@link TextToSpeech.layer} does. It ignores the options of a call: it does not
   * retry, emits no events and has no deadlines. {@link TextToSpeech.calls} gives its requests.
   */
  static readonly layerTest = (answer: TestAnswer): Layer.Layer<TextToSpeech | TextToSpeechCalls> =>
    Client.layerTest({
      tag: TextToSpeech,
      calls: TextToSpeechCalls,
      validate: (request) =>
        Either.flatMap(validate(request), (valid) => Either.map(encodeBody(valid, request), () => valid)),
      answer,
      service: (call) => {
        const respond = (request: SynthesisRequest) =>
          Effect.flatMap(call(request), ({ given, request: asked }) =>
            Effect.flatMap(requestIdOf(asked.requestId), (id) => accept(testResponse(given, asked, id), asked))
          )
        return {
          stream: (request) => Effect.map(respond(request), toStream),
          synthesize: (request) => Effect.flatMap(respond(request), collectSpeech)
        }
      }
    })

  /** The requests that the double of {@link TextToSpeech.layerTest} has received so far, without those that break a rule. */
  static readonly calls: Effect.Effect<ReadonlyArray<SynthesisRequest>, never, TextToSpeechCalls> = Effect.flatMap(
    TextToSpeechCalls,
    ({ all }) => all
  )

  /** Forgets the requests of {@link TextToSpeech.calls}, so that the next part of a test sees only its own. */
  static readonly clearCalls: Effect.Effect<void, never, TextToSpeechCalls> = Effect.flatMap(
    TextToSpeechCalls,
    ({ clear }) => clear
  )
}

/**
 * The answer of a test double: an outcome, or a function of the request that gives one.
 *
 * @example
 * ```ts
 * import { type TestAnswer, TextToSpeech, TtsBadRequest } from "@effect-speech/tts"
 *
 * const answer: TestAnswer = ({ lang }) =>
 *   lang === "hi" ? { bytes: new Uint8Array(96_000) } : new TtsBadRequest({ field: "lang" })
 *
 * export const double = TextToSpeech.layerTest(answer)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type TestAnswer = Testing.TestAnswer<SynthesisRequest, TestAudio, TtsError>

/**
 * Audio, an error, or an effect of one of these.
 *
 * @example
 * ```ts
 * import { type TestOutcome, TextToSpeech, TtsBackendFailed } from "@effect-speech/tts"
 *
 * const outcomes: Array<TestOutcome> = [new TtsBackendFailed(), { bytes: new Uint8Array(96_000) }]
 *
 * // The first call fails, the second gives a second of silence.
 * export const double = TextToSpeech.layerTest(() => outcomes.shift() ?? new TtsBackendFailed())
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type TestOutcome = Testing.TestOutcome<TestAudio, TtsError>

/**
 * Transcribes recordings with the speech service.
 */

import * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import { unsafeInstance } from "@effect-speech/common/Structural"
import type { CallOptions } from "@effect-speech/transport/CallEvent"
import { CallIds } from "@effect-speech/transport/CallIds"
import type { ClientOptions } from "@effect-speech/transport/ClientOptions"
import type * as Deadlines from "@effect-speech/transport/Deadlines"
import type * as Testing from "@effect-speech/transport/Testing"
import * as Client from "@effect-speech/transport/unstable/Client"
import { answeredAtOnce, reportOf, toReport } from "@effect-speech/transport/unstable/Report"
import type * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { requestOf, type TranscribeOperation } from "./internal/request.js"
import { accept, failureError } from "./internal/response.js"
import { isRepeatable, provided, withFileSystem } from "./internal/sources.js"
import { warningsFor } from "./internal/warnings.js"
import * as Contract from "./SttContract.js"
import { type SttError, SttInvalidApiKey } from "./SttError.js"
import { SttWarning } from "./SttWarning.js"
import { Transcription } from "./Transcription.js"
import type { TranscriptionRequest } from "./TranscriptionRequest.js"
import { validate } from "./unstable/Request.js"

/**
 * What {@link SpeechToText} provides: the client of transcriptions.
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText, type SpeechToTextService } from "@effect-speech/stt"
 * import { Effect } from "effect"
 *
 * // Part of a program that gets the client as an argument.
 * export const transcriptOf = (stt: SpeechToTextService, path: string) =>
 *   Effect.map(stt.transcribe({ audio: AudioSource.fromPath(path), model: "hi-general-v2-8khz" }), ({ text }) => text)
 *
 * export const program = Effect.flatMap(SpeechToText, (stt) => transcriptOf(stt, "call.wav"))
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export interface SpeechToTextService {
  /** The address of the transcription host, without a slash at its end. Absent in a test double. */
  readonly baseUrl?: string | undefined
  /**
   * Transcribes one recording. It is sent as it is read. The service responds after it has processed the whole
   * recording: for a long one, after minutes.
   *
   * The call requires what the stream of an `AudioSource` requires. A path is read by the `FileSystem` of the layer.
   *
   * Fails with one of `SttError`. An option of the call that is not valid is a defect.
   */
  readonly transcribe: <R = never>(
    request: TranscriptionRequest<R>,
    options?: CallOptions
  ) => Effect.Effect<Transcription, SttError, Exclude<R, FileSystem.FileSystem>>
}

/**
 * The options of {@link SpeechToText.layer}: those of each client, and the encoding of hotwords. `R` is what the effect of the key requires.
 *
 * @example
 * ```ts
 * import { SpeechToText, type SpeechToTextOptions } from "@effect-speech/stt"
 * import { Redacted } from "effect"
 *
 * const options: SpeechToTextOptions = {
 *   apiKey: Redacted.make("prefix.secret"),
 *   baseUrl: "https://host.example",
 *   deadlines: { total: "10 minutes" },
 *   concurrency: 8
 * }
 *
 * export const layer = SpeechToText.layer(options)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface SpeechToTextOptions<R = never> extends ClientOptions<R, SttError> {
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

/** What the client requires. `NodeTransport.layer` of `@effect-speech/transport/NodeTransport` provides both. */
type Requirements = HttpClient.HttpClient | FileSystem.FileSystem

const endpoint: Client.Endpoint<SttInvalidApiKey> = {
  path: Contract.path,
  apiKeyHeader: Contract.apiKeyHeader,
  baseUrlVariable: "SPEECH_STT_BASE_URL",
  answerDeadline: "1 hour",
  InvalidApiKey: SttInvalidApiKey
}

const encodings: Readonly<Record<Contract.HotwordEncoding, true>> = { json: true, repeated: true, indexed: true }

/** Fills in the default. The encoding may come from a file, against its type. */
const encodingOf = ({ hotwordEncoding = "json" }: Pick<SpeechToTextOptions, "hotwordEncoding">) =>
  Object.hasOwn(encodings, hotwordEncoding)
    ? Either.right(hotwordEncoding)
    : Either.left(
        ConfigError.InvalidData(
          ["hotwordEncoding"],
          `must be one of ${Object.keys(encodings).join(", ")}, not ${hotwordEncoding}`
        )
      )

const makeService = <R = never>(
  options: SpeechToTextOptions<R>
): Effect.Effect<SpeechToTextService, ConfigError.ConfigError | SttInvalidApiKey, R | Requirements> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { baseUrl, transport, url } = yield* Client.connect(endpoint, options)
    const hotwordEncoding = yield* encodingOf(options)

    const operationOf = <R>(
      request: TranscriptionRequest<R>,
      valid: TranscriptionRequest<R>,
      sentId: string,
      context: () => Context.Context<R>
    ): TranscribeOperation => {
      // The decoded copy lacks a field `__proto__`, and the caller may change its own record before a retry.
      const { audio } = valid
      const fields = { ...valid, additionalFields: { ...request.additionalFields } }
      return {
        name: "transcribe",
        sentId,
        request: requestOf(url, audio, fields, sentId, hotwordEncoding, context),
        repeatable: isRepeatable(audio),
        accept,
        fail: (failure, progress) => failureError(failure, progress, audio),
        failReading: (failure, progress) => failureError(failure, progress, audio)
      }
    }
    return {
      baseUrl,
      transcribe: <R>(request: TranscriptionRequest<R>, callOptions?: CallOptions) =>
        Effect.contextWithEffect((given: Context.Context<Exclude<R, FileSystem.FileSystem>>) =>
          Effect.flatMap(validate(request), (valid) =>
            Effect.flatMap(transactionIdOf(valid), (id) =>
              transport.run(
                operationOf(request, valid, id, () => withFileSystem<R>(given, fs)),
                callOptions
              )
            )
          )
        )
    }
  })

const transactionIdOf = ({ transactionId }: Pick<TranscriptionRequest, "transactionId">): Effect.Effect<string> =>
  transactionId === undefined ? CallIds.next : Effect.succeed(transactionId)

/**
 * The requests that a test double received.
 *
 * {@link SpeechToText.layerTest} provides it, and {@link SpeechToText.calls} reads it.
 *
 * @example
 * ```ts
 * import { SpeechToTextCalls } from "@effect-speech/stt"
 * import { Effect } from "effect"
 *
 * // In a test: the models of all requests so far.
 * export const models = Effect.gen(function* () {
 *   const { all } = yield* SpeechToTextCalls
 *   return (yield* all).map(({ model }) => model)
 * })
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class SpeechToTextCalls extends Context.Tag("@effect-speech/stt/SpeechToTextCalls")<
  SpeechToTextCalls,
  Testing.TestCalls<TranscriptionRequest>
>() {}

/**
 * The client of transcriptions. Its statics make it: {@link SpeechToText.layerFromEnv}, {@link SpeechToText.layerConfig},
 * {@link SpeechToText.layer}, and {@link SpeechToText.layerTest} for tests.
 *
 * The layers fail with `ConfigError` if an option is missing or not valid, and with `SttInvalidApiKey` if the key can't be read or has the wrong
 * form. A call fails with one of {@link SttError}.
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import * as NodeTransport from "@effect-speech/transport/NodeTransport"
 * import { Effect } from "effect"
 *
 * export const transcript = Effect.gen(function* () {
 *   const stt = yield* SpeechToText
 *   const { text } = yield* stt.transcribe({ audio: AudioSource.fromPath("call.wav"), model: "hi-general-v2-8khz" })
 *   return text
 * }).pipe(Effect.provide(SpeechToText.layerFromEnv), Effect.provide(NodeTransport.layer))
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class SpeechToText extends Context.Tag("@effect-speech/stt/SpeechToText")<SpeechToText, SpeechToTextService>() {
  /** Makes the service that {@link SpeechToText.layer} provides, with the same errors. */
  static readonly make: <R = never>(
    options: SpeechToTextOptions<R>
  ) => Effect.Effect<SpeechToTextService, ConfigError.ConfigError | SttInvalidApiKey, R | Requirements> = makeService

  /**
   * The service from explicit options. Fails with `ConfigError` for an invalid option, and with `SttInvalidApiKey` for
   * a key that can't be read or is malformed.
   */
  static readonly layer = <R = never>(
    options: SpeechToTextOptions<R>
  ): Layer.Layer<SpeechToText, ConfigError.ConfigError | SttInvalidApiKey, R | Requirements> =>
    Layer.effect(SpeechToText, makeService(options))

  /**
   * The service from a `Config` of the options, or from a record with a `Config` for each option. Fails with `ConfigError` if one is missing or
   * not valid, and with `SttInvalidApiKey` for a key that can't be read or is malformed.
   */
  static readonly layerConfig = <R = never>(
    options: Config.Config.Wrap<SpeechToTextOptions<R>>
  ): Layer.Layer<SpeechToText, ConfigError.ConfigError | SttInvalidApiKey, R | Requirements> =>
    Client.layerConfig(SpeechToText, makeService, options)

  /**
   * The service from the environment variables `SPEECH_API_KEY` and `SPEECH_STT_BASE_URL`. Fails with `ConfigError` if one is missing or not
   * valid, and with `SttInvalidApiKey` for a malformed key.
   */
  static readonly layerFromEnv: Layer.Layer<SpeechToText, ConfigError.ConfigError | SttInvalidApiKey, Requirements> =
    Client.layerFromEnv(SpeechToText, makeService, endpoint)

  /**
   * A test double. `answer` is a transcript, parts of a {@link Transcription}, an error, an effect of one of these, or
   * a function of the request that gives one. The double checks requests as {@link SpeechToText.layer} does. It opens
   * no recording, does not retry, and emits no events. {@link SpeechToText.calls} gives its requests.
   */
  static readonly layerTest = (answer: TestAnswer): Layer.Layer<SpeechToText | SpeechToTextCalls> =>
    Client.layerTest({
      tag: SpeechToText,
      calls: SpeechToTextCalls,
      // The service below checks the request as it is given, before its source gets what it requires.
      validate: Either.right,
      answer,
      service: (call) => ({
        transcribe: <R>(request: TranscriptionRequest<R>) =>
          Effect.contextWithEffect((given: Context.Context<Exclude<R, FileSystem.FileSystem>>) =>
            Effect.flatMap(validate(request), ({ audio, ...options }) =>
              Effect.flatMap(call({ ...options, audio: provided(audio, given) }), testTranscription)
            )
          )
      })
    })

  /** The requests that the double of {@link SpeechToText.layerTest} has received so far. */
  static readonly calls: Effect.Effect<ReadonlyArray<TranscriptionRequest>, never, SpeechToTextCalls> = Effect.flatMap(
    SpeechToTextCalls,
    ({ all }) => all
  )

  /** Forgets the requests of {@link SpeechToText.calls}, so that the next part of a test sees only its own. */
  static readonly clearCalls: Effect.Effect<void, never, SpeechToTextCalls> = Effect.flatMap(
    SpeechToTextCalls,
    ({ clear }) => clear
  )
}

/**
 * The answer of a test double: an outcome, or a function of the request that gives one.
 *
 * @example
 * ```ts
 * import { SpeechToText, SttBadRequest, type TestAnswer } from "@effect-speech/stt"
 *
 * const answer: TestAnswer = ({ model }) => (model.startsWith("hi-") ? "नमस्ते" : new SttBadRequest())
 *
 * export const double = SpeechToText.layerTest(answer)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type TestAnswer = Testing.TestAnswer<TranscriptionRequest, string | Partial<Transcription>, SttError>

/**
 * A transcript, parts of a {@link Transcription}, an error, or an effect of one of these.
 *
 * @example
 * ```ts
 * import { SpeechToText, SttUnavailable, type TestOutcome } from "@effect-speech/stt"
 *
 * const outcomes: Array<TestOutcome> = [new SttUnavailable(), "hello"]
 *
 * // The first call fails, the second gives a transcript.
 * export const double = SpeechToText.layerTest(() => outcomes.shift() ?? "")
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type TestOutcome = Testing.TestOutcome<string | Partial<Transcription>, SttError>

const testTranscription = ({
  given,
  number,
  request
}: Client.TestCall<TranscriptionRequest, string | Partial<Transcription>>): Effect.Effect<Transcription> => {
  const parts: Partial<Transcription> = Predicate.isString(given) ? { text: given } : given
  // The report has the ids that the answer gives, as that of the client has those of the response.
  const { callId = `test-${number}`, call, warnings } = parts
  return Effect.map(transactionIdOf({ transactionId: parts.transactionId ?? request.transactionId }), (transactionId) =>
    unsafeInstance(Transcription, {
      text: "",
      ...parts,
      callId,
      transactionId,
      // They may be plain objects.
      warnings: warnings?.map((given) => Schema.decodeSync(SttWarning)(given)) ?? warningsFor({}, request),
      call:
        call === undefined
          ? reportOf({ sentId: transactionId, attempts: [answeredAtOnce], elapsedMillis: 0 }, "unknown", callId)
          : toReport(call)
    })
  )
}

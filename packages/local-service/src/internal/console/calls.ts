import { randomBytes } from "node:crypto"
import { createRequire } from "node:module"
import * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Container from "@effect-speech/audio-codec/Container"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import * as Wav from "@effect-speech/audio-codec/Wav"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import type { SttError } from "@effect-speech/stt/SttError"
import type { Transcription } from "@effect-speech/stt/Transcription"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import type { TtsError } from "@effect-speech/tts/TtsError"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { badRequest, type Problem } from "../http/problems.js"
import { bodyTimeoutProblem, contentEncodingProblem } from "../http/requestBodies.js"
import type { FoundRequest } from "../journal/entry.js"
import type { Engines, Settings } from "../options.js"
import { monotonicMillis } from "../realTime.js"
import { readRecording } from "../recordings/recording.js"
import { cannotBeTaught } from "../recordings/teaching.js"
import type { TemporaryFiles } from "../recordings/temporaryFiles.js"
import { inProcessClient } from "./inProcess.js"
import type { About, CallFailed, RecordingQuery, SpeechFields, Transcript, TranscriptQuery } from "./messages.js"
import { type OperationWith, replayRequest } from "./replayRequest.js"
import { waveformOf, waveformRate } from "./waveform.js"

export interface CallsOptions extends Engines {
  /** Both operations, which authorise each call without a key. */
  readonly transcription: HttpApp.Default<never, Scope.Scope>
  readonly synthesis: HttpApp.Default<never, Scope.Scope>
  readonly operationWith: OperationWith
  readonly sttBaseUrl: string
  readonly ttsBaseUrl: string
  readonly temporaryFiles: TemporaryFiles["Type"]
  readonly settings: CallSettings
}

type CallSettings = Pick<
  Settings,
  "models" | "creditsPerSecond" | "maximumUploadBytes" | "maximumRecordingSeconds" | "bodyIdleMillis"
>

/** Five hours. */
const maximumWaveformSeconds = 5 * 3600

/** The calls of the console: of both operations, of the recogniser, and for its waveforms. */
export const makeCalls = (options: CallsOptions) =>
  Effect.gen(function* () {
    const { recogniser, settings, sttBaseUrl, synthesis, temporaryFiles, transcription, ttsBaseUrl } = options
    const fs = yield* FileSystem.FileSystem
    const scope = yield* Effect.scope
    const common = {
      // The clients require a key. The operations do not look at it.
      apiKey: Redacted.make(`console.${randomBytes(24).toString("base64url")}`),
      allowInsecureHttp: true,
      // One click is one request.
      retries: 0
    }
    const overClient =
      (client: HttpClient.HttpClient) =>
      <A, E>(make: Effect.Effect<A, E, HttpClient.HttpClient | FileSystem.FileSystem>) =>
        make.pipe(
          Effect.provideService(HttpClient.HttpClient, client),
          Effect.provideService(FileSystem.FileSystem, fs),
          Effect.orDie
        )
    const tts = yield* overClient(yield* inProcessClient(synthesis))(
      TextToSpeech.make({ ...common, baseUrl: ttsBaseUrl })
    )
    const stt = yield* overClient(yield* inProcessClient(transcription))(
      SpeechToText.make({ ...common, baseUrl: sttBaseUrl })
    )

    const savedBody = Effect.tap(temporaryFiles.newPath, (path) => saveBody(fs, path, settings))

    return {
      about: aboutOf(options),
      replay: (found: FoundRequest) => replayRequest(found, options.operationWith, scope),
      speech: (fields: SpeechFields) => Effect.catchAll(speak(tts, fields), failedResponse),
      transcript: ({ aux = true, fileName, hotwords, model, parseNumber, telephony }: TranscriptQuery) =>
        Effect.gen(function* () {
          const { byteLength, stream } = yield* recordingBody
          const tookMillis = startTimer()
          const audio = AudioSource.fromOneShotStream(stream, { byteLength, filename: fileName })
          return yield* stt.transcribe({ audio, model, parseNumber, hotwords, aux, telephony }).pipe(
            Effect.map((transcription) => toTranscript(transcription, tookMillis())),
            Effect.catchAll(failedResponse)
          )
        }),
      teach: ({ lang, text }: RecordingQuery) =>
        Effect.gen(function* () {
          const { knownRecordings, sampleRate } = recogniser
          if (knownRecordings === undefined) {
            return yield* Effect.fail<Problem>({ status: 409, message: cannotBeTaught })
          }
          if (lang !== undefined && ![...settings.models.values()].some((model) => model.lang === lang)) {
            return yield* Effect.fail(badRequest("lang must be the language of a model"))
          }
          const decoding = { maximumSeconds: settings.maximumRecordingSeconds, sampleRate }
          yield* readRecording(yield* savedBody, decoding).pipe(
            Effect.flatMap((samples) => knownRecordings.learn({ text: text.trim(), lang, samples })),
            Effect.mapError((problem) => badRequest(`the recording can't be taught: ${problem}`))
          )
        }).pipe(Effect.scoped),
      waveform: Effect.gen(function* () {
        const decoding = { maximumSeconds: maximumWaveformSeconds, sampleRate: waveformRate }
        return yield* readRecording(yield* savedBody, decoding, "drawing").pipe(
          Effect.flatMap(waveformOf),
          Effect.mapError((problem) => badRequest(`the recording can't be drawn: ${problem}`))
        )
      }).pipe(Effect.scoped)
    }
  })

/** Responds with a WAV file, while it is synthesized. */
const speak = (tts: TextToSpeech["Type"], fields: SpeechFields) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const tookMillis = startTimer()
    const speech = yield* tts.stream({
      text: fields.text,
      lang: fields.lang,
      voice: fields.voice,
      outputFormat: fields.output_format,
      speed: fields.speed,
      numStep: fields.num_step,
      g2pOverrides: fields.g2p_overrides
    })
    const audio = PcmStream.make(speech.format, yield* withBeginning(speech.stream), speech)
    const cutOff = Effect.sync(() => NodeHttpServerRequest.toServerResponse(request).destroy())
    const file = Stream.catchAll(Wav.encodeStream(audio), () =>
      Stream.fromEffect(Effect.zipRight(cutOff, Effect.never))
    )
    return HttpServerResponse.stream(file, {
      contentType: "audio/wav",
      contentLength: Wav.contentLength(audio),
      headers: { "X-Request-Id": speech.requestId, "X-Took-Millis": String(tookMillis()) }
    })
  })

export type Calls = Effect.Effect.Success<ReturnType<typeof makeCalls>>

const aboutOf = ({ recogniser, settings, sttBaseUrl, ttsBaseUrl }: CallsOptions): About => ({
  version: createRequire(import.meta.url)("../../../package.json").version,
  sttBaseUrl,
  ttsBaseUrl,
  formats: TtsContract.outputFormats,
  canBeTaught: recogniser.knownRecordings !== undefined,
  containers: Container.containers,
  maximumCodePoints: TtsContract.maximumCodePoints,
  speed: { ...TtsContract.speedRange, default: 1 },
  defaults: {
    lang: TtsContract.defaultLang,
    voice: TtsContract.defaultVoice,
    output_format: TtsContract.defaultOutputFormat
  },
  price: { perCodePoint: 1, perSecond: settings.creditsPerSecond }
})

/** In bytes: about as many as a connection holds. */
const beginningBytes = 64 * 1024

/**
 * Reads the first 64 KB, so that a failure among them is the response. The rest is read as the client reads it: the call is
 * billed with its last byte, and a client that leaves before that pays nothing.
 */
const withBeginning = <E>(
  stream: Stream.Stream<Uint8Array, E>
): Effect.Effect<Stream.Stream<Uint8Array, E>, E, Scope.Scope> =>
  Effect.gen(function* () {
    const pull = yield* Stream.toPull(stream)
    const next = Effect.catchAll(pull, Option.match({ onNone: () => Effect.succeed(undefined), onSome: Effect.fail }))
    let beginning = Chunk.empty<Uint8Array>()
    for (let length = 0; length < beginningBytes; ) {
      const chunks = yield* next
      if (chunks === undefined) return Stream.fromChunk(beginning)
      beginning = Chunk.appendAll(beginning, chunks)
      length += Chunk.reduce(chunks, 0, (sum, chunk) => sum + chunk.byteLength)
    }
    return Stream.concat(Stream.fromChunk(beginning), Stream.repeatEffectChunkOption(pull))
  })

const startTimer = () => {
  const startedAt = monotonicMillis()
  return () => Math.round(monotonicMillis() - startedAt)
}

/** The error as a program gets it. */
const failedResponse = ({ _tag: tag, call, message }: SttError | TtsError) => {
  const requestId = call.receivedId ?? call.sentId
  const body: CallFailed = { tag, message, requestId: requestId === "" ? null : requestId }
  return Effect.succeed(HttpServerResponse.unsafeJson(body, { status: 422 }))
}

const millisOf = (seconds: unknown): number => Math.round(Number(seconds) * 1000)

const toTranscript = (
  { auxInfo, callId, text, transactionId, warnings }: Transcription,
  tookMillis: number
): Transcript => ({
  text,
  confidence: auxInfo?.confidence ?? null,
  // The contract defines only the confidence of a segment. The others are this service's own.
  segments: (auxInfo?.segments_meta ?? []).map((segment) => ({
    text: String(segment.text),
    start: millisOf(segment.start),
    end: millisOf(segment.end),
    confidence: segment.confidence ?? null
  })),
  notice: warnings.find((warning) => warning._tag === "NothingRecognised")?.notice ?? null,
  warnings: warnings
    .filter(({ _tag }) => _tag !== "NothingRecognised")
    .map(({ _tag: tag, message }) => ({ tag, message })),
  callId,
  transactionId,
  tookMillis
})

/** The recording in the body of a request. */
const recordingBody = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const incoming = NodeHttpServerRequest.toIncomingMessage(request)
  if (!/^(application\/octet-stream|(audio|video)\/[\w.+-]+)\s*(;|$)/i.test(request.headers["content-type"] ?? "")) {
    const message = "the body must be a recording: application/octet-stream, or a type of audio or video"
    return yield* Effect.fail<Problem>({ status: 415, message })
  }
  const encoded = contentEncodingProblem(incoming)
  if (encoded !== undefined) return yield* Effect.fail(encoded)
  const length = request.headers["content-length"]
  return {
    byteLength: length === undefined ? undefined : Number(length),
    // Without `closeOnDone` the connection stays open for the response.
    stream: NodeStream.fromReadable<Problem, Uint8Array>(
      () => incoming,
      () => badRequest("the body ended early"),
      { closeOnDone: false }
    )
  }
})

const saveBody = (
  fs: FileSystem.FileSystem,
  path: string,
  { bodyIdleMillis, maximumUploadBytes }: Pick<Settings, "bodyIdleMillis" | "maximumUploadBytes">
) =>
  Effect.gen(function* () {
    const { stream } = yield* recordingBody
    const file = yield* Effect.orDie(fs.open(path, { flag: "wx", mode: 0o600 }))
    let length = 0
    yield* stream.pipe(
      Stream.timeoutFail(() => bodyTimeoutProblem(bodyIdleMillis), bodyIdleMillis),
      Stream.runForEach((chunk) => {
        length += chunk.length
        if (length <= maximumUploadBytes) return Effect.orDie(file.writeAll(chunk))
        return Effect.fail<Problem>({ status: 413, message: `the file is larger than ${maximumUploadBytes} bytes` })
      })
    )
  }).pipe(Effect.scoped)

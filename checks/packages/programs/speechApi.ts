/**
 * Serves both operations as an HttpApi: the fields of a synthesis as JSON, and an uploaded recording with the options of its
 * transcription. Reads the OpenAPI document, calls the server by its typed client, and checks the status of each error.
 */

import assert from "node:assert/strict"
import { createServer } from "node:http"
import {
  FetchHttpClient,
  HttpApi,
  HttpApiBuilder,
  HttpApiClient,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiSchema,
  HttpServer,
  Multipart,
  OpenApi
} from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText, SttError, Transcription, TranscriptionOptions } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { SynthesisRequest, TextToSpeech, TtsError } from "@effect-speech/tts"
import * as SpeechResponse from "@effect-speech/tts/SpeechResponse"
import { Console, Effect, Layer, Logger, LogLevel, Schema } from "effect"

export const Upload = HttpApiSchema.Multipart(
  Schema.Struct({ recording: Multipart.SingleFileSchema, options: Schema.parseJson(TranscriptionOptions) })
)

export class Speech extends HttpApiGroup.make("speech")
  .add(
    HttpApiEndpoint.post("say", "/say")
      .setPayload(SynthesisRequest)
      .addSuccess(HttpApiSchema.Uint8Array({ contentType: "audio/wav" }))
      .addError(TtsError)
  )
  .add(
    HttpApiEndpoint.post("transcribe", "/transcribe").setPayload(Upload).addSuccess(Transcription).addError(SttError)
  ) {}

export class Api extends HttpApi.make("api").add(Speech) {}

export const SpeechLive = HttpApiBuilder.group(Api, "speech", (handlers) =>
  Effect.gen(function* () {
    const tts = yield* TextToSpeech
    const stt = yield* SpeechToText
    return handlers
      .handle("say", ({ payload }) => SpeechResponse.wav(tts.stream(payload)))
      .handle("transcribe", ({ payload: { options, recording } }) =>
        stt.transcribe({ ...options, audio: AudioSource.fromPath(recording.path) })
      )
  })
)

export const program = Effect.gen(function* () {
  const service = yield* LocalService
  const document = OpenApi.fromApi(Api)
  assert.deepEqual(Object.keys(document.paths), ["/say", "/transcribe"])
  assert.deepEqual(Object.keys(document.paths["/say"]?.post?.responses ?? {}).sort(), [
    "200",
    "400",
    "500",
    "502",
    "504"
  ])
  assert.deepEqual(Object.keys(document.paths["/transcribe"]?.post?.responses ?? {}).sort(), [
    "200",
    "400",
    "422",
    "500",
    "502",
    "503",
    "504"
  ])

  const baseUrl = yield* HttpServer.addressFormattedWith((address) => Effect.succeed(address))
  const served = yield* Effect.promise(async () => (await fetch(`${baseUrl}/openapi.json`)).json())
  assert.deepEqual(served, JSON.parse(JSON.stringify(document)))
  const client = yield* HttpApiClient.make(Api, { baseUrl }).pipe(Effect.provide(FetchHttpClient.layer))
  const say = (payload: SynthesisRequest) => client.speech.say({ payload })
  const upload = (file: Uint8Array, options: TranscriptionOptions) =>
    Effect.gen(function* () {
      const form = new FormData()
      form.append("recording", new Blob([file]), "upload.wav")
      form.append("options", yield* Schema.encode(Schema.parseJson(TranscriptionOptions))(options))
      return yield* client.speech.transcribe({ payload: form })
    })
  const model = "en-general-v2-8khz"

  const wav = yield* say({ text: "The doors are open.", lang: "en" })
  const { format } = yield* Wav.decode(wav)
  assert.equal(format.sampleRate, 24_000)
  const transcription = yield* upload(wav, { model, hotwords: [{ phrase: "doors" }], telephony: true })
  assert.ok(transcription instanceof Transcription)
  assert.equal(transcription.text, "The doors are open.")

  const invalid = yield* Effect.flip(say({ text: "hello", lang: "en", voice: "unknown_voice" }))
  assert.equal(invalid._tag, "TtsBadRequest")
  const notAudio = yield* Effect.flip(upload(new Uint8Array(100), { model, telephony: true }))
  assert.equal(notAudio._tag, "SttAudioUnreadable")

  const statusOf = (path: string, init: RequestInit) =>
    Effect.promise(async () => (await fetch(baseUrl + path, init)).status)
  const json = { method: "POST", headers: { "content-type": "application/json" } }
  const spoken = JSON.stringify({ text: "hello", lang: "en" })
  assert.equal(yield* statusOf("/say", { ...json, body: JSON.stringify({ text: " " }) }), 400)
  yield* service.faults.set([{ status: 502 }])
  assert.equal(yield* statusOf("/say", { ...json, body: spoken }), 502)
  yield* service.faults.set([])
  yield* service.accounts.setAccount({ credits: 0 })
  assert.equal(yield* statusOf("/say", { ...json, body: spoken }), 500)
  const unpaid = yield* Effect.flip(upload(wav, { model }))
  assert.equal(unpaid._tag, "SttCreditExhausted")
  const unpaidForm = new FormData()
  unpaidForm.append("recording", new Blob([wav]), "upload.wav")
  unpaidForm.append("options", JSON.stringify({ model }))
  assert.equal(yield* statusOf("/transcribe", { method: "POST", body: unpaidForm }), 503)

  yield* service.reset()
  yield* service.faults.set([{ operation: "synthesize", truncateAtByte: 20_000 }])
  const cut = yield* Effect.flip(say({ text: "This announcement breaks off.", lang: "en" }))
  assert.ok(cut._tag === "RequestError" || cut._tag === "ResponseError", cut._tag)
  yield* Console.log(`ok speechApi ${transcription.text} ${invalid._tag} ${notAudio._tag} ${unpaid._tag}`)
})

export const live = HttpApiBuilder.serve().pipe(
  Layer.provide(HttpApiBuilder.middlewareOpenApi()),
  Layer.provide(HttpApiBuilder.api(Api)),
  Layer.provide(SpeechLive),
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
  Layer.provideMerge(LocalService.layerClients),
  Layer.provideMerge(Layer.merge(LocalService.layer(), NodeTransport.layer))
)

program.pipe(Effect.provide(live), Effect.provide(Logger.minimumLogLevel(LogLevel.None)), NodeRuntime.runMain)

/**
 * A client of a scripted server, and audio for that server to send.
 */

import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { type SynthesisRequest, TextToSpeech, type TextToSpeechOptions, type TtsError } from "@effect-speech/tts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { scriptedServer } from "effect-speech-test-support/scriptedServer"

export type Respond = Parameters<typeof scriptedServer>[0]

/** A client of `url`. Default options: a valid key, no retries. */
export const clientOf = (url: string, options: Partial<TextToSpeechOptions> = {}) =>
  TextToSpeech.layer({ apiKey: Redacted.make("prefix.topsecret"), baseUrl: url, retries: 0, ...options })

/** A new server that sends `respond` to each request, and a client of it. Both live until the scope closes. */
export const connect = (
  respond: Respond,
  options?: Partial<TextToSpeechOptions>,
  httpClient: Layer.Layer<Layer.Layer.Context<ReturnType<typeof clientOf>>> = NodeTransport.layer
) =>
  Effect.gen(function* () {
    const server = yield* scriptedServer(respond)
    const context = yield* Layer.build(Layer.provide(clientOf(server.url, options), httpClient))
    return { server, tts: Context.get(context, TextToSpeech) }
  }).pipe(Effect.orDie)

export const request: SynthesisRequest = { text: "नमस्ते", requestId: "id-1" }

/** Synthesizes against a new server. */
export const synthesize = (respond: Respond, asked = request, options?: Partial<TextToSpeechOptions>) =>
  Effect.gen(function* () {
    const { server, tts } = yield* connect(respond, options)
    const outcome = yield* Effect.either(tts.synthesize(asked))
    return { outcome, received: server.received }
  })

/** The error of a synthesis against a new server. */
export const failure = (respond: Respond, options?: Partial<TextToSpeechOptions>) =>
  Effect.flatMap(
    synthesize(respond, request, options),
    ({ outcome }): Effect.Effect<TtsError> => Effect.orDie(Effect.flip(outcome))
  )

/** 2,000 samples of a ramp: 250 ms at 8 kHz. */
export const audio = {
  pcm16: Buffer.from(Int16Array.from({ length: 2000 }, (_, index) => index).buffer),
  float32: Buffer.from(Float32Array.from({ length: 2000 }, (_, index) => index / 2000).buffer)
}

/** The headers of `audio.pcm16`. */
export const headers = {
  "content-type": "application/octet-stream",
  "x-sample-rate": "8000",
  "x-encoding": "pcm16",
  "x-audio-duration-ms": "250",
  "x-request-id": "id-1"
}

export type HeaderChanges = Readonly<Record<string, string | undefined>>

/** Sends `body` as complete audio. `changes` replaces headers; `undefined` removes one. */
export const sendAudio =
  (body: Buffer = audio.pcm16, changes: HeaderChanges = {}): Respond =>
  (response) => {
    for (const [name, value] of Object.entries({ ...headers, ...changes })) {
      if (value !== undefined) response.setHeader(name, value)
    }
    response.end(body)
  }

/** Sends `body` chunked and leaves the response open, or ends it as `end` does. */
export const sendChunk =
  (body: Buffer, end: "open" | "end" | "destroy" = "open", changes: Record<string, string> = {}): Respond =>
  (response) => {
    response.writeHead(200, { ...headers, ...changes }).write(body)
    if (end === "end") response.end()
    if (end === "destroy") setTimeout(() => response.destroy(), 20)
  }

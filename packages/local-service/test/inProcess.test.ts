import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { expect, it } from "@effect/vitest"
import * as AudioSource from "@effect-speech/stt/AudioSource"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inProcessClient } from "../src/internal/console/inProcess.js"

/** Sends a part of its response, and closes the connection, while the request is still being sent. */
const cutOff = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  Effect.async<never>(() => {
    const response = NodeHttpServerRequest.toServerResponse(request)
    response.writeHead(200, { "Content-Length": "10", "Content-Type": "application/json" }).write("half")
    setImmediate(() => response.socket?.write("", () => response.socket?.destroy()))
  })
)

it.scopedLive("A response that is cut off during a large upload fails before its deadlines.", () =>
  Effect.gen(function* () {
    const client = yield* inProcessClient(cutOff)
    const apiKey = Redacted.make("a.key")
    const options = { apiKey, baseUrl: "http://127.0.0.1", allowInsecureHttp: true, retries: 0 }
    const stt = yield* SpeechToText.make(options).pipe(
      Effect.provideService(HttpClient.HttpClient, client),
      Effect.provide(NodeFileSystem.layer)
    )
    const audio = AudioSource.fromBytes(new Uint8Array(20_000_000))
    const failed = Effect.flip(stt.transcribe({ audio, model: "en-general-v2-8khz" }))
    expect((yield* Effect.timeout(failed, 5000))._tag).toBe("SttConnectionFailed")
  })
)

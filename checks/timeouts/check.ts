/**
 * A server that responds after 310 seconds: longer than the 300 seconds of `fetch` and of Node's own server.
 * `pnpm verify timeouts`. The recommended layer and two others must wait. The outcome of fetch is only printed.
 */
import { createServer } from "node:http"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { httpClients } from "effect-speech-test-support/httpClients"
import { loopback } from "effect-speech-test-support/loopback"

const waitSeconds = 310

const transcript = JSON.stringify({ status: "success", text: "at last", call_id: "1" })
const slowServer = createServer({ requestTimeout: 0 }, (request, response) => {
  request.resume().on("end", () => setTimeout(() => response.end(transcript), 1000 * waitSeconds))
})

const program = Effect.gen(function* () {
  const { url } = yield* loopback(slowServer)
  const options = { apiKey: Redacted.make("prefix.secret"), baseUrl: url, retries: 0 }
  const audio = AudioSource.fromBytes(new Uint8Array(1000))

  const outcomes = yield* Effect.forEach(
    Object.entries(httpClients),
    ([name, layer]) =>
      Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model: "hi-general-v2-8khz" })).pipe(
        Effect.tap(({ call }) => Console.log(`${name}: response after ${(call.elapsedMillis / 1000).toFixed(1)} s`)),
        Effect.as(true),
        Effect.catchAll(({ message }) => Effect.as(Console.log(`${name}: ${message}`), name === "fetch")),
        Effect.provide(SpeechToText.layer(options).pipe(Layer.provide(layer)))
      ),
    { concurrency: "unbounded" }
  )
  if (outcomes.includes(false)) return yield* Effect.fail("A layer that must wait did not.")
})

program.pipe(Effect.scoped, NodeRuntime.runMain)

/**
 * A service that begins to answer after 310 seconds, which is longer than the 300 of `fetch` and of Node's own server:
 * `pnpm verify timeouts`. The recommended layer and two others transcribe; what fetch does is told.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const waitSeconds = 310

const answer = JSON.stringify({ status: "success", text: "at last", call_id: "1" })
const server = Effect.acquireRelease(
  Effect.async<{ url: string; close: () => void }>((resume) => {
    const patient = createServer({ requestTimeout: 0 }, (request, response) => {
      request.resume().on("end", () => setTimeout(() => response.end(answer), 1000 * waitSeconds))
    })
    patient.listen(0, "127.0.0.1", () => {
      const { port } = patient.address() as AddressInfo
      const close = () => {
        patient.close()
        patient.closeAllConnections()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const layers = {
  "NodeTransport.layer": { layer: NodeTransport.layer, mustAnswer: true },
  "NodeHttpClient.layerUndici": {
    layer: Layer.merge(NodeHttpClient.layerUndici, NodeFileSystem.layer),
    mustAnswer: true
  },
  "NodeHttpClient.layer": { layer: Layer.merge(NodeHttpClient.layer, NodeFileSystem.layer), mustAnswer: true },
  "FetchHttpClient.layer": { layer: Layer.merge(FetchHttpClient.layer, NodeFileSystem.layer), mustAnswer: false }
}

const tell = (name: string, outcome: Either.Either<{ readonly call: { readonly elapsedMillis: number } }, Error>) =>
  Console.log(
    Either.match(outcome, {
      onLeft: (error) => `${name}: ${error.message}`,
      onRight: ({ call }) => `${name}: answered after ${(call.elapsedMillis / 1000).toFixed(1)} s`
    })
  )

const program = Effect.gen(function* () {
  const { url } = yield* server
  const options = { apiKey: Redacted.make("prefix.secret"), baseUrl: url, retries: 0 }
  const audio = AudioSource.fromBytes(new Uint8Array(1000))

  const outcomes = yield* Effect.forEach(
    Object.entries(layers),
    ([name, { layer, mustAnswer }]) =>
      Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model: "hi-general-v2-8khz" })).pipe(
        Effect.either,
        Effect.tap((outcome) => tell(name, outcome)),
        Effect.map((outcome) => !mustAnswer || Either.isRight(outcome)),
        Effect.provide(SpeechToText.layer(options).pipe(Layer.provide(layer)))
      ),
    { concurrency: "unbounded" }
  )
  if (outcomes.includes(false)) return yield* Effect.fail("A layer that should wait did not.")
})

program.pipe(Effect.scoped, NodeRuntime.runMain)

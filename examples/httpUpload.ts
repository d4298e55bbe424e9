/**
 * Recordings from browsers: `fetch("/transcribe", { method: "POST", body: file })` sends one. The server forwards it to
 * the service as it arrives, in constant memory, and the key stays on the server. A visitor who leaves ends the call.
 * Each recording costs credit, so add your own authentication.
 *
 * `pnpm example examples/httpUpload.ts`, with the variables that `pnpm speech serve` prints, then
 * `curl --data-binary @call.wav http://127.0.0.1:3000/transcribe`. `PORT` sets another port.
 */
import { createServer } from "node:http"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AudioSource, SpeechToText, type SttError } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { Config, Effect, Layer } from "effect"

/** An hour of 16-bit audio at 8 kHz is 58 MB. */
const largest = 100_000_000

/** Sends the visitor the errors that a visitor can fix. A 401 of the service is not passed on: it concerns our key. */
const refuse = (error: SttError) => {
  const { category, message, retryable } = error
  if (category === "request" || category === "recording") return HttpServerResponse.text(message, { status: 400 })
  const status = category === "service" && retryable ? 503 : { account: 500, service: 502, connection: 504 }[category]
  return Effect.as(Effect.logError(error), HttpServerResponse.text("There is no transcript now.", { status }))
}

const transcribe = Effect.gen(function* () {
  const { headers, stream } = yield* HttpServerRequest.HttpServerRequest
  const byteLength = Number(headers["content-length"])
  // With the length, the client detects an incomplete upload. Browsers always send the length of a file.
  if (!Number.isInteger(byteLength)) return HttpServerResponse.empty({ status: 411 })
  if (byteLength > largest) return HttpServerResponse.empty({ status: 413 })
  const stt = yield* SpeechToText
  // It can be read only once, so the client does not retry the call. The visitor can send it again.
  const audio = AudioSource.fromOneShotStream(stream, { byteLength })
  const { text } = yield* stt.transcribe({ audio, model: "en-general-v2-8khz" })
  return yield* HttpServerResponse.json({ text })
}).pipe(Effect.catchTag("HttpBodyError", Effect.die), Effect.catchAll(refuse))

const address = Config.all({
  host: Config.succeed("127.0.0.1"),
  port: Config.integer("PORT").pipe(Config.withDefault(3000))
})

const Server = HttpRouter.empty.pipe(
  HttpRouter.post("/transcribe", transcribe),
  HttpServer.serve(),
  HttpServer.withLogAddress,
  Layer.provide(NodeHttpServer.layerConfig(() => createServer(), address)),
  Layer.provide(Layer.provide(SpeechToText.layerFromEnv, NodeTransport.layer))
)

NodeRuntime.runMain(Layer.launch(Server))

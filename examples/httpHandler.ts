/**
 * Speech for browsers: `<audio src="/say?text=Hello&lang=en">` plays while it arrives, and the key stays on the server.
 * A visitor who leaves ends the synthesis. Each request costs credit, also for a repeated text, and a browser may send
 * a request twice: add your own authentication, and a cache if texts recur.
 *
 * `pnpm example examples/httpHandler.ts`, with the variables that `pnpm speech serve` prints, then open
 * http://127.0.0.1:3000/say?text=Hello&lang=en. `PORT` sets another port.
 */
import { createServer } from "node:http"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Wav } from "@effect-speech/audio-codec"
import * as NodeTransport from "@effect-speech/transport/node"
import { TextToSpeech, type TtsError } from "@effect-speech/tts"
import { Config, Effect, Layer, Match, Schema, Stream } from "effect"

/** A 401 of the service concerns our key. Passed on, it would ask the visitor for a password. */
const statusOf = Match.type<TtsError>().pipe(
  Match.tag("TtsInvalidRequest", "TtsBadRequest", () => 400),
  Match.tag("TtsUnauthorized", "TtsInvalidApiKey", () => 500),
  Match.tag("TtsDeadlineExceeded", () => 504),
  Match.tag("TtsServerError", "TtsBackendFailed", "TtsConnectionFailed", () => 502),
  Match.tag("TtsInvalidResponse", "TtsCorruptAudio", () => 502),
  Match.tag("TtsUnexpectedStatus", ({ retryable }) => (retryable ? 503 : 502)),
  Match.exhaustive
)

/** Sends the visitor the errors that a visitor can fix, and logs the others. */
const refuse = (error: TtsError) => {
  const status = statusOf(error)
  if (status === 400) return HttpServerResponse.text(error.message, { status })
  return Effect.as(Effect.logError(error), HttpServerResponse.text("There is no speech now.", { status }))
}

const Query = Schema.Struct({ text: Schema.NonEmptyString, lang: Schema.optional(Schema.String) })

const say = Effect.gen(function* () {
  const query = yield* HttpServerRequest.schemaSearchParams(Query)
  const tts = yield* TextToSpeech
  const speech = yield* tts.stream({ ...query, outputFormat: "24000:pcm16" })
  // After the 200 is sent, a failure closes the connection, so that the browser detects incomplete audio.
  const file = Stream.tapError(Wav.encodeStream(speech), (error) => Effect.logError(error))
  return HttpServerResponse.stream(file, { contentType: "audio/wav" })
}).pipe(
  Effect.catchTag("ParseError", () => HttpServerResponse.text("Ask for /say?text=…&lang=…", { status: 400 })),
  Effect.catchAll(refuse)
)

// The scope of the request ends the call. It closes when the visitor has received the whole response, or has left.
// Do not add HttpMiddleware.logger: it would write every text into the log.
const Server = HttpRouter.empty.pipe(
  HttpRouter.get("/say", say),
  // Without this route, HEAD would use the route of GET, and the synthesis would be billed without use.
  HttpRouter.head("/say", HttpServerResponse.empty({ status: 405, headers: { allow: "GET" } })),
  HttpServer.serve(),
  HttpServer.withLogAddress,
  Layer.provide(
    NodeHttpServer.layerConfig(() => createServer(), {
      host: Config.succeed("127.0.0.1"),
      port: Config.integer("PORT").pipe(Config.withDefault(3000))
    })
  )
)

Server.pipe(
  Layer.provide(TextToSpeech.layerFromEnv),
  Layer.provide(NodeTransport.layer),
  Layer.launch,
  NodeRuntime.runMain
)

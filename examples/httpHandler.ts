/**
 * Speech for browsers: `<audio src="/say?text=Hello&lang=en">` plays while it arrives, and the key stays on the server.
 * Who leaves ends the synthesis. Each request costs, also for a text that was said before, and a browser may ask more than
 * once: put your own sign-in before it, and a cache where texts recur.
 *
 * `pnpm example examples/httpHandler.ts`, with the variables that `pnpm speech serve` prints, then open
 * http://127.0.0.1:3000/say?text=Hello&lang=en; `PORT` is another port.
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

/** A 401 of the service is ours: passed on, it would have the visitor look for a password. */
const statusOf = Match.type<TtsError>().pipe(
  Match.tag("TtsInvalidRequest", "TtsBadRequest", () => 400),
  Match.tag("TtsUnauthorized", "TtsInvalidApiKey", () => 500),
  Match.tag("TtsDeadlineExceeded", () => 504),
  Match.tag("TtsServerError", "TtsBackendFailed", "TtsConnectionFailed", () => 502),
  Match.tag("TtsInvalidResponse", "TtsCorruptAudio", () => 502),
  Match.tag("TtsUnexpectedStatus", ({ retryable }) => (retryable ? 503 : 502)),
  Match.exhaustive
)

/** A visitor is told what a visitor can mend, and the rest goes into our log. */
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
  // What fails from here on has its 200 already: the connection is cut, and the browser knows that it is not all.
  const file = Stream.tapError(Wav.encodeStream(speech), (error) => Effect.logError(error))
  return HttpServerResponse.stream(file, { contentType: "audio/wav" })
}).pipe(
  Effect.catchTag("ParseError", () => HttpServerResponse.text("Ask for /say?text=…&lang=…", { status: 400 })),
  Effect.catchAll(refuse)
)

// The scope of the request, which ends the answer of the service, closes when the visitor has all of it or has left.
// HttpMiddleware.logger is left out: it would write every text into the log.
const Server = HttpRouter.empty.pipe(
  HttpRouter.get("/say", say),
  // Without a route of its own a HEAD takes that of GET, and the text is spoken and paid for, for nothing.
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

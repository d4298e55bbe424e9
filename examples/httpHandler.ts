/**
 * Speech for browsers: `<audio src="/say?text=Hello&lang=en">` plays it and can seek in it, and the key stays on the server.
 * A player asks for parts of a file, and each synthesis costs credit, so the last 100 files are kept for ten minutes. A visitor
 * who leaves ends the synthesis. Add your own authentication: everyone who can ask for a text spends your credit.
 *
 * To send speech while it arrives, without parts: see docs/guides/synthesize.md.
 *
 * `pnpm example examples/httpHandler.ts`, with the variables that `pnpm speech serve` prints, then open
 * http://127.0.0.1:3000/say?text=Hello&lang=en. `PORT` sets another port.
 */
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Wav } from "@effect-speech/audio-codec"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech, type TtsError } from "@effect-speech/tts"
import { Config, Effect, Exit, Layer, Schema, ScopedCache } from "effect"

/** A 401 of the service concerns our key. Passed on, it would ask the visitor for a password. */
const statuses = { request: 400, recording: 400, account: 500, service: 502, connection: 504 } as const

const statusOf = ({ category, retryable }: TtsError) => (category === "service" && retryable ? 503 : statuses[category])

/** Sends the visitor the errors that a visitor can fix, and logs the others. */
const refuse = (error: TtsError) => {
  const status = statusOf(error)
  if (status === 400) return HttpServerResponse.text(error.message, { status })
  return Effect.as(Effect.logError(error), HttpServerResponse.text("There is no speech now.", { status }))
}

const Query = Schema.Data(Schema.Struct({ text: Schema.NonEmptyString, lang: Schema.optional(Schema.String) }))

interface SpokenFile {
  readonly path: string
  readonly size: number
  /** New for each file: speech of the same text may differ the next time, and parts of two files make no whole. */
  readonly etag: string
}

/** Speaks a text into a file of the folder, which is removed with the scope. */
const speakInto = (folder: string) => (query: typeof Query.Type) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const tts = yield* TextToSpeech
    const id = randomUUID()
    const path = `${folder}/${id}.wav`
    yield* tts.stream({ ...query, outputFormat: "24000:pcm16" }).pipe(
      Effect.flatMap((speech) => Wav.writeFile(speech, path)),
      Effect.scoped,
      Effect.catchTag("WavError", "BadArgument", "SystemError", Effect.die)
    )
    yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(path)))
    const { size } = yield* Effect.orDie(fs.stat(path))
    return { path, size: Number(size), etag: `"${id}"` } satisfies SpokenFile
  })

/**
 * The bytes that a request asks for (RFC 9110, section 14), from `start` to before `end`. `undefined` for the whole file: there
 * is no range, or several, or the file is no longer the one whose beginning the player has.
 */
const requestedPart = ({ headers, method }: HttpServerRequest.HttpServerRequest, { etag, size }: SpokenFile) => {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(headers.range ?? "") ?? []
  if (method !== "GET" || (headers["if-range"] ?? etag) !== etag || first === undefined || last === undefined) return
  if (first === "") return last === "" ? undefined : { start: Math.max(0, size - Number(last)), end: size }
  if (last !== "" && Number(last) < Number(first)) return
  return { start: Number(first), end: last === "" ? size : Math.min(Number(last) + 1, size) }
}

const send = (file: SpokenFile) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const headers = { "accept-ranges": "bytes", etag: file.etag }
    const part = requestedPart(yield* HttpServerRequest.HttpServerRequest, file)
    const { end, start } = part ?? { start: 0, end: file.size }
    if (start >= end) {
      return HttpServerResponse.empty({ status: 416, headers: { ...headers, "content-range": `bytes */${file.size}` } })
    }
    return HttpServerResponse.stream(fs.stream(file.path, { offset: start, bytesToRead: end - start }), {
      status: part === undefined ? 200 : 206,
      headers: part === undefined ? headers : { ...headers, "content-range": `bytes ${start}-${end - 1}/${file.size}` },
      contentType: "audio/wav",
      contentLength: end - start
    })
  })

const Server = Layer.unwrapScoped(
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const files = yield* ScopedCache.makeWith({
      lookup: speakInto(yield* fs.makeTempDirectoryScoped()),
      capacity: 100,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? "10 minutes" : 0)
    })
    const say = HttpServerRequest.schemaSearchParams(Query).pipe(
      // The scope of the request keeps the file. It closes when the visitor has received the whole response, or has left.
      Effect.flatMap((query) => files.get(query)),
      Effect.flatMap(send),
      Effect.catchTag("ParseError", () => HttpServerResponse.text("Ask for /say?text=…&lang=…", { status: 400 })),
      Effect.catchAll(refuse)
    )
    // Do not add HttpMiddleware.logger: it would write every text into the log. HEAD uses the route of GET.
    return HttpRouter.empty.pipe(HttpRouter.get("/say", say), HttpServer.serve(), HttpServer.withLogAddress)
  })
).pipe(
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

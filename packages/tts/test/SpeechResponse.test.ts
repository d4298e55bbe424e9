import { createServer } from "node:http"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { describe, expect, it } from "@effect/vitest"
import * as SpeechResponse from "@effect-speech/tts/SpeechResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type * as Scope from "effect/Scope"
import { untilZero } from "effect-speech-test-support/faultyServer"
import { audio, connect, type Respond, request, sendAudio, sendChunk } from "./scriptedTts.js"

const half = audio.pcm16.subarray(0, 2000)

type App = HttpApp.Default<never, HttpServerRequest.HttpServerRequest | Scope.Scope>

/** Serves an app until the scope closes. Returns its address. */
const listening = (app: Layer.Layer<never, never, HttpServer.HttpServer>) =>
  Effect.gen(function* () {
    const node = createServer()
    const server = NodeHttpServer.layer(() => node, { port: 0, host: "127.0.0.1" })
    yield* Layer.build(Layer.provide(app, Layer.orDie(server)))
    const address = node.address()
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  })

const ways = {
  "over the HTTP server of Node": (app: App, logs: Layer.Layer<never>) =>
    Effect.map(listening(Layer.provide(HttpServer.serve(app), logs)), (url) => () => fetch(url)),
  "of a web handler": (app: App, logs: Layer.Layer<never>) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => HttpApp.toWebHandlerLayer(app, logs)),
        ({ dispose }) => Effect.promise(dispose)
      ),
      ({ handler }) =>
        () =>
          handler(new Request("http://host.example/"))
    )
}

/** The bytes of a response, or "incomplete". */
const bytesOf = (response: Response) =>
  response.arrayBuffer().then(
    ({ byteLength }) => byteLength,
    () => "incomplete"
  )

describe.each(Object.entries(ways))("speech %s", (_, open) => {
  /** Speech by a service that responds so, a function that requests it, and what its handler logs. */
  const speaking = (respond: Respond) =>
    Effect.gen(function* () {
      const { server, tts } = yield* connect(respond)
      const logged: Array<unknown> = []
      const logger = Logger.make(({ logLevel, message }) => {
        if (logLevel.ordinal >= LogLevel.Warning.ordinal) logged.push(message)
      })
      const app = Effect.flatMap(Effect.orDie(tts.stream(request)), SpeechResponse.wav)
      return { logged, server, ask: yield* open(app, Logger.replace(Logger.defaultLogger, logger)) }
    })

  it.scopedLive.each([
    { what: "with its length", respond: sendAudio(), length: "4044" },
    { what: "in chunks", respond: sendChunk(audio.pcm16, "end"), length: null }
  ])("is a whole WAV file, $what", ({ length, respond }) =>
    Effect.gen(function* () {
      const { ask, logged } = yield* speaking(respond)
      const response = yield* Effect.promise(ask)
      expect(response.headers.get("content-type")).toBe("audio/wav")
      expect(response.headers.get("content-length")).toBe(length)
      expect(yield* Effect.promise(() => bytesOf(response))).toBe(4044)
      expect(logged).toEqual([])
    })
  )

  const lost = "TtsConnectionFailed"
  it.scopedLive.each([
    { what: "in chunks", respond: sendChunk(half, "destroy"), tag: lost },
    { what: "with a length", respond: sendChunk(half, "destroy", { "content-length": "4000" }), tag: lost },
    { what: "in chunks that end too early", respond: sendChunk(half, "end"), tag: "TtsCorruptAudio" }
  ])("is an incomplete response if it is cut $what, with one line in the log", ({ respond, tag }) =>
    Effect.gen(function* () {
      const { ask, logged } = yield* speaking(respond)
      // If the speech fails at once, there may be no response at all.
      const received = ask().then(bytesOf, () => "incomplete")
      expect(yield* Effect.promise(() => received)).toBe("incomplete")
      expect(logged).toMatchObject([["The audio of a response broke off", { _tag: tag }]])
    })
  )

  it.scopedLive("ends the call if its reader leaves, and logs nothing", () =>
    Effect.gen(function* () {
      const { ask, logged, server } = yield* speaking(sendChunk(half))
      yield* Effect.promise(async () => {
        const reader = (await ask()).body?.getReader()
        await reader?.read()
        await reader?.cancel()
      })
      expect(yield* untilZero(server.connections)).toBe(0)
      expect(logged).toEqual([])
    })
  )
})

it.scopedLive("speech is not synthesized for HEAD", () =>
  Effect.gen(function* () {
    const { server, tts } = yield* connect(sendAudio())
    const say = Effect.orDie(SpeechResponse.wav(tts.stream(request)))
    const url = yield* listening(HttpRouter.empty.pipe(HttpRouter.get("/say", say), HttpServer.serve()))
    const ask = (method: string) => Effect.promise(() => fetch(`${url}/say`, { method }))
    const head = yield* ask("HEAD")
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "audio/wav"])
    expect(server.received.length).toBe(0)
    expect(yield* Effect.promise(async () => bytesOf(await Effect.runPromise(ask("GET"))))).toBe(4044)
    expect(server.received.length).toBe(1)
  })
)

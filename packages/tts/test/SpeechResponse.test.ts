import { createServer } from "node:http"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { describe, expect, it } from "@effect/vitest"
import type { SpeechStream, TtsError } from "@effect-speech/tts"
import * as SpeechResponse from "@effect-speech/tts/SpeechResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { untilZero } from "effect-speech-test-support/faultyServer"
import { audio, connect, headers, type Respond, request, sendAudio, sendChunk } from "./scriptedTts.js"

const half = audio.pcm16.subarray(0, 2000)

/** What the handlers log. */
const recording = () => {
  const logged: Array<unknown> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel.ordinal >= LogLevel.Warning.ordinal) logged.push(message)
  })
  return { logged, layer: Logger.replace(Logger.defaultLogger, logger) }
}

/** A server whose handler speaks by a service that responds so. `how` makes the response. */
type How = (speech: SpeechStream) => ReturnType<typeof SpeechResponse.wav<TtsError>>
const speaking = (respond: Respond, how: How = SpeechResponse.wav) =>
  Effect.gen(function* () {
    const { server, tts } = yield* connect(respond)
    const { layer, logged } = recording()
    const app = Effect.flatMap(Effect.orDie(tts.stream(request)), how)
    return { app, layer, logged, server }
  })

/** Serves an app until the scope closes. Returns its address. */
const listening = (app: Layer.Layer<never, never, HttpServer.HttpServer>) =>
  Effect.gen(function* () {
    const node = createServer()
    yield* Layer.build(
      Layer.provide(
        app,
        NodeHttpServer.layer(() => node, { port: 0, host: "127.0.0.1" })
      )
    )
    const address = node.address()
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  })

const serving = (respond: Respond, how?: How) =>
  Effect.gen(function* () {
    const { app, layer, logged, server } = yield* speaking(respond, how)
    return { logged, server, url: yield* listening(Layer.provide(HttpServer.serve(app), layer)) }
  })

/** The bytes of a response, or "incomplete". */
const bytesOf = (response: Response) =>
  response.arrayBuffer().then(
    ({ byteLength }) => byteLength,
    () => "incomplete"
  )

const cut: Array<{ what: string; respond: Respond; tag: string }> = [
  { what: "in chunks", respond: sendChunk(half, "destroy"), tag: "TtsConnectionFailed" },
  {
    what: "with a length",
    respond: sendChunk(half, "destroy", { "content-length": "4000" }),
    tag: "TtsConnectionFailed"
  },
  { what: "in chunks that end too early", respond: sendChunk(half, "end"), tag: "TtsCorruptAudio" }
]

describe("speech over the HTTP server of Node", () => {
  it.scopedLive.each([
    { what: "with its length", respond: sendAudio(), length: "4044" },
    { what: "in chunks", respond: sendChunk(audio.pcm16, "end"), length: null }
  ])("is a whole WAV file, $what", ({ length, respond }) =>
    Effect.gen(function* () {
      const { logged, url } = yield* serving(respond)
      const response = yield* Effect.promise(() => fetch(url))
      expect(response.headers.get("content-type")).toBe("audio/wav")
      expect(response.headers.get("content-length")).toBe(length)
      expect(yield* Effect.promise(() => bytesOf(response))).toBe(4044)
      expect(logged).toEqual([])
    })
  )

  it.scopedLive.each(cut)("is an incomplete response if it is cut $what, with one line in the log", (each) =>
    Effect.gen(function* () {
      const { logged, url } = yield* serving(each.respond)
      // If the speech fails at once, there may be no response at all.
      const received = fetch(url).then(bytesOf, () => "incomplete")
      expect(yield* Effect.promise(() => received)).toBe("incomplete")
      expect(logged).toMatchObject([["The audio of a response broke off", { _tag: each.tag }]])
    })
  )

  it.scopedLive("is not synthesized for HEAD", () =>
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

  it.scopedLive("ends the call if the client leaves, and logs nothing", () =>
    Effect.gen(function* () {
      const { logged, server, url } = yield* serving(sendChunk(half))
      yield* Effect.promise(async () => {
        const controller = new AbortController()
        const response = await fetch(url, { signal: controller.signal })
        await response.body?.getReader().read()
        controller.abort()
      })
      expect(yield* untilZero(server.connections)).toBe(0)
      expect(logged).toEqual([])
    })
  )
})

describe("speech of a web handler", () => {
  const handled = (respond: Respond) =>
    Effect.gen(function* () {
      const { app, layer, logged, server } = yield* speaking(respond)
      const { dispose, handler } = HttpApp.toWebHandlerLayer(app, layer)
      yield* Effect.addFinalizer(() => Effect.promise(dispose))
      return { logged, server, response: yield* Effect.promise(() => handler(new Request("http://host.example/"))) }
    })

  it.scopedLive("is a whole WAV file", () =>
    Effect.gen(function* () {
      const { logged, response } = yield* handled(sendAudio())
      expect(response.headers.get("content-length")).toBe("4044")
      expect(yield* Effect.promise(() => bytesOf(response))).toBe(4044)
      expect(logged).toEqual([])
    })
  )

  it.scopedLive.each(cut)("fails if it is cut $what, with one line in the log", ({ respond, tag }) =>
    Effect.gen(function* () {
      const { logged, response } = yield* handled(respond)
      expect(yield* Effect.promise(() => bytesOf(response))).toBe("incomplete")
      expect(logged).toMatchObject([["The audio of a response broke off", { _tag: tag }]])
    })
  )

  it.scopedLive("ends the call if its reader leaves", () =>
    Effect.gen(function* () {
      const { logged, response, server } = yield* handled(sendChunk(half, "open", headers))
      yield* Effect.promise(async () => {
        const reader = response.body?.getReader()
        await reader?.read()
        await reader?.cancel()
      })
      expect(yield* untilZero(server.connections)).toBe(0)
      expect(logged).toEqual([])
    })
  )
})

/** Looks for the key in everything that a program can print of a call, while the service quotes the key in every response. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { readFileSync } from "node:fs"
import { inspect } from "node:util"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, it } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { TextToSpeech } from "@effect-speech/tts"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import { httpClients } from "effect-speech-test-support/httpClients"
import { scriptedServer } from "effect-speech-test-support/scriptedServer"
import { type EndedSpan, recordingTracer } from "effect-speech-test-support/telemetry"

const secret = "topsecret-7f3c0f3e"
const key = `prefix.${secret}`

const describeSpan = ({ exit, ...span }: EndedSpan) => [
  span,
  inspect(exit, { depth: 12, showHidden: true }),
  Exit.isFailure(exit) ? Cause.pretty(exit.cause, { renderErrorCause: true }) : ""
]

/** Records everything that is logged, traced and printed, as text. */
const makeRecorder = () => {
  const seen: Array<string> = []
  const note = (...things: ReadonlyArray<unknown>) => {
    for (const thing of things) {
      seen.push(typeof thing === "string" ? thing : inspect(thing, { depth: 12, showHidden: true, getters: true }))
      seen.push(JSON.stringify(thing, (_, value) => (typeof value === "bigint" ? String(value) : value)) ?? "")
    }
  }
  const keep = <A>(logger: Logger.Logger<unknown, A>) => Logger.map(logger, (line) => note(line))
  // The pretty logger uses different methods of the console.
  const unsafe = new Proxy(console, { get: () => note })
  const printed = { [Console.TypeId]: Console.TypeId, unsafe } as unknown as Console.Console
  const loggers = [Logger.stringLogger, Logger.logfmtLogger, Logger.jsonLogger, Logger.structuredLogger]
  const logging = Layer.mergeAll(
    Logger.remove(Logger.defaultLogger),
    ...loggers.map((logger) => Logger.add(keep<unknown>(logger))),
    Logger.add(Logger.prettyLogger({ colors: false, stderr: true, mode: "tty" })),
    Console.setConsole(printed),
    Logger.minimumLogLevel(LogLevel.All)
  )
  const { spans, tracer } = recordingTracer()
  return { seen, spans, note, around: Layer.merge(logging, Layer.setTracer(tracer)) }
}

type Answer = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>]

const words = { status: "error", error: `${key} is not valid`, message: `see ${secret}`, call_id: key }
const escapedKey = [...key].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("")
/** The status 0 closes the connection. */
const answers: ReadonlyArray<Answer> = [
  ...[200, 302, 400, 401, 402, 403, 418, 429, 500, 502, 503].map(
    (status): Answer => [status, words, { "x-request-id": key, "x-echo": key, "retry-after": key }]
  ),
  [401, `{"error":"${escapedKey}"}`],
  [500, `<html>${key}</html>`],
  [200, { status: "success", text: key, call_id: key, aux_info: { note: key } }],
  [200, { status: key, text: 1 }],
  [200, "\0".repeat(16), { "x-sample-rate": "8000", "x-encoding": "pcm16", "x-request-id": key }],
  [200, "", { "x-sample-rate": key, "x-encoding": key, "content-type": `application/json; ${key}` }],
  [0, ""]
]

it.live.each(Object.entries(httpClients))("the key appears nowhere over the layer %s", ([, httpClient]) =>
  Effect.gen(function* () {
    const { around, note, seen, spans } = makeRecorder()
    let answered = 0
    const server = yield* scriptedServer((response) => {
      const [status, body, headers] = answers[Math.floor(answered++ / 2) % answers.length] ?? [0, ""]
      if (status === 0) return response.destroy()
      response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body))
    })
    const apiKey = Effect.succeed(Redacted.make(key))
    const options = { apiKey, baseUrl: server.url, retries: 0, deadlines: { total: "5 seconds" } } as const
    const onEvent = (event: unknown) => Effect.sync(() => note(event))
    const audio = AudioSource.fromBytes(new Uint8Array(100))

    yield* Effect.gen(function* () {
      const stt = yield* SpeechToText
      const tts = yield* TextToSpeech
      const calls = [
        stt.transcribe({ audio, model: "m", aux: true }, { onEvent }),
        tts.synthesize({ text: "hello" }, { onEvent })
      ]
      for (const _ of answers) {
        for (const call of calls) {
          const exit = yield* Effect.exit(Effect.tapErrorCause(call as Effect.Effect<unknown, Error>, Effect.logError))
          note(exit)
          if (Exit.isFailure(exit)) {
            const error = Cause.squash(exit.cause) as Error
            note(error, String(error), error.message, String(error.stack))
            note(Cause.pretty(exit.cause, { renderErrorCause: true }))
            yield* Effect.logError("failed", error)
          }
        }
      }
    }).pipe(
      Effect.provide(Layer.merge(SpeechToText.layer(options), TextToSpeech.layer(options))),
      Effect.provide(httpClient),
      Effect.provide(around)
    )
    note(yield* Metric.snapshot, ...spans.flatMap(describeSpan))

    expect(answered).toBe(2 * answers.length)
    expect(spans.length).toBeGreaterThan(answers.length)
    expect(seen.length).toBeGreaterThan(answers.length)
    const quoted = seen.filter((text) => text.includes(secret))
    expect(quoted.map((text) => text.slice(0, 500))).toEqual([])
  }).pipe(Effect.scoped)
)

it.live("neither a malformed key nor the error of a secret manager appears anywhere", () =>
  Effect.gen(function* () {
    const { around, note, seen } = makeRecorder()
    const malformed = [` ${key}`, `${key}\n`, secret, `.${secret}`, `${key}é`].map((text) => Redacted.make(text))
    const failing = [
      Effect.fail(new Error(`vault: ${key}`)),
      Effect.fail({ _tag: "VaultError", key }),
      Effect.fail(key),
      Effect.succeed(Redacted.make(`${secret} `))
    ]
    for (const apiKey of [...malformed, ...failing]) {
      const options = { apiKey, baseUrl: "https://host.example" }
      for (const layer of [SpeechToText.layer(options), TextToSpeech.layer(options)]) {
        const exit = yield* Layer.build(layer as Layer.Layer<unknown, unknown, never>).pipe(
          Effect.tapErrorCause(Effect.logError),
          Effect.exit,
          Effect.scoped,
          Effect.provide(Layer.merge(around, NodeTransport.layer))
        )
        expect(Exit.isFailure(exit)).toBe(true)
        note(exit, String(exit))
      }
    }
    expect(seen.filter((text) => text.includes(secret))).toEqual([])
  })
)

const channels = {
  "undici:request:create": ["recommended", "undici", "fetch"],
  "undici:client:sendHeaders": ["recommended", "undici", "fetch"],
  "http.client.request.start": ["node"]
} as const

it.scopedLive.each(
  Object.entries(channels).flatMap(([channel, layers]) => layers.map((layer) => [layer, channel] as const))
)("over the layer %s, a subscriber of the channel %s sees the key, as the guide to security says", ([layer, channel]) =>
  Effect.gen(function* () {
    const published: Array<string> = []
    const subscriber = (message: unknown) => void published.push(inspect(message, { depth: 6, showHidden: true }))
    yield* Effect.acquireRelease(
      Effect.sync(() => subscribe(channel, subscriber)),
      () => Effect.sync(() => unsubscribe(channel, subscriber))
    )
    const server = yield* scriptedServer((response) => response.writeHead(418).end())
    yield* Effect.flatMap(TextToSpeech, (tts) => Effect.flip(tts.synthesize({ text: "hello" }))).pipe(
      Effect.provide(TextToSpeech.layer({ apiKey: Redacted.make(key), baseUrl: server.url })),
      Effect.provide(httpClients[layer])
    )
    expect(published.some((message) => message.includes(key))).toBe(true)
    expect(readFileSync(new URL("../docs/guides/security.md", import.meta.url), "utf8")).toContain(`\`${channel}\``)
  })
)

it.scopedLive("the journal of a service that records has neither key, however they are quoted", () =>
  Effect.gen(function* () {
    let at = 0
    const forms = [key, encodeURIComponent(key), Buffer.from(key).toString("base64"), escapedKey, key.toUpperCase()]
    const real = yield* scriptedServer((response) => {
      const form = forms[at++ % forms.length]
      response.writeHead(503, { "content-type": "application/json", "x-echo": form })
      response.end(`{"error":"refused ${form}","message":"${form}"}`)
    })
    const folder = yield* Effect.orDie(
      Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())
    ).pipe(Effect.provide(NodeFileSystem.layer))
    const record = { folder, apiKey: Redacted.make(key), sttBaseUrl: real.url, ttsBaseUrl: real.url }
    const service = yield* Effect.map(Layer.build(LocalService.layer({ record })), Context.get(LocalService))
    const own = Redacted.value(service.apiKey)
    const ownSecret = own.slice(own.indexOf(".") + 1)
    const headers = { "X-API-Key": own, "Content-Type": "application/json", "X-Note": own }
    const details: Array<string> = []
    for (const [index] of forms.entries()) {
      const body = JSON.stringify({ text: `${own} ${index}` })
      yield* Effect.promise(() => fetch(`${service.ttsBaseUrl}/tts/bytes`, { method: "POST", headers, body }))
      const url = `${service.platformUrl}/platform/api/requests`
      const read = async (path: string) =>
        await (
          await fetch(`${url}${path}`, { headers: { "X-Admin-Token": Redacted.value(service.adminToken) } })
        ).text()
      details.push(...(yield* Effect.promise(() => Promise.all([read(""), read(`/${index + 1}`)]))))
    }
    expect(details.length).toBe(10)
    for (const text of details) {
      expect(text).toContain("<redacted>")
      for (const form of [...forms, secret, ownSecret]) expect(text).not.toContain(form)
    }
  })
)

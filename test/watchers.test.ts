/** Who watches a call changes nothing: no handler of events, logger or tracer alters what is sent, retried, billed or told. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import type { CallEvent } from "@effect-speech/transport/CallEvent"
import type { Deadlines } from "@effect-speech/transport/Deadlines"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import {
  faultyServer,
  hangUp,
  head,
  onRequest,
  respond,
  type Script,
  silent,
  write
} from "effect-speech-test-support/faultyServer"
import { type HttpClientName, httpClients } from "effect-speech-test-support/httpClients"
import { recordingTracer } from "effect-speech-test-support/telemetry"

const layers = Object.keys(httpClients) as ReadonlyArray<HttpClientName>
const transcript = JSON.stringify({ text: "hello", call_id: "call-1", status: "success" })
const answers = respond(200, { "content-type": "application/json" }, transcript)
const quick = { firstDelay: "1 millis", longestDelay: "2 millis", times: 2 } as const

const client = (layer: HttpClientName, host: string, deadlines: Deadlines) =>
  SpeechToText.layer({
    apiKey: Redacted.make("prefix.topsecret"),
    baseUrl: `http://${host}`,
    deadlines,
    retries: quick
  }).pipe(Layer.orDie, Layer.provideMerge(httpClients[layer]))

/** Runs each of these scripts for one request, in order, and the last one for all further requests. */
const inTurn = (scripts: ReadonlyArray<Script>) => {
  let requests = 0
  const script = onRequest((socket, elsewhere) => {
    const at = Math.min(requests, scripts.length - 1)
    requests++
    scripts[at]?.(socket, elsewhere)
  })
  return { requests: () => requests, script }
}

const kilobytes = (count: number) => new Uint8Array(count * 1000).fill(7)

/** Each source of a recording: in memory, a file that is read while it is sent, a stream with and without a length. */
const sources = (path: string) => ({
  memory: AudioSource.fromBytes(kilobytes(300)),
  path: AudioSource.fromPath(path),
  stream: AudioSource.fromStream(Stream.make(kilobytes(150), kilobytes(150))),
  "stream of known length": AudioSource.fromStream(Stream.make(kilobytes(150), kilobytes(150)), {
    byteLength: 300_000
  })
})
type SourceName = keyof ReturnType<typeof sources>
const sourceNames: ReadonlyArray<SourceName> = ["memory", "path", "stream", "stream of known length"]

type OnEvent = (event: CallEvent) => Effect.Effect<void>

/** What a caller learns of a call, and how many requests the service got. Times and ports differ from call to call. */
const outcomeOf = (
  layer: HttpClientName,
  source: SourceName,
  scripts: ReadonlyArray<Script>,
  onEvent: OnEvent | undefined,
  deadlines: Deadlines = {}
) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* fs.makeTempFileScoped()
    yield* fs.writeFile(path, kilobytes(300))
    const { requests, script } = inTurn(scripts)
    const server = yield* faultyServer(script)
    const calling = Effect.flatMap(SpeechToText, (stt) =>
      stt.transcribe({ audio: sources(path)[source], model: "hi-general-v2-8khz" }, { onEvent })
    )
    const ended = yield* calling.pipe(
      Effect.mapError(Cause.originalError),
      Effect.merge,
      Effect.provide(client(layer, server.host, deadlines)),
      Effect.timeout("8 seconds")
    )
    const { attempts, billing } = ended.call
    return {
      ended: "_tag" in ended ? ended._tag : ended.text,
      phase: "phase" in ended ? ended.phase : undefined,
      message: "_tag" in ended ? ended.message : undefined,
      attempts: attempts.map(({ sent, status }) => ({ sent, status })),
      billing,
      requests: requests()
    }
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

const quiet = Effect.provide(Logger.remove(Logger.defaultLogger))

describe("a call whose handler of events waits", () => {
  const waits = ({ _tag }: CallEvent) => (_tag === "Uploading" ? Effect.sleep("1 millis") : Effect.void)

  for (const layer of layers) {
    it.live.each(sourceNames)(`is sent once over ${layer} if the connection closes after the request: %s`, (source) =>
      Effect.gen(function* () {
        expect(yield* outcomeOf(layer, source, [hangUp], waits)).toMatchObject({
          ended: "SttConnectionFailed",
          attempts: [{ sent: "all" }],
          billing: "unknown",
          requests: 1
        })
      })
    )
  }

  it.live.each(["1 hour", "never"])("ends at its total deadline if the connection is lost meanwhile: %s", (how) =>
    Effect.gen(function* () {
      const cutLater = onRequest(write(head(200, { "content-length": "1000" }), (socket) => socket.resetAndDestroy()))
      const server = yield* faultyServer(cutLater)
      const onEvent = ({ _tag }: CallEvent) =>
        _tag === "Answered" ? (how === "never" ? Effect.never : Effect.sleep("1 hour")) : Effect.void
      const stt = Effect.flatMap(SpeechToText, (stt) =>
        stt.transcribe({ audio: AudioSource.fromBytes(kilobytes(1)), model: "m" }, { onEvent })
      )
      const error = yield* stt.pipe(
        Effect.flip,
        Effect.provide(client("recommended", server.host, { total: "1 second" })),
        Effect.disconnect,
        Effect.timeout("4 seconds")
      )
      expect(error).toMatchObject({ _tag: "SttConnectionFailed", reason: "cut" })
    }).pipe(Effect.scoped, quiet)
  )
})

describe("a handler of events", () => {
  /** What a handler does at an event. */
  const behaviours: Readonly<Record<string, () => Effect.Effect<void>>> = {
    returns: () => Effect.void,
    yields: () => Effect.yieldNow(),
    "waits 1 ms": () => Effect.sleep("1 millis"),
    "waits 50 ms": () => Effect.sleep("50 millis"),
    "waits uninterruptibly": () => Effect.uninterruptible(Effect.sleep("30 millis")),
    fails: () => Effect.fail(new Error("the progress bar broke")) as unknown as Effect.Effect<void>,
    dies: () => Effect.die("the progress bar broke"),
    throws: () => {
      throw new Error("the progress bar broke")
    },
    "dies later": () => Effect.delay(Effect.die("the progress bar broke"), "5 millis"),
    "interrupts itself": () => Effect.interrupt,
    "is no effect": () => Promise.resolve() as unknown as Effect.Effect<void>,
    "never ends": () => Effect.never
  }
  const networks: Readonly<Record<string, ReadonlyArray<Script>>> = {
    answers: [answers],
    "hangs up after the request": [hangUp],
    "hangs up once, then answers": [hangUp, answers],
    "fails, then answers": [respond(503), answers],
    "fails always": [respond(503)],
    refuses: [respond(400, {}, "{}")],
    "cuts its response": [write(head(200, { "content-length": "1000" }), hangUp)],
    "never answers": [silent]
  }
  const deadlinesOf = (network: string): Deadlines => (network === "never answers" ? { answer: "150 millis" } : {})
  const behaviour = FastCheck.constantFrom(...Object.keys(behaviours))
  const draws = FastCheck.record({
    layer: FastCheck.constantFrom(...layers),
    source: FastCheck.constantFrom(...sourceNames),
    network: FastCheck.constantFrom(...Object.keys(networks)),
    handler: FastCheck.record({
      Queued: behaviour,
      Uploading: behaviour,
      Waiting: behaviour,
      Answered: behaviour,
      Retrying: behaviour
    })
  })

  it.live(
    "changes neither what is sent nor what is retried nor what is told",
    () =>
      Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(draws, async ({ handler, layer, network, source }) => {
            const outcome = (onEvent: OnEvent | undefined) =>
              outcomeOf(layer, source, networks[network] ?? [], onEvent, deadlinesOf(network))
            const both = Effect.all(
              [outcome(undefined), outcome(({ _tag }) => behaviours[handler[_tag]]?.() ?? Effect.void)],
              {
                concurrency: 2
              }
            )
            const [alone, observed] = await Effect.runPromise(quiet(both))
            expect(observed).toEqual(alone)
          }),
          { numRuns: 40, seed: 20_260 }
        )
      ),
    60_000
  )
})

describe("a logger or a tracer that throws", () => {
  const fail = (): never => {
    throw new Error("the collector is gone")
  }
  const throwingLogger = Effect.provide(Logger.replace(Logger.defaultLogger, Logger.make(fail)))
  const { tracer: good } = recordingTracer()
  /** Tracers that fail when a span is made, gets an attribute, or ends. */
  const tracers = {
    "making a span": Tracer.make({ ...good, span: fail }),
    "an attribute": Tracer.make({ ...good, span: (...given) => ({ ...good.span(...given), attribute: fail }) }),
    "ending a span": Tracer.make({ ...good, span: (...given) => ({ ...good.span(...given), end: fail }) })
  }
  type Watched = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  const withTracer =
    (name: keyof typeof tracers): Watched =>
    (effect) =>
      Effect.withTracer(effect, tracers[name])
  const watchers: Readonly<Record<string, Watched>> = {
    "the logger": (effect) => Logger.withMinimumLogLevel(throwingLogger(effect), LogLevel.All),
    "the tracer, making a span": withTracer("making a span"),
    "the tracer, at an attribute": withTracer("an attribute"),
    "the tracer, ending a span": withTracer("ending a span")
  }
  const everyNetwork: Readonly<Record<string, ReadonlyArray<Script>>> = {
    "fails, then answers": [respond(503), answers],
    "hangs up after the request": [hangUp]
  }
  const everywhere = layers.flatMap((layer) => Object.keys(watchers).map((watcher) => ({ layer, watcher })))

  it.live.each(everywhere)("changes no call over $layer: $watcher", ({ layer, watcher }) =>
    Effect.gen(function* () {
      const watched = watchers[watcher] ?? ((effect) => effect)
      for (const scripts of Object.values(everyNetwork)) {
        const outcome = outcomeOf(layer, "path", scripts, () => Effect.die("broken"))
        expect(yield* watched(outcome)).toEqual(yield* outcome)
      }
    }).pipe(quiet)
  )

  it.live.each(["opening the recording", "reading it"])("leaves an unreadable recording unreadable: %s", (when) =>
    Effect.gen(function* () {
      const server = yield* faultyServer(onRequest(answers))
      const broken = Stream.die("the disk failed")
      const audio = AudioSource.fromStream(
        when === "reading it" ? Stream.concat(Stream.make(kilobytes(200), kilobytes(200)), broken) : broken
      )
      for (const layer of layers) {
        const error = yield* Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model: "m" })).pipe(
          Effect.flip,
          Effect.provide(client(layer, server.host, {})),
          Effect.timeout("5 seconds"),
          throwingLogger,
          Logger.withMinimumLogLevel(LogLevel.All)
        )
        expect(error._tag).toBe("SttAudioUnreadable")
      }
    }).pipe(Effect.scoped)
  )
})

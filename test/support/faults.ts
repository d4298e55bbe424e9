/** A table of faults. Each is tried with both operations over every HttpClient layer. */
import { inspect } from "node:util"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, it } from "@effect/vitest"
import { AudioSource, SpeechToText, SttError } from "@effect-speech/stt"
import type { Deadlines } from "@effect-speech/transport/Deadlines"
import { TextToSpeech, TtsError } from "@effect-speech/tts"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Supervisor from "effect/Supervisor"
import { type FaultyServer, faultyServer, type Script, untilZero } from "./faultyServer.js"
import { type HttpClientName, httpClients } from "./httpClients.js"

/** The expected end of a call, for `toMatchObject`: an error, or a result, which has no `_tag`. */
export interface Outcome {
  readonly _tag?: unknown
  readonly [field: string]: unknown
}

interface Outcomes {
  readonly transcribe?: Outcome
  readonly synthesize?: Outcome
}

/** A fault and its outcomes. An operation without an outcome is not tried. */
export interface Fault extends Outcomes {
  /** The rest of a sentence that begins with "a server that". */
  readonly name: string
  readonly script: Script
  readonly tls?: boolean
  /** The HttpClient layers. Default: all. */
  readonly over?: ReadonlyArray<HttpClientName>
  /** The base URL. Default: the address of the server. */
  readonly baseUrl?: (server: FaultyServer) => Effect.Effect<string, never, Scope.Scope>
  readonly deadlines?: Deadlines
  /** Also tries `stream`, and reads the audio at this time. `never`: tries only `stream`. */
  readonly streamed?: Reading
  /** Sends a recording of 16 MB from these sources. Default: a few bytes from memory. */
  readonly large?: ReadonlyArray<"from memory" | "from a file">
  /** Layers that keep the connection open after the call, or even after the layer closed. Default: none. */
  readonly lingers?: { readonly [Name in HttpClientName]?: "after the call" | "after the layer" | undefined }
  /** Other outcomes of layers with a known limit. */
  readonly except?: { readonly [Name in HttpClientName]?: Outcomes } | undefined
}

const secret = "topsecret"

/** Both clients without retries. */
const clients = (httpClient: HttpClientName, baseUrl: string, deadlines: Deadlines) => {
  const options = { apiKey: Redacted.make(`prefix.${secret}`), baseUrl, deadlines, retries: 0, allowInsecureHttp: true }
  return Layer.orDie(Layer.merge(SpeechToText.layer(options), TextToSpeech.layer(options))).pipe(
    Layer.provideMerge(httpClients[httpClient])
  )
}

export const sentId = "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"
const model = "hi-general-v2-8khz"
const sixteenMegabytes = new Uint8Array(16_000_000).fill(7)

const transcribe = (audio: AudioSource.AudioSource) =>
  Effect.flatMap(SpeechToText, (stt) => stt.transcribe({ audio, model, transactionId: sentId }))

const request = { text: "नमस्ते", requestId: sentId }

type Reading = "at once" | "late" | "never"

const stream = (reading: Reading) =>
  Effect.scoped(
    Effect.gen(function* () {
      const speech = yield* Effect.flatMap(TextToSpeech, (tts) => tts.stream(request))
      if (reading === "late") yield* Effect.sleep("200 millis")
      if (reading !== "never") yield* Stream.runDrain(speech.stream)
      return { ...speech, byteLength: speech.byteLength, call: yield* speech.call }
    })
  )

const operations = (fault: Fault, path: string): Readonly<Record<string, Operation>> => {
  const large = { "from memory": AudioSource.fromBytes(sixteenMegabytes), "from a file": AudioSource.fromPath(path) }
  const tried: Record<string, Operation> = {}
  for (const source of fault.large ?? []) tried[`transcribe, ${source}`] = transcribe(large[source])
  if (fault.transcribe && !fault.large) tried.transcribe = transcribe(AudioSource.fromBytes(Uint8Array.of(82, 73)))
  if (fault.synthesize && fault.streamed !== "never")
    tried.synthesize = Effect.flatMap(TextToSpeech, (tts) => tts.synthesize(request))
  if (fault.streamed) tried[`stream, read ${fault.streamed}`] = stream(fault.streamed)
  return tried
}

type Operation = Effect.Effect<object, SttError | TtsError, SpeechToText | TextToSpeech | FileSystem.FileSystem>

const isKnownError = Schema.is(Schema.Union(SttError, TtsError))

/** Far above the time of any fault, far below any default deadline. */
const soonMillis = 8000

const attempt = (
  fault: Fault,
  elsewhere: FaultyServer,
  httpClient: HttpClientName,
  name: string,
  operation: Operation
) =>
  Effect.gen(function* () {
    const label = `${httpClient}, ${name}`
    const server = yield* faultyServer(fault.script, { elsewhere: `http://${elsewhere.host}/`, tls: fault.tls })
    const baseUrl = fault.baseUrl ? yield* fault.baseUrl(server) : `http://${server.host}`
    const supervisor = yield* Supervisor.track
    const lingers = fault.lingers?.[httpClient]
    let inUse = 0

    const outcome = yield* operation.pipe(
      // An error that failed inside a span is a Proxy, which breaks comparing and printing.
      Effect.mapError(Cause.originalError),
      Effect.merge,
      Effect.timeoutFail({ duration: soonMillis, onTimeout: () => new Error(`${label}: did not end`) }),
      Effect.zipLeft(
        lingers === undefined ? Effect.map(untilZero(Effect.sync(server.busy)), (left) => (inUse = left)) : Effect.void
      ),
      Effect.provide(clients(httpClient, baseUrl, fault.deadlines ?? {})),
      Effect.supervised(supervisor)
    )

    const operationName = name.startsWith("transcribe") ? "transcribe" : "synthesize"
    const expected = fault.except?.[httpClient]?.[operationName] ?? fault[operationName]
    expect(outcome, label).toMatchObject(expected ?? {})
    if (expected?._tag !== undefined) {
      expect(isKnownError(outcome), label).toBe(true)
      expect(outcome, label).toMatchObject({ message: expect.stringMatching(/\.$/), call: { sentId } })
      expect((outcome as SttError).call.attempts.length, label).toBe(1)
      expect(inspect(outcome, { depth: 20, showHidden: true }), label).not.toContain(secret)
    }

    // The pool of undici replaces a closed connection. Only connections with a request count.
    expect(server.used(), `${label}: connections with a request`).toBeLessThanOrEqual(1)
    expect(elsewhere.accepted(), `${label}: connections elsewhere`).toBe(0)

    const fibers = Effect.map(supervisor.value, (alive) => alive.length)
    expect(yield* untilZero(fibers), `${label}: fibers`).toBe(0)

    expect(inUse, `${label}: connections in use after the call`).toBe(0)
    // The pool of fetch belongs to the process and outlives the layer.
    const open = Effect.sync(httpClient === "fetch" ? server.busy : server.open)
    if (lingers !== "after the layer") expect(yield* untilZero(open), `${label}: connections after the layer`).toBe(0)
  }).pipe(Effect.scoped)

type Concurrency = 1 | "unbounded"

const everywhere = (concurrency: Concurrency, run: typeof attempt) => (fault: Fault) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* fs.makeTempFileScoped()
    if (fault.large) yield* fs.writeFile(path, sixteenMegabytes)
    const elsewhere = yield* faultyServer(() => undefined)
    const attempts = (fault.over ?? (Object.keys(httpClients) as Array<HttpClientName>)).flatMap((httpClient) =>
      Object.entries(operations(fault, path)).map(([name, operation]) =>
        run(fault, elsewhere, httpClient, name, operation)
      )
    )
    yield* Effect.all(attempts, { concurrency, discard: true })
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

/** Tries each fault over all layers in parallel. */
export const itEndsAs = (faults: ReadonlyArray<Fault>): void => {
  it.live.each(faults as Array<Fault>)("$name", everywhere("unbounded", attempt))
}

/** Tries each fault over one layer after the other. None may use more than `megabytes` for bodies. */
export const itEndsWithinMemory = (megabytes: number, faults: ReadonlyArray<Fault>): void => {
  const run: typeof attempt = (fault, elsewhere, httpClient, name, operation) =>
    Effect.tap(watchMemory(attempt(fault, elsewhere, httpClient, name, operation)), (peak) =>
      Effect.sync(() => expect(peak / 1e6, `${httpClient}, ${name}: megabytes`).toBeLessThan(megabytes))
    )
  it.live.each(faults as Array<Fault>)("$name", everywhere(1, run))
}

/** Peak memory of buffers during an effect, in bytes. Includes garbage. */
const watchMemory = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    const before = process.memoryUsage().arrayBuffers
    let peak = before
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers)
    }, 5)
    return effect.pipe(
      Effect.ensuring(Effect.sync(() => clearInterval(timer))),
      Effect.map(() => peak - before)
    )
  })

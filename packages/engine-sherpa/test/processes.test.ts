import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { concat } from "@effect-speech/common/TypedArrays"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { tinyName, writeTinyModels } from "effect-speech-test-support/tinyModels"
import { startHost } from "../src/internal/host/hostProcess.js"
import type { Outcome } from "../src/internal/host/protocol.js"
import type { Loadable } from "../src/internal/models.js"
import { initial, type State } from "../src/internal/supervision/machine.js"
import { makeModelLog } from "../src/internal/supervision/modelLog.js"
import {
  copyOf,
  edit,
  hear,
  killModels,
  modelProcesses,
  say,
  signalModels,
  speechOf,
  tinyRecogniser,
  tinyVoice
} from "./support/tinyModel.js"

/** Two sentences. The models write small letters alone. */
const text = "The first sentence. And a second one."
const small = text.toLowerCase()

/** Waits until something is so. */
const until = (is: Effect.Effect<boolean>) =>
  is.pipe(Effect.delay("2 millis"), Effect.repeat({ until: (so) => so }), Effect.timeout("10 seconds"), Effect.orDie)

const isWorking = ({ status }: Loadable) => Effect.map(status, ({ running }) => running > 0)

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("a model in a process of its own", () => {
  it.scopedLive("hears a long recording in pieces, whole or as a stream, with the times of the whole", () =>
    Effect.gen(function* () {
      const recogniser = yield* tinyRecogniser()
      const samples = concat([yield* speechOf(text), new Float32Array(16_000)], Float32Array)
      const blocks = Array.from({ length: 9 }, () => samples)
      const whole = yield* hear(recogniser, concat(blocks, Float32Array))
      expect(whole?.text).toBe(blocks.map(() => small).join(" "))
      expect(yield* hear(recogniser, Stream.fromIterable(blocks))).toEqual(whole)
      const last = whole?.segments?.at(-1)
      const expected = ((blocks.length * samples.length) / 16_000 - 1) * 1000
      expect(Math.abs((last?.endMillis ?? 0) - expected)).toBeLessThan(500)
    })
  )

  it.scopedLive.each(["nemo-ctc", "zipformer", "whisper"] as const)(
    "hears nothing in silence, however short, with %s",
    (family) =>
      Effect.gen(function* () {
        const recogniser = yield* tinyRecogniser({}, family)
        for (const samples of [16_000, 400, 1, 0].map((length) => new Float32Array(length))) {
          expect(yield* hear(recogniser, samples)).toBe(undefined)
        }
        expect(yield* hear(recogniser, Stream.empty)).toBe(undefined)
      })
  )

  it.scopedLive("hears recordings of two languages at once, each in its own", () =>
    Effect.gen(function* () {
      const recogniser = yield* tinyRecogniser({ concurrency: 4, queue: 20 }, "whisper")
      const samples = yield* speechOf("ten men")
      const languages = ["en", "hi", "hi", "en", "hi"]
      const heard = yield* Effect.forEach(languages, (lang) => hear(recogniser, samples, lang), {
        concurrency: "unbounded"
      })
      expect(heard.map((each) => each?.text)).toEqual(languages.map(() => "ten men"))
    })
  )

  it.scopedLive("says where each sentence of a speech is, with a pause between two", () =>
    Effect.gen(function* () {
      const sentences: Array<unknown> = []
      const voice = yield* tinyVoice()
      const speech = say(voice, text, { speed: 2, onSentence: (each) => sentences.push(each) })
      const [one = 0, pause = 0, two = 0] = Chunk.toArray(yield* Stream.runCollect(speech)).map(({ length }) => length)
      expect(pause).toBe((0.3 / 2) * 16_000)
      expect(sentences).toEqual([
        { text: "The first sentence. ", startSample: 0, endSample: one },
        { text: "And a second one.", startSample: one + pause, endSample: one + pause + two }
      ])
    })
  )

  it.scopedLive("rejects at once what does not fit, without reading the recording", () =>
    Effect.gen(function* () {
      const recogniser = yield* tinyRecogniser({ concurrency: 2, queue: 2 })
      let opened = 0
      const samples = Stream.suspend(() => {
        opened++
        return Stream.make(new Float32Array(16_000))
      })
      const exits = yield* Effect.all(
        Array.from({ length: 12 }, () => Effect.either(hear(recogniser, samples))),
        { concurrency: "unbounded" }
      )
      const failures = exits.flatMap((exit) => (exit._tag === "Left" ? [exit.left] : []))
      expect(failures.length).toBe(8)
      expect(failures[0]).toMatchObject({ _tag: "RecogniserFailed", reason: "Overloaded", retryAfterMillis: 1000 })
      expect(failures[0]?.message).toBe("Too many requests wait for the model tiny-nemo-ctc-en. Try again in 1 s.")
      expect(opened).toBe(4)
      expect(yield* recogniser.status).toMatchObject({ running: 0, queued: 0, rejected: 8 })
    })
  )

  it.scopedLive("reads eight long recordings at once, and a short one beside them", () =>
    Effect.gen(function* () {
      const recogniser = yield* tinyRecogniser({ queue: 20 })
      const seconds = Array.from({ length: 10 }, () => 0)
      const readers = () => seconds.filter((read) => read > 40).length
      for (const request of seconds.keys()) {
        const endless = Stream.repeatEffect(
          Effect.sync(() => {
            seconds[request] = (seconds[request] ?? 0) + 1
            return new Float32Array(16_000)
          })
        )
        yield* Effect.forkScoped(hear(recogniser, endless))
      }
      yield* until(Effect.sync(() => readers() === 8))
      expect((yield* hear(recogniser, yield* speechOf("ten men")))?.text).toBe("ten men")
      expect(yield* recogniser.status).toMatchObject({ rejected: 0 })
      expect(readers()).toBe(8)
    })
  )

  it.scopedLive("stops work on a request that is interrupted, and goes on with others", () =>
    Effect.gen(function* () {
      const recogniser = yield* tinyRecogniser()
      yield* recogniser.load
      const processes = modelProcesses()
      let read = 0
      const endless = Stream.tap(Stream.repeatValue(new Float32Array(160_000)), () => Effect.sync(() => read++))
      const fiber = yield* Effect.fork(hear(recogniser, endless))
      yield* until(isWorking(recogniser))
      yield* Fiber.interrupt(fiber)
      const before = read
      expect(yield* recogniser.status).toMatchObject({ running: 0, queued: 0 })
      expect((yield* hear(recogniser, yield* speechOf(text)))?.text).toBe(small)
      expect(read).toBe(before)
      expect(modelProcesses()).toEqual(processes)
    })
  )

  it.scopedLive("ends when it is idle for long, and starts again with the next request", () =>
    Effect.gen(function* () {
      const recogniser = yield* tinyRecogniser({ idle: 20 })
      yield* recogniser.load
      yield* until(Effect.sync(() => modelProcesses().length === 0))
      expect(yield* recogniser.status).toMatchObject({ state: "unloaded", restarts: 0 })
      expect((yield* hear(recogniser, yield* speechOf(text)))?.text).toBe(small)
    })
  )

  it.scopedLive("starts as soon as it can, if its process could not be started", () =>
    Effect.gen(function* () {
      const recogniser = yield* tinyRecogniser()
      // Longer than the system takes.
      process.env.TOO_LONG = "x".repeat(4_000_000)
      const fiber = yield* Effect.fork(hear(recogniser, new Float32Array(16_000)))
      yield* until(Effect.map(recogniser.status, ({ reason }) => reason !== undefined))
      delete process.env.TOO_LONG
      expect(yield* recogniser.status).toMatchObject({
        state: "restarting",
        reason: "Its process can't be started: E2BIG."
      })
      expect(yield* Fiber.join(fiber)).toBe(undefined)
    })
  )

  it.live("ends with the scope", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const recogniser = yield* Scope.extend(tinyRecogniser(), scope)
      const request = yield* Effect.fork(Effect.flip(hear(recogniser, Stream.repeatValue(new Float32Array(160_000)))))
      yield* until(isWorking(recogniser))
      yield* Scope.close(scope, Exit.void)
      expect(modelProcesses()).toEqual([])
      const ended = { reason: "Unavailable", message: expect.stringContaining("the engine has ended") }
      expect(yield* Fiber.join(request)).toMatchObject(ended)
      expect(yield* Effect.flip(hear(recogniser, new Float32Array(1)))).toMatchObject(ended)
      expect(yield* recogniser.status).toMatchObject({ state: "unloaded", running: 0, queued: 0 })
    })
  )

  it.live.each([
    ["has nothing to do", ""],
    ["is busy in sherpa-onnx", "for (;;);"]
  ])("ends with the process that started it, also if it %s", ([, work]) =>
    Effect.gen(function* () {
      const host = fileURLToPath(new URL("../src/internal/host/modelHost.js", import.meta.url))
      const sherpa = `import { writeSync } from "node:fs"
        const createAsync = () => { writeSync(1, "started"); ${work} }
        export default { OfflineRecognizer: { createAsync } }`
      const module = `data:text/javascript,${encodeURIComponent(sherpa)}`
      const load = { _tag: "Load", operation: "transcribe", config: {} }
      const parent = spawn(process.execPath, [
        "--eval",
        `require("node:child_process").fork(${JSON.stringify(host)}, [${JSON.stringify(module)}]).send(${JSON.stringify(load)})`
      ])
      yield* Effect.promise(() => once(parent.stdout, "data"))
      const [child = 0] = modelProcesses(parent.pid)
      expect(child).toBeGreaterThan(0)
      parent.kill("SIGKILL")
      const end = Effect.sync(() => isAlive(child) && process.kill(child, "SIGKILL"))
      yield* Effect.ensuring(until(Effect.sync(() => !isAlive(child))), end)
    })
  )
})

/** What is spoiled after the folder was read, each with a part of the reason. */
const spoiled: ReadonlyArray<
  readonly [what: string, family: "nemo-ctc" | "vits", spoil: (model: string, tokens: string) => void, reason: string]
> = [
  ["tokens.txt has no blank", "nemo-ctc", (_, tokens) => writeFileSync(tokens, "a 0\n"), "<blk>"],
  ["tokens.txt is malformed", "nemo-ctc", (_, tokens) => writeFileSync(tokens, "a x 1\n"), "error: a x 1"],
  ["tokens.txt is gone", "nemo-ctc", (_, tokens) => rmSync(tokens), "'tokens.txt' does not exist"],
  ["the model is gone", "nemo-ctc", (model) => rmSync(model), "'model.int8.onnx' does not exist"],
  [
    "the model is cut off",
    "nemo-ctc",
    (model) => writeFileSync(model, readFileSync(model).subarray(0, 5000)),
    "Protobuf parsing failed"
  ],
  ["it has no size of a vocabulary", "nemo-ctc", (model) => edit(model, "vocab_size", "vocab_sizf"), "vocab_size"],
  [
    "its subsampling factor is 0",
    "nemo-ctc",
    (model) => edit(model, "subsampling_factor\x12\x011", "subsampling_factor\x12\x010"),
    "its process ended by SIGFPE"
  ],
  ["its rate is 0", "vits", (model) => edit(model, "sample_rate\x12\x0516000", "sample_rate\x12\x0500000"), "0 Hz"],
  ["its rate is below 0", "vits", (model) => edit(model, "sample_rate\x12\x0516000", "sample_rate\x12\x05-0001"), ""]
]

describe("the process of a model", () => {
  it.scopedLive("does no work that is withdrawn before it begins", () =>
    Effect.gen(function* () {
      const models = temporaryFolder("effect-speech-slow-")
      writeTinyModels(models, { families: ["nemo-ctc"], work: 100 })
      const { family } = yield* tinyRecogniser({}, "nemo-ctc", models)
      const outcomes = yield* Effect.async<ReadonlyArray<Outcome>>((resume) => {
        const all: Array<Outcome> = []
        const host = startHost(
          { load: { _tag: "Load", operation: "transcribe", config: family.config }, folder: models, concurrency: 1 },
          {
            onLoaded: () => {
              const samples = new Float32Array(160_000)
              for (const task of [1, 2, 3, 4]) host.send({ _tag: "Recognise", task, samples })
              for (const task of [2, 4, 9]) host.send({ _tag: "Withdraw", task })
            },
            onOutcome: (outcome) => {
              if (all.push(outcome) === 4) void host.stop()
            },
            onEnded: () => resume(Effect.succeed(all))
          }
        )
      })
      expect(outcomes.map(({ _tag, task }) => `${task} ${_tag}`)).toEqual([
        "1 Recognised",
        "2 Failed",
        "3 Recognised",
        "4 Failed"
      ])
    })
  )
})

describe("a model that can't be loaded", () => {
  it.scopedLive.each(spoiled)("is refused with a reason, which shows no path, if %s", ([, family, spoil, reason]) =>
    Effect.gen(function* () {
      const models = copyOf(family)
      const model = yield* family === "vits" ? tinyVoice({}, models) : tinyRecogniser({}, family, models)
      const folder = join(models, tinyName(family))
      spoil(join(folder, family === "vits" ? "model.onnx" : "model.int8.onnx"), join(folder, "tokens.txt"))
      const failure = yield* Effect.flip(model.load)
      expect(failure).toMatchObject({ _tag: "SherpaModelRefused", model: tinyName(family) })
      expect(failure.message).toContain(reason)
      expect(failure.message).not.toMatch(/[\\/]/)
      const status = yield* model.status
      expect(status).toMatchObject({ state: "refused", restarts: 0 })
      expect(failure.message).toContain(status.reason?.slice(1, -1))
      const rejected = { reason: "Failed", cause: status.reason }
      expect(yield* Effect.flip(Effect.scoped(model.supervised.enter))).toEqual(rejected)
    })
  )

  it.scopedLive("is refused if it is a Whisper that returns an empty result where others fail", () =>
    Effect.gen(function* () {
      const models = copyOf("whisper")
      const folder = join(models, tinyName("whisper"))
      copyFileSync(join(folder, "tiny-encoder.int8.onnx"), join(folder, "tiny-decoder.int8.onnx"))
      // One language of two is offered.
      writeFileSync(join(folder, "model.json"), '{"languages": ["en"]}')
      const model = yield* tinyRecogniser({}, "whisper", models)
      const { message } = yield* Effect.flip(model.load)
      expect(message).toMatch(/^The model tiny-whisper-en can't be loaded: .*input name cannot be empty/)
      expect(message).not.toMatch(/[\\/]/)
    })
  )
})

it.scopedLive("the log says that a model stopped, can't be loaded or is overloaded, each once", () => {
  const logged: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => logged.push(`${logLevel.label} ${String(message)}`))
  return Effect.gen(function* () {
    const recogniser = yield* tinyRecogniser({ concurrency: 1, queue: 1 })
    const request = Effect.exit(hear(recogniser, new Float32Array(16_000)))
    yield* Effect.replicateEffect(request, 5, { concurrency: "unbounded" })
    yield* killModels
    yield* until(Effect.map(recogniser.status, ({ state }) => state !== "ready"))
    const models = copyOf("nemo-ctc")
    const spoiled = yield* tinyRecogniser({}, "nemo-ctc", models)
    rmSync(join(models, tinyName("nemo-ctc"), "tokens.txt"))
    yield* Effect.replicateEffect(Effect.exit(hear(spoiled, new Float32Array(16_000))), 2)
    expect(logged).toEqual([
      "WARN Too many requests wait for the model tiny-nemo-ctc-en: 2 are in. Further ones fail.",
      "WARN The model tiny-nemo-ctc-en stopped: its process ended by SIGKILL. It starts again.",
      expect.stringMatching(
        /^WARN The model tiny-nemo-ctc-en can't be loaded: .+\. Its requests fail until the service is/
      )
    ])
    expect(yield* Effect.flip(spoiled.load)).toMatchObject({ _tag: "SherpaModelRefused" })
  }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
})

it("the log has no words that a model wrote while it worked", () => {
  const ready: State = { ...initial, phase: { _tag: "ready", host: 1, idleAt: 0 } }
  const stopped: State = { ...initial, phase: { _tag: "waiting", until: 1 }, cause: "Its process ended. OOV password." }
  expect(makeModelLog("m", 2)(ready, stopped)).toEqual(["The model m stopped. It starts again."])
})

describe("a process that is killed", () => {
  it.scopedLive("fails what it worked on as unavailable, and starts again for the next request", () =>
    Effect.gen(function* () {
      const recogniser = yield* tinyRecogniser()
      const fiber = yield* Effect.fork(Effect.flip(hear(recogniser, Stream.repeatValue(new Float32Array(160_000)))))
      yield* until(isWorking(recogniser))
      expect(yield* killModels).toBe(1)
      const failure = yield* Fiber.join(fiber)
      expect(failure).toMatchObject({ _tag: "RecogniserFailed", reason: "Unavailable", retryAfterMillis: 1000 })
      expect(failure.message).toBe(
        "The model tiny-nemo-ctc-en does not run at this moment: its process ended by SIGKILL. Try again later."
      )
      yield* recogniser.load
      expect((yield* hear(recogniser, yield* speechOf(text)))?.text).toBe(small)
      expect(yield* recogniser.status).toMatchObject({ state: "ready", restarts: 1 })
    })
  )

  it.scopedLive("fails a speech, of which a part was emitted", () =>
    Effect.gen(function* () {
      let blocks = 0
      const speech = say(yield* tinyVoice(), "A sentence of a long text. ".repeat(2000))
      const failure = yield* Effect.flip(Stream.runForEach(speech, () => (++blocks === 10 ? killModels : Effect.void)))
      expect(failure).toMatchObject({ _tag: "VoiceFailed", reason: "Unavailable" })
      expect(blocks).toBeGreaterThanOrEqual(10)
    })
  )

  it.scopedLive("while it loads, or has nothing to do, loses no request", () =>
    Effect.gen(function* () {
      const samples = yield* speechOf(text)
      const killWhileItLoads = Effect.gen(function* () {
        const recogniser = yield* tinyRecogniser()
        const fiber = yield* Effect.fork(hear(recogniser, samples))
        yield* until(Effect.sync(() => modelProcesses().length === 1))
        yield* signalModels("SIGSTOP")
        yield* Effect.sleep("20 millis")
        const { state } = yield* recogniser.status
        yield* killModels
        const heard = yield* Effect.either(Fiber.join(fiber))
        if (state !== "loading") return false
        expect(Either.getOrThrow(heard)?.text).toBe(small)

        yield* killModels
        yield* until(Effect.map(recogniser.status, ({ state }) => state !== "ready"))
        expect(yield* Effect.flip(hear(recogniser, samples))).toMatchObject({ reason: "Unavailable" })
        yield* recogniser.load
        expect((yield* hear(recogniser, samples))?.text).toBe(small)
        return true
      })
      // On a busy machine, the model may be loaded before its process is found.
      const once = Effect.scoped(killWhileItLoads)
      expect(yield* Effect.repeat(once, { until: (wasLoading) => wasLoading, times: 5 })).toBe(true)
    })
  )
})

describe("a process that ends by itself", () => {
  it.scopedLive("is started again with what it had, so that no request fails", () =>
    Effect.gen(function* () {
      const recogniser = yield* tinyRecogniser({ concurrency: 2, queue: 3 })
      const samples = yield* speechOf(text)
      yield* recogniser.load
      // It works on nothing, so that what it has does not depend on the time.
      yield* signalModels("SIGSTOP")
      const fibers = yield* Effect.forEach([1, 2, 3, 4, 5], () => Effect.fork(hear(recogniser, samples)))
      yield* until(Effect.map(recogniser.status, ({ queued, running }) => queued + running === 5))
      // The process takes a piece more than it works on.
      expect(yield* recogniser.status).toMatchObject({ running: 3, queued: 2 })
      yield* signalModels("SIGSEGV")
      yield* signalModels("SIGCONT")
      const heard = yield* Effect.forEach(fibers, Fiber.join)
      expect(heard.map((each) => each?.text)).toEqual([small, small, small, small, small])
      expect(yield* recogniser.status).toMatchObject({ restarts: 1 })
    })
  )
})

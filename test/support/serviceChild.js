// Plain JavaScript, over the built package: no compiler adds to the memory that is measured.
/** The local service as a process of its own. `startService` of `serviceProcess.ts` starts it, with its options as JSON. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Espeak from "@effect-speech/local-service/Espeak"
import * as KnownRecordings from "@effect-speech/local-service/KnownRecordings"
import { LocalService } from "@effect-speech/local-service/LocalService"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { noiseOf, sampleRate, tone } from "./cannedSpeech.js"
import { cannedVoice } from "./cannedVoice.js"
import { watchEventLoop } from "./eventLoop.js"
import { collectedFootprint, footprint } from "./footprint.js"
import { resetPeakMemory } from "./memory.js"

/** @type {import("./serviceProcess.js").ServiceOptions} */
const {
  cannedByText = false,
  cannedSeconds,
  engine,
  fixedMillis,
  knownSeconds,
  record,
  ...others
} = JSON.parse(process.argv[2] ?? "{}")
const options = {
  ...others,
  fixedTime: fixedMillis === undefined ? undefined : new Date(fixedMillis),
  record: record && { ...record, apiKey: Redacted.make(record.apiKey) }
}

const voiceOf = () => {
  if (cannedByText) return cannedVoice(({ text }) => noiseOf(text), { sampleRate })
  if (cannedSeconds === undefined) return Espeak.layer
  const speech = tone(cannedSeconds)
  return cannedVoice(() => speech, { sampleRate })
}

const standIns = Layer.merge(
  voiceOf(),
  KnownRecordings.layer({ capacity: knownSeconds === undefined ? undefined : knownSeconds * 1000 })
)
const engines = engine === undefined ? standIns : (await import("@effect-speech/engine-sherpa/Sherpa")).layer(engine)

const eventLoop = watchEventLoop()

/** @param {unknown} request @returns {Promise<import("./serviceProcess.js").Sample>} */
const sample = async (request) => {
  if (request === "resetPeak") {
    resetPeakMemory()
    eventLoop.reset()
  }
  const found = request === "collect" ? await collectedFootprint() : footprint()
  const { system, user } = process.cpuUsage()
  return { ...found, cpuMicros: user + system, heldMillis: eventLoop.longest(), pid: process.pid }
}

const program = Effect.gen(function* () {
  const { adminToken, apiKey, platformUrl, sttBaseUrl, ttsBaseUrl } = yield* LocalService.make(options)
  process.on("message", async (request) => process.send?.(await sample(request)))
  /** @type {import("./serviceProcess.js").Ready} */
  const ready = {
    sttBaseUrl,
    ttsBaseUrl,
    platformUrl,
    adminToken: Redacted.value(adminToken),
    apiKey: apiKey === undefined ? null : Redacted.value(apiKey)
  }
  process.send?.(ready)
  yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.provide(Layer.provideMerge(engines, NodeFileSystem.layer)),
  Effect.tapErrorCause(Effect.logError)
)

const fiber = Effect.runFork(program)
fiber.addObserver((exit) => process.exit(exit._tag === "Success" ? 0 : 1))
// It ends when the process that started it closes the channel, or ends.
process.once("disconnect", async () => {
  await Effect.runPromise(Fiber.interrupt(fiber))
  process.exit(0)
})

/**
 * The local service as a process of its own, from the built package, since that is what its users run: no compiler's
 * memory is in its own. `startService` of `serviceProcess.js` starts it, with its options as JSON.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { make } from "@effect-speech/local-service/LocalService"
import { Recogniser } from "@effect-speech/local-service/Recogniser"
import { Voice } from "@effect-speech/local-service/Voice"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { noiseOf, sampleRate, tone } from "./cannedSpeech.js"
import { cannedVoice } from "./cannedVoice.js"
import { collectedFootprint, footprint } from "./footprint.js"
import { forgetPeak } from "./report.js"

/** @type {import("./serviceProcess.js").ServiceOptions} */
const { cannedByText = false, cannedSeconds, knownSeconds, ...options } = JSON.parse(process.argv[2] ?? "{}")

const voiceOf = () => {
  if (cannedByText) return cannedVoice(({ text }) => noiseOf(text), { sampleRate })
  if (cannedSeconds === undefined) return Voice.layerEspeak
  const speech = tone(cannedSeconds)
  return cannedVoice(() => speech, { sampleRate })
}

/** @param {unknown} question @returns {Promise<import("./serviceProcess.js").Sample>} */
const sample = async (question) => {
  if (question === "forget the peak") forgetPeak()
  const found = question === "collect" ? await collectedFootprint() : footprint()
  const { system, user } = process.cpuUsage()
  return { ...found, cpuMicros: user + system }
}

const program = Effect.gen(function* () {
  const { adminToken, apiKey, platformUrl, sttBaseUrl, ttsBaseUrl } = yield* make(options)
  process.on("message", async (question) => process.send?.(await sample(question)))
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
  Effect.provide([voiceOf(), Recogniser.layerKnownRecordings({ capacitySeconds: knownSeconds }), NodeFileSystem.layer]),
  Effect.tapErrorCause(Effect.logError)
)

const fiber = Effect.runFork(program)
fiber.addObserver((exit) => process.exit(exit._tag === "Success" ? 0 : 1))
// It ends when whoever started it lets go of it, or is gone: Ctrl-C is told to both of them.
process.on("SIGINT", () => undefined)
process.once("disconnect", async () => {
  await Effect.runPromise(Fiber.interrupt(fiber))
  process.exit(0)
})

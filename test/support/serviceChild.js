/**
 * The local service as a process of its own, from the built package, since that is what its users run: no compiler's
 * memory is in its own. `startService` of `serviceProcess.js` starts it, with its options as JSON.
 */
import { readdirSync, readFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { make } from "@effect-speech/local-service/LocalService"
import { Recogniser } from "@effect-speech/local-service/Recogniser"
import { Voice } from "@effect-speech/local-service/Voice"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

/** @type {import("./serviceProcess.js").ServiceOptions} */
const { cannedSeconds, ...options } = JSON.parse(process.argv[2] ?? "{}")

/** The rate of the real voice, so that its speech is resampled like that. */
const sampleRate = 22_050

/** Speech at once, so that what is measured is the service. @param {number} seconds */
const cannedVoice = (seconds) => {
  const samples = Float32Array.from(
    { length: seconds * sampleRate },
    (_, index) => 0.4 * Math.sin(index / 20) * Math.sin(index / 1000)
  )
  return Layer.succeed(Voice, {
    languages: ["en", "hi"],
    voices: ["default_female", "default_male"],
    sampleRate,
    speak: () => Stream.succeed(samples)
  })
}

/** Both are what `process` gives, but that on Linux its peak is inherited from the parent. */
const memory = () => {
  const rss = process.memoryUsage.rss()
  try {
    return { rss, peak: Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024 }
  } catch {
    return { rss, peak: process.resourceUsage().maxRSS * 1024 }
  }
}

/** @returns {import("./serviceProcess.js").Sample} */
const sample = () => {
  const { system, user } = process.cpuUsage()
  return { ...memory(), descriptors: readdirSync("/dev/fd").length, cpuMicros: user + system }
}

const voice = cannedSeconds === undefined ? Voice.layerEspeak : cannedVoice(cannedSeconds)
const program = Effect.gen(function* () {
  const { adminToken, apiKey, platformUrl, sttBaseUrl, ttsBaseUrl } = yield* make(options)
  process.on("message", () => process.send?.(sample()))
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
  Effect.provide([voice, Recogniser.layerKnownRecordings(), NodeFileSystem.layer]),
  Effect.tapErrorCause(Effect.logError)
)

const fiber = Effect.runFork(program)
fiber.addObserver((exit) => process.exit(exit._tag === "Success" ? 0 : 1))
// It ends when whoever started it lets go of it, or is gone.
process.once("disconnect", async () => {
  await Effect.runPromise(Fiber.interrupt(fiber))
  process.exit(0)
})

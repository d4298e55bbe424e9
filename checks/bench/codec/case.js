// Plain JavaScript: no compiler adds to the memory that is measured.
/** One case as a process of its own: `node case.js NAME PARAMETERS`. Prints its peak memory, in bytes. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import { peakMemory } from "effect-speech-test-support/memory"
import { toTelephony, write } from "./ours.js"

const [name, ...parameters] = process.argv.slice(2)

if (name === "telephony") {
  await Effect.runPromise(
    Effect.provide(toTelephony(String(parameters[0]), String(parameters[1])), NodeFileSystem.layer)
  )
} else if (name === "write") {
  const samples = new Float32Array(Number(String(parameters[1])) / 4)
  await Effect.runPromise(
    Effect.provide(write(samples, Number(String(parameters[2])), String(parameters[0])), NodeFileSystem.layer)
  )
}
console.log(peakMemory())

/**
 * One case as a process of its own, whose memory is that of the case: `node case.js NAME PARAMETERS`. Prints the most
 * memory it had, in bytes.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import { peakMemory } from "../../../test/support/memory.js"
import { at } from "../../../test/support/report.js"
import { telephony, write } from "./ours.js"

const [name, ...parameters] = process.argv.slice(2)

if (name === "telephony") {
  await Effect.runPromise(Effect.provide(telephony(at(parameters, 0), at(parameters, 1)), NodeFileSystem.layer))
} else if (name === "write") {
  const samples = new Float32Array(Number(at(parameters, 1)) / 4)
  await Effect.runPromise(
    Effect.provide(write(samples, Number(at(parameters, 2)), at(parameters, 0)), NodeFileSystem.layer)
  )
}
console.log(peakMemory())

// Plain JavaScript: measured processes run without a compiler.
/** What this process holds: memory, descriptors, sockets, fibers. */
import { readdirSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Metric from "effect/Metric"
import { peakMemory } from "./memory.js"

/**
 * @typedef {object} Footprint
 * @property {number} rss In bytes, as `peak` and `held` are.
 * @property {number} peak
 * @property {number} held The heap and the buffers beside it. After a collection: what is in use.
 * @property {number} descriptors Open files and sockets.
 * @property {number} sockets Open connections.
 * @property {number} fibers Fibers that have not ended.
 * @property {number} tooManyListeners How often Node has warned of too many listeners.
 */

let tooManyListeners = 0
process.on("warning", ({ name }) => {
  if (name === "MaxListenersExceededWarning") tooManyListeners++
})

/** @returns {Footprint} */
export const footprint = () => {
  const { arrayBuffers, heapUsed, rss } = process.memoryUsage()
  return {
    rss,
    peak: peakMemory(),
    held: heapUsed + arrayBuffers,
    descriptors: readdirSync("/dev/fd").length,
    sockets: process.getActiveResourcesInfo().filter((handle) => handle === "TCPSocketWrap").length,
    fibers: activeFibers(),
    tooManyListeners
  }
}

/** From Effect's own metric, which has an entry for each set of labels. */
const activeFibers = () => {
  let count = 0
  for (const { metricKey, metricState } of Metric.unsafeSnapshot()) {
    if (metricKey.name === "effect_fiber_active" && "count" in metricState) count += Number(metricState.count)
  }
  return count
}

/** Collects garbage. The process needs no `--expose-gc`. */
export const collect = () => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

/**
 * The footprint after a garbage collection. Two collections are needed to free all buffers, and the system gets the memory
 * back a moment later.
 *
 * @returns {Promise<Footprint>}
 */
export const collectedFootprint = async () => {
  collect()
  await sleep(20)
  collect()
  await sleep(20)
  return footprint()
}

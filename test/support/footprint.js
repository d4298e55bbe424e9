/** What a process has in its hands, asked of itself: memory, descriptors, sockets, fibers. */
import { readdirSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Metric from "effect/Metric"
import { peakMemory } from "./report.js"

/**
 * @typedef {object} Footprint
 * @property {number} rss In bytes, as is `peak`.
 * @property {number} peak
 * @property {number} descriptors Open files and sockets.
 * @property {number} sockets Connections, over which nobody listens.
 * @property {number} handles What keeps Node alive, sockets and timers among it.
 * @property {number} fibers That have begun and not ended.
 * @property {number} tooManyListeners How often Node has warned of that.
 */

let tooManyListeners = 0
process.on("warning", ({ name }) => {
  if (name === "MaxListenersExceededWarning") tooManyListeners++
})

/** @returns {Footprint} */
export const footprint = () => {
  const handles = process.getActiveResourcesInfo()
  return {
    rss: process.memoryUsage.rss(),
    peak: peakMemory(),
    descriptors: readdirSync("/dev/fd").length,
    sockets: handles.filter((handle) => handle === "TCPSocketWrap").length,
    handles: handles.length,
    fibers: livingFibers(),
    tooManyListeners
  }
}

/** By Effect's own count, which has an entry for each set of labels. */
const livingFibers = () => {
  let count = 0
  for (const { metricKey, metricState } of Metric.unsafeSnapshot()) {
    if (metricKey.name === "effect_fiber_active" && "count" in metricState) count += Number(metricState.count)
  }
  return count
}

/** So that a process need not be started with it. @returns {() => void} */
const collector = () => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc")
}

/** The heap, in bytes, without what nobody holds any more; what was free is given back to the system a moment later. */
export const heapAfterCollection = async () => {
  collector()()
  await sleep(50)
  return process.memoryUsage().heapUsed
}

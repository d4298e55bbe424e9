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
 * @property {number} held The heap, and the buffers beside it, in bytes: after a collection what is in use.
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
  const { arrayBuffers, heapUsed, rss } = process.memoryUsage()
  return {
    rss,
    peak: peakMemory(),
    held: heapUsed + arrayBuffers,
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

/** What nobody holds any more is let go; a process need not be started with `--expose-gc` for it. */
export const collect = () => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

/**
 * Its footprint, once that is done. Buffers are let go beside the program, and surely only when it is done once more; what is
 * free then is given back to the system a moment later.
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

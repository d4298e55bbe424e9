// Ends the process of a model when the service has ended. A thread of its own, since sherpa-onnx may hold the event loop for minutes,
// and then the process does not see that it is disconnected.
import { workerData } from "node:worker_threads"

/** The process of the service. @type {number} */
const parent = workerData

/** In milliseconds. */
const interval = 500

const isGone = () => {
  // Windows keeps the number of a parent that has ended.
  if (process.ppid !== parent) return true
  try {
    return !process.kill(parent, 0)
  } catch (error) {
    return Reflect.get(Object(error), "code") === "ESRCH"
  }
}

setInterval(() => {
  if (isGone()) process.kill(process.pid, "SIGKILL")
}, interval)

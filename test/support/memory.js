// Plain JavaScript: measured processes run without a compiler.
import { readFileSync, writeFileSync } from "node:fs"

/** The peak of this process's resident memory, in bytes. On Linux `maxRSS` does not do: a process inherits it. */
export const peakMemory = () => {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024
  } catch {
    return process.resourceUsage().maxRSS * 1024
  }
}

/** Sets the peak to the memory that is resident now. Returns false if the system cannot: only Linux can. */
export const resetPeakMemory = () => {
  try {
    writeFileSync("/proc/self/clear_refs", "5")
    return true
  } catch {
    return false
  }
}

// Plain JavaScript: measured processes run without a compiler.
import { readFileSync } from "node:fs"

/** Between two looks, in milliseconds. */
const interval = 10

/** How long this thread has used a processor so far, in milliseconds. Only Linux says it of a thread: elsewhere, it is the time. */
const usedMillis = () => {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6
  } catch {
    return performance.now()
  }
}

/**
 * Watches the event loop of this process from the first `reset`: to watch it takes a hundredth of a processor. `longest` is the longest
 * time since then for which it computed without a turn, in milliseconds. That does not count while other processes have the processor,
 * which on a busy machine is most of the time.
 */
export const watchEventLoop = () => {
  let longest = 0
  let isWatching = false
  const watch = () => {
    isWatching = true
    let before = usedMillis()
    setInterval(() => {
      const used = usedMillis()
      longest = Math.max(longest, used - before)
      before = used
    }, interval).unref()
  }
  return {
    longest: () => longest,
    reset: () => {
      longest = 0
      if (!isWatching) watch()
    }
  }
}

import { setTimeout as sleep } from "node:timers/promises"

/** Waits until a condition holds, at most for so many seconds. Returns whether it does. */
export const until = async (holds: () => boolean | Promise<boolean>, { seconds = 60 } = {}): Promise<boolean> => {
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    if (await holds()) return true
    await sleep(20)
  }
  return false
}

/** Waits until a process takes less than a twentieth of a core, given the user and system time that it took so far. */
export const untilIdle = async (cpuMicros: () => Promise<number>) => {
  for (let before = await cpuMicros(), busy = true; busy; ) {
    await sleep(200)
    const after = await cpuMicros()
    busy = after - before > 10_000
    before = after
  }
}

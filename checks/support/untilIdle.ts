import { setTimeout } from "node:timers/promises"

/** Waits until a process takes less than a twentieth of a core, given the user and system time that it took so far. */
export const untilIdle = async (cpuMicros: () => Promise<number>) => {
  for (let before = await cpuMicros(), busy = true; busy; ) {
    await setTimeout(200)
    const after = await cpuMicros()
    busy = after - before > 10_000
    before = after
  }
}

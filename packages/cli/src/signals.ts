/**
 * The signals that ask the command to end. The first one interrupts it. A later one ends what still waits, or kills the process.
 */
import * as Effect from "effect/Effect"

export const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** One press may arrive several times, such as from the terminal and from a package manager. */
const samePressMillis = 1000

let lastAt: number | undefined
const waiting = new Set<() => void>()

/** Whether a signal has asked the command to end. */
export const isAsked = (): boolean => lastAt !== undefined

/** Waits for the next signal, which does not kill the process then. */
export const nextSignal: Effect.Effect<void> = Effect.async((resume) => {
  const onSignal = () => resume(Effect.void)
  waiting.add(onSignal)
  return Effect.sync(() => waiting.delete(onSignal))
})

/** From here on the system ends the process at a signal. */
export const removeSignalHandlers = (): void => {
  for (const signal of signals) process.removeAllListeners(signal)
}

/**
 * `runMain` interrupts at the first signal and removes its handler, so that a second one would kill at once. This handler
 * stays. It also treats a closed terminal (SIGHUP) as an interruption.
 */
export const handleSignals = (): void => {
  for (const signal of signals) {
    process.on(signal, () => {
      const now = performance.now()
      if (signal === "SIGHUP" && lastAt === undefined) process.kill(process.pid, "SIGTERM")
      if (lastAt !== undefined && now - lastAt <= samePressMillis) return
      if (waiting.size === 0 && lastAt !== undefined) {
        removeSignalHandlers()
        process.kill(process.pid, signal)
      }
      lastAt = now
      for (const onSignal of waiting) onSignal()
      waiting.clear()
    })
  }
}

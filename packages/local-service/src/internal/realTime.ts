/**
 * Node's own timers and clocks. The service plays another machine, so a test's fake timers and TestClock do not change its
 * time. They are taken when this module loads, because fake timers replace the globals and the members of `node:timers`.
 */
import { performance } from "node:perf_hooks"
import * as timers from "node:timers"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export const { clearTimeout, setImmediate, setTimeout } = timers

/** Reads the wall clock. */
export const { now: wallMillis } = Date

/** A monotonic clock, in milliseconds. */
export const monotonicMillis = (): number => performance.now()

/** Timers of JavaScript fire at once if they are longer: 24 days. */
export const longestMillis = 2 ** 31 - 1

/** Effect's live clock on these timers. */
export const realClock: Clock.Clock = Object.assign(Clock.make(), {
  unsafeCurrentTimeMillis: wallMillis,
  sleep: (duration: Duration.Duration) =>
    Effect.async<void>((resume) => {
      const millis = Duration.toMillis(duration)
      if (millis > longestMillis) return
      const timer = setTimeout(() => resume(Effect.void), millis)
      return Effect.sync(() => clearTimeout(timer))
    })
})

import * as Effect from "effect/Effect"

/** Long enough that the pauses cost little, and short enough for the deadlines and the other work of the process. */
const turnMillis = 10

/** The timers of a test may replace it, and then nothing would go on. */
const { setTimeout } = globalThis

/** `Effect.yieldNow` lets other fibers run, but neither timers nor the network. */
const nextTurn: Effect.Effect<void> = Effect.async((resume) => {
  const timer = setTimeout(() => resume(Effect.void), 0)
  return Effect.sync(() => clearTimeout(timer))
})

/** Makes a function that runs short steps of work, and pauses after those that together took 10 ms. */
export const makeTurns = () => {
  let busyMillis = 0
  return <A>(step: () => A): Effect.Effect<A> =>
    Effect.suspend(() => {
      const startedAt = performance.now()
      const result = step()
      busyMillis += performance.now() - startedAt
      if (busyMillis < turnMillis) return Effect.succeed(result)
      busyMillis = 0
      return Effect.as(nextTurn, result)
    })
}

/**
 * Long computations that let the event loop run. For any runtime. It takes the timers when it loads, so the fake timers of a test
 * do not stop a computation.
 */
import * as Effect from "effect/Effect"

const { performance, setImmediate, setTimeout } = globalThis

/**
 * A computation that may take seconds, as a generator. Timers and the network can run at each `yield`.
 *
 * @since 0.1.0
 * @category models
 */
export type Steps<A> = Generator<void, A>

/** In milliseconds: how long timers and the network wait for computations. */
const longestTurn = 5

/** Browsers have no `setImmediate`. A timeout of 0 takes a millisecond or more. */
const onNextTurn = (run: () => void): void => {
  if (typeof setImmediate === "function") setImmediate(run)
  else setTimeout(run, 0)
}

/**
 * Suspends the fiber until the next turn of the event loop, so that waiting timers and network events run first.
 * `Effect.yieldNow` lets only other fibers run.
 *
 * @example
 * ```ts
 * import { Cooperative } from "@effect-speech/common"
 * import { Effect } from "effect"
 *
 * export const inTurns = (jobs: ReadonlyArray<() => void>) =>
 *   Effect.forEach(jobs, (job) => Effect.zipRight(Cooperative.yieldToEventLoop, Effect.sync(job)), { discard: true })
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async((resume) => {
  onNextTurn(() => resume(Effect.void))
})

/** When the computations of this turn of the event loop began. */
let began: number | undefined

const isTurnOver = (): boolean => {
  const now = performance.now()
  if (began === undefined) {
    began = now
    onNextTurn(() => {
      began = undefined
    })
  }
  return now - began > longestTurn
}

/**
 * Runs a computation step by step. It pauses when all computations together have taken 5 ms of a turn of the event loop. The effect can run
 * once, as a generator can. What the generator throws is a defect.
 *
 * @example
 * ```ts
 * import { Cooperative } from "@effect-speech/common"
 * import { Effect } from "effect"
 *
 * function* sum(numbers: Iterable<number>): Cooperative.Steps<number> {
 *   let total = 0
 *   for (const number of numbers) {
 *     total += number
 *     yield
 *   }
 *   return total
 * }
 *
 * Effect.runPromise(Cooperative.cooperatively(sum([1, 2, 3]))).then(console.log) // 6
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const cooperatively = <A>(steps: Steps<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return Effect.succeed(step.value)
      if (isTurnOver()) return Effect.zipRight(yieldToEventLoop, cooperatively(steps))
    }
  })

import * as Effect from "effect/Effect"
import { monotonicMillis, setImmediate } from "../realTime.js"
import { yieldToEventLoop } from "../yieldToEventLoop.js"

/** A computation that may take seconds. Other requests can run at each `yield`. */
export type Steps<A> = Generator<void, A>

/** In milliseconds: how long other requests wait for computations. */
const longestTurn = 5

/** When the computations of this turn of the event loop began. */
let began: number | undefined

const isTurnOver = (): boolean => {
  const now = monotonicMillis()
  if (began === undefined) {
    began = now
    setImmediate(() => {
      began = undefined
    })
  }
  return now - began > longestTurn
}

/** Runs a computation. After each 5 ms, other requests run. */
export const inSteps = <A>(steps: Steps<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return Effect.succeed(step.value)
      if (isTurnOver()) return Effect.zipRight(yieldToEventLoop, inSteps(steps))
    }
  })

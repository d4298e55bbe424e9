import * as Effect from "effect/Effect"
import { setImmediate } from "./realTime.js"

/**
 * Suspends the fiber until the next turn of Node's event loop, so that waiting network events run first.
 * `Effect.yieldNow` lets only other fibers run.
 */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async((resume) => {
  setImmediate(() => resume(Effect.void))
})

import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/**
 * Waits for a fiber that `end` brings to its end, but not for long: what is of somebody else's may not heed its
 * interruption, or take its time to close, and a call that is over does not wait for that.
 */
export const withinASecond = <A, E>(end: Effect.Effect<void>, fiber: Fiber.RuntimeFiber<A, E>): Effect.Effect<void> =>
  Effect.zipRight(end, Effect.asVoid(Effect.timeoutOption(Effect.interruptible(Fiber.await(fiber)), "1 second")))

import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/**
 * Runs `end`, which makes the fiber end, and waits at most one second for the fiber. The fiber may run code of a caller
 * that ignores interruption or closes slowly; a call that has ended does not wait for it.
 */
export const awaitBriefly = <A, E>(end: Effect.Effect<void>, fiber: Fiber.RuntimeFiber<A, E>): Effect.Effect<void> =>
  Effect.zipRight(end, Effect.asVoid(Effect.timeoutOption(Effect.interruptible(Fiber.await(fiber)), "1 second")))

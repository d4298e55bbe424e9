import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/**
 * Waits for an effect of a finalizer, at most so many milliseconds, and interrupts it then. It has a fiber of its own: what closes
 * the scope may be interrupted itself, and would then wait for nothing that can be interrupted.
 */
export const within =
  (millis: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
    effect.pipe(
      Effect.timeoutOption(millis),
      Effect.interruptible,
      Effect.forkDaemon,
      Effect.flatMap(Fiber.await),
      Effect.asVoid
    )

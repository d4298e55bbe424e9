import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/**
 * Runs an effect in a finalizer, and interrupts it after so many milliseconds. It runs in a fiber of its own. In the fiber that closes
 * the scope, which may be interrupted already, an interruptible wait would end at once.
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

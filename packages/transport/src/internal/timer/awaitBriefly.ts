import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"

/**
 * Runs `end`, which makes the fiber end, and waits at most one second for the fiber. The fiber may run code of a caller
 * that ignores interruption or closes slowly; a call that has ended does not wait for it.
 */
export const awaitBriefly = <A, E>(end: Effect.Effect<void>, fiber: Fiber.RuntimeFiber<A, E>): Effect.Effect<void> =>
  Effect.flatMap(Effect.zipRight(end, Effect.clock), (clock) =>
    fiber.unsafePoll() !== null
      ? Effect.void
      : Effect.async<void>((resume) => {
          const sleeper = Effect.runFork(clock.sleep(Duration.seconds(1)))
          const wake = () => sleeper.unsafeInterruptAsFork(FiberId.none)
          sleeper.addObserver(() => resume(Effect.void))
          fiber.addObserver(wake)
          return Effect.sync(wake)
        })
  )

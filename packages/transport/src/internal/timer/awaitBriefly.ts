import { contained } from "@effect-speech/common/Contained"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"

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

/**
 * Runs an effect, and waits at most one second for it. It runs on after that. Unlike `Effect.forkDaemon`, this starts it at once: it has
 * often ended before anything waits for it.
 */
export const briefly = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(Effect.runtime<never>(), (runtime) =>
    awaitBriefly(Effect.void, Runtime.runFork(runtime, contained(effect)))
  )

import type { CallEvent } from "@effect-speech/transport/CallEvent"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** The calls of a run that can be stopped: those in flight then go on, and no other starts. */
export interface StoppableCalls {
  /** Runs a call. `onEvent` must get its events. */
  readonly run: <A, E>(
    call: (onEvent: (event: CallEvent) => Effect.Effect<void>) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  /** From now on a call that waits for its turn or for a retry is interrupted, since nothing of it is in flight. */
  readonly stop: Effect.Effect<void>
}

export const makeStoppableCalls = (): StoppableCalls => {
  const calls = new Set<{ readonly leave: Deferred.Deferred<never>; waits: boolean }>()
  let isStopped = false
  return {
    run: (call) =>
      Effect.gen(function* () {
        if (isStopped) return yield* Effect.interrupt
        const own = { leave: yield* Deferred.make<never>(), waits: false }
        calls.add(own)
        const onEvent = ({ _tag }: CallEvent) =>
          Effect.suspend(() => {
            own.waits = _tag === "Queued" || _tag === "Retrying"
            return own.waits && isStopped ? Deferred.interrupt(own.leave) : Effect.void
          })
        return yield* Effect.raceFirst(call(onEvent), Deferred.await(own.leave)).pipe(
          Effect.ensuring(Effect.sync(() => calls.delete(own)))
        )
      }),
    stop: Effect.suspend(() => {
      isStopped = true
      return Effect.forEach(calls, ({ leave, waits }) => (waits ? Deferred.interrupt(leave) : Effect.void), {
        discard: true
      })
    })
  }
}

/**
 * Ends the pieces of a run that was interrupted: while the grace period runs, those in flight go on to their end. `allEnded` waits
 * for them.
 */
export const withGrace =
  (calls: StoppableCalls, gracePeriod: Effect.Effect<unknown> | undefined) =>
  (allEnded: Effect.Effect<void>): Effect.Effect<void> =>
    gracePeriod === undefined
      ? Effect.void
      : Effect.zipRight(
          calls.stop,
          // A finalizer is uninterruptible, and the race interrupts what is slower.
          Effect.raceFirst(Effect.interruptible(allEnded), Effect.exit(Effect.interruptible(gracePeriod)))
        ).pipe(Effect.asVoid)

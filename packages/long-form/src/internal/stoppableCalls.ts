import type { CallEvent } from "@effect-speech/transport/CallEvent"
import { isWaiting } from "@effect-speech/transport/unstable/CallEvents"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

type OnEvent = (event: CallEvent) => Effect.Effect<void>

/** The calls of a run that can be stopped: those in flight then go on, and no other starts. */
export interface StoppableCalls {
  /** Runs a call. `onEvent`, if somebody needs the events, must get them, and passes them to `emit`. */
  readonly run: <A, E>(
    call: (onEvent: OnEvent | undefined) => Effect.Effect<A, E>,
    emit: OnEvent
  ) => Effect.Effect<A, E>
  /** From now on a call that waits for its turn or for a retry is interrupted, since nothing of it is in flight. */
  readonly stop: Effect.Effect<void>
}

/** `isFollowed`: without it no call gets `onEvent`, which costs a fiber and an event for each chunk of an upload. */
export const makeStoppableCalls = (isFollowed: boolean): StoppableCalls => {
  const calls = new Set<{ readonly leave: Deferred.Deferred<never>; waits: boolean }>()
  let isStopped = false
  return {
    run: (call, emit) =>
      Effect.gen(function* () {
        if (isStopped) return yield* Effect.interrupt
        const own = { leave: yield* Deferred.make<never>(), waits: false }
        calls.add(own)
        const onEvent: OnEvent = (event) =>
          Effect.suspend(() => {
            own.waits = isWaiting(event)
            const leave = own.waits && isStopped ? Deferred.interrupt(own.leave) : Effect.void
            return Effect.zipRight(leave, emit(event))
          })
        return yield* Effect.raceFirst(call(isFollowed ? onEvent : undefined), Deferred.await(own.leave)).pipe(
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
  (calls: StoppableCalls, gracePeriod: Duration.DurationInput | Effect.Effect<unknown> | undefined) =>
  (allEnded: Effect.Effect<void>): Effect.Effect<void> =>
    gracePeriod === undefined
      ? Effect.void
      : Effect.zipRight(
          calls.stop,
          // A finalizer is uninterruptible, and the race interrupts what is slower.
          Effect.raceFirst(
            Effect.interruptible(allEnded),
            Effect.exit(Effect.interruptible(Effect.isEffect(gracePeriod) ? gracePeriod : Effect.sleep(gracePeriod)))
          )
        ).pipe(Effect.asVoid)

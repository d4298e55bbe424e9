import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/**
 * Runs effects by key. While an effect runs, callers with the same key wait for its result: of equal pieces at the same time, one is
 * paid for. `isOwn` says whether the effect ran for this caller.
 */
export const makeSingleFlight = <A, E>() => {
  const running = new Map<string, Deferred.Deferred<A, E>>()
  return <R>(
    key: string,
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<{ readonly value: A; readonly isOwn: boolean }, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const other = running.get(key)
        if (other !== undefined) return { value: yield* restore(Deferred.await(other)), isOwn: false }
        const result = yield* Deferred.make<A, E>()
        running.set(key, result)
        const exit = yield* Effect.exit(restore(effect))
        running.delete(key)
        yield* Deferred.done(result, exit)
        return { value: yield* exit, isOwn: true }
      })
    )
}

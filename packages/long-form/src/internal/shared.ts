import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** A result, and whether it was made for this caller. */
export interface Shared<A> {
  readonly value: A
  readonly isOwn: boolean
}

/**
 * Gives effects a name. While an effect runs, others of its name wait for its result and do not run: of two equal pieces at
 * the same time, one is paid for.
 */
export const makeShared = <A, E>() => {
  const running = new Map<string, Deferred.Deferred<A, E>>()
  return <R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<Shared<A>, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const other = running.get(name)
        if (other !== undefined) return { value: yield* restore(Deferred.await(other)), isOwn: false }
        const result = yield* Deferred.make<A, E>()
        running.set(name, result)
        const exit = yield* Effect.exit(restore(effect))
        running.delete(name)
        yield* Deferred.done(result, exit)
        return { value: yield* exit, isOwn: true }
      })
    )
}

import type { CallEvent } from "@effect-speech/transport/CallEvent"
import { replaces as replacesEvent } from "@effect-speech/transport/unstable/CallEvents"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { PieceStoreError, PieceStoreService } from "../PieceStore.js"
import type { RunProgress } from "./runProgress.js"

/** A piece whose result is paid for at most once. */
export interface PaidPiece<A, E> {
  /** The key of its result in the cache. */
  readonly key: string
  /** Code points of a text, or milliseconds of a recording. */
  readonly amount: number
  /** About the length of its result. */
  readonly expectedBytes: number
  /** Its result in the cache. */
  readonly find: Effect.Effect<Option.Option<A>, E | PieceStoreError>
  /** Sends it, and puts the result into the cache. Only what is in `restore` can be interrupted: what is paid is kept. */
  readonly send: (
    restore: <B, E2, R>(effect: Effect.Effect<B, E2, R>) => Effect.Effect<B, E2, R>
  ) => Effect.Effect<A, E | PieceStoreError>
  readonly emit: (tag: "Kept" | "Started" | "Done") => Effect.Effect<void>
}

export interface Obtained<A> {
  /** `kept`: by an earlier run, or for an equal piece of this one. */
  readonly source: "kept" | "sent"
  readonly result: A
}

/** Obtains results: from the cache, from an equal piece that is being sent, or by a call, for whose result room is made before. */
export const makePaidPieces = <A, E>(store: PieceStoreService, progress: RunProgress) => {
  const shared = makeSingleFlight<Obtained<A>, E | PieceStoreError>()
  return ({ amount, emit, expectedBytes, find, key, send }: PaidPiece<A, E>) => {
    const finish = (tag: "Kept" | "Done", obtained: Obtained<A>): Effect.Effect<Obtained<A>> =>
      Effect.suspend(() => {
        progress.keep(key, amount)
        return Effect.as(emit(tag), obtained)
      })
    const obtain = Effect.gen(function* () {
      const found = yield* find
      if (Option.isSome(found)) return yield* finish("Kept", { source: "kept", result: found.value })
      yield* store.reserve?.(key, expectedBytes) ?? Effect.void
      yield* emit("Started")
      return yield* Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(send(restore), (result) => finish("Done", { source: "sent", result }))
      )
    }).pipe(Effect.scoped)
    return Effect.flatMap(shared(key, obtain), ({ isOwn, value }) =>
      isOwn ? Effect.succeed(value) : finish("Kept", { source: "kept", result: value.result })
    )
  }
}

/**
 * Runs effects by key. While an effect runs, callers with the same key wait for its result: of equal pieces at the same time, one is
 * paid for. `isOwn` says whether the effect ran for this caller.
 */
const makeSingleFlight = <A, E>() => {
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

type PieceEvent =
  | { readonly _tag: "Called"; readonly number: number; readonly event: CallEvent }
  | { readonly _tag: "Planned" | "Kept" | "Silent" | "Started" | "Done" }

/** As for the events of one call: later progress of the upload of the same piece. */
export const replaces = (later: PieceEvent, earlier: PieceEvent): boolean =>
  later._tag === "Called" &&
  earlier._tag === "Called" &&
  later.number === earlier.number &&
  replacesEvent(later.event, earlier.event)

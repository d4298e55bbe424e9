import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

export interface InOrderOptions {
  /** How many items run at once. */
  readonly concurrency: number
  /** How many items may have started without their result having been taken. At least `concurrency`. */
  readonly ahead: number
  /**
   * Runs if the scope closes while items run, with an effect that waits until all of them have ended. Those that still run after it are
   * interrupted.
   */
  readonly atClose: (allEnded: Effect.Effect<void>) => Effect.Effect<void>
}

/**
 * Runs an effect for each item of a stream, several at once, and gives the results in the order of the items. At most one item
 * is read before its turn.
 *
 * After a failure, of the stream or of an item, no item starts; those that run go on to their end, since they are paid for. The
 * results before the failure are given, then the stream fails. `Stream.mapEffect` would interrupt the other items.
 */
export const inOrder =
  <I, A, E, R>(run: (item: I) => Effect.Effect<A, E, R>, { ahead, atClose, concurrency }: InOrderOptions) =>
  <E2, R2>(items: Stream.Stream<I, E2, R2>): Stream.Stream<A, E | E2, R | R2> =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const pull = yield* Stream.toPull(Stream.rechunk(items, 1))
        const fibers = yield* FiberSet.make<A, E>()
        const results = yield* Queue.unbounded<Effect.Effect<A, Option.Option<E | E2>, R | R2>>()
        const turns = yield* Effect.makeSemaphore(concurrency)
        const places = yield* Effect.makeSemaphore(ahead)
        let failed = false

        const start = (item: I) =>
          Effect.gen(function* () {
            yield* places.take(1)
            yield* turns.take(1)
            if (failed) return
            const fiber = yield* FiberSet.run(
              fibers,
              run(item).pipe(
                Effect.onExit((exit) =>
                  Effect.sync(() => {
                    failed ||= Exit.isFailure(exit)
                  })
                ),
                Effect.ensuring(turns.release(1))
              )
            )
            yield* Queue.offer(results, Effect.mapError(Fiber.join(fiber), Option.some))
          })
        // Suspended work is not begun after a failure: the consumer stops this fiber when it reaches that failure.
        const starting = yield* Effect.suspend(() => pull).pipe(
          Effect.flatMap((chunk) => Effect.forEach(chunk, start, { discard: true })),
          Effect.repeat({ while: () => !failed }),
          Effect.catchAllCause((end) => Queue.offer(results, Effect.failCause(end))),
          Effect.forkScoped
        )
        const close = Effect.gen(function* () {
          yield* Fiber.interrupt(starting)
          if ((yield* FiberSet.size(fibers)) > 0) yield* atClose(FiberSet.awaitEmpty(fibers))
        })
        yield* Effect.addFinalizer(() => close)

        const next = Queue.take(results).pipe(
          Effect.flatMap((result) => Effect.exit(result)),
          Effect.flatMap((exit) => {
            if (Exit.isSuccess(exit)) return Effect.as(places.release(1), Chunk.of(exit.value))
            const end = Cause.failureOption(exit.cause)
            if (Option.isSome(end) && Option.isNone(end.value)) return Effect.fail(Option.none())
            return Fiber.interrupt(starting).pipe(
              Effect.zipRight(FiberSet.awaitEmpty(fibers)),
              Effect.zipRight(Effect.failCause(exit.cause))
            )
          })
        )
        return Stream.repeatEffectChunkOption(next)
      })
    )

/**
 * Records answers. Those that arrive while others are recorded are recorded together, in one statement and one commit: a database that
 * is far away or busy, and not its number of commits, bounds the rate.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ArchiveStoreFailed } from "../../ArchiveError.js"
import type { Done, StoreService } from "../store/Store.js"

/** Of one statement. */
const most = 256

interface Waiting {
  readonly seq: number
  readonly answer: Done
  /** Whether it was recorded. */
  readonly recorded: Deferred.Deferred<boolean, ArchiveStoreFailed>
}

export interface AnswersOptions {
  readonly store: StoreService
  readonly machine: string
  /** Repeats an effect of the store through an outage. */
  readonly stored: <A>(effect: Effect.Effect<A, ArchiveStoreFailed>) => Effect.Effect<A, ArchiveStoreFailed>
}

/** Returns a function that records the answer for a file of a run. Its result is whether the file was this machine's. */
export const make = ({ machine, store, stored }: AnswersOptions) => {
  const queues = new Map<string, { readonly run: string; readonly epoch: number; waiting: Array<Waiting> }>()

  const flush = (key: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const queue = queues.get(key)
      if (queue === undefined || queue.waiting.length === 0) {
        queues.delete(key)
        return Effect.void
      }
      const some = queue.waiting.splice(0, most)
      const { epoch, run } = queue
      return Effect.gen(function* () {
        const together = new Set<number>(
          some.length === 1 ? [] : yield* stored(store.settleAnswers(run, machine, some))
        )
        for (const { answer, recorded, seq } of some) {
          if (together.has(seq)) yield* Deferred.succeed(recorded, true)
          // A run with a limit of credits, for one, counts each answer.
          else yield* Effect.intoDeferred(stored(store.settle(run, epoch, seq, machine, answer)), recorded)
        }
      }).pipe(
        Effect.catchAllCause((cause) => Effect.forEach(some, ({ recorded }) => Deferred.failCause(recorded, cause))),
        Effect.zipRight(flush(key))
      )
    })

  return (run: string, epoch: number, seq: number, answer: Done): Effect.Effect<boolean, ArchiveStoreFailed> =>
    Effect.gen(function* () {
      const recorded = yield* Deferred.make<boolean, ArchiveStoreFailed>()
      const key = `${run}/${epoch}`
      const queue = queues.get(key)
      if (queue === undefined) {
        queues.set(key, { run, epoch, waiting: [{ seq, answer, recorded }] })
        yield* Effect.forkDaemon(flush(key))
      } else queue.waiting.push({ seq, answer, recorded })
      return yield* Deferred.await(recorded)
    })
}

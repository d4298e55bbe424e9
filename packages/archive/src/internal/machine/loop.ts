/**
 * The loop of a machine for one run: it claims files for the calls that may begin now, and begins them.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ArchiveStoreFailed } from "../../ArchiveError.js"
import type { Claim, RunRow, StoreService } from "../store/Store.js"
import { isOutage } from "../store/storeFailed.js"
import type { Calls, HighestCostOf } from "./calls.js"
import type { Life } from "./heartbeat.js"

/** How often a loop that has nothing to claim looks again, such as for files that others gave back. In milliseconds. */
const claimInterval = 1_000

export interface LoopOptions {
  readonly store: StoreService
  readonly machine: string
  readonly life: Life
  readonly calls: Calls
  /** What the call of a file costs at most, by the operation. A run with another operation is left to other machines. */
  readonly costs: ReadonlyMap<string, HighestCostOf>
}

/** Claims and begins calls until the run stops. */
export const makeLoop = ({ calls, costs, life, machine, store }: LoopOptions) => {
  /** Claims files for so many calls. A file whose cost must be known is claimed alone. */
  const claim = ({ epoch, id, settings }: RunRow, count: number): Effect.Effect<Claim, ArchiveStoreFailed> =>
    Effect.gen(function* () {
      let claimed = yield* store.claim(id, epoch, machine, count)
      if (claimed._tag === "CostNeeded") {
        const { file } = claimed
        const cost = yield* costs.get(settings.operation._tag)?.({ file, settings }) ?? Effect.succeed(0)
        claimed = yield* store.claim(id, epoch, machine, 1, { seq: file.seq, cost: Math.ceil(cost) })
      }
      return claimed
    })

  /** Reserves calls, claims files for them, and begins them. The result says what the loop waits for. */
  const step = (row: RunRow, changed: Effect.Latch) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const count = yield* restore(calls.reserve)
        yield* changed.close
        const claimed = yield* Effect.onError(claim(row, count), () => Effect.sync(() => calls.release(count)))
        const files = claimed._tag === "Claimed" ? claimed.files : []
        calls.release(count - files.length)
        for (const file of files) {
          yield* calls.begin({
            run: row,
            file,
            settled: changed.open
          })
        }
        return claimed
      })
    )

  return (row: RunRow, stopped: Deferred.Deferred<void>): Effect.Effect<void> =>
    Effect.gen(function* () {
      const changed = yield* Effect.makeLatch()
      const until = (news: Effect.Effect<unknown>, millis: number) =>
        Effect.timeoutOption(Effect.raceFirst(news, Deferred.await(stopped)), millis)
      let failures = 0
      while (!(yield* Deferred.isDone(stopped))) {
        const claimed = yield* Effect.either(step(row, changed))
        if (claimed._tag === "Left") {
          yield* life.report(claimed.left)
          if (!isOutage(claimed.left)) return
          yield* until(Effect.never, Math.min(200 * 2 ** failures++, 3_000))
          continue
        }
        failures = 0
        const { right } = claimed
        if (right._tag === "Stopped") return
        if (right._tag === "Wait") yield* until(changed.await, right.millis)
        if (right._tag !== "Claimed" || right.files.length > 0) continue
        if (
          calls.active(row.id) === 0 &&
          (yield* Effect.orElseSucceed(store.endIfComplete(row.id, row.epoch), () => false))
        )
          return
        yield* until(changed.await, claimInterval)
      }
    })
}

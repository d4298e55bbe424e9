/**
 * The runs that a machine works on. Each has a loop that claims files for the calls that may begin now, and begins them. There is no
 * queue and no message: machines take what is pending in the table, and find there that a run has begun, stopped or ended.
 */
import { unnoticed } from "@effect-speech/common/Contained"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { StoreFailed } from "../../ArchiveError.js"
import type { Claim, RunRow, StoreService } from "../store/Store.js"
import { isOutage } from "../store/storeFailed.js"
import type { Calls, CostOf } from "./calls.js"
import type { Life } from "./heartbeat.js"

/** How often a machine looks for runs that have begun or stopped elsewhere, and for files that others gave back. In milliseconds. */
const pollInterval = 1_000

export interface RunsOptions {
  readonly store: StoreService
  readonly machine: string
  readonly life: Life
  readonly calls: Calls
  /** What the call of a file costs at most, by the operation. A run with another operation is left to other machines. */
  readonly costs: ReadonlyMap<string, CostOf>
  /** Works on each run that is running, or only on those that were adopted. */
  readonly works: "all" | "adopted"
}

export interface Runs {
  /** Works on the run, if machines choose their runs, and looks for it at once. */
  readonly adopt: (run: string) => Effect.Effect<void>
  /** Whether this machine works on the run in this epoch. */
  readonly worksOn: (run: string, epoch: number) => boolean
  /** The run has been stopped by this process: its loop ends at once. */
  readonly stop: (run: string) => Effect.Effect<void>
  /** Claims no file any more. */
  readonly close: Effect.Effect<void>
}

interface Loop {
  readonly row: RunRow
  readonly stopped: Deferred.Deferred<void>
  readonly fiber: Fiber.RuntimeFiber<void>
}

export const make = (options: RunsOptions): Effect.Effect<Runs, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { calls, costs, life, machine, store } = options
    const adopted = new Set<string>()
    const loops = new Map<string, Loop>()
    const foreign = new Set<string>()

    /** Claims files for so many calls. A file whose cost must be known is claimed alone. */
    const claim = ({ epoch, id, settings }: RunRow, count: number): Effect.Effect<Claim, StoreFailed> =>
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

    /** Claims and begins calls until the run stops. */
    const work = (row: RunRow, stopped: Deferred.Deferred<void>) =>
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
          if (calls.active(row.id) === 0 && (yield* Effect.orElseSucceed(endIfComplete(row), () => false))) return
          yield* until(changed.await, pollInterval)
        }
      })

    const endIfComplete = ({ epoch, id }: RunRow) => store.endIfComplete(id, epoch)

    const begin = (row: RunRow) =>
      Effect.gen(function* () {
        const stopped = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkDaemon(Effect.interruptible(work(row, stopped)))
        loops.set(row.id, { row, stopped, fiber })
        fiber.addObserver(() => {
          if (loops.get(row.id)?.fiber === fiber) loops.delete(row.id)
        })
      })

    const end = ({ fiber, row, stopped }: Loop) =>
      Effect.suspend(() => {
        loops.delete(row.id)
        return Effect.zipRight(Deferred.succeed(stopped, undefined), Fiber.interrupt(fiber))
      })

    /** A run with an operation that this machine has no address for is left to others, and said once. */
    const isOwn = ({ id, settings }: RunRow): boolean =>
      (options.works === "all" || adopted.has(id)) && costs.has(settings.operation._tag)
    const sayForeign = ({ id, settings }: RunRow) =>
      Effect.suspend(() => {
        if (costs.has(settings.operation._tag) || foreign.has(id)) return Effect.void
        foreign.add(id)
        return unnoticed(
          Effect.logWarning(
            `This machine leaves the run ${id} to others: it has no address of the service for ${settings.operation._tag}.`
          )
        )
      })

    const look = Effect.gen(function* () {
      const running = yield* store.running
      const own = running.filter(isOwn)
      yield* Effect.forEach(running, sayForeign, { discard: true })
      const isCurrent = ({ row }: Loop) => own.some(({ epoch, id }) => id === row.id && epoch === row.epoch)
      yield* Effect.forEach(
        [...loops.values()].filter((loop) => !isCurrent(loop)),
        end
      )
      const dead = yield* life.dead
      for (const row of own) {
        if (dead !== undefined) yield* store.takeOver(row.id, dead)
        if (!loops.has(row.id)) yield* begin(row)
      }
    }).pipe(Effect.catchAll(life.report))

    const wakeUp = yield* Effect.makeLatch(true)
    const looking = yield* wakeUp.close.pipe(
      Effect.zipRight(look),
      Effect.zipRight(Effect.timeoutOption(wakeUp.await, pollInterval)),
      Effect.forever,
      Effect.raceFirst(Effect.exit(Deferred.await(life.ended))),
      Effect.ensuring(Effect.suspend(() => Effect.forEach([...loops.values()], end, { discard: true }))),
      Effect.interruptible,
      Effect.forkScoped
    )

    return {
      adopt: (run) =>
        Effect.suspend(() => {
          adopted.add(run)
          return wakeUp.open
        }),
      worksOn: (run, epoch) => loops.get(run)?.row.epoch === epoch,
      stop: (run) =>
        Effect.suspend(() => {
          const loop = loops.get(run)
          return loop === undefined ? Effect.void : Effect.asVoid(end(loop))
        }),
      close: Effect.asVoid(Fiber.interrupt(looking))
    }
  })

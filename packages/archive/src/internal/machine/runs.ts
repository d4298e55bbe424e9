/**
 * The runs that a machine works on. Each has a loop that claims files for the calls that may begin now, and begins them. There is no
 * queue and no message: machines take what is pending in the table, and find there that a run has begun, stopped or ended.
 */
import { unnoticed } from "@effect-speech/common/Contained"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { RunRow } from "../store/Store.js"
import { type LoopOptions, makeLoop } from "./loop.js"

/** How often a machine looks for runs that have begun or stopped elsewhere. In milliseconds. */
const pollInterval = 1_000

export interface RunsOptions extends LoopOptions {
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
    const { costs, life, store } = options
    const adopted = new Set<string>()
    const loops = new Map<string, Loop>()
    const foreign = new Set<string>()

    const work = makeLoop(options)

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

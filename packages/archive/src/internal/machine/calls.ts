/**
 * The calls of a machine for all its runs: at most `concurrency` at once. While a result is recorded, the next call begins.
 *
 * A call belongs to no run's loop: if the loop ends, because the run is paused or the process ends, its calls under way are finished
 * and recorded all the same.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { ArchiveStoreFailed } from "../../ArchiveError.js"
import type { RunSettings, Unanswered } from "../../Run.js"
import type { Job, Worker } from "../../Worker.js"
import { failedOrHeld } from "../model/settlement.js"
import type { ClaimedFile, Done, RunRow, Settlement, StoredFile, StoreService } from "../store/Store.js"
import { isOutage } from "../store/storeFailed.js"
import { within } from "../within.js"
import * as Answers from "./answers.js"
import type { Life } from "./heartbeat.js"
import * as Slots from "./slots.js"

export interface Calls {
  /** Waits until calls may begin, and reserves all that may. Runs get their turn in the order in which they ask. */
  readonly reserve: Effect.Effect<number>
  /** Gives up so many reservations. */
  readonly release: (count: number) => void
  /** Uses a reservation to call the service for a file, and records the result. Returns at once. */
  readonly begin: (call: Call) => Effect.Effect<void>
  /** Calls of a run under way. */
  readonly active: (run: string) => number
  /** Begins no call any more: a file that is claimed still is given back. */
  readonly stop: Effect.Effect<void>
  /** Waits for the calls under way. What has not ended by then is interrupted, and stays `started`. */
  readonly close: Effect.Effect<void>
}

export interface Call {
  readonly run: RunRow
  readonly file: ClaimedFile
  /** Called when the result is recorded. */
  readonly settled: Effect.Effect<unknown>
}

export interface CallsOptions {
  readonly store: StoreService
  readonly machine: string
  readonly life: Life
  readonly concurrency: number
  /** In milliseconds. */
  readonly closeLimit: number
  readonly workers: ReadonlyMap<string, Pick<Worker, "call">>
  /** Called after a file was recorded as done. */
  readonly recorded: (job: Job, settlement: Done) => Effect.Effect<void>
}

/** Repeats while the database is away: after 200 ms, then after twice the time, at most every 3 seconds. */
export const whileAway = Schedule.exponential(200).pipe(Schedule.union(Schedule.spaced(3_000)))

export const make = (options: CallsOptions): Effect.Effect<Calls, ArchiveStoreFailed> =>
  Effect.gen(function* () {
    const { concurrency, life } = options
    const active = new Map<string, number>()
    const fibers = new Set<Fiber.RuntimeFiber<void>>()
    // Results that wait to be recorded hold back calls, so that a database that is slow or away does not fill the memory.
    const slots = yield* Slots.make(concurrency, () => 2 * concurrency - fibers.size)
    const results = yield* makeResults(options)
    let closing = false

    // A piece that waited for a place among the calls of the client could not be held back any more.
    const pieces = yield* Effect.makeSemaphore(concurrency)
    const pieceSlot = Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(
        restore(pieces.take(1)),
        Effect.addFinalizer(() => pieces.release(1))
      )
    )

    const callAndRecord = ({ file, run, settled }: Call, endCall: () => void) =>
      Effect.gen(function* () {
        const mayGoOn = Effect.suspend(() => (closing ? Effect.succeed(false) : results.mayGoOn(file)))
        const job: Job = { file, settings: run.settings, beginPiece: Effect.zipRight(pieceSlot, mayGoOn) }
        let settlement: Settlement = { _tag: "NotBegun" }
        yield* Effect.gen(function* () {
          if (!closing) settlement = yield* results.of(job)
          // What stops the run, or slows it down, is recorded before the next call begins.
          if (settlement._tag === "Done") endCall()
          yield* results.record(job, run.epoch, settlement)
        }).pipe(
          // The store can't record it: the machine ends, and its files are held.
          Effect.catchAll(life.report),
          Effect.ensuring(
            Effect.sync(() => {
              endCall()
              active.set(run.id, (active.get(run.id) ?? 1) - 1)
            })
          )
        )
        yield* settled
      })

    const begin = (each: Call) =>
      Effect.gen(function* () {
        const endCall = slots.begin()
        active.set(each.run.id, (active.get(each.run.id) ?? 0) + 1)
        const fiber = yield* Effect.forkDaemon(Effect.interruptible(callAndRecord(each, endCall)))
        fibers.add(fiber)
        fiber.addObserver(() => {
          fibers.delete(fiber)
          slots.changed()
        })
      })

    return {
      reserve: slots.reserve,
      release: slots.release,
      begin,
      active: (run) => active.get(run) ?? 0,
      stop: Effect.sync(() => {
        closing = true
        slots.close()
      }),
      close: Effect.gen(function* () {
        yield* within(options.closeLimit)(
          Effect.suspend(() => Fiber.awaitAll(fibers)).pipe(Effect.repeat({ until: () => fibers.size === 0 }))
        )
        yield* Fiber.interruptAll(fibers)
      })
    }
  })

/** Gets the result of a file, and records it. */
const makeResults = ({ life, machine, recorded, store, workers }: CallsOptions) =>
  Effect.gen(function* () {
    const ahead = (yield* store.now) - (yield* Clock.currentTimeMillis)

    /** An effect of the store that must succeed: it is repeated through an outage. */
    const stored = <A>(effect: Effect.Effect<A, ArchiveStoreFailed>): Effect.Effect<A, ArchiveStoreFailed> =>
      effect.pipe(Effect.tapError(life.report), Effect.retry({ schedule: whileAway, while: isOutage }))

    const recordAnswer = Answers.make({ store, machine, stored })

    const call = (job: Job): Effect.Effect<Settlement> => {
      const worker = workers.get(job.settings.operation._tag)
      return worker === undefined
        ? Effect.succeed<Settlement>({ _tag: "NotBegun" })
        : Effect.catchAllCause(worker.call(job), (cause) =>
            Cause.isInterruptedOnly(cause)
              ? Effect.failCause(cause)
              : Effect.succeed(defect(cause, job.settings.unanswered))
          )
    }

    return {
      /** Whether a file that is called may be called on. A store that is damaged ends the machine. */
      mayGoOn: ({ run, seq }: ClaimedFile): Effect.Effect<boolean> =>
        Effect.catchAll(stored(store.mayGoOn(run, seq, machine)), (error) => Effect.as(life.report(error), false)),
      /** That of a file with the same content, or of its call. */
      of: (job: Job): Effect.Effect<Settlement, ArchiveStoreFailed> => {
        const { content, run } = job.file
        if (!job.settings.byContent || content === undefined) return call(job)
        return Effect.flatMap(
          stored(store.sameContent(run, content)),
          Option.match({ onNone: () => call(job), onSome: (same) => Effect.succeed(resultOfSame(same)) })
        )
      },
      record: (job: Job, epoch: number, result: Settlement) =>
        Effect.gen(function* () {
          // Workers go by the clock of the process, and the store by that of the database.
          const settlement =
            "begunAt" in result && result.begunAt !== undefined
              ? { ...result, begunAt: result.begunAt + ahead }
              : result
          const { run, seq } = job.file
          if (settlement._tag !== "Done") yield* stored(store.settle(run, epoch, seq, machine, settlement))
          else if (yield* recordAnswer(run, epoch, seq, settlement)) yield* recorded(job, settlement)
        })
    }
  })

/** What a file has from one with the same content, as it is stored. Nothing was sent for it. */
const resultOfSame = ({ error, result, state }: StoredFile): Settlement =>
  state === "held" && error !== undefined
    ? { _tag: "Held", error, billing: "notBilled", notReached: true }
    : { _tag: "Done", result: result as Done["result"], billing: "notBilled", credits: 0, notReached: true }

/** A worker that throws has a defect, in which its file takes part: the file is not called again, and the run goes on. */
const defect = (cause: Cause.Cause<never>, unanswered: Unanswered): Settlement => {
  const thrown = Cause.squash(cause)
  const message = `The call ended with a defect: ${thrown instanceof Error ? thrown.message : String(thrown)}`
  return failedOrHeld({ error: { tag: "Defect", message }, billing: "unknown" }, unanswered)
}

/** What the call of a file costs at most, by the price of `Limits`. */
export type HighestCostOf = (job: {
  readonly file: ClaimedFile
  readonly settings: RunSettings
}) => Effect.Effect<number>

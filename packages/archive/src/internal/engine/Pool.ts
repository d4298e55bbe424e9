/**
 * The calls of a machine: a queue of files, and a fixed number of fibers. Each fiber claims a file and sends it. While the result
 * is recorded, the fiber goes on with the next file.
 *
 * The fibers belong to no batch. If a batch is interrupted, because its shard moves or the process ends, its calls under way are
 * finished and recorded all the same, and its other files are left to the machine that takes the batch up.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type { StoreFailed } from "../../ArchiveError.js"
import type { Unanswered } from "../../Run.js"
import type { Job, Worker } from "../../Worker.js"
import type { Done, RunRow, Settlement, StoreService } from "../store/Store.js"
import { within } from "../within.js"
import { failedOrHeld } from "../worker/settlement.js"

/** Files of one batch. */
export interface Work {
  readonly run: RunRow
  readonly epoch: number
  readonly seqs: ReadonlyArray<number>
  /** Done as soon as this process knows that the run does not run in this epoch any more. */
  readonly stopped: Deferred.Deferred<void>
}

/** What became of the files of a batch. */
export interface WorkDone {
  /** Some files may be pending or started still. */
  readonly again: boolean
  /** Files that this machine has settled. */
  readonly settled: number
}

export interface Pool {
  /** Calls the service for the files that are pending. Never returns once the pool is being closed. */
  readonly process: (work: Work) => Effect.Effect<WorkDone>
  /** Calls under way for files of a run. */
  readonly active: (run: string) => number
  /** Number of further calls that could begin now. */
  readonly free: Effect.Effect<number>
  /** Begins no call any more, and waits for those under way. What has not ended by then is interrupted, and stays `started`. */
  readonly close: Effect.Effect<void>
}

/** What the call of a file costs at most, by the price of `Limits`. */
export type CostOf = (job: Job) => Effect.Effect<number>

export interface PoolOptions {
  readonly store: StoreService
  readonly machine: string
  readonly concurrency: number
  /** In milliseconds. */
  readonly closeLimit: number
  readonly workers: ReadonlyMap<string, Pick<Worker, "call">>
  /** What the call of a file costs at most, by the operation. */
  readonly costs: ReadonlyMap<string, CostOf>
  /** Called after a file was recorded as done, before the next one is claimed. */
  readonly recorded: (job: Job, settlement: Done) => Effect.Effect<void>
}

/** Repeats while the database is away: after 200 ms, then after twice the time, at most every 3 seconds. */
export const untilStored: Schedule.Schedule<unknown> = Schedule.exponential(200).pipe(
  Schedule.union(Schedule.spaced(3_000))
)

interface Group {
  readonly work: Work
  readonly done: Deferred.Deferred<void>
  left: number
  settled: number
  again: boolean
  dropped: boolean
  stopped: boolean
}

interface Task {
  readonly group: Group
  readonly seq: number
}

export const make = (options: PoolOptions): Effect.Effect<Pool, StoreFailed> =>
  Effect.gen(function* () {
    const { store, machine } = options
    const queue = yield* Queue.unbounded<Task>()
    const closed = yield* Deferred.make<void>()
    const active = new Map<string, number>()
    const ahead = (yield* store.now) - (yield* Clock.currentTimeMillis)
    let closing = false

    const dropped = (group: Group) => closing || group.dropped || group.stopped

    const sleep = (group: Group, millis: number): Effect.Effect<void> =>
      Effect.raceFirst(Deferred.await(closed), Deferred.await(group.work.stopped)).pipe(
        Effect.timeoutOption(millis),
        Effect.asVoid
      )

    const costOf = (group: Group, file: Job["file"]) => {
      const { settings } = group.work.run
      return options.costs.get(settings.operation._tag)?.({ file, settings }) ?? Effect.succeed(0)
    }

    const claimed = (group: Group, seq: number) =>
      Effect.gen(function* () {
        const { epoch, run } = group.work
        let claim = yield* store.claim(run.id, epoch, seq, machine)
        while (claim._tag === "CostNeeded") {
          claim = yield* store.claim(run.id, epoch, seq, machine, Math.ceil(yield* costOf(group, claim.file)))
        }
        return claim
      })

    const settle = (group: Group, seq: number, settlement: Settlement) =>
      store
        .settle(group.work.run.id, group.work.epoch, seq, machine, settlement)
        .pipe(Effect.retry(untilStored), Effect.orDie)

    const call = (job: Job): Effect.Effect<Settlement> => {
      const worker = options.workers.get(job.settings.operation._tag)
      return worker === undefined
        ? Effect.succeed<Settlement>({ _tag: "NotBegun" })
        : Effect.catchAllCause(worker.call(job), (cause) =>
            Cause.isInterruptedOnly(cause)
              ? Effect.failCause(cause)
              : Effect.succeed(defect(cause, job.settings.unanswered))
          )
    }

    const resultOf = (job: Job): Effect.Effect<Settlement> => {
      const content = job.file.content
      if (!job.settings.byContent || content === undefined) return call(job)
      return store.sameContent(job.file.run, content).pipe(
        Effect.retry(untilStored),
        Effect.orDie,
        Effect.flatMap(
          Option.match({
            onNone: () => call(job),
            onSome: ({ result }): Effect.Effect<Settlement> =>
              Effect.succeed({ _tag: "Done", result, billing: "notBilled", credits: 0 })
          })
        )
      )
    }

    /** Claims a file, and calls the service for it. */
    const begin = (group: Group, seq: number) =>
      Effect.gen(function* () {
        const claim = yield* claimed(group, seq)
        if (claim._tag !== "Claimed") return claim
        const { settings, id: run } = group.work.run
        active.set(run, (active.get(run) ?? 0) + 1)
        const job: Job = { file: claim.file, settings }
        const settlement: Settlement = closing ? { _tag: "NotBegun" } : yield* resultOf(job)
        return { _tag: "Answered", job, settlement } as const
      })

    const record = (group: Group, job: Job, result: Settlement) =>
      Effect.gen(function* () {
        // Workers go by the clock of the process, and the store by that of the database.
        const settlement =
          "begunAt" in result && result.begunAt !== undefined ? { ...result, begunAt: result.begunAt + ahead } : result
        const changed = yield* settle(group, job.file.seq, settlement)
        switch (settlement._tag) {
          case "Done":
            if (changed) yield* options.recorded(job, settlement)
            group.settled++
            return
          case "Failed":
          case "Held":
            group.settled++
            return
          case "Refused":
          case "Lost":
            group.stopped = true
            yield* Deferred.succeed(group.work.stopped, undefined)
            return
          case "Unavailable":
          case "NotBegun":
            group.again = true
        }
      })

    /** Returns the answer of the service, if the file was called. */
    const handle = ({ group, seq }: Task) =>
      Effect.gen(function* () {
        let failures = 0
        while (!dropped(group)) {
          const begun = yield* Effect.either(begin(group, seq))
          if (begun._tag === "Left") {
            yield* sleep(group, Math.min(200 * 2 ** failures++, 3_000))
            continue
          }
          switch (begun.right._tag) {
            case "Answered":
              return begun.right
            case "NotPending":
              group.again = true
              return
            case "Wait":
              yield* sleep(group, begun.right.millis)
              break
            case "Stopped":
              group.stopped = true
              yield* Deferred.succeed(group.work.stopped, undefined)
              return
          }
        }
        return
      })

    const end = (group: Group) =>
      Effect.suspend(() => (--group.left === 0 ? Effect.asVoid(Deferred.succeed(group.done, undefined)) : Effect.void))

    const recordings = new Array<Fiber.RuntimeFiber<void> | undefined>(options.concurrency).fill(undefined)
    const awaitRecordings = (some: typeof recordings) => Fiber.awaitAll(some.filter((each) => each !== undefined))

    /** While a result is recorded, the service works on the next file. What stops the run, or slows it down, is recorded first. */
    const fiber = (index: number) =>
      Queue.take(queue).pipe(
        Effect.flatMap((task) =>
          Effect.gen(function* () {
            const answer = yield* handle(task)
            if (answer === undefined) return yield* end(task.group)
            const { job, settlement } = answer
            const { run } = job.file
            const recording = record(task.group, job, settlement).pipe(
              Effect.ensuring(Effect.sync(() => active.set(run, (active.get(run) ?? 1) - 1))),
              Effect.zipRight(end(task.group))
            )
            yield* awaitRecordings([recordings[index]])
            if (settlement._tag !== "Done") return yield* recording
            recordings[index] = yield* Effect.forkDaemon(recording)
          })
        ),
        Effect.repeat({ until: () => closing }),
        Effect.interruptible
      )
    const fibers = yield* Effect.forEach(recordings, (_, index) => Effect.forkDaemon(fiber(index)))

    const process = (work: Work): Effect.Effect<WorkDone> =>
      Effect.gen(function* () {
        if (closing) return yield* Effect.never
        const group: Group = {
          work,
          done: yield* Deferred.make<void>(),
          left: work.seqs.length,
          settled: 0,
          again: false,
          dropped: false,
          stopped: false
        }
        if (group.left === 0) return group
        yield* Queue.offerAll(
          queue,
          work.seqs.map((seq) => ({ group, seq }))
        )
        yield* Effect.onInterrupt(Deferred.await(group.done), () =>
          Effect.sync(() => {
            group.dropped = true
          })
        )
        // Files that were dropped are not finished: the batch is another machine's, or of the next process.
        return closing ? yield* Effect.never : group
      })

    const close = Effect.gen(function* () {
      closing = true
      yield* Deferred.succeed(closed, undefined)
      yield* Queue.shutdown(queue)
      yield* Fiber.awaitAll(fibers).pipe(
        Effect.zipRight(Effect.suspend(() => awaitRecordings(recordings))),
        within(options.closeLimit)
      )
      yield* Fiber.interruptAll([...fibers, ...recordings.filter((each) => each !== undefined)])
    })

    return {
      process,
      active: (run) => active.get(run) ?? 0,
      // The size of a queue is negative while fibers wait for its next item.
      free: Effect.map(Queue.size(queue), (size) => Math.max(-size, 0)),
      close
    }
  })

/** A worker that throws has a defect, in which its file takes part: the file is not called again, and the run goes on. */
const defect = (cause: Cause.Cause<never>, unanswered: Unanswered): Settlement => {
  const thrown = Cause.squash(cause)
  const message = `The call ended with a defect: ${thrown instanceof Error ? thrown.message : String(thrown)}`
  return failedOrHeld({ error: { tag: "Defect", message }, billing: "unknown" }, unanswered)
}

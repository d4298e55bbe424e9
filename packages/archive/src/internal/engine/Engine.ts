/**
 * The durable execution of runs, on Effect's workflow engine.
 *
 * A run is a sequence of executions of the workflow `Run`: each hands out some hundred batches as child workflows, and goes on as
 * a new execution, so that no history grows with the number of files. The state of each file is a row of a table, so that a
 * workflow that runs again, after `kill -9` or on another machine, begins nothing that is done.
 *
 * The workflows have no activities. The table remembers what is done, and the cluster (0.60) may not deliver an activity for ten
 * minutes: when its shard moves, it stores an interruption for it, and a read that is under way drops what is then sent again.
 *
 * The engine shares the batches by their ids, so one machine may have more of them than another. A machine with free calls
 * goes on with the last files of the run, wherever their batches are.
 *
 * The cluster may lose any other message as well, for ten minutes: a machine that reads it while its shard moves marks it as read and
 * drops it. So nothing waits for a message alone. Machines find the files, take over those of dead machines, and end a run by
 * the table.
 *
 * No message begins a run: each machine looks once a second for runs that are running, and executes their current
 * epoch. The engine executes it once, however many machines ask for it.
 */
import * as Workflow from "@effect/workflow/Workflow"
import { WorkflowEngine, WorkflowInstance } from "@effect/workflow/WorkflowEngine"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { StoreFailed } from "../../ArchiveError.js"
import type { Batch, RunRow, StoreService } from "../store/Store.js"
import { unnoticed } from "../unnoticed.js"
import * as Pool from "./Pool.js"

/** Batches that one execution of a run hands out. */
const batchesOfPart = 500

/** Files of the batches that are handed out at once: enough for some machines, few enough for their queues. */
const filesAtOnce = 2_000

/** A run that begins or stops elsewhere is seen within this time. In milliseconds. */
const look = 1_000

/** How long a batch waits before it looks again for files that others call. In milliseconds. */
const again = 250

/** Other machines count as dead after 35 seconds without a heartbeat. In milliseconds. */
const heartbeatInterval = 5_000

/** After an outage of the database, machines have this time for a heartbeat before one is taken for dead. In milliseconds. */
const calmAfterOutage = 2 * heartbeatInterval

const RunWorkflow = Workflow.make({
  name: "Run",
  payload: { run: Schema.String, epoch: Schema.Int, part: Schema.Int, after: Schema.Int },
  idempotencyKey: ({ run, epoch, part }) => `${run}/${epoch}/${part}`
}).annotate(Workflow.CaptureDefects, false)

const BatchWorkflow = Workflow.make({
  name: "Batch",
  payload: { run: Schema.String, epoch: Schema.Int, from: Schema.Int, to: Schema.Int },
  idempotencyKey: ({ run, epoch, from, to }) => `${run}/${epoch}/${from}-${to}`
}).annotate(Workflow.CaptureDefects, false)

export interface Engine {
  /** This process works on the run, if machines choose their runs. */
  readonly adopt: (run: string) => Effect.Effect<void>
  /** Whether this process has begun the execution of the run in this epoch. */
  readonly begun: (run: string, epoch: number) => boolean
  /** The run has been stopped by this process: its batches end at once. */
  readonly stopped: (run: string) => Effect.Effect<void>
}

export interface EngineOptions {
  readonly store: StoreService
  readonly machine: string
  readonly pool: Pool.Pool
  /** Works on each run that is running, or only on those that were adopted. */
  readonly works: "all" | "adopted"
}

export const make = (options: EngineOptions): Effect.Effect<Engine, StoreFailed, WorkflowEngine | Scope.Scope> =>
  Effect.gen(function* () {
    const { store, machine, pool } = options
    const engine = yield* WorkflowEngine

    // --- The machine is alive ---

    let outage = false
    let calmSince = 0
    const beat = store.heartbeat(machine).pipe(
      Effect.matchEffect({
        onFailure: ({ message }) => {
          if (outage) return Effect.void
          outage = true
          return unnoticed(Effect.logWarning(`The store is not available. Calls begin again when it is. ${message}`))
        },
        onSuccess: () => {
          if (!outage) return Effect.void
          outage = false
          calmSince = performance.now() + calmAfterOutage
          return unnoticed(Effect.logInfo("The store is available again."))
        }
      })
    )
    yield* store.join(machine)
    yield* beat.pipe(Effect.delay(heartbeatInterval), Effect.forever, Effect.interruptible, Effect.forkScoped)

    /** Machines that could not be heard of, because the database was away, are not dead. */
    const calm = Effect.suspend(() =>
      outage || performance.now() < calmSince ? Effect.delay(Effect.void, again) : Effect.void
    ).pipe(Effect.repeat({ until: () => !outage && performance.now() >= calmSince }))

    // --- What runs ---

    const adopted = new Set<string>()
    const begun = new Map<string, number>()
    const watches = new Map<
      string,
      { readonly epoch: number; readonly stopped: Deferred.Deferred<void>; users: number }
    >()

    const stored = <A>(effect: Effect.Effect<A, StoreFailed>) =>
      effect.pipe(
        Effect.tapError(({ message }) => unnoticed(Effect.logDebug(message))),
        Effect.retry(Pool.untilStored),
        Effect.orDie
      )

    /** The row of a run, if it runs in this epoch, and here. */
    const running = (run: string, epoch: number): Effect.Effect<Option.Option<RunRow>> =>
      options.works === "adopted" && !adopted.has(run)
        ? Effect.succeedNone
        : stored(Effect.catchTag(Effect.asSome(store.run(run)), "RunNotFound", () => Effect.succeedNone)).pipe(
            Effect.map((row) => Option.filter(row, ({ state, epoch: now }) => state === "running" && now === epoch))
          )

    const watch = (run: string, epoch: number) =>
      Effect.acquireRelease(
        Effect.gen(function* () {
          const key = `${run}/${epoch}`
          const known = watches.get(key)
          if (known !== undefined) {
            known.users++
            return known
          }
          const entry = { epoch, stopped: yield* Deferred.make<void>(), users: 1 }
          watches.set(key, entry)
          return entry
        }),
        (entry) =>
          Effect.sync(() => {
            if (--entry.users === 0) watches.delete(`${run}/${epoch}`)
          })
      )

    const stopped = (run: string) =>
      Effect.forEach([...watches], ([key, entry]) =>
        key.startsWith(`${run}/`) ? Deferred.succeed(entry.stopped, undefined) : Effect.void
      ).pipe(Effect.asVoid)

    const watchOnce = Effect.suspend(() =>
      Effect.forEach(
        [...watches],
        ([key, { epoch, stopped }]) => {
          const run = key.slice(0, key.lastIndexOf("/"))
          return store.run(run).pipe(
            Effect.map((row) => row.state === "running" && row.epoch === epoch),
            Effect.catchTag("RunNotFound", () => Effect.succeed(false)),
            Effect.flatMap((runs) => (runs ? Effect.void : Deferred.succeed(stopped, undefined))),
            Effect.ignore
          )
        },
        { discard: true }
      )
    )

    // --- The workflows ---

    const detached = Effect.mapInputContext((context: Context.Context<WorkflowEngine>) =>
      // An execution that is begun inside another one would become its child, and would wake it when it ends.
      Context.omit(WorkflowInstance)(context as Context.Context<WorkflowEngine | WorkflowInstance>)
    )

    const batch = ({ run, epoch, from, to }: typeof BatchWorkflow.payloadSchema.Type) =>
      Effect.gen(function* () {
        const row = yield* running(run, epoch)
        if (Option.isNone(row)) return
        const { stopped } = yield* watch(run, epoch)
        const range: Batch = { from, to }
        while (!(yield* Deferred.isDone(stopped))) {
          yield* calm
          const elsewhere = yield* stored(store.takeOver(run, range))
          const seqs = yield* stored(store.pendingOf(run, range))
          if (seqs.length === 0 && elsewhere === 0) return
          const done = yield* pool.process({ run: row.value, epoch, seqs, stopped })
          if (elsewhere === 0 && !done.again) return
          if (done.settled === 0) yield* Effect.timeoutOption(Deferred.await(stopped), again)
        }
      }).pipe(Effect.scoped)

    /** The runs that this process works on, at the last look. */
    let workedOn: ReadonlyArray<RunRow> = []

    /** Calls files of batches that other machines have, or that the cluster did not deliver. */
    const help = ({ epoch, id: run }: RunRow) =>
      Effect.gen(function* () {
        const row = yield* running(run, epoch)
        // After a refused account, one call is made first.
        if (Option.isNone(row) || row.value.probe) return
        const { stopped } = yield* watch(run, epoch)
        let settled = 1
        while (settled > 0 && !(yield* Deferred.isDone(stopped))) {
          yield* calm
          const seqs = yield* stored(store.lastPending(run, 2 * (yield* pool.free)))
          settled = (yield* pool.process({ run: row.value, epoch, seqs, stopped })).settled
        }
      }).pipe(Effect.scoped)
    const helpOthers = Effect.flatMap(pool.free, (free) =>
      free === 0 ? Effect.void : Effect.forEach(workedOn, help, { discard: true })
    )

    /** Ends the runs that have no file to call, and takes over the files of machines that died. */
    const finish = Effect.suspend(() =>
      outage || performance.now() < calmSince
        ? Effect.void
        : Effect.forEach(
            workedOn,
            ({ epoch, id }) => Effect.zipRight(store.takeOver(id, everything), store.endIfComplete(id, epoch)),
            { discard: true }
          )
    ).pipe(Effect.ignore)

    /** After a refused account: calls for one file at a time, until one is not refused. */
    const probe = (row: RunRow, range: Batch) =>
      Effect.gen(function* () {
        const { stopped } = yield* watch(row.id, row.epoch)
        for (const seq of yield* stored(store.pendingOf(row.id, range))) {
          const done = yield* pool.process({ run: row, epoch: row.epoch, seqs: [seq], stopped })
          if (yield* Deferred.isDone(stopped)) return
          if (done.settled > 0) break
        }
        yield* stored(store.endProbe(row.id, row.epoch))
      }).pipe(Effect.scoped)

    const plan = ({ run, epoch, part, after }: typeof RunWorkflow.payloadSchema.Type) =>
      Effect.gen(function* () {
        const row = yield* running(run, epoch)
        if (Option.isNone(row)) return []
        const { batchSize } = row.value.settings
        if (part === 0) {
          yield* calm
          yield* stored(store.takeOver(run, everything))
          if (row.value.probe) {
            const first = yield* stored(store.batches(run, after, 1, batchSize))
            if (first[0] !== undefined) yield* probe(row.value, first[0])
          }
        }
        return yield* stored(store.batches(run, after, batchesOfPart, batchSize))
      })

    /** Ends the run if no file is pending or started. Else the result is whether it goes on with another part. */
    const goesOn = (run: string, epoch: number) =>
      Effect.flatMap(stored(store.endIfComplete(run, epoch)), (ended) =>
        ended ? Effect.succeed(false) : Effect.map(running(run, epoch), Option.isSome)
      )

    yield* engine.register(BatchWorkflow, batch)
    yield* engine.register(RunWorkflow, (payload) =>
      Effect.gen(function* () {
        const { run, epoch, part } = payload
        const batches = yield* plan(payload)
        const size = batches[0] === undefined ? 1 : batches[0].to - batches[0].from + 1
        yield* Effect.forEach(batches, ({ from, to }) => BatchWorkflow.execute({ run, epoch, from, to }), {
          concurrency: Math.min(Math.max(Math.ceil(filesAtOnce / size), 4), 256),
          discard: true
        }).pipe(detached)
        const last = batches.length === batchesOfPart ? batches[batches.length - 1] : undefined
        if (last === undefined && !(yield* goesOn(run, epoch))) return
        yield* RunWorkflow.execute({ run, epoch, part: part + 1, after: last?.to ?? 0 }, { discard: true }).pipe(
          detached
        )
      })
    )

    const launch = Effect.gen(function* () {
      const rows = yield* store.running
      workedOn = rows.filter(({ id }) => options.works === "all" || adopted.has(id))
      for (const row of workedOn) {
        if (begun.get(row.id) === row.epoch) continue
        yield* RunWorkflow.execute({ run: row.id, epoch: row.epoch, part: 0, after: 0 }, { discard: true })
        begun.set(row.id, row.epoch)
      }
    }).pipe(Effect.provideService(WorkflowEngine, engine), Effect.ignore)

    if (options.works === "all") {
      yield* helpOthers.pipe(Effect.delay(again), Effect.forever, Effect.interruptible, Effect.forkScoped)
      yield* finish.pipe(Effect.delay(look), Effect.forever, Effect.interruptible, Effect.forkScoped)
    }

    const turn = yield* Effect.makeLatch(true)
    yield* turn.close.pipe(
      Effect.zipRight(launch),
      Effect.zipRight(watchOnce),
      Effect.zipRight(Effect.timeoutOption(turn.await, look)),
      Effect.forever,
      Effect.interruptible,
      Effect.forkScoped
    )

    return {
      adopt: (run) =>
        Effect.zipRight(
          Effect.sync(() => adopted.add(run)),
          turn.open
        ),
      begun: (run, epoch) => begun.get(run) === epoch,
      stopped
    }
  })

/** Numbers of files are 32-bit in PostgreSQL. */
const everything: Batch = { from: 1, to: 2 ** 31 - 1 }

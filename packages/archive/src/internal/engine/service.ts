/**
 * What a program does with runs: lists, starts, reads and steers them. If the process works on runs itself, its engine and its
 * pool get each change at once, and not from the store a second later.
 */
import { resolve } from "node:path"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Printable from "@effect-speech/transport/Printable"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import {
  type OutputFailed,
  RunConflict,
  type RunInvalid,
  type RunNotFound,
  type StoreFailed
} from "../../ArchiveError.js"
import * as Output from "../../Output.js"
import { type RunSettings, type RunState, type RunStatus, validate } from "../../Run.js"
import type { SourceItem } from "../../Source.js"
import type { ArchiveService, Plan, RunRequest } from "../ArchiveService.js"
import { conflictOf } from "../conflict.js"
import { runIdOf } from "../model/identity.js"
import { runInvalid } from "../runInvalid.js"
import { type RunRow, Store } from "../store/Store.js"
import type { Engine } from "./Engine.js"
import type { CostOf, Pool } from "./Pool.js"

export interface ServiceOptions {
  /** Absent where the process works on nothing. */
  readonly local?: { readonly engine: Engine; readonly pool: Pool } | undefined
  /** What the call of a file costs at most, by the operation. */
  readonly costs: ReadonlyMap<string, CostOf>
  /** Refuses a file that this process can't call as requested, by the operation. */
  readonly checks: ReadonlyMap<string, Check>
  readonly batchSize: number
  /** Whether a process may have ended between the record of a result and its file of the tree. */
  readonly mayLackFiles: (row: RunRow) => boolean
}

export type Check = (item: SourceItem, settings: RunSettings) => Effect.Effect<void, RunInvalid>

/** In milliseconds: how often a run is looked at that may have stopped, and how often its files are counted. */
const look = 200
const count = 500

export const make = (
  options: ServiceOptions
): Effect.Effect<ArchiveService, never, Store | FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const { local } = options
    const store = yield* Store
    const files = yield* Effect.context<FileSystem.FileSystem>()
    const scope = yield* Effect.scope

    // --- The end of a run ---

    /**
     * By run, of this process: done when the run has stopped and its results are written. A failure stays for who looks later,
     * until the results are exported or the run goes on.
     */
    const endings = new Map<string, Deferred.Deferred<void, OutputFailed | RunNotFound | StoreFailed>>()

    const ending = (run: string) =>
      Effect.gen(function* () {
        let row = yield* store.run(run)
        while (goesOn(row.state)) {
          yield* Effect.sleep(look)
          row = yield* store.run(run)
        }
        while (local !== undefined && local.pool.active(run) > 0) yield* Effect.sleep(20)
        const { output } = row.settings
        // The audio of a synthesis was written before it was recorded.
        const lacksNone = row.state !== "ended" || output.format === "wav" || !options.mayLackFiles(row)
        const written = lacksNone
          ? Output.writeResults(output.directory, store.files(run))
          : Output.exportTo(output, row.settings, store.files(run))
        yield* Effect.provide(written, files)
      })

    const writeAtItsEnd = (run: string) =>
      Effect.gen(function* () {
        if (endings.has(run) && !(yield* isOver(run))) return
        const ended = Deferred.unsafeMake<void, OutputFailed | RunNotFound | StoreFailed>(scopeId)
        endings.set(run, ended)
        yield* ending(run).pipe(Effect.intoDeferred(ended), Effect.interruptible, Effect.forkIn(scope))
      })
    const isOver = (run: string) => {
      const ended = endings.get(run)
      return ended === undefined ? Effect.succeed(false) : Deferred.isDone(ended)
    }
    const scopeId = yield* Effect.fiberId

    // --- Steering ---

    const begin = (run: string) =>
      Effect.gen(function* () {
        yield* store.begin(run)
        if (local !== undefined) yield* local.engine.adopt(run)
        yield* writeAtItsEnd(run)
      })

    /** Where the run is under way it is only watched. */
    const beginOrWatch = (run: string) =>
      Effect.gen(function* () {
        const row = yield* store.run(run)
        const underWay =
          row.state === "running" &&
          (local !== undefined ? local.engine.begun(run, row.epoch) : (yield* store.status(run)).machines > 0)
        yield* underWay ? writeAtItsEnd(run) : begin(run)
        return yield* store.status(run)
      })

    const settingsOf = <R>(request: RunRequest<R>): RunSettings => ({
      operation: request.operation,
      root: request.source.root,
      source: request.source.description,
      byContent: request.source.byContent,
      output: { ...request.output, directory: resolve(request.output.directory) },
      unanswered: request.unanswered ?? "hold",
      batchSize: request.batchSize ?? options.batchSize
    })

    /** Two runs would write the same `results.jsonl`, and results of two models would be mixed. */
    const refuseConflict = (requested: RunSettings) =>
      Effect.gen(function* () {
        const { output, root } = requested
        for (const id of yield* store.runs) {
          const { settings } = yield* Effect.catchTag(store.run(id), "RunNotFound", Effect.die)
          if (settings.output.directory !== output.directory) continue
          if (settings.root !== root) {
            const message = `${output.directory} is the output of a run over ${settings.root}. Give each source an output of its own.`
            return yield* new RunConflict({ run: id, message: Printable.line(message) })
          }
          const conflict = conflictOf(id, settings, requested)
          if (conflict !== undefined) return yield* conflict
        }
      })

    /** The files of a request, a page at a time: those that this process could only let fail are refused before a call. */
    const pages = <R>(request: RunRequest<R>, settings: RunSettings) =>
      Stream.tap(
        Stream.map(Stream.grouped(request.source.items(settings.output.directory), 1_000), Chunk.toReadonlyArray),
        (page) => {
          const check = options.checks.get(settings.operation._tag)
          if (check === undefined) return Effect.void
          const usable = page.filter(({ problem }) => problem === undefined)
          return Effect.forEach(usable, (item) => check(item, settings), { concurrency: 16, discard: true })
        }
      )

    const listsNothing = ({ source }: RunSettings) =>
      runInvalid({ field: "source", problem: Printable.line(`lists nothing: there are no ${source}`) })

    const start: ArchiveService["start"] = (request) =>
      Effect.gen(function* () {
        const settings = settingsOf(request)
        const run = runIdOf(settings)
        yield* validate(settings, request.limits ?? {})
        yield* refuseConflict(settings)
        let listing: number | undefined
        const begun = Effect.gen(function* () {
          yield* store.createRun(run, settings, request.limits ?? {})
          return yield* Effect.catchTag(store.beginListing(run), "RunNotFound", Effect.die)
        })
        yield* Stream.runForEach(pages(request, settings), (page) =>
          Effect.gen(function* () {
            listing ??= yield* begun
            yield* store.addItems(run, listing, page)
          })
        )
        // An empty listing is a mistake, such as a share that is not mounted: it removes no file from the run.
        if (listing === undefined) return yield* listsNothing(settings)
        yield* store.endListing(run, listing)
        return yield* Effect.catchTag(beginOrWatch(run), "RunNotFound", Effect.die)
      })

    const plan: ArchiveService["plan"] = (request) =>
      Effect.gen(function* () {
        const settings = settingsOf(request)
        const run = runIdOf(settings)
        yield* validate(settings, request.limits ?? {})
        yield* refuseConflict(settings)
        const costOf = options.costs.get(settings.operation._tag)
        const cost = (item: SourceItem) =>
          costOf?.({ file: { ...item, run, seq: 1, callId: "", attempts: 0 }, settings }) ?? Effect.succeed(0)
        const plan = yield* Stream.runFoldEffect(pages(request, settings), noPlan, (plan, listed) =>
          Effect.gen(function* () {
            const states = yield* store.states(run, listed)
            const toCall = listed.filter(
              (item, index) =>
                item.problem === undefined && (states[index] === undefined || states[index] === "pending")
            )
            const costs = yield* Effect.forEach(toCall, cost, { concurrency: 16 })
            return {
              files: plan.files + listed.length,
              bytes: listed.reduce((sum, { size }) => sum + size, plan.bytes),
              done: plan.done + states.filter((state) => state === "done").length,
              toCall: plan.toCall + toCall.length,
              cost: costs.reduce((sum, each) => sum + each, plan.cost),
              unknownCost: plan.unknownCost + costs.filter((each) => each === 0).length
            }
          })
        )
        return plan.files === 0 ? yield* listsNothing(settings) : plan
      })

    const pause: ArchiveService["pause"] = (run) =>
      Effect.gen(function* () {
        yield* store.run(run)
        yield* store.changeState(run, ["listing", "running"], "paused")
        if (local !== undefined) yield* local.engine.stopped(run)
        return yield* store.status(run)
      })

    const resume: ArchiveService["resume"] = (run, change) =>
      Effect.gen(function* () {
        const { state } = yield* store.run(run)
        if (change?.limits !== undefined) yield* store.setLimits(run, change.limits)
        return yield* state === "ended" ? store.status(run) : beginOrWatch(run)
      })

    const retryFailed: ArchiveService["retryFailed"] = (run, choice) =>
      Effect.gen(function* () {
        yield* store.run(run)
        const only = choice?.only
        const retried = yield* store.retry(run, only)
        if (retried > 0) return yield* beginOrWatch(run)
        const status = yield* store.status(run)
        return only === undefined ? status : yield* runInvalid({ field: "only", problem: whyNone(only, status) })
      })

    // --- Looking ---

    /** Returns when it is time to count again, or as soon as the run has stopped. */
    const nextCount = (run: string, seen: Seen): Effect.Effect<void, RunNotFound | StoreFailed> =>
      Effect.gen(function* () {
        // Counting a million files takes most of a second: a tenth of the time is spent on it.
        const at = seen.at + Math.max(count, 9 * seen.took)
        for (let left = at - performance.now(); left > 0; left = at - performance.now()) {
          yield* Effect.sleep(Math.min(look, left))
          if (!goesOn((yield* store.run(run)).state)) return
        }
      })

    const progress: ArchiveService["progress"] = (run) =>
      Stream.paginateChunkEffect(undefined as Seen | undefined, (seen) =>
        Effect.gen(function* () {
          if (seen !== undefined) yield* nextCount(run, seen)
          const begunAt = performance.now()
          let status = yield* store.status(run)
          const ended = endings.get(run)
          if (!goesOn(status.state) && ended !== undefined) {
            yield* Deferred.await(ended)
            status = yield* store.status(run)
          }
          const at = performance.now()
          return [
            seen !== undefined && sameStatus(seen.status, status) ? Chunk.empty() : Chunk.of(status),
            goesOn(status.state) ? Option.some({ status, at, took: at - begunAt }) : Option.none()
          ] as const
        })
      )

    return {
      plan,
      start,
      status: store.status,
      runs: store.runs,
      progress,
      pause,
      resume,
      retryFailed,
      results: (run, choice) => Stream.unwrap(Effect.as(store.run(run), store.files(run, choice?.states))),
      export: (run, choice) =>
        Effect.gen(function* () {
          const { settings } = yield* store.run(run)
          const { directory, format } = settings.output
          const target = resolve(choice?.directory ?? directory)
          const written = yield* Output.exportTo(
            { directory: target, format: choice?.format ?? format },
            settings,
            store.files(run)
          )
          if (target === directory && (yield* isOver(run))) endings.delete(run)
          return written
        }).pipe(Effect.provide(files))
    }
  })

interface Seen {
  readonly status: RunStatus
  readonly at: number
  readonly took: number
}

/** Why no file is called again. The words after the name of the option. */
const whyNone = (only: string, { failures, holds, warnings }: RunStatus): string => {
  const tags = [...new Set([...Object.keys(failures), ...Object.keys(holds)])]
  const known = tags.length === 0 ? "no file has failed or is held" : `failed and held files have ${tags.join(", ")}`
  return Printable.line(
    (warnings[only] ?? 0) > 0
      ? `is ${only}, a warning of files that are done: they are paid, and not called again`
      : `is ${only}, which no failed or held file has: ${known}`
  )
}

const goesOn = (state: RunState) => state === "listing" || state === "running"

/** A heartbeat alone is no change. */
const sameStatus = (one: RunStatus, other: RunStatus) =>
  JSON.stringify({ ...one, heartbeatAt: 0 }) === JSON.stringify({ ...other, heartbeatAt: 0 })

const noPlan: Plan = { files: 0, bytes: 0, done: 0, toCall: 0, cost: 0, unknownCost: 0 }

/**
 * What a program does with runs: lists, starts, reads and steers them. If the process works on runs itself, its machine gets
 * each change at once, and not from the store a second later.
 */
import { resolve } from "node:path"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Printable from "@effect-speech/common/Printable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type RunSettings, type RunStatus, validate } from "../../Run.js"
import type { SourceItem } from "../../Source.js"
import type { Machine } from "../machine/machine.js"
import * as Money from "../model/money.js"
import type { AgreeOptions } from "../output/agree.js"
import { runInvalid } from "../runInvalid.js"
import { type RunRow, Store } from "../store/Store.js"
import { within } from "../within.js"
import type { ArchiveService, Plan } from "./ArchiveService.js"
import * as Endings from "./endings.js"
import { type Check, type CostOf, identify, pages, refuse, settingsOf, withEarlierOutputs } from "./requests.js"
import * as Watch from "./watch.js"

export interface ServiceOptions {
  /** Absent where the process works on nothing. */
  readonly machine?: Machine | undefined
  /** What the call of a file costs, by the operation. */
  readonly costs: ReadonlyMap<string, CostOf>
  /** Refuses a file that this process can't call as requested, by the operation. */
  readonly checks: ReadonlyMap<string, Check>
}

/** How often a run that is listed says so. In milliseconds. */
const touchInterval = 5_000

/** How long a run whose source can't be listed waits for the database, to be as it was. In milliseconds. */
const resetLimit = 10_000

export const make = (
  options: ServiceOptions
): Effect.Effect<ArchiveService, never, Store | FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const { machine } = options
    const store = yield* Store

    const watch = Watch.make(store, machine)
    const endings = yield* Endings.make({ costs: options.costs, machine, watch })

    // --- Steering ---

    const begin = (run: string, event: "listed" | "resumed") =>
      Effect.gen(function* () {
        const epoch = yield* store.begin(run, event)
        // Nothing may be left: then no machine is needed.
        if (epoch !== undefined && !(yield* store.endIfComplete(run, epoch)) && machine !== undefined) {
          yield* machine.adopt(run)
        }
        yield* endings.finishAtItsEnd(run)
      })

    /** Where the run is under way it is only watched. */
    const beginOrWatch = (run: string, event: "listed" | "resumed") =>
      Effect.gen(function* () {
        const row = yield* store.run(run)
        const underWay =
          row.state === "running" &&
          (machine !== undefined ? machine.worksOn(run, row.epoch) : (yield* store.status(run)).machines > 0)
        // A run of a process that ended is running still, and nobody works on it.
        yield* underWay ? endings.finishAtItsEnd(run) : begin(run, row.state === "running" ? "resumed" : event)
        return yield* store.status(run)
      })

    /** A run whose first listing did not come to its end lacks files, and would end without them. */
    const requireListed = (run: string) =>
      Effect.gen(function* () {
        const row = yield* store.run(run)
        if (row.isListed) return row
        return yield* refuse(
          run,
          `The files of this run (${row.settings.source}) are not all listed: they still are, or the process that listed them has ended. Start the same run again.`
        )
      })

    const start: ArchiveService["start"] = (request) =>
      Effect.gen(function* () {
        const requested = settingsOf(request)
        yield* validate(requested, request.limits ?? {})
        const run = yield* identify(store, request, requested)
        const settings = yield* withEarlierOutputs(store, run, requested)
        let found: Option.Option<RunRow> = Option.none()
        let listing: number | undefined
        const begun = Effect.gen(function* () {
          found = yield* store.createRun(run, settings, request.limits ?? {})
          return yield* Effect.catchTag(store.beginListing(run), "RunNotFound", Effect.die)
        })
        const listed = Stream.runForEach(
          pages(request, settings, options.checks.get(settings.operation._tag)),
          (page) =>
            Effect.gen(function* () {
              listing ??= yield* begun
              yield* watch.watched(store.addItems(run, listing, page))
            })
        )
        const touched = Effect.suspend(() => (listing === undefined ? Effect.void : Effect.ignore(store.touch(run))))
        yield* Effect.raceFirst(listed, Effect.forever(Effect.delay(touched, touchInterval))).pipe(
          // The source can't be listed: the run is as it was.
          Effect.onError(() =>
            Option.match(found, {
              onNone: () => Effect.void,
              onSome: ({ isListed, state }) =>
                isListed ? within(resetLimit)(watch.watched(store.changeState(run, "unlistable", state))) : Effect.void
            })
          )
        )
        // An empty listing is a mistake, such as a share that is not mounted: it removes no file from the run.
        if (listing === undefined) return yield* listsNothing(settings)
        yield* watch.watched(store.endListing(run, listing))
        return yield* Effect.catchTag(watch.watched(beginOrWatch(run, "listed")), "RunNotFound", Effect.die)
      })

    const plan: ArchiveService["plan"] = (request) =>
      Effect.gen(function* () {
        const settings = settingsOf(request)
        yield* validate(settings, request.limits ?? {})
        const run = yield* identify(store, request, settings)
        const costOf = options.costs.get(settings.operation._tag)
        const cost = (item: SourceItem) =>
          costOf?.({ file: { ...item, run, seq: 1, callId: "", attempts: 0 }, settings }) ??
          Effect.succeed(Money.nothing)
        const plan = yield* Stream.runFoldEffect(
          pages(request, settings, options.checks.get(settings.operation._tag)),
          noPlan,
          (plan, listed) =>
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
                cost: costs.reduce((sum, { isStated, most }) => (isStated ? sum + most : sum), plan.cost),
                unknownCost: plan.unknownCost + costs.filter(({ isStated }) => !isStated).length,
                mostCost: costs.reduce((sum, { most }) => sum + most, plan.mostCost)
              }
            })
        )
        return plan.files === 0 ? yield* listsNothing(settings) : plan
      })

    const pause: ArchiveService["pause"] = (run) =>
      Effect.gen(function* () {
        yield* store.run(run)
        yield* store.changeState(run, "paused", "paused")
        if (machine !== undefined) yield* machine.stop(run)
        return yield* store.status(run)
      })

    const resume: ArchiveService["resume"] = (run, change) =>
      Effect.gen(function* () {
        const { state } = yield* requireListed(run)
        if (change?.limits !== undefined) yield* store.setLimits(run, change.limits)
        if (state !== "ended") return yield* beginOrWatch(run, "resumed")
        const status = yield* store.status(run)
        if (status.resultsDue) yield* endings.finishAtItsEnd(run)
        return status
      })

    const retryFailed: ArchiveService["retryFailed"] = (run, choice) =>
      Effect.gen(function* () {
        yield* requireListed(run)
        const only = choice?.only
        const retried = yield* store.retry(run, only)
        if (retried > 0) return yield* beginOrWatch(run, "resumed")
        const status = yield* store.status(run)
        return only === undefined ? status : yield* runInvalid({ field: "only", problem: whyNone(only, status) })
      })

    return {
      plan,
      start,
      status: store.status,
      runs: store.runs,
      progress: watch.progress(endings.of),
      pause,
      resume,
      retryFailed,
      results: (run, choice) => Stream.unwrap(Effect.as(store.run(run), store.files(run, choice?.states))),
      export: (run, choice) =>
        Effect.gen(function* () {
          const { directory, format } = (yield* store.run(run)).settings.output
          const target = resolve(choice?.directory ?? directory)
          const output = { directory: target, format: choice?.format ?? format }
          const report = yield* endings.finish(run, { everything: true, output })
          if (target === directory) yield* endings.forget(run)
          return report
        }),
      repair: (run, choice) =>
        Effect.gen(function* () {
          let pending = 0
          const toPending: AgreeOptions["onGone"] = (gone) => {
            pending += gone.length
            return store.repairFiles(
              run,
              gone.map(({ seq }) => seq)
            )
          }
          const repaired = yield* Effect.either(
            endings.finish(run, { everything: true, onGone: choice?.synthesize === true ? toPending : undefined })
          )
          yield* endings.forget(run)
          // Also if another file can't be written.
          if (pending > 0) yield* beginOrWatch(run, "resumed")
          return yield* repaired
        })
    }
  })

const listsNothing = ({ source }: RunSettings) =>
  runInvalid({ field: "source", problem: Printable.line(`lists nothing: there are no ${source}`) })

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

const noPlan: Plan = { files: 0, bytes: 0, done: 0, toCall: 0, cost: 0, unknownCost: 0, mostCost: 0 }

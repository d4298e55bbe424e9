/**
 * The end of a run: when it has stopped, its tree is made to agree with the store, and `results.jsonl` is written, by the process that has
 * begun it, or by a machine if that has left.
 */

import type * as FileSystem from "@effect/platform/FileSystem"
import { unnoticed } from "@effect-speech/common/Contained"
import * as MonotonicClock from "@effect-speech/common/MonotonicClock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { OutputReport } from "../../Run.js"
import type { Machine } from "../machine/machine.js"
import * as Money from "../model/money.js"
import { type AgreeError, type AgreeOptions, finishOutput } from "../output/agree.js"
import { Store } from "../store/Store.js"
import type { CostOf } from "./requests.js"
import type { Watch } from "./watch.js"

/** How often a machine looks for outputs that are due, and when it tries one again after a failure. In milliseconds. */
const dueInterval = 1_000
const retryInterval = 60_000

export interface Endings {
  /** Makes the output of a run agree now. */
  readonly finish: (run: string, choice: Omit<AgreeOptions, "costOf">) => Effect.Effect<OutputReport, AgreeError>
  /** Makes the output of a run agree when it stops. Returns at once. */
  readonly finishAtItsEnd: (run: string) => Effect.Effect<void>
  /** What came of the end of a run that this process has begun. */
  readonly of: (run: string) => Deferred.Deferred<OutputReport, AgreeError> | undefined
  /** What came of an end is not true any more: the output was exported or repaired since. */
  readonly forget: (run: string) => Effect.Effect<void>
}

export const make = ({
  costs,
  machine,
  watch
}: {
  readonly costs: ReadonlyMap<string, CostOf>
  readonly machine: Machine | undefined
  readonly watch: Watch
}): Effect.Effect<Endings, never, Store | FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const store = yield* Store
    const files = yield* Effect.context<FileSystem.FileSystem>()
    const scope = yield* Effect.scope

    /**
     * By run, of this process: done when the run has stopped and its output agrees. What came of it stays for who looks later, until
     * the output is exported or repaired, or the run goes on.
     */
    const endings = new Map<string, Deferred.Deferred<OutputReport, AgreeError>>()

    const finish = (run: string, choice: Omit<AgreeOptions, "costOf">) =>
      Effect.gen(function* () {
        const { settings } = yield* store.run(run)
        const costOf = costs.get(settings.operation._tag) ?? (() => Effect.succeed(Money.nothing))
        return yield* finishOutput(run, { ...choice, costOf })
      }).pipe(Effect.provide(Context.add(files, Store, store)))

    const ending = (run: string) =>
      Effect.gen(function* () {
        yield* watch.untilStopped(run)
        while (machine !== undefined && machine.active(run) > 0) yield* Effect.sleep(20)
        yield* watch.whileTrue(store.isCalling(run))
        // After an outage the pass over its files begins anew.
        return yield* watch.watched(finish(run, { everything: false }))
      })

    /** The outputs of runs whose process has left, or could not write them. */
    const finishDue = (machine: Machine) => {
      const laterThan = new Map<string, number>()
      const finishOne = (run: string) =>
        Effect.gen(function* () {
          const now = yield* MonotonicClock.millis
          const isWaited = endings.has(run) && !(yield* isOver(run))
          if (isWaited || now < (laterThan.get(run) ?? now)) return
          laterThan.set(run, now + retryInterval)
          yield* finish(run, { everything: false })
          laterThan.delete(run)
          endings.delete(run)
        }).pipe(Effect.catchAll(({ message }) => unnoticed(Effect.logWarning(message))))
      return Effect.flatMap(store.outputsDue(machine.id), Effect.forEach(finishOne, { discard: true })).pipe(
        // The machine says so, and goes on after an outage.
        Effect.catchAll(machine.report),
        Effect.zipRight(Effect.sleep(dueInterval)),
        Effect.forever
      )
    }

    const finishAtItsEnd = (run: string) =>
      Effect.gen(function* () {
        if (endings.has(run) && !(yield* isOver(run))) return
        const ended = Deferred.unsafeMake<OutputReport, AgreeError>(scopeId)
        endings.set(run, ended)
        yield* ending(run).pipe(Effect.intoDeferred(ended), Effect.interruptible, Effect.forkIn(scope))
      })
    const isOver = (run: string) => {
      const ended = endings.get(run)
      return ended === undefined ? Effect.succeed(false) : Deferred.isDone(ended)
    }
    const scopeId = yield* Effect.fiberId
    const forget = (run: string) =>
      Effect.map(isOver(run), (over) => {
        if (over) endings.delete(run)
      })

    if (machine !== undefined) {
      yield* finishDue(machine).pipe(Effect.interruptible, Effect.forkIn(scope))
    }

    return { finish, finishAtItsEnd, of: (run) => endings.get(run), forget }
  })

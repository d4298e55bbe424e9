/**
 * A machine: a process that works on runs. It says that it is alive, claims files, calls the service for them, and takes over the
 * files of machines that died.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ArchiveStoreFailed } from "../../ArchiveError.js"
import { within } from "../within.js"
import * as Calls from "./calls.js"
import * as Heartbeat from "./heartbeat.js"
import * as Runs from "./runs.js"

export interface Machine extends Pick<Runs.Runs, "adopt" | "worksOn" | "stop">, Pick<Calls.Calls, "active"> {
  readonly id: string
  /** Fails once this machine can't work any more. */
  readonly ended: Heartbeat.Life["ended"]
  readonly report: Heartbeat.Life["report"]
}

export const make = (
  options: Omit<Calls.CallsOptions, "life"> & Omit<Runs.RunsOptions, "life" | "calls">
): Effect.Effect<Machine, ArchiveStoreFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { machine, store } = options
    const life = yield* Heartbeat.make(store, machine)
    const calls = yield* Calls.make({ ...options, life })
    const runs = yield* Runs.make({ ...options, life, calls })
    yield* Effect.addFinalizer(() =>
      calls.stop.pipe(
        Effect.zipRight(runs.close),
        Effect.zipRight(calls.close),
        Effect.zipRight(within(3_000)(store.leave(machine)))
      )
    )
    return { ...runs, id: machine, active: calls.active, ended: life.ended, report: life.report }
  })

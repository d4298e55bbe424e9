/**
 * How a run is paused, resumed and retried. If this process works on it, its machine gets each change at once, and not from the store
 * a second later.
 */
import * as Printable from "@effect-speech/common/Printable"
import * as Effect from "effect/Effect"
import type { RunStatus } from "../../Run.js"
import { runInvalid } from "../runInvalid.js"
import type { ArchiveService } from "./ArchiveService.js"
import type { Parts } from "./parts.js"
import { refuse } from "./requests.js"

/** Why no file is called again. The words after the name of the option. */
const whyNone = (only: string, { abandoned, failures, holds, warnings }: RunStatus): string => {
  const tags = [...new Set([...Object.keys(failures), ...Object.keys(holds)])]
  const known = tags.length === 0 ? "no file has failed or is held" : `failed and held files have ${tags.join(", ")}`
  // With a database, another machine has to see first that this one is dead.
  const later = `, and files in progress when their machine ended (${abandoned}) are held after another machine has worked on the run for 35 s`
  return Printable.line(
    (warnings[only] ?? 0) > 0
      ? `is ${only}, a warning of files that are done: they are paid, and not called again`
      : `is ${only}, which no failed or held file has: ${known}${abandoned > 0 ? later : ""}`
  )
}

export const make = ({
  begin,
  endings,
  machine,
  store
}: Pick<Parts, "begin" | "endings" | "machine" | "store">): Pick<
  ArchiveService,
  "pause" | "resume" | "retryFailed"
> => {
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
      if (change?.limits !== undefined) yield* store.changeLimits(run, change.limits)
      if (state !== "ended") return yield* begin(run, "resumed")
      const status = yield* store.status(run)
      if (status.resultsDue) yield* endings.finishAtItsEnd(run)
      return status
    })

  const retryFailed: ArchiveService["retryFailed"] = (run, choice) =>
    Effect.gen(function* () {
      const { state } = yield* requireListed(run)
      const only = choice?.only
      // What was under way when its process ended has the tag from now on.
      yield* store.takeOver(run, [])
      const retried = yield* store.retry(run, only)
      // Its process may have ended without a failed file.
      if (retried > 0 || (only === undefined && state === "running")) return yield* begin(run, "resumed")
      const status = yield* store.status(run)
      return only === undefined ? status : yield* runInvalid({ field: "only", problem: whyNone(only, status) })
    })

  return { pause, resume, retryFailed }
}

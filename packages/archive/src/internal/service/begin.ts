/**
 * How a run begins or goes on: in a new epoch, or where it is under way already.
 */
import * as Effect from "effect/Effect"
import type { ArchiveRunNotFound, ArchiveStoreFailed } from "../../ArchiveError.js"
import type { RunStatus } from "../../Run.js"
import type { Machine } from "../machine/machine.js"
import type { StoreService } from "../store/Store.js"
import type { Endings } from "./endings.js"

/** Begins the run after this event. One that is under way is only watched. */
export type Begin = (
  run: string,
  event: "listed" | "resumed"
) => Effect.Effect<RunStatus, ArchiveRunNotFound | ArchiveStoreFailed>

export const make = ({
  endings,
  machine,
  store
}: {
  readonly endings: Endings
  readonly machine: Machine | undefined
  readonly store: StoreService
}): Begin => {
  const begin = (run: string, event: "listed" | "resumed") =>
    Effect.gen(function* () {
      const epoch = yield* store.begin(run, event)
      // Nothing may be left: then no machine is needed.
      if (epoch !== undefined && !(yield* store.endIfComplete(run, epoch)) && machine !== undefined) {
        yield* machine.adopt(run)
      }
      yield* endings.finishAtItsEnd(run)
    })

  return (run, event) =>
    Effect.gen(function* () {
      const row = yield* store.run(run)
      const underWay =
        row.state === "running" &&
        (machine !== undefined ? machine.worksOn(run, row.epoch) : (yield* store.status(run)).machines > 0)
      // The process that worked on a running run may have ended.
      yield* underWay ? endings.finishAtItsEnd(run) : begin(run, row.state === "running" ? "resumed" : event)
      return yield* store.status(run)
    })
}

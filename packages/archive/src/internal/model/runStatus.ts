/**
 * The status of a run as a value: equal statuses are equal by `Equal`.
 */
import {
  EndedRun,
  ListingRun,
  PausedRun,
  RunningRun,
  type RunState,
  type RunStatus,
  SuspendedRun,
  Suspension
} from "../../Run.js"

/** What the store knows, whatever the state. */
export type RunFields = Omit<RunningRun, "state"> & {
  readonly state: RunState
  readonly suspension?: Suspension | undefined
}

export const runStatusOf = ({ state, suspension, ...fields }: RunFields): RunStatus => {
  const before = suspension === undefined ? {} : { suspension }
  switch (state) {
    case "listing":
      return new ListingRun({ ...fields, ...before, state }, true)
    case "running":
      return new RunningRun({ ...fields, state }, true)
    case "paused":
      return new PausedRun({ ...fields, ...before, state }, true)
    case "suspended":
      return new SuspendedRun({ ...fields, suspension: suspension ?? unknown(fields.updatedAt), state }, true)
    case "ended":
      return new EndedRun({ ...fields, state }, true)
  }
}

/** No store of this package suspends a run without a reason. */
const unknown = (at: Suspension["at"]) =>
  new Suspension({ tag: "Unknown", message: "The store does not say why the run was suspended.", at }, true)

/**
 * The states of a file and of a run, and who may change them. Each statement of the store that changes a state takes the states before it from
 * this table, so that what is not written here can't happen.
 *
 * | event | from | to | who |
 * | ----- | ---- | -- | --- |
 * | `claimed` | `pending` | `started` | a machine, while the run is running in its epoch, and no limit is reached |
 * | `answered` | `started`, `held` | `done` | the machine that has the file; also late, after others took it for dead |
 * | `failed` | `started`, `held` | `failed` | the machine that has it |
 * | `unsaved` | `started`, `held` | `held` | the machine that has it: the answer may be billed and is not recorded |
 * | `returned` | `started`, `held` | `pending` | the machine that has it: nothing that may be billed was sent, or the run repeats such calls |
 * | `abandoned` | `started` | `held`, or `pending` if the run repeats | any machine, once the one that has it is dead |
 * | `withheld` | `pending` | `held` | a person, who starts a run that repeats again so that it holds: an earlier call may have been billed |
 * | `repaired` | `done` | `pending` | a person, who has a synthesis repeated whose audio is gone |
 * | `retried` | `failed`, `held` | `pending` | a person, who names the tag of held files |
 * | `unlisted` | `pending`, `failed` | hidden; no row if it was never called | a listing that did not find the file |
 * | `replaced` | `started`, `done`, `held` | hidden | a listing that found another content under its path |
 *
 * A hidden file is in no result and no count, and is not called. Its costs count. Listed again, it has its state again, so that a file
 * that comes back is not paid twice.
 *
 * | event | from | to | who |
 * | ----- | ---- | -- | --- |
 * | `relisted` | `paused`, `suspended`, `ended` | `listing` | who starts the run again; a run that is running stays so while it is listed |
 * | `listed` | `listing` | `running` | who started it; a pause during the listing stays |
 * | `unlistable` | `listing` | the state before | who started it again, if its source can't be listed; a run that was never listed stays `listing` |
 * | `resumed` | each | `running` | a person, once its files were listed to the end; also by `retry` |
 * | `paused` | `listing`, `running` | `paused` | a person |
 * | `suspended` | `running` | `suspended` | a machine, in the epoch of its call: the account, the output or a limit |
 * | `ended` | `running` | `ended` | a machine, if no file is pending or started |
 */
import type { FileState, RunState } from "../../Run.js"

const before = {
  claimed: ["pending"],
  answered: ["started", "held"],
  failed: ["started", "held"],
  unsaved: ["started", "held"],
  returned: ["started", "held"],
  abandoned: ["started"],
  withheld: ["pending"],
  repaired: ["done"],
  retried: ["failed", "held"],
  unlisted: ["pending", "failed"],
  replaced: ["started", "done", "held"]
} as const satisfies Record<string, ReadonlyArray<FileState>>

export type FileEvent = keyof typeof before

/** The states that a file may be in when this happens to it. */
export const statesBefore = (event: FileEvent): ReadonlyArray<FileState> => before[event]

const runBefore = {
  relisted: ["paused", "suspended", "ended"],
  listed: ["listing"],
  unlistable: ["listing"],
  resumed: ["listing", "running", "paused", "suspended", "ended"],
  paused: ["listing", "running"],
  suspended: ["running"],
  ended: ["running"]
} as const satisfies Record<string, ReadonlyArray<RunState>>

export type RunEvent = keyof typeof runBefore

/** The states that a run may be in when this happens to it. */
export const runStatesBefore = (event: RunEvent): ReadonlyArray<RunState> => runBefore[event]

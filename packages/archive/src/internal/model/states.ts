/**
 * The states of a file, and who may change them. Each statement of the store that changes a state takes the states before it from
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
 * | `retried` | `failed`, `held` | `pending` | a person, who names the tag of held files |
 * | `unlisted` | `pending`, `failed` | hidden; no row if it was never called | a listing that did not find the file |
 * | `replaced` | `started`, `done`, `held` | hidden | a listing that found another content under its path |
 *
 * A hidden file is in no result and no count, and is not called. Its costs count. Listed again, it has its state again, so that a file
 * that comes back is not paid twice.
 */
import type { FileState } from "../../Run.js"

const before = {
  claimed: ["pending"],
  answered: ["started", "held"],
  failed: ["started", "held"],
  unsaved: ["started", "held"],
  returned: ["started", "held"],
  abandoned: ["started"],
  retried: ["failed", "held"],
  unlisted: ["pending", "failed"],
  replaced: ["started", "done", "held"]
} as const satisfies Record<string, ReadonlyArray<FileState>>

export type FileEvent = keyof typeof before

/** The states that a file may be in when this happens to it. */
export const statesBefore = (event: FileEvent): ReadonlyArray<FileState> => before[event]

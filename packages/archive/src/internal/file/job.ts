import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ArchiveRunInvalid } from "../../ArchiveError.js"
import type { Operation } from "../../Operation.js"
import type { RunSettings } from "../../Run.js"
import type { Cost } from "../model/money.js"
import type { SourceItem } from "../source/SourceItem.js"
import type { ClaimedFile, Settlement } from "../store/Store.js"

/**
 * A claimed file, and what the run does with it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Job {
  readonly file: ClaimedFile
  readonly settings: RunSettings
  /**
   * Waits until a piece of a long file may begin, which lasts until the scope closes. `false`: the run has stopped, or its process
   * ends, so no piece begins any more. Default: each may.
   */
  readonly beginPiece?: Effect.Effect<boolean, never, Scope.Scope> | undefined
}

/**
 * What calls the service for the files of runs with one operation. Take {@link transcription} or {@link synthesis}.
 *
 * @example
 * ```ts
 * import { Worker } from "@effect-speech/archive"
 *
 * export const workers = [Worker.transcription, Worker.synthesis] as const
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Worker<out R = never> {
  readonly operation: Operation["_tag"]
  /**
   * What the call costs at most, by the price of `Limits`. If the header of a recording does not state its length, this is an estimate
   * by its size. Nothing, if nothing would be sent for the file as it is.
   */
  readonly cost: (job: Job) => Effect.Effect<Cost, never, FileSystem.FileSystem>
  /**
   * The highest cost of a file for which `cost` has only an estimate, in credits. `undefined`: it can't be known, and `call` sends
   * nothing while the run has a limit of credits. Default: the estimate.
   */
  readonly measure?: (job: Job) => Effect.Effect<number | undefined, never, R>
  /**
   * Fails if this process can't call a file as requested, such as for lack of a decoder. It runs for each file that a run lists.
   * Default: it can call each.
   */
  readonly check?: (item: SourceItem, settings: RunSettings) => Effect.Effect<void, ArchiveRunInvalid, R>
  /**
   * One call, or the calls of the pieces of a long file. It is not interrupted. `begunAt` of its result is by the clock of
   * this process. A `.wav` is written before the result is `Done`.
   */
  readonly call: (job: Job) => Effect.Effect<Settlement, never, R>
}

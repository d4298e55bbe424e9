/**
 * The tables of an archive, and the statements on them. Each change of a file is one statement or one transaction, which
 * requires the state that it changes: a second process that does the same changes nothing.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { RunConflict, RunNotFound, StoreFailed } from "../../ArchiveError.js"
import type { FileRecord, FileState, Limits, RunSettings, RunState, RunStatus, Suspension } from "../../Run.js"
import type { SourceItem } from "../../Source.js"

/** What the execution of a run reads. */
export interface RunRow {
  readonly id: string
  readonly state: RunState
  readonly epoch: number
  readonly settings: RunSettings
  readonly limits: Limits
  readonly suspension?: Suspension | undefined
  /** The account was refused before this epoch began: one call is made first. `begin` sets it, and `endProbe` ends it. */
  readonly probe: boolean
}

/** A file that this machine has claimed. */
export interface ClaimedFile {
  readonly run: string
  readonly seq: number
  readonly path: string
  readonly size: number
  readonly modifiedMillis: number
  readonly content?: string | undefined
  readonly line?: Readonly<Record<string, unknown>> | undefined
  readonly callId: string
  /** Number of calls that have begun for it, this one included. */
  readonly attempts: number
}

export type Claim =
  | { readonly _tag: "Claimed"; readonly file: ClaimedFile }
  /** The file is not pending: another has it, or it is settled. */
  | { readonly _tag: "NotPending" }
  /** The service is down, the rate is reached, or calls under way use up a limit: ask again after so many milliseconds. */
  | { readonly _tag: "Wait"; readonly millis: number }
  /** The run has a limit of credits: claim again with the cost of this file. */
  | { readonly _tag: "CostNeeded"; readonly file: ClaimedFile }
  /** The run does not run in this epoch. */
  | { readonly _tag: "Stopped" }

/** The service has answered. */
export interface Done {
  readonly _tag: "Done"
  readonly result: unknown
  readonly billing: string
  readonly credits: number
  /** The call had pieces, and they are kept. */
  readonly inPieces?: boolean
}

/** The service is down or overloaded: the file is pending again, or failed after too many attempts, and the run slows down. */
export interface Unavailable {
  readonly _tag: "Unavailable"
  readonly error: { readonly tag: string; readonly message: string }
  readonly billing: string
  /** When the call began, by the clock of {@link StoreService.now}. */
  readonly begunAt: number
  /** The service did not get the request: the attempt does not count. Default: false. */
  readonly notReached?: boolean | undefined
}

/** What became of a claimed file. */
export type Settlement =
  | Done
  /** `Held`: the call may be billed and has no result, so the file is only called again if its tag is retried. */
  | {
      readonly _tag: "Failed" | "Held"
      readonly error: { readonly tag: string; readonly message: string }
      readonly billing: string
      /** Set if the service is down or overloaded, so that the run slows down. As that of `Unavailable`. */
      readonly begunAt?: number | undefined
    }
  /** The account was refused: the file is pending again, and the run is suspended, once for all machines. */
  | { readonly _tag: "Refused"; readonly error: { readonly tag: string; readonly message: string } }
  /**
   * The answer may be billed and can't be written, such as on a full disk, or the account was refused after an attempt that may be
   * billed: the file is held, and the run is suspended, since each further call would be lost or refused too.
   */
  | {
      readonly _tag: "Lost"
      readonly error: { readonly tag: string; readonly message: string }
      readonly billing: string
    }
  | Unavailable
  /** The call did not begin, or sent nothing: the file is pending again, and the attempt does not count. */
  | { readonly _tag: "NotBegun" }

/** Files with `from <= seq <= to`, of which some were pending or started when the batch was made. */
export interface Batch {
  readonly from: number
  readonly to: number
}

export interface StoreService {
  /** Milliseconds since 1970 by the clock that all machines share. */
  readonly now: Effect.Effect<number, StoreFailed>

  /** Creates the run, or finds it again. Another operation, root or way to know files for the same id is a conflict. */
  readonly createRun: (
    id: string,
    settings: RunSettings,
    limits: Limits
  ) => Effect.Effect<RunRow, RunConflict | StoreFailed>
  readonly run: (id: string) => Effect.Effect<RunRow, RunNotFound | StoreFailed>
  readonly runs: Effect.Effect<ReadonlyArray<string>, StoreFailed>
  /** The runs whose state is `running`. */
  readonly running: Effect.Effect<ReadonlyArray<RunRow>, StoreFailed>
  /** The states of these items of a source in the run; `undefined` for what the run does not know. */
  readonly states: (
    run: string,
    items: ReadonlyArray<SourceItem>
  ) => Effect.Effect<ReadonlyArray<FileState | undefined>, StoreFailed>
  /** The number of a new pass of listing. */
  readonly beginListing: (run: string) => Effect.Effect<number, RunNotFound | StoreFailed>
  /** Adds the files that are new, in order, and marks those that are known as listed in this pass. */
  readonly addItems: (
    run: string,
    listing: number,
    items: ReadonlyArray<SourceItem>
  ) => Effect.Effect<void, StoreFailed>
  /** Removes what neither this pass nor a later one saw, if it is pending or failed. */
  readonly endListing: (run: string, listing: number) => Effect.Effect<void, StoreFailed>

  /**
   * The state becomes `running` in a new epoch, whose number is the result. Batches of earlier epochs begin no more calls. If the
   * run was suspended by a refused account, and not by a limit, it is probed: see {@link RunRow}.
   */
  readonly begin: (run: string) => Effect.Effect<number, RunNotFound | StoreFailed>
  /** The account is not refused any more: the files that are left may be called. */
  readonly endProbe: (run: string, epoch: number) => Effect.Effect<void, StoreFailed>
  /** Changes the state if it is one of `from`. The result says whether it was. */
  readonly changeState: (
    run: string,
    from: ReadonlyArray<RunState>,
    to: RunState
  ) => Effect.Effect<boolean, StoreFailed>
  /** The run has ended if it runs in this epoch and no file is pending or started. */
  readonly endIfComplete: (run: string, epoch: number) => Effect.Effect<boolean, StoreFailed>
  readonly setLimits: (run: string, limits: Limits) => Effect.Effect<void, StoreFailed>

  /** Up to `count` batches of `size` files that are pending or started, in order, behind `after`. */
  readonly batches: (
    run: string,
    after: number,
    count: number,
    size: number
  ) => Effect.Effect<ReadonlyArray<Batch>, StoreFailed>
  /** The numbers of the pending files of a batch. */
  readonly pendingOf: (run: string, batch: Batch) => Effect.Effect<ReadonlyArray<number>, StoreFailed>
  /** The numbers of at most `count` pending files of a run, from its end backwards. */
  readonly lastPending: (run: string, count: number) => Effect.Effect<ReadonlyArray<number>, StoreFailed>
  /**
   * Holds or repeats the started files of machines that have not been heard of within 35 seconds. The result is the number of
   * files in the batch that live machines still call.
   */
  readonly takeOver: (run: string, batch: Batch) => Effect.Effect<number, StoreFailed>

  readonly claim: (
    run: string,
    epoch: number,
    seq: number,
    machine: string,
    /** What the call costs at most, by the price of `Limits`: a whole number. */
    cost?: number | undefined
  ) => Effect.Effect<Claim, StoreFailed>
  /** The result is false if the file is no longer this machine's: nothing was changed. */
  readonly settle: (
    run: string,
    epoch: number,
    seq: number,
    machine: string,
    settlement: Settlement
  ) => Effect.Effect<boolean, StoreFailed>
  /** The recorded result of a file with the same content, if the run knows files by content. */
  readonly sameContent: (run: string, content: string) => Effect.Effect<Option.Option<FileRecord>, StoreFailed>

  /** This machine begins to work: it is alive. */
  readonly join: (machine: string) => Effect.Effect<void, StoreFailed>
  /** This machine is still alive. Called every 5 seconds. One that has left stays away, also if its last heartbeat is late. */
  readonly heartbeat: (machine: string) => Effect.Effect<void, StoreFailed>
  /** This machine has ended in order: it has no started file any more. */
  readonly leave: (machine: string) => Effect.Effect<void, StoreFailed>

  readonly status: (run: string) => Effect.Effect<RunStatus, RunNotFound | StoreFailed>
  /** Failed files become pending; with `only`, the failed and the held files with this tag. The result is their number. */
  readonly retry: (run: string, only?: string | undefined) => Effect.Effect<number, StoreFailed>
  /** In the order of the run, a thousand rows at a time. */
  readonly files: (run: string, states?: ReadonlyArray<FileState>) => Stream.Stream<FileRecord, StoreFailed>
}

export class Store extends Context.Tag("@effect-speech/archive/internal/Store")<Store, StoreService>() {}

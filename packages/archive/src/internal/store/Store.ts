/**
 * The tables of an archive, and the statements on them. Each change of a file is one statement or one transaction, which
 * requires the state that it changes: a second process that does the same changes nothing.
 */
import type { Billing } from "@effect-speech/transport/CallReport"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { ArchiveRunConflict, ArchiveRunNotFound, ArchiveStoreFailed } from "../../ArchiveError.js"
import type { SynthesisResult, TranscriptionResult } from "../../Output.js"
import type { FileState, LimitChanges, Limits, RunId, RunSettings, RunState, RunStatus, Suspension } from "../../Run.js"
import type { SourceItem } from "../../Source.js"
import type { FileIdentity } from "../model/identity.js"
import type { Reason } from "../model/limits.js"
import type { RequestedSettings } from "../model/request.js"
import type { RunEvent } from "../model/states.js"

/** What the execution of a run reads. */
export interface RunRow {
  readonly id: RunId
  readonly state: RunState
  readonly epoch: number
  readonly settings: RunSettings
  readonly limits: Limits
  readonly suspension?: Suspension | undefined
  /** Its files were listed to the end, at least once. */
  readonly isListed: boolean
  /** Milliseconds since 1970. */
  readonly updatedAt: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** A file that this machine has claimed. */
export interface ClaimedFile extends FileIdentity {
  readonly run: string
  readonly seq: number
  readonly path: string
  readonly line?: Readonly<Record<string, unknown>> | undefined
  readonly callId: string
  /** Number of calls that have begun for it, this one included. */
  readonly attempts: number
  /** What its call may cost at most, in credits. Absent: the run has no limit of credits. */
  readonly reserved?: number | undefined
}

export type Claim =
  /** These files are this machine's to call. None: no file is pending that may be called now. */
  | { readonly _tag: "Claimed"; readonly files: ReadonlyArray<ClaimedFile> }
  /** The service is down, the rate is reached, or calls under way use up a limit: ask again after so many milliseconds. */
  | { readonly _tag: "Wait"; readonly millis: number }
  /** The run has a limit of credits: claim again with the cost of this file. */
  | { readonly _tag: "CostNeeded"; readonly file: ClaimedFile }
  /** The run does not run in this epoch, or another process has taken the store over. */
  | { readonly _tag: "Stopped" }

/** A row of a file. Its result and its billing are as they are stored: `FileRecord` is what a program gets. */
export interface StoredFile extends FileIdentity {
  readonly seq: number
  readonly path: string
  readonly state: FileState
  readonly attempts: number
  readonly callId: string
  readonly billing?: string | undefined
  readonly credits?: number | undefined
  readonly error?: Reason | undefined
  readonly result?: unknown
}

/** What was written for a file, or is about to be. */
export interface FileOutput {
  /** In bytes. */
  readonly size: number
  /** The first 16 bytes of the SHA-256, as hexadecimal digits. */
  readonly digest: string
}

/** A file, and what is known of its file of the tree. */
export interface FileWithOutput extends StoredFile {
  readonly line?: Readonly<Record<string, unknown>> | undefined
  /** Absent if an earlier version recorded the result, or the format of the run has changed. */
  readonly output?: FileOutput | undefined
  /** Digests of what was written for hidden files with the same path that are done; `?` for one that is not known. */
  readonly others: ReadonlyArray<string>
}

/** The service has answered, or there was nothing to send. */
export interface Done {
  readonly _tag: "Done"
  /** As it is stored. */
  readonly result: typeof TranscriptionResult.Encoded | typeof SynthesisResult.Encoded
  /** What was written for it, or is about to be. */
  readonly output?: FileOutput | undefined
  readonly billing: Billing
  /** What this call cost. */
  readonly credits: number
  /** What the pieces cost that earlier calls paid. They are counted if those calls were not recorded. */
  readonly keptCredits?: number | undefined
  /** Nothing was sent for it: the attempt does not count. Default: false. */
  readonly notReached?: boolean | undefined
  /** The call had pieces, and they are kept. */
  readonly inPieces?: boolean
}

/** A call that has no answer may have cost something. */
interface Unpaid {
  /** The service did not get a request: the attempt does not count. Default: false. */
  readonly notReached?: boolean | undefined
  /** What it cost, or may have cost. Default: what was reserved for it, or 0 if nothing was billed. */
  readonly credits?: number | undefined
}

/** The service is down or overloaded: the file is pending again, or failed after too many attempts, and the run slows down. */
export interface Unavailable extends Unpaid {
  readonly _tag: "Unavailable"
  readonly error: Reason
  readonly billing: Billing
  /** When the call began, by the clock of {@link StoreService.now}. */
  readonly begunAt: number
}

/** What became of a claimed file. */
export type Settlement =
  | Done
  /** `Held`: the call may be billed and has no result, so the file is only called again if its tag is retried. */
  | (Unpaid & {
      readonly _tag: "Failed" | "Held"
      readonly error: Reason
      readonly billing: Billing
      /** Each file of the run may fail so, such as for an unknown model. Default: false. */
      readonly concernsRun?: boolean | undefined
      /** Set if the service is down or overloaded, so that the run slows down. As that of `Unavailable`. */
      readonly begunAt?: number | undefined
    })
  /** The account was refused: the file is pending again, and the run is suspended, once for all machines. */
  | (Unpaid & { readonly _tag: "Refused"; readonly error: Reason })
  /**
   * The answer may be billed and can't be written, such as on a full disk, or the account was refused after an attempt that may be
   * billed: the file is held, and the run is suspended, since each further call would be lost or refused too.
   */
  | (Unpaid & {
      readonly _tag: "Unsaved"
      readonly error: Reason
      readonly billing: Billing
    })
  | Unavailable
  /** The run stopped between two pieces: the file is pending again, and the pieces that were paid are kept. */
  | (Unpaid & { readonly _tag: "Stopped" })
  /** The call did not begin, or sent nothing: the file is pending again, and the attempt does not count. */
  | (Unpaid & { readonly _tag: "NotBegun" })

/** When a machine was last known to be alive: milliseconds since 1970. */
export interface Heartbeat {
  readonly machine: string
  readonly at: number
}

export interface StoreService {
  /** The path of the file, or the address of the database without its password. */
  readonly name: string
  /** Milliseconds since 1970 by the clock that all machines share. */
  readonly now: Effect.Effect<number, ArchiveStoreFailed>

  /**
   * Creates the run, or finds it again: it is `listing`, unless it is running. What is left out of the settings and the limits stays as
   * the run has it. Another operation or way to know files for the same id is a conflict. The result is the row that was found.
   */
  readonly createRun: (
    id: string,
    settings: RequestedSettings,
    limits: LimitChanges
  ) => Effect.Effect<Option.Option<RunRow>, ArchiveRunConflict | ArchiveStoreFailed>
  readonly run: (id: string) => Effect.Effect<RunRow, ArchiveRunNotFound | ArchiveStoreFailed>
  readonly runs: Effect.Effect<ReadonlyArray<RunId>, ArchiveStoreFailed>
  /** The runs whose state is `running`. */
  readonly running: Effect.Effect<ReadonlyArray<RunRow>, ArchiveStoreFailed>
  /** The states of these items of a source in the run; `undefined` for what the run does not know. */
  readonly states: (
    run: string,
    items: ReadonlyArray<SourceItem>
  ) => Effect.Effect<ReadonlyArray<FileState | undefined>, ArchiveStoreFailed>
  /** The number of a new pass of listing. */
  readonly beginListing: (run: string) => Effect.Effect<number, ArchiveRunNotFound | ArchiveStoreFailed>
  /** Adds the files that are new, in order, and marks those that are known as listed in this pass. */
  readonly addItems: (
    run: string,
    listing: number,
    items: ReadonlyArray<SourceItem>
  ) => Effect.Effect<void, ArchiveStoreFailed>
  /** The files are being listed still. Called every 5 seconds. */
  readonly touch: (run: string) => Effect.Effect<void, ArchiveStoreFailed>
  /** Removes what neither this pass nor a later one saw, if it is pending or failed. The run is listed to its end. */
  readonly endListing: (run: string, listing: number) => Effect.Effect<void, ArchiveStoreFailed>

  /**
   * The state becomes `running` in a new epoch, if the event may happen to it. Machines claim no file in earlier epochs any more. If the
   * run was suspended by a refused account, and not by a limit, one call is under way at a time until the service answers one. The result is the new epoch, if it begins.
   */
  readonly begin: (
    run: string,
    event: "listed" | "resumed"
  ) => Effect.Effect<number | undefined, ArchiveRunNotFound | ArchiveStoreFailed>
  /** Changes the state if the event may happen to the run. The result says whether it did. */
  readonly changeState: (run: string, event: RunEvent, to: RunState) => Effect.Effect<boolean, ArchiveStoreFailed>
  /** The run has ended if it runs in this epoch and no file is pending or started. */
  readonly endIfComplete: (run: string, epoch: number) => Effect.Effect<boolean, ArchiveStoreFailed>
  /** A limit that is left out stays as it is. */
  readonly changeLimits: (run: string, limits: LimitChanges) => Effect.Effect<void, ArchiveStoreFailed>

  /** Claims up to `count` pending files, in order. With `priced`, that file, which costs at most so many credits. */
  readonly claim: (
    run: string,
    epoch: number,
    machine: string,
    count: number,
    priced?: { readonly seq: number; readonly cost: number }
  ) => Effect.Effect<Claim, ArchiveStoreFailed>
  /** Whether this machine may call on for a file that it has claimed: the run runs, and the file is still this machine's. */
  readonly mayGoOn: (run: string, seq: number, machine: string) => Effect.Effect<boolean, ArchiveStoreFailed>
  /** Holds or repeats the started files of these machines, and of machines that the store does not know. */
  readonly takeOver: (run: string, dead: ReadonlyArray<string>) => Effect.Effect<void, ArchiveStoreFailed>
  /** The result is false if the file is no longer this machine's: nothing was changed. */
  readonly settle: (
    run: string,
    epoch: number,
    seq: number,
    machine: string,
    settlement: Settlement
  ) => Effect.Effect<boolean, ArchiveStoreFailed>
  /** Records answers together, of runs and calls of which no more is counted. The result has the numbers of these files. */
  readonly settleAnswers: (
    run: string,
    machine: string,
    answers: ReadonlyArray<{ readonly seq: number; readonly answer: Done }>
  ) => Effect.Effect<ReadonlyArray<number>, ArchiveStoreFailed>
  /**
   * What is recorded of a file with the same content, also of one that is hidden: that of one that is done, else that of one that is
   * held, which may be billed.
   */
  readonly sameContent: (run: string, content: string) => Effect.Effect<Option.Option<StoredFile>, ArchiveStoreFailed>

  /** This machine begins to work: it is alive. */
  readonly join: (machine: string) => Effect.Effect<void, ArchiveStoreFailed>
  /** This machine is still alive. Called every 5 seconds. False if it has left, or another process has taken the store over. */
  readonly heartbeat: (machine: string) => Effect.Effect<boolean, ArchiveStoreFailed>
  /** The last heartbeat of each machine that has not left in order. */
  readonly machines: Effect.Effect<ReadonlyArray<Heartbeat>, ArchiveStoreFailed>
  /** This machine has ended in order: it has no started file any more. */
  readonly leave: (machine: string) => Effect.Effect<void, ArchiveStoreFailed>

  readonly status: (run: string) => Effect.Effect<RunStatus, ArchiveRunNotFound | ArchiveStoreFailed>
  /** Failed files become pending; with `only`, the failed and the held files with this tag. The result is their number. */
  readonly retry: (run: string, only?: string | undefined) => Effect.Effect<number, ArchiveStoreFailed>
  /** In the order of the run, a thousand rows at a time. */
  readonly files: (run: string, states?: ReadonlyArray<FileState>) => Stream.Stream<StoredFile, ArchiveStoreFailed>

  /** The files of a run with what was written for them, as `files` gives them. */
  readonly outputs: (run: string) => Stream.Stream<FileWithOutput, ArchiveStoreFailed>
  /** What is in the tree now for these files, which are done. */
  readonly recordOutputs: (
    run: string,
    outputs: ReadonlyArray<FileOutput & { readonly seq: number }>
  ) => Effect.Effect<void, ArchiveStoreFailed>
  /** Nothing is known any more of what was written for the run, since its format is another one. */
  readonly forgetOutputs: (run: string) => Effect.Effect<void, ArchiveStoreFailed>
  /** These files, whose audio is gone, become pending. */
  readonly repairFiles: (run: string, seqs: ReadonlyArray<number>) => Effect.Effect<void, ArchiveStoreFailed>
  /** The results of a run that has stopped in this epoch are written. */
  readonly endOutput: (run: string, epoch: number) => Effect.Effect<void, ArchiveStoreFailed>
  /** Whether machines that are alive call files of this run. */
  readonly isCalling: (run: string) => Effect.Effect<boolean, ArchiveStoreFailed>
  /**
   * The runs that have stopped more than two seconds ago, and whose results are not written. Of several machines, only one is
   * given them.
   */
  readonly outputsDue: (machine: string) => Effect.Effect<ReadonlyArray<string>, ArchiveStoreFailed>
}

export class Store extends Context.Tag("@effect-speech/archive/internal/Store")<Store, StoreService>() {}

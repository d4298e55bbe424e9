/**
 * A run: what is done with many files, how far it is, and what became of each.
 */

import { structural } from "@effect-speech/common/Structural"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ArchiveRunInvalid } from "./ArchiveError.js"
import { Operation } from "./Operation.js"
import { Output } from "./Output.js"

export {
  DoneFile,
  FailedFile,
  FileError,
  type FileErrorTag,
  FileRecord,
  HeldFile,
  PendingFile,
  StartedFile
} from "./internal/model/fileRecord.js"

const idRule = "must be the id of a run: a UUID in lower case, as start returns it"

/**
 * The id of a run, as `start` returns it: a UUID in lower case. {@link makeId} makes one from a text.
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 * import { Schema } from "effect"
 *
 * export const isId = Schema.is(Run.RunId)
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const RunId = Schema.String.pipe(
  Schema.pattern(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, {
    message: () => idRule
  }),
  Schema.brand("@effect-speech/archive/RunId")
)
/**
 * @since 0.1.0
 * @category schemas
 */
export type RunId = typeof RunId.Type

const decodeId = Schema.decodeUnknownEither(RunId)

/**
 * The id of a run from a text, such as a part of an address. It does not ask whether a store has the run.
 *
 * Fails with `ArchiveRunInvalid` if the text is no UUID in lower case.
 *
 * @example
 * ```ts
 * import { Archive, Run } from "@effect-speech/archive"
 * import { Effect } from "effect"
 *
 * export const statusOf = (text: string) =>
 *   Effect.flatMap(Run.makeId(text), (id) => Effect.flatMap(Archive, (archive) => archive.status(id)))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeId = (text: string): Either.Either<RunId, ArchiveRunInvalid> =>
  Either.mapLeft(decodeId(text), () => {
    return new ArchiveRunInvalid({ field: "run", problem: idRule, message: `No run was looked for: run ${idRule}.` })
  })

/**
 * The state of a run.
 *
 * | state       | meaning |
 * | ----------- | ------- |
 * | `listing`   | the files are being listed; if this is the first time, no call has begun |
 * | `running`   | machines work on it |
 * | `paused`    | it was paused: no call begins until it is resumed |
 * | `suspended` | the account was refused, ten files failed alike, the recordings or the output can't be used, or a limit is reached: `suspension` says which |
 * | `ended`     | no file is left to call |
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 *
 * export const goesOn = (state: Run.RunState) => state === "listing" || state === "running"
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const RunState = Schema.Literal("listing", "running", "paused", "suspended", "ended")
/**
 * @since 0.1.0
 * @category schemas
 */
export type RunState = typeof RunState.Type

/**
 * The state of a file.
 *
 * | state     | meaning |
 * | --------- | ------- |
 * | `pending` | its call has not begun, or is repeated later |
 * | `started` | a machine calls the service for it |
 * | `done`    | its result is recorded: it is not called again |
 * | `failed`  | its error is recorded; `retryFailed` makes it pending |
 * | `held`    | its call may have been billed, and has no result: its process ended, its response was lost or unusable, or its output could not be written; `retryFailed` with its tag makes it pending, and the call may be billed again |
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 *
 * export const left: ReadonlyArray<Run.FileState> = ["pending", "started"]
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const FileState = Schema.Literal("pending", "started", "done", "failed", "held")
/**
 * @since 0.1.0
 * @category schemas
 */
export type FileState = typeof FileState.Type

/**
 * Why a run was suspended, or slowed down.
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 *
 * export const isLimit = ({ tag }: Run.Suspension) => tag === "FileLimit" || tag === "CreditLimit"
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Suspension extends structural(
  Schema.Class<Suspension>("@effect-speech/archive/Suspension")({
    /** The tag of the error, or `FileLimit`, `CreditLimit` or `RepeatedFailure`. */
    tag: Schema.String,
    /** A sentence for a person. */
    message: Schema.String,
    /** When it happened. Encoded: milliseconds since 1970. */
    at: Schema.DateTimeUtcFromNumber
  })
) {}

/**
 * Limits of a run over all machines.
 *
 * @example
 * ```ts
 * import { Archive, Run } from "@effect-speech/archive"
 * import { Effect } from "effect"
 *
 * const limits: Run.Limits = { callsPerSecond: 10, maxCredits: 100_000 }
 * export const goOn = (id: Run.RunId) => Effect.flatMap(Archive, (archive) => archive.resume(id, { limits }))
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Limits = Schema.Struct({
  /** Files that begin in a second, above 0. The pieces of a file do not count. Default: no limit. */
  callsPerSecond: Schema.optional(Schema.Finite.pipe(Schema.positive())),
  /**
   * The run is suspended when it has called for so many files, a whole number from 0. A call that did not reach the service does not
   * count. Default: no limit.
   */
  maxFiles: Schema.optional(Schema.NonNegativeInt),
  /**
   * The run is suspended before a file whose cost would exceed this, a whole number from 0. The contract states no price: a credit is
   * one started second of audio, or one code point of a text, as at the local service. Default: no limit.
   */
  maxCredits: Schema.optional(Schema.NonNegativeInt)
})
/**
 * @since 0.1.0
 * @category schemas
 */
export interface Limits extends Schema.Schema.Type<typeof Limits> {}

const changeOf = <A, I>(limit: Schema.Schema<A, I>) => Schema.optional(Schema.Union(limit, Schema.Literal("none")))

/**
 * Changes of the limits of a run, as `start` and `resume` take them. A limit that is left out stays as it is, and `"none"` removes it.
 * {@link Limits} are changes too.
 *
 * @example
 * ```ts
 * import { Archive, type Run } from "@effect-speech/archive"
 * import { Effect } from "effect"
 *
 * // The limit of credits stays.
 * const limits: Run.LimitChanges = { maxFiles: "none", callsPerSecond: 20 }
 * export const goOn = (id: Run.RunId) => Effect.flatMap(Archive, (archive) => archive.resume(id, { limits }))
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const LimitChanges = Schema.Struct({
  /** As in {@link Limits}, or `"none"`. Default: that of the run. */
  callsPerSecond: changeOf(Schema.Finite.pipe(Schema.positive())),
  /** As in {@link Limits}, or `"none"`. Default: that of the run. */
  maxFiles: changeOf(Schema.NonNegativeInt),
  /** As in {@link Limits}, or `"none"`. Default: that of the run. */
  maxCredits: changeOf(Schema.NonNegativeInt)
})
/**
 * @since 0.1.0
 * @category schemas
 */
export interface LimitChanges extends Schema.Schema.Type<typeof LimitChanges> {}

/**
 * What to do with a file whose call may have been billed, and has no recorded result: its process ended, its response was lost, or
 * a gateway responded with a status such as 504. `hold` holds it, until it is retried by its tag. `repeat` sends it again; if its
 * response was unusable, it fails. Default: `hold`.
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 *
 * // Sends such a file again. It may be billed twice.
 * export const unanswered: Run.Unanswered = "repeat"
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Unanswered = Schema.Literal("hold", "repeat")
/**
 * @since 0.1.0
 * @category schemas
 */
export type Unanswered = typeof Unanswered.Type

/**
 * The settings of a run, as the store keeps them.
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 *
 * export const outputOf = ({ settings }: Run.RunStatus) => settings.output.directory
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const RunSettings = Schema.Struct({
  operation: Operation,
  /** The folder that paths of files are relative to; the file itself for lines of a JSONL or CSV. */
  root: Schema.String,
  /** How the files were chosen, in words: the folder, the pattern, or the list. */
  source: Schema.String,
  /** Whether a file is known by its path and content, and not by its path, size and time of modification. */
  byContent: Schema.Boolean,
  output: Output,
  /** Folders that the run wrote to before. Audio is copied from there. Default: none. */
  earlierOutputs: Schema.optional(Schema.Array(Schema.String)),
  unanswered: Unanswered
})
/**
 * @since 0.1.0
 * @category schemas
 */
export interface RunSettings extends Schema.Schema.Type<typeof RunSettings> {}
/**
 * The JSON of {@link RunSettings}.
 *
 * @since 0.1.0
 * @category models
 */
export interface RunSettingsEncoded extends Schema.Schema.Encoded<typeof RunSettings> {}

/**
 * Number of files in each state.
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 *
 * export const isComplete = ({ failed, held, pending, started }: Run.Counts) => failed + held + pending + started === 0
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Counts extends structural(
  Schema.Class<Counts>("@effect-speech/archive/Counts")({
    /** Files whose call has not begun, or is repeated later. */
    pending: Schema.Number,
    /** Files for which a machine calls the service. */
    started: Schema.Number,
    /** Files whose result is recorded. */
    done: Schema.Number,
    /** Files whose error is recorded. */
    failed: Schema.Number,
    /** Files that may have been billed, and have no result. */
    held: Schema.Number
  })
) {}

/**
 * The differences between the output folder and the store, and what was repaired. `export` and `repair` give it, and the last status of `progress`.
 *
 * @example
 * ```ts
 * import { Archive, type Run } from "@effect-speech/archive"
 * import { Console, Effect } from "effect"
 *
 * export const repair = (id: Run.RunId) =>
 *   Effect.gen(function* () {
 *     const { gone, goneCost, written } = yield* (yield* Archive).repair(id)
 *     yield* Console.log(`${written} files written; ${gone} have no audio, which costs ${goneCost} credits`)
 *   })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class OutputReport extends structural(
  Schema.Class<OutputReport>("@effect-speech/archive/OutputReport")({
    /** Files that are done. */
    files: Schema.Number,
    /** Files of the tree that were missing, empty or out of date, and have been written again. */
    written: Schema.Number,
    /**
     * Transcripts that somebody has changed since they were written, and that are kept. The end of a run keeps them; `export` and
     * `repair` write them again.
     */
    changed: Schema.Number,
    /** Audio that is missing, or is not what was written. The store has no audio: only a call makes it again. */
    gone: Schema.Number,
    /** What it costs at most to synthesize it again, by the price of {@link Limits}. */
    goneCost: Schema.Number,
    /** The first ten of its files. */
    goneFiles: Schema.Array(Schema.String)
  })
) {}

const Tags = Schema.Record({ key: Schema.String, value: Schema.Number })

/** Their types are named in those of the classes, and not repeated. */
const settings: Schema.Schema<RunSettings, RunSettingsEncoded> = RunSettings
const limits: Schema.Schema<Limits> = Limits

/** What a status says in each state. Encoded, times are milliseconds since 1970. */
const statusFields = {
  /** The request, without its source. */
  settings,
  /** The limits over all machines. */
  limits,
  /** Number of files in each state. */
  counts: Counts,
  /** Number of failed files by the tag of their error. */
  failures: Tags,
  /** Number of held files by the tag of their error. */
  holds: Tags,
  /** Number of done files by the tag of their warnings. A file can have several. */
  warnings: Tags,
  /** What the recorded calls cost, and those of held and abandoned files may have cost, by the price of {@link Limits}. */
  credits: Schema.Number,
  /** Held and abandoned files of which it is not known what their calls may have cost: they began without a limit of credits. */
  unknownCosts: Schema.Number,
  /**
   * Started files that no process works on any more. Their calls may have been billed: the next process that works on the run holds them,
   * or repeats them if `settings.unanswered` is `repeat`.
   */
  abandoned: Schema.Number,
  /** The run has begun since `results.jsonl` was written. */
  resultsDue: Schema.Boolean,
  /** The machines with a heartbeat in the last 35 seconds. If the store is a file: one if a process has its lock, else none. */
  machines: Schema.Number,
  /** The last heartbeat of a machine that has not left in order. */
  heartbeatAt: Schema.optional(Schema.DateTimeUtcFromNumber),
  /** Set while the service is down or overloaded: calls begin one at a time until one succeeds. */
  slowedUntil: Schema.optional(Schema.DateTimeUtcFromNumber),
  /** The failure for which the service is taken for down or overloaded. Set with `slowedUntil`. */
  outage: Schema.optional(Suspension),
  /** When the run was created. */
  createdAt: Schema.DateTimeUtcFromNumber,
  /** When its state last changed. */
  updatedAt: Schema.DateTimeUtcFromNumber,
  /** How its files were found at its end. Set in the last status of `progress`, if this process has looked. */
  output: Schema.optional(OutputReport)
}

/**
 * Its files are being listed. If it was suspended before, `suspension` says why.
 *
 * @since 0.1.0
 * @category models
 */
export class ListingRun extends structural(
  Schema.Class<ListingRun>("@effect-speech/archive/ListingRun")({
    /** The id of the run. */
    id: RunId,
    state: Schema.Literal("listing"),
    /** Why it was suspended before, if it was. */
    suspension: Schema.optional(Suspension),
    ...statusFields
  })
) {}

/**
 * Machines work on it.
 *
 * @since 0.1.0
 * @category models
 */
export class RunningRun extends structural(
  Schema.Class<RunningRun>("@effect-speech/archive/RunningRun")({
    /** The id of the run. */
    id: RunId,
    state: Schema.Literal("running"),
    ...statusFields
  })
) {}

/**
 * It was paused. If that was while its files were listed, and it was suspended before, `suspension` says why.
 *
 * @since 0.1.0
 * @category models
 */
export class PausedRun extends structural(
  Schema.Class<PausedRun>("@effect-speech/archive/PausedRun")({
    /** The id of the run. */
    id: RunId,
    state: Schema.Literal("paused"),
    /** Why it was suspended before, if it was. */
    suspension: Schema.optional(Suspension),
    ...statusFields
  })
) {}

/**
 * The account was refused, ten files failed alike, the recordings or the output can't be used, or a limit is reached.
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 *
 * export const why = (status: Run.RunStatus) => (status.state === "suspended" ? status.suspension.message : undefined)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class SuspendedRun extends structural(
  Schema.Class<SuspendedRun>("@effect-speech/archive/SuspendedRun")({
    /** The id of the run. */
    id: RunId,
    state: Schema.Literal("suspended"),
    /** Why it is suspended. */
    suspension: Suspension,
    ...statusFields
  })
) {}

/**
 * No file is left to call.
 *
 * @since 0.1.0
 * @category models
 */
export class EndedRun extends structural(
  Schema.Class<EndedRun>("@effect-speech/archive/EndedRun")({
    /** The id of the run. */
    id: RunId,
    state: Schema.Literal("ended"),
    ...statusFields
  })
) {}

/**
 * How far a run is, by its `state`. `status`, `start` and `progress` give it.
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 *
 * export const line = ({ counts, credits, state }: Run.RunStatus) =>
 *   `${state}: ${counts.done} done, ${counts.pending + counts.started} left, ${credits} credits`
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const RunStatus = Schema.Union(ListingRun, RunningRun, PausedRun, SuspendedRun, EndedRun)
/**
 * @since 0.1.0
 * @category schemas
 */
export type RunStatus = typeof RunStatus.Type

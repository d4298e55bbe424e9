/**
 * A run: what is done with many files, how far it is, and what became of each.
 */
import * as Issue from "@effect-speech/transport/unstable/Issue"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { ArchiveRunInvalid } from "./ArchiveError.js"
import { runInvalid } from "./internal/runInvalid.js"
import { Operation } from "./Operation.js"

/**
 * | state       | meaning |
 * | ----------- | ------- |
 * | `listing`   | the files are being listed; no call has begun |
 * | `running`   | machines work on it |
 * | `paused`    | it was paused: no call begins until it is resumed |
 * | `suspended` | the account was refused, ten files failed alike, or a limit is reached: `suspension` says which |
 * | `ended`     | no file is left to call |
 */
export const RunState = Schema.Literal("listing", "running", "paused", "suspended", "ended")
export type RunState = typeof RunState.Type

/**
 * | state     | meaning |
 * | --------- | ------- |
 * | `pending` | its call has not begun, or is repeated later |
 * | `started` | a machine calls the service for it |
 * | `done`    | its result is recorded: it is never called again |
 * | `failed`  | its error is recorded; `retryFailed` makes it pending |
 * | `held`    | its call may have been billed, and has no result: its process ended, its response was lost or unusable, or its output could not be written; `retryFailed` with its tag makes it pending, and the call may be billed again |
 */
export const FileState = Schema.Literal("pending", "started", "done", "failed", "held")
export type FileState = typeof FileState.Type

/** Why a run was suspended, or slowed down. */
export const Suspension = Schema.Struct({
  /** The tag of the error, or `FileLimit` or `CreditLimit`. */
  tag: Schema.String,
  message: Schema.String,
  /** Milliseconds since 1970. */
  at: Schema.Number
})
export type Suspension = typeof Suspension.Type

/** Limits of a run over all machines. */
export const Limits = Schema.Struct({
  /** Calls that begin in a second. Default: no limit. */
  callsPerSecond: Schema.optional(Schema.Finite.pipe(Schema.positive())),
  /** The run is suspended when it has called for so many files. A call that did not reach the service does not count. Default: no limit. */
  maxFiles: Schema.optional(Schema.NonNegativeInt),
  /**
   * The run is suspended before a file whose cost would exceed this. The contract states no price: a credit is one started
   * second of audio, or one code point of a text, as at the local service. Default: no limit.
   */
  maxCredits: Schema.optional(Schema.NonNegativeInt)
})
export type Limits = typeof Limits.Type

/**
 * What to do with a file whose call may have been billed, and has no recorded result: its process ended, its response was lost, or
 * a gateway responded with a status such as 504. `hold` holds it, until it is retried by its tag. `repeat` sends it again; if its
 * response was unusable, it fails. Default: `hold`.
 */
export const Unanswered = Schema.Literal("hold", "repeat")
export type Unanswered = typeof Unanswered.Type

/** `txt`, `json`, `srt` or `vtt` for a transcription; `wav` for a synthesis. */
export const Format = Schema.Literal("txt", "json", "srt", "vtt", "wav")
export type Format = typeof Format.Type

/** Where the results are written. */
export const Output = Schema.Struct({
  /** The folder with `results.jsonl`, and a tree that mirrors the source. */
  directory: Schema.String,
  format: Format
})
export type Output = typeof Output.Type

/** The settings of a run, as the store keeps them. */
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
export type RunSettings = typeof RunSettings.Type

const Started = Schema.Struct({ ...RunSettings.fields, limits: Limits })

const decodeStarted = Schema.decodeUnknownEither(Schema.typeSchema(Started), { onExcessProperty: "error" })

/** Checks the settings and the limits of a run by the rules of the requests, before anything is listed, stored or sent. */
export const validate = (settings: RunSettings, limits: Limits): Either.Either<void, ArchiveRunInvalid> => {
  return Either.flatMap(
    Either.mapLeft(decodeStarted({ ...settings, limits }), (error) => runInvalid(Issue.first(error.issue))),
    ({ operation, output }) =>
      (operation._tag === "Synthesize") === (output.format === "wav")
        ? Either.right(undefined)
        : Either.left(
            runInvalid({
              field: "output.format",
              problem:
                operation._tag === "Synthesize"
                  ? "must be wav for a synthesis"
                  : "must be txt, json, srt or vtt for a transcription"
            })
          )
  )
}

export interface Counts {
  readonly pending: number
  readonly started: number
  readonly done: number
  readonly failed: number
  readonly held: number
}

/** How the folder of an output compared with the store, and what was changed so that it agrees. */
export interface OutputReport {
  /** Files that are done. */
  readonly files: number
  /** Files of the tree that were missing, empty or out of date, and have been written again. */
  readonly written: number
  /**
   * Transcripts that somebody has changed since they were written, and that are kept. The end of a run keeps them; `export` and
   * `repair` write them again.
   */
  readonly changed: number
  /** Audio that is missing, or is not what was written. The store has no audio: only a call makes it again. */
  readonly gone: number
  /** What it costs at most to synthesize it again, by the price of {@link Limits}. */
  readonly goneCost: number
  /** The first ten of its files. */
  readonly goneFiles: ReadonlyArray<string>
}

/** How far a run is. */
export interface RunStatus {
  readonly id: string
  readonly state: RunState
  readonly suspension?: Suspension | undefined
  readonly settings: RunSettings
  readonly limits: Limits
  readonly counts: Counts
  /** Number of failed files by the tag of their error. */
  readonly failures: Readonly<Record<string, number>>
  /** Number of held files by the tag of their error. */
  readonly holds: Readonly<Record<string, number>>
  /** Number of done files by the tag of their warnings. A file can have several. */
  readonly warnings: Readonly<Record<string, number>>
  /** What the recorded calls cost, by the price of {@link Limits}. */
  readonly credits: number
  /** Held files of which it is not known what their calls may have cost: they began without a limit of credits. */
  readonly unknownCosts: number
  /** The run has begun since `results.jsonl` was written. */
  readonly resultsDue: boolean
  /** How its files were found at its end. Set in the last status of `progress`, if this process has looked. */
  readonly output?: OutputReport | undefined
  /** The machines with a heartbeat in the last 35 seconds. */
  readonly machines: number
  /** The last heartbeat of a machine that has not left in order. Milliseconds since 1970. */
  readonly heartbeatAt?: number | undefined
  /** Set while the service is down or overloaded: calls begin one at a time until one succeeds. Milliseconds since 1970. */
  readonly slowedUntil?: number | undefined
  /** The failure for which the service is taken for down or overloaded. Set with `slowedUntil`. */
  readonly outage?: Suspension | undefined
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Milliseconds since 1970. */
  readonly updatedAt: number
}

/** What became of a file. */
export interface FileRecord {
  /** Its place in the run, from 1. */
  readonly seq: number
  /** Relative to the root, with `/` between folders; the id of a line. */
  readonly path: string
  readonly state: FileState
  /** In bytes. */
  readonly size: number
  /** Milliseconds since 1970. 0 for a line. */
  readonly modifiedMillis: number
  /** Number of calls that have begun for it. A call that did not reach the service does not count. */
  readonly attempts: number
  /** The id that its calls sent, made from the run and the file. */
  readonly callId: string
  /** `notBilled`, `billed` or `unknown`, of its last call. */
  readonly billing?: string | undefined
  readonly credits?: number | undefined
  /** The tag and the sentence of the error of a failed or held file. */
  readonly error?: { readonly tag: string; readonly message: string } | undefined
  /** What the service answered, if the file is done. */
  readonly result?: unknown
}

/**
 * What an archive does: the interface of its service.
 */
import { structural } from "@effect-speech/common/Structural"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type {
  ArchiveOutputFailed,
  ArchiveRunConflict,
  ArchiveRunInvalid,
  ArchiveRunNotFound,
  ArchiveSourceFailed,
  ArchiveStoreFailed
} from "../../ArchiveError.js"
import type { Operation } from "../../Operation.js"
import type { Format, Output } from "../../Output.js"
import type { FileRecord, FileState, LimitChanges, OutputReport, RunId, RunStatus, Unanswered } from "../../Run.js"
import type { Source } from "../../Source.js"

/**
 * What a run shall do: the files, the operation, the output and the limits.
 *
 * @example
 * ```ts
 * import { Operation, type RunRequest, Source } from "@effect-speech/archive"
 * import { Stream } from "effect"
 *
 * export const request: RunRequest = {
 *   source: Source.texts(Stream.make({ id: "welcome", text: "नमस्ते" }), { root: "menu", description: "the menu" }),
 *   operation: Operation.synthesize({ outputFormat: "8000:pcm16" }),
 *   output: { directory: "menu", format: "wav" },
 *   limits: { maxCredits: 10_000 }
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface RunRequest<R = never> {
  /** The files. */
  readonly source: Source<R>
  /** What to do with each file. */
  readonly operation: Operation
  /** Where the results are written, and in which format. Default of the format: that of the run, or `txt`, or `wav` for a synthesis. */
  readonly output: Pick<Output, "directory"> & { readonly format?: Format | undefined }
  /** Limits over all machines. In a run that exists, a limit that is left out stays, and `"none"` removes it. Default: no limit. */
  readonly limits?: LimitChanges | undefined
  /**
   * What to do with a file whose call may have been answered before its process ended. Default: what the run does, or `hold` for a new
   * one.
   */
  readonly unanswered?: Unanswered | undefined
}

/**
 * What a run would do. `plan` gives it; nothing was stored or sent.
 *
 * @example
 * ```ts
 * import { Archive, type RunRequest } from "@effect-speech/archive"
 * import { Console, Effect } from "effect"
 *
 * export const show = (request: RunRequest) =>
 *   Effect.gen(function* () {
 *     const { done, mostCost, toCall } = yield* (yield* Archive).plan(request)
 *     yield* Console.log(`${toCall} files to call, at most ${mostCost} credits; ${done} are done`)
 *   })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class Plan extends structural(
  Schema.Class<Plan>("@effect-speech/archive/Plan")({
    /** Files that the source lists. */
    files: Schema.Number,
    /** Their size in bytes. */
    bytes: Schema.Number,
    /** Files that an earlier run has recorded as done. */
    done: Schema.Number,
    /** Files that a run would call. */
    toCall: Schema.Number,
    /** Seconds of audio, or code points of texts, that a run would send, as far as headers state them. */
    cost: Schema.Number,
    /** Files whose header does not state a duration. */
    unknownCost: Schema.Number,
    /** What all of it costs at most, as `maxCredits` counts it. The size bounds a file whose header states no duration. */
    mostCost: Schema.Number
  })
) {}

/**
 * The methods of an archive. Each that names a run fails with `ArchiveRunNotFound` if the store has none of this id, and each fails with
 * `ArchiveStoreFailed` if the store can't be read or written. The error of a single file is none of these: it is recorded with the file.
 *
 * @example
 * ```ts
 * import { Archive, type Run } from "@effect-speech/archive"
 * import { Console, Effect, Stream } from "effect"
 *
 * export const watch = (id: Run.RunId) =>
 *   Effect.flatMap(Archive, (archive) =>
 *     Stream.runForEach(archive.progress(id), ({ counts, state }) => Console.log(`${state}: ${counts.done} done`))
 *   )
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export interface ArchiveService {
  /** Lists the source and compares it with the store. Fails as `start` does. */
  readonly plan: <R>(
    request: RunRequest<R>
  ) => Effect.Effect<Plan, ArchiveRunInvalid | ArchiveRunConflict | ArchiveSourceFailed | ArchiveStoreFailed, R>
  /**
   * Lists the source, and begins the run or goes on with it. A run is its operation and its source, in a store, so the same request finds
   * the same run, also by a link, or after its source or its output was moved. After a refusal one call is made first. Files that failed or
   * are held are not called again: see `retryFailed`. Returns when the run is under way.
   *
   * Fails with `ArchiveRunInvalid` if a field breaks a rule, or the source lists nothing, or files that this process can only let fail;
   * with `ArchiveRunConflict` if the output has the results of another run; with `ArchiveSourceFailed` if the source can't be listed.
   */
  readonly start: <R>(
    request: RunRequest<R>
  ) => Effect.Effect<RunStatus, ArchiveRunInvalid | ArchiveRunConflict | ArchiveSourceFailed | ArchiveStoreFailed, R>
  /** How far a run is, from any process. */
  readonly status: (run: RunId) => Effect.Effect<RunStatus, ArchiveRunNotFound | ArchiveStoreFailed>
  /** The ids of all runs in the store, the newest first. */
  readonly runs: Effect.Effect<ReadonlyArray<RunId>, ArchiveStoreFailed>
  /**
   * The status whenever it changes, at most twice a second and once more at the end, until the run is paused, suspended or ended. If
   * this process started or resumed the run, its output is made to agree with the store before the stream ends: see `output` of `RunStatus`.
   */
  readonly progress: (
    run: RunId
  ) => Stream.Stream<RunStatus, ArchiveRunNotFound | ArchiveStoreFailed | ArchiveOutputFailed>
  /** No call begins any more, on any machine. Those under way are finished. */
  readonly pause: (run: RunId) => Effect.Effect<RunStatus, ArchiveRunNotFound | ArchiveStoreFailed>
  /**
   * Goes on after a pause or a suspension. A limit of the run that `limits` leave out stays, and `"none"` removes it. After a refusal one
   * call is made first. Fails with `ArchiveRunConflict` if the files of the run were never listed to their end. A limit that breaks its rule
   * is a defect.
   */
  readonly resume: (
    run: RunId,
    options?: { readonly limits?: LimitChanges | undefined }
  ) => Effect.Effect<RunStatus, ArchiveRunNotFound | ArchiveRunConflict | ArchiveStoreFailed>
  /**
   * Failed files become pending, and the run goes on. With `only`: the failed and the held files with this tag. A held file may be billed
   * again. Fails with `ArchiveRunInvalid` if no file has the tag, and with `ArchiveRunConflict` as `resume` does.
   */
  readonly retryFailed: (
    run: RunId,
    options?: { readonly only?: string | undefined }
  ) => Effect.Effect<RunStatus, ArchiveRunInvalid | ArchiveRunNotFound | ArchiveRunConflict | ArchiveStoreFailed>
  /** What became of each file, in the order of the run: of all, or of those in one of these states. */
  readonly results: <State extends FileState = FileState>(
    run: RunId,
    options?: { readonly states?: ReadonlyArray<State> | undefined }
  ) => Stream.Stream<Extract<FileRecord, { readonly state: State }>, ArchiveRunNotFound | ArchiveStoreFailed>
  /**
   * Writes `results.jsonl` and the tree from the store, also to another folder or in another format. What has the recorded content is
   * left. Sends nothing. Audio that is gone is counted: see `OutputReport`.
   */
  readonly export: (
    run: RunId,
    options?: { readonly directory?: string | undefined; readonly format?: Format | undefined }
  ) => Effect.Effect<OutputReport, ArchiveRunNotFound | ArchiveStoreFailed | ArchiveOutputFailed>
  /**
   * Compares the content of each file of the tree with the store, and writes `results.jsonl` and what is missing or differs. With
   * `synthesize`, files whose audio is gone become pending, and the run goes on: they are called and billed again. Without it, they are
   * only counted, with their cost.
   */
  readonly repair: (
    run: RunId,
    options?: { readonly synthesize?: boolean | undefined }
  ) => Effect.Effect<OutputReport, ArchiveRunNotFound | ArchiveStoreFailed | ArchiveOutputFailed>
}

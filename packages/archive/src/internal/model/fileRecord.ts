/**
 * What became of each file of a run.
 */
import type { WavError } from "@effect-speech/audio-codec/WavError"
import { structural } from "@effect-speech/common/Structural"
import type { PieceStoreError } from "@effect-speech/long-form/PieceStore"
import type { SttError } from "@effect-speech/stt/SttError"
import { Billing } from "@effect-speech/transport/CallReport"
import type { TtsError } from "@effect-speech/tts/TtsError"
import * as Schema from "effect/Schema"
import type { ArchiveOutputFailed } from "../../ArchiveError.js"
import { SynthesisResult, TranscriptionResult, UnreadableResult } from "../../Output.js"

/**
 * The tag of the error of a file: that of an error of its call, or one of these. Another version may have recorded others.
 *
 * | tag | meaning |
 * | --- | ------- |
 * | `AnswerUnknown` | its process ended, so that its call may have been answered |
 * | `FileGone`, `FileUnreadable`, `FileEmpty`, `NotAFile`, `FileChanged` | it can't be sent as it was listed |
 * | `NotARecording`, `LengthUnknown` | it is in no known container, or states no length while the run has `maxCredits` |
 * | `TooManyOpenFiles`, `SourceGone` | this process can't open it |
 * | `Defect` | a defect of a worker |
 *
 * @since 0.1.0
 * @category models
 */
export type FileErrorTag =
  | SttError["_tag"]
  | TtsError["_tag"]
  | PieceStoreError["_tag"]
  | WavError["_tag"]
  | ArchiveOutputFailed["_tag"]
  | "AnswerUnknown"
  | "Defect"
  | "FileChanged"
  | "FileEmpty"
  | "FileGone"
  | "FileUnreadable"
  | "LengthUnknown"
  | "NotAFile"
  | "NotARecording"
  | "SourceGone"
  | "TooManyOpenFiles"
  | (string & {})

/**
 * Why a file failed or is held: a tag, and a sentence for a person.
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 *
 * export const line = ({ message, tag }: Run.FileError) => `${tag}: ${message}`
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class FileError extends structural(
  Schema.Class<FileError>("@effect-speech/archive/FileError")({
    /** The tag of the error: see {@link FileErrorTag}. */
    tag: Schema.String as Schema.Schema<FileErrorTag, string>,
    /** A sentence for a person. */
    message: Schema.String
  })
) {}

const fileFields = {
  /** Its place in the run, from 1. */
  seq: Schema.Number,
  /** Relative to the root, with `/` between folders; the id of a line. */
  path: Schema.String,
  /** In bytes. */
  size: Schema.Number,
  /** Milliseconds since 1970: a file system has times that no date has. 0 for a line. */
  modifiedMillis: Schema.Number,
  /** Number of calls that have begun for it. A call that did not reach the service does not count. */
  attempts: Schema.Number,
  /** The id that its calls sent, made from the run and the file. */
  callId: Schema.String
}

/** Of its earlier calls, if there were some. */
const earlierCalls = {
  billing: Schema.optional(Billing),
  /** What its calls cost, or may have cost, by the price of `Limits`. */
  credits: Schema.optional(Schema.Number)
}

/**
 * A file whose call has not begun, or is repeated later.
 *
 * @since 0.1.0
 * @category models
 */
export class PendingFile extends structural(
  Schema.Class<PendingFile>("@effect-speech/archive/PendingFile")({
    ...fileFields,
    state: Schema.Literal("pending"),
    ...earlierCalls
  })
) {}

/**
 * A file for which a machine calls the service.
 *
 * @since 0.1.0
 * @category models
 */
export class StartedFile extends structural(
  Schema.Class<StartedFile>("@effect-speech/archive/StartedFile")({
    ...fileFields,
    state: Schema.Literal("started"),
    ...earlierCalls
  })
) {}

/**
 * A file whose result is recorded: it is not called again.
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 *
 * export const textOf = ({ result }: Run.DoneFile) => ("text" in result ? result.text : undefined)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class DoneFile extends structural(
  Schema.Class<DoneFile>("@effect-speech/archive/DoneFile")({
    ...fileFields,
    state: Schema.Literal("done"),
    /** Of its last call. */
    billing: Billing,
    /** What its calls cost, by the price of `Limits`. */
    credits: Schema.Number,
    /** By the operation of its run. The one of a transcription has a `text`, and one that can't be read has what is `stored`. */
    result: Schema.Union(TranscriptionResult, SynthesisResult, UnreadableResult)
  })
) {}

/**
 * A file whose error is recorded. It has no `billing` if it was never called.
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 *
 * export const line = ({ error, path }: Run.FailedFile) => `${path}: ${error.message}`
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class FailedFile extends structural(
  Schema.Class<FailedFile>("@effect-speech/archive/FailedFile")({
    ...fileFields,
    state: Schema.Literal("failed"),
    ...earlierCalls,
    /** Why it failed. */
    error: FileError
  })
) {}

/**
 * A file whose call may have been billed, and has no result. It has no `credits` if it began without a limit of them.
 *
 * @example
 * ```ts
 * import { Archive, type Run } from "@effect-speech/archive"
 * import { Effect, Stream } from "effect"
 *
 * export const mayBeBilled = (id: Run.RunId) =>
 *   Effect.flatMap(Archive, (archive) => Stream.runCollect(archive.results(id, { states: ["held"] })))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class HeldFile extends structural(
  Schema.Class<HeldFile>("@effect-speech/archive/HeldFile")({
    ...fileFields,
    state: Schema.Literal("held"),
    /** Whether its calls were billed, as far as it is known. */
    billing: Billing,
    /** What its calls cost, or may have cost, by the price of `Limits`. */
    credits: Schema.optional(Schema.Number),
    /** Why it is held. */
    error: FileError
  })
) {}

/**
 * What became of a file, by its `state`. `results` gives it.
 *
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 *
 * export const line = (file: Run.FileRecord) =>
 *   `${file.path}: ${file.state}${"error" in file ? ` (${file.error.tag})` : ""}`
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const FileRecord = Schema.Union(PendingFile, StartedFile, DoneFile, FailedFile, HeldFile)
/**
 * @since 0.1.0
 * @category schemas
 */
export type FileRecord = typeof FileRecord.Type

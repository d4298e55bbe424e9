/**
 * The errors of an archive. The error of a single file is not among them: it is recorded with the file, and the run goes on.
 */
import { cloneable } from "@effect-speech/common/Cloneable"
import * as Schema from "effect/Schema"

/** Another process works on the store. */
export class StoreLocked extends cloneable(
  Schema.TaggedError<StoreLocked>("@effect-speech/archive/StoreLocked")("StoreLocked", {
    store: Schema.String,
    message: Schema.String
  })
) {}

/** The store was made by a newer version of this package. */
export class StoreTooNew extends cloneable(
  Schema.TaggedError<StoreTooNew>("@effect-speech/archive/StoreTooNew")("StoreTooNew", {
    store: Schema.String,
    /** The version of its tables. */
    found: Schema.Number,
    /** The newest version that this package reads. */
    known: Schema.Number,
    message: Schema.String
  })
) {}

/** The store can't be opened, read or written. */
export class StoreFailed extends cloneable(
  Schema.TaggedError<StoreFailed>("@effect-speech/archive/StoreFailed")("StoreFailed", {
    store: Schema.String,
    /** The code of the system or of the database, such as `ENOSPC` or `28P01`. */
    code: Schema.optional(Schema.String),
    message: Schema.String
  })
) {}

/** There is no run of this id in the store. */
export class RunNotFound extends cloneable(
  Schema.TaggedError<RunNotFound>("@effect-speech/archive/RunNotFound")("RunNotFound", {
    run: Schema.String,
    message: Schema.String
  })
) {}

/** The run can't be started or changed as requested, such as another model into the same output. */
export class RunConflict extends cloneable(
  Schema.TaggedError<RunConflict>("@effect-speech/archive/RunConflict")("RunConflict", {
    run: Schema.String,
    message: Schema.String
  })
) {}

/** A field of a run breaks a rule, or its source lists nothing. Nothing was sent. */
export class RunInvalid extends cloneable(
  Schema.TaggedError<RunInvalid>("@effect-speech/archive/RunInvalid")("RunInvalid", {
    /** Path of the field, such as `operation.speed`. */
    field: Schema.String,
    /** The rule that it breaks: the words after its name in a sentence. */
    problem: Schema.String,
    message: Schema.String
  })
) {}

/** The source can't be listed: a folder that can't be read, a line that can't be parsed. */
export class SourceFailed extends cloneable(
  Schema.TaggedError<SourceFailed>("@effect-speech/archive/SourceFailed")("SourceFailed", {
    /** The file or folder. */
    path: Schema.String,
    /** The line of a JSONL or CSV, from 1. */
    line: Schema.optional(Schema.Number),
    message: Schema.String
  })
) {}

/** A result can't be written. The message says whether it is recorded, so that `repair` writes it again, without a call. */
export class OutputFailed extends cloneable(
  Schema.TaggedError<OutputFailed>("@effect-speech/archive/OutputFailed")("OutputFailed", {
    path: Schema.String,
    /** The system's code, such as `ENOSPC`. */
    code: Schema.optional(Schema.String),
    message: Schema.String
  })
) {}

export type ArchiveError =
  | StoreLocked
  | StoreTooNew
  | StoreFailed
  | RunNotFound
  | RunConflict
  | RunInvalid
  | SourceFailed
  | OutputFailed

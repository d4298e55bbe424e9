/**
 * The errors of an archive. The error of a single file is not among them: it is recorded with the file, and the run goes on.
 */
import { cloneable } from "@effect-speech/common/Cloneable"
import * as Schema from "effect/Schema"

/** An error with these fields, and a sentence for a person. */
const define =
  <Self>() =>
  <const Tag extends string, Fields extends Schema.Struct.Fields>(tag: Tag, fields: Fields) =>
    cloneable(
      // Without its `Self`, the result of `TaggedError` would be a sentence that says so.
      Schema.TaggedError<Self>(`@effect-speech/archive/${tag}`)(tag, {
        ...fields,
        message: Schema.String
      }) as unknown as Schema.TaggedErrorClass<
        Self,
        Tag,
        { readonly _tag: Schema.tag<Tag> } & Fields & { readonly message: typeof Schema.String }
      >
    )

/** Another process works on the store. */
export class StoreLocked extends define<StoreLocked>()("StoreLocked", {
  store: Schema.String
}) {}

/** The store was made by a newer version of this package. */
export class StoreTooNew extends define<StoreTooNew>()("StoreTooNew", {
  store: Schema.String,
  /** The version of its tables. */
  found: Schema.Number,
  /** The newest version that this package reads. */
  known: Schema.Number
}) {}

/** The store can't be opened, read or written. */
export class StoreFailed extends define<StoreFailed>()("StoreFailed", {
  store: Schema.String,
  /** The code of the system or of the database, such as `ENOSPC` or `28P01`. */
  code: Schema.optional(Schema.String)
}) {}

/** There is no run of this id in the store. */
export class RunNotFound extends define<RunNotFound>()("RunNotFound", {
  run: Schema.String
}) {}

/** The run can't be started or changed as requested, such as another model into the same output. */
export class RunConflict extends define<RunConflict>()("RunConflict", {
  run: Schema.String
}) {}

/** A field of a run breaks a rule, or its source lists nothing. Nothing was sent. */
export class RunInvalid extends define<RunInvalid>()("RunInvalid", {
  /** Path of the field, such as `operation.speed`. */
  field: Schema.String,
  /** The rule that it breaks: the words after its name in a sentence. */
  problem: Schema.String
}) {}

/** The source can't be listed: a folder that can't be read, a line that can't be parsed. */
export class SourceFailed extends define<SourceFailed>()("SourceFailed", {
  /** The file or folder. */
  path: Schema.String,
  /** The line of a JSONL or CSV, from 1. */
  line: Schema.optional(Schema.Number)
}) {}

/** A result can't be written. The message says whether it is recorded, so that `repair` writes it again, without a call. */
export class OutputFailed extends define<OutputFailed>()("OutputFailed", {
  path: Schema.String,
  /** The system's code, such as `ENOSPC`. */
  code: Schema.optional(Schema.String)
}) {}

export type ArchiveError =
  | StoreLocked
  | StoreTooNew
  | StoreFailed
  | RunNotFound
  | RunConflict
  | RunInvalid
  | SourceFailed
  | OutputFailed

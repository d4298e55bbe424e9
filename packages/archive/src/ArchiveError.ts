/**
 * The errors of an archive, with the status of an HttpApi that answers them. The error of a single file is not among them: it is recorded with the file, and the run goes on.
 */
import { documented } from "@effect-speech/common/ErrorPage"
import { httpStatusAnnotation } from "@effect-speech/transport/unstable/ErrorDefinition"
import * as Schema from "effect/Schema"

/** The status with which an HttpApi answers this error. */
const answeredWith = (status: number) => ({ [httpStatusAnnotation]: status })

/**
 * Another process works on the store.
 *
 * @since 0.1.0
 * @category errors
 */
export class ArchiveStoreLocked extends documented(
  Schema.TaggedError<ArchiveStoreLocked>("@effect-speech/archive/ArchiveStoreLocked")(
    "ArchiveStoreLocked",
    {
      store: Schema.String,
      message: Schema.String
    },
    answeredWith(503)
  )
) {}

/**
 * The store was made by a newer version of this package.
 *
 * @since 0.1.0
 * @category errors
 */
export class ArchiveStoreTooNew extends documented(
  Schema.TaggedError<ArchiveStoreTooNew>("@effect-speech/archive/ArchiveStoreTooNew")(
    "ArchiveStoreTooNew",
    {
      store: Schema.String,
      /** The version of its tables. */
      found: Schema.Number,
      /** The newest version that this package reads. */
      known: Schema.Number,
      message: Schema.String
    },
    answeredWith(500)
  )
) {}

/**
 * The store can't be opened, read or written.
 *
 * @since 0.1.0
 * @category errors
 */
export class ArchiveStoreFailed extends documented(
  Schema.TaggedError<ArchiveStoreFailed>("@effect-speech/archive/ArchiveStoreFailed")(
    "ArchiveStoreFailed",
    {
      store: Schema.String,
      /** The code of the system or of the database, such as `ENOSPC` or `28P01`. */
      code: Schema.optional(Schema.String),
      message: Schema.String
    },
    answeredWith(503)
  )
) {}

/**
 * There is no run of this id in the store.
 *
 * @since 0.1.0
 * @category errors
 */
export class ArchiveRunNotFound extends documented(
  Schema.TaggedError<ArchiveRunNotFound>("@effect-speech/archive/ArchiveRunNotFound")(
    "ArchiveRunNotFound",
    {
      run: Schema.String,
      message: Schema.String
    },
    answeredWith(404)
  )
) {}

/**
 * The run can't be started or changed as requested, such as another model into the same output.
 *
 * @since 0.1.0
 * @category errors
 */
export class ArchiveRunConflict extends documented(
  Schema.TaggedError<ArchiveRunConflict>("@effect-speech/archive/ArchiveRunConflict")(
    "ArchiveRunConflict",
    {
      run: Schema.String,
      message: Schema.String
    },
    answeredWith(409)
  )
) {}

/**
 * A field of a run breaks a rule, or its source lists nothing. Nothing was sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class ArchiveRunInvalid extends documented(
  Schema.TaggedError<ArchiveRunInvalid>("@effect-speech/archive/ArchiveRunInvalid")(
    "ArchiveRunInvalid",
    {
      /** Path of the field, such as `operation.speed`. */
      field: Schema.String,
      /** The rule that it breaks: the words after its name in a sentence. */
      problem: Schema.String,
      message: Schema.String
    },
    answeredWith(400)
  )
) {}

/**
 * The source can't be listed: a folder that can't be read, a line that can't be parsed.
 *
 * @since 0.1.0
 * @category errors
 */
export class ArchiveSourceFailed extends documented(
  Schema.TaggedError<ArchiveSourceFailed>("@effect-speech/archive/ArchiveSourceFailed")(
    "ArchiveSourceFailed",
    {
      /** The file or folder. */
      path: Schema.String,
      /** The line of a JSONL or CSV, from 1. */
      line: Schema.optional(Schema.Number),
      message: Schema.String
    },
    answeredWith(422)
  )
) {}

/**
 * A result can't be written. The message says whether it is recorded, so that `repair` writes it again, without a call.
 *
 * @since 0.1.0
 * @category errors
 */
export class ArchiveOutputFailed extends documented(
  Schema.TaggedError<ArchiveOutputFailed>("@effect-speech/archive/ArchiveOutputFailed")(
    "ArchiveOutputFailed",
    {
      path: Schema.String,
      /** The system's code, such as `ENOSPC`. */
      code: Schema.optional(Schema.String),
      message: Schema.String
    },
    answeredWith(500)
  )
) {}

/**
 * All errors of an archive, as a Schema: you can encode an error to JSON and decode it without loss.
 *
 * @since 0.1.0
 * @category errors
 */
export const ArchiveError = Schema.Union(
  ArchiveStoreLocked,
  ArchiveStoreTooNew,
  ArchiveStoreFailed,
  ArchiveRunNotFound,
  ArchiveRunConflict,
  ArchiveRunInvalid,
  ArchiveSourceFailed,
  ArchiveOutputFailed
)
/**
 * @since 0.1.0
 * @category errors
 */
export type ArchiveError = typeof ArchiveError.Type

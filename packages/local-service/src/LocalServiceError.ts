/**
 * Why the local service can't start, besides a port that is taken. Each message says what to do.
 */
import * as Data from "effect/Data"

/** The data directory can't be made, read or written, or is in use. */
export class DataDirectoryUnusable extends Data.TaggedError("DataDirectoryUnusable")<{
  readonly directory: string
  readonly message: string
}> {}

/** A recording can't be made known. */
export class RecordingUnusable extends Data.TaggedError("RecordingUnusable")<{
  readonly path: string
  readonly message: string
}> {}

/** An option has a value that it can't have. */
export class OptionInvalid extends Data.TaggedError("OptionInvalid")<{
  readonly option: string
  /** The rule that it breaks: what follows the name of the option in a sentence. */
  readonly problem: string
  readonly message: string
}> {}

export type LocalServiceError = OptionInvalid | DataDirectoryUnusable | RecordingUnusable

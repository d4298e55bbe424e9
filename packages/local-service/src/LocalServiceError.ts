/**
 * The errors of building the local service, except a port that is in use. Each message says what to do.
 */
import { cloneable } from "@effect-speech/common/Cloneable"
import * as Printable from "@effect-speech/common/Printable"
import * as Data from "effect/Data"

/** A message may quote the name of a file. */
const withPrintableMessage = <Props extends { readonly message: string }>(props: Props): Props => ({
  ...props,
  message: Printable.line(props.message)
})

/**
 * The data directory, or without one the temporary folder, can't be created, read or written, or another service uses it.
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceDataDirectoryUnusable extends cloneable(
  Data.TaggedError("LocalServiceDataDirectoryUnusable")
)<{
  readonly directory: string
  readonly message: string
}> {
  constructor(props: { readonly directory: string; readonly message: string }) {
    super(withPrintableMessage(props))
  }
}

/**
 * A recording can't be taught.
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceRecordingUnusable extends cloneable(Data.TaggedError("LocalServiceRecordingUnusable"))<{
  readonly path: string
  readonly message: string
}> {
  constructor(props: { readonly path: string; readonly message: string }) {
    super(withPrintableMessage(props))
  }
}

/**
 * The folder of a replay or of a recording can't be used, or a file of it is damaged.
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceExchangesUnusable extends cloneable(Data.TaggedError("LocalServiceExchangesUnusable"))<{
  /** The folder, or the file in it. */
  readonly path: string
  readonly message: string
}> {
  constructor(props: { readonly path: string; readonly message: string }) {
    super(withPrintableMessage(props))
  }
}

/**
 * The value of an option is not allowed.
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceOptionInvalid extends cloneable(Data.TaggedError("LocalServiceOptionInvalid"))<{
  readonly option: string
  /** The rule that it breaks: what follows the name of the option in a sentence. */
  readonly problem: string
  readonly message: string
}> {}

/**
 * @since 0.1.0
 * @category errors
 */
export type LocalServiceError =
  | LocalServiceOptionInvalid
  | LocalServiceDataDirectoryUnusable
  | LocalServiceRecordingUnusable
  | LocalServiceExchangesUnusable

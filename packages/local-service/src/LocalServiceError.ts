/**
 * The errors of building the local service, except those of listening. Each message says what to do.
 */
import { documented } from "@effect-speech/common/ErrorPage"
import * as Printable from "@effect-speech/common/Printable"
import * as Data from "effect/Data"

/** A message may quote the name of a file. */
const withPrintableMessage = <Props extends { readonly message: string }>(props: Props): Props => ({
  ...props,
  message: Printable.line(props.message)
})

/**
 * The data directory, or without one the temporary folder, can't be created, read or written, holds other files, or another service uses
 * it. The message says what to do.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect, Layer } from "effect"
 *
 * // If another service uses the directory, run without one.
 * export const ServiceLive = LocalService.layer({ dataDirectory: "speech-data" }).pipe(
 *   Layer.catchAll((error) =>
 *     error._tag === "LocalServiceDataDirectoryUnusable" ? LocalService.layer() : Layer.fail(error)
 *   ),
 *   Layer.tapError(Effect.logError)
 * )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceDataDirectoryUnusable extends documented(
  Data.TaggedError("LocalServiceDataDirectoryUnusable")
)<{
  /** The directory, as an absolute path if it could be found. */
  readonly directory: string
  /** What is wrong, and what to do about it. */
  readonly message: string
}> {
  constructor(props: { readonly directory: string; readonly message: string }) {
    super(withPrintableMessage(props))
  }
}

/**
 * A recording can't be taught: it or its text can't be used, its folder is named after a language without a model, or the recogniser does not
 * learn. The message says why.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Console, Effect } from "effect"
 *
 * export const teachIfThere = Effect.gen(function* () {
 *   const { teach } = yield* LocalService
 *   yield* teach({ path: "order.wav", text: "Two tea, please.", lang: "en" })
 * }).pipe(Effect.catchTag("LocalServiceRecordingUnusable", ({ message }) => Console.error(message)))
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceRecordingUnusable extends documented(Data.TaggedError("LocalServiceRecordingUnusable"))<{
  /** The recording, or the folder of recordings. */
  readonly path: string
  /** What is wrong, and what to do about it. */
  readonly message: string
}> {
  constructor(props: { readonly path: string; readonly message: string }) {
    super(withPrintableMessage(props))
  }
}

/**
 * The folder of a replay or of a recording can't be used, or a file of it is damaged. Restore the file, or delete it and record again.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect, Layer } from "effect"
 *
 * export const ServiceLive = LocalService.layer({ replay: "test/exchanges" }).pipe(
 *   Layer.tapError((error) =>
 *     error._tag === "LocalServiceExchangesUnusable" ? Effect.logError(`Record ${error.path} again.`) : Effect.void
 *   )
 * )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceExchangesUnusable extends documented(Data.TaggedError("LocalServiceExchangesUnusable"))<{
  /** The folder, or the file in it. */
  readonly path: string
  /** What is wrong, and what to do about it. */
  readonly message: string
}> {
  constructor(props: { readonly path: string; readonly message: string }) {
    super(withPrintableMessage(props))
  }
}

/**
 * The value of an option is not allowed, or two options exclude each other. The message names the option and its rule.
 *
 * @example
 * ```ts
 * import { LocalService } from "@effect-speech/local-service"
 * import { Effect, Layer } from "effect"
 *
 * export const serviceOn = (port: number) =>
 *   LocalService.layer({ port }).pipe(
 *     Layer.tapError((error) =>
 *       error._tag === "LocalServiceOptionInvalid" ? Effect.logError(`${error.option} ${error.problem}`) : Effect.void
 *     )
 *   )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceOptionInvalid extends documented(Data.TaggedError("LocalServiceOptionInvalid"))<{
  /** The name of the option, such as `port` or `record.apiKey`. */
  readonly option: string
  /** The rule that it breaks: what follows the name of the option in a sentence. */
  readonly problem: string
  /** `option` and `problem` as a sentence. */
  readonly message: string
}> {}

/**
 * The errors of building a local service, except those of listening, which are `ServeError`.
 *
 * @since 0.1.0
 * @category errors
 */
export type LocalServiceError =
  | LocalServiceOptionInvalid
  | LocalServiceDataDirectoryUnusable
  | LocalServiceRecordingUnusable
  | LocalServiceExchangesUnusable

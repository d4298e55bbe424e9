/**
 * The errors of an archive, with the status of an HttpApi that answers them. The error of a single file is not among them: it is recorded with the file, and the run goes on.
 */
import { documented } from "@effect-speech/common/ErrorPage"
import { httpStatusAnnotation } from "@effect-speech/transport/unstable/ErrorDefinition"
import * as Schema from "effect/Schema"

/** The status with which an HttpApi answers this error. */
const answeredWith = (status: number) => ({ [httpStatusAnnotation]: status })

/**
 * Another process works on the file of the store. `layerEmbedded` fails with it. Use a PostgreSQL if several processes shall work.
 *
 * @example
 * ```ts
 * import { Archive } from "@effect-speech/archive"
 * import { Layer } from "effect"
 *
 * // Watches a store on which another process works.
 * export const layer = Archive.layerEmbedded({ path: "transcripts/archive.db", workers: [] }).pipe(
 *   Layer.catchAll((error) =>
 *     error._tag === "ArchiveStoreLocked" ? Archive.layerClient({ path: error.store }) : Layer.fail(error)
 *   )
 * )
 * ```
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
 * The store was made by a newer version of this package. Nothing was changed. Update the package.
 *
 * @example
 * ```ts
 * import { Archive } from "@effect-speech/archive"
 * import { Console, Layer } from "effect"
 *
 * export const layer = Archive.layerClient({ path: "transcripts/archive.db" }).pipe(
 *   Layer.tapError((error) =>
 *     error._tag === "ArchiveStoreTooNew" ? Console.error(`${error.store} has version ${error.found}`) : Console.error(error)
 *   )
 * )
 * ```
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
 * The store can't be opened, read or written. The cause can be a database that can't be reached at the start, or one for which waiting
 * can't help, such as with a wrong password. If the connection breaks during a run, the run waits until the database is back.
 *
 * @example
 * ```ts
 * import { Archive } from "@effect-speech/archive"
 * import { Console, Effect } from "effect"
 *
 * export const runs = Effect.flatMap(Archive, ({ runs }) => runs).pipe(
 *   Effect.catchTag("ArchiveStoreFailed", ({ code, message }) => Effect.as(Console.error(code, message), []))
 * )
 * ```
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
 * @example
 * ```ts
 * import { Archive, type Run } from "@effect-speech/archive"
 * import { Effect } from "effect"
 *
 * export const exists = (id: Run.RunId) =>
 *   Effect.flatMap(Archive, (archive) => archive.status(id)).pipe(
 *     Effect.as(true),
 *     Effect.catchTag("ArchiveRunNotFound", () => Effect.succeed(false))
 *   )
 * ```
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
 * The run can't be started or resumed as requested, such as another model into the same output. The message names what differs.
 *
 * @example
 * ```ts
 * import { Archive, type RunRequest } from "@effect-speech/archive"
 * import { Console, Effect } from "effect"
 *
 * export const start = (request: RunRequest) =>
 *   Effect.flatMap(Archive, (archive) => archive.start(request)).pipe(
 *     Effect.tapErrorTag("ArchiveRunConflict", ({ message }) => Console.error(message))
 *   )
 * ```
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
 * @example
 * ```ts
 * import { Run } from "@effect-speech/archive"
 * import { Effect } from "effect"
 *
 * export const field = Effect.map(Effect.flip(Run.makeId("no id")), (error) => error.field) // "run"
 * ```
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
 * The source can't be listed: its folder can't be read, or a line can't be parsed. Nothing was sent for it. Fail with it in a
 * source of your own.
 *
 * @example
 * ```ts
 * import { ArchiveSourceFailed, Source } from "@effect-speech/archive"
 * import { Effect, Stream } from "effect"
 *
 * const paths = Stream.fromIterableEffect(
 *   Effect.tryPromise({
 *     try: () => Promise.resolve(["one.wav", "two.wav"]),
 *     catch: () => new ArchiveSourceFailed({ path: "the catalogue", message: "The catalogue does not answer." })
 *   })
 * )
 * export const source = Source.files(paths, { root: "calls", description: "calls of the catalogue" })
 * ```
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
      /** The line of a list, a JSONL or a CSV, from 1. */
      line: Schema.optional(Schema.Number),
      message: Schema.String
    },
    answeredWith(422)
  )
) {}

/**
 * A result can't be written. The message says whether it is recorded, so that `repair` writes it again, without a call.
 *
 * @example
 * ```ts
 * import { Archive, type Run } from "@effect-speech/archive"
 * import { Console, Effect, Stream } from "effect"
 *
 * export const finish = (id: Run.RunId) =>
 *   Effect.flatMap(Archive, (archive) => Stream.runDrain(archive.progress(id))).pipe(
 *     Effect.catchTag("ArchiveOutputFailed", ({ message, path }) => Console.error(path, message))
 *   )
 * ```
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
 * @example
 * ```ts
 * import { ArchiveError } from "@effect-speech/archive"
 * import { Schema } from "effect"
 *
 * export const toJson = Schema.encode(Schema.parseJson(ArchiveError))
 * ```
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

/**
 * Runs one operation over many files, on one machine or several. A file that is recorded as done is never sent again.
 */

import type * as FileSystem from "@effect/platform/FileSystem"
import { unnoticed } from "@effect-speech/common/Contained"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { ArchiveStoreFailed, ArchiveStoreLocked, ArchiveStoreTooNew } from "./ArchiveError.js"
import type { Job } from "./internal/file/job.js"
import * as Machine from "./internal/machine/machine.js"
import * as Write from "./internal/output/write.js"
import type { ArchiveService } from "./internal/service/ArchiveService.js"
import type { Check, CostOf } from "./internal/service/requests.js"
import * as Service from "./internal/service/service.js"
import { Store } from "./internal/store/Store.js"
import type { Worker } from "./Worker.js"

export { type ArchiveService, Plan, type RunRequest } from "./internal/service/ArchiveService.js"

/**
 * The service of an archive: it starts, watches and steers runs. Take `layerEmbedded` for one process and a file, `layerMachine` for one of
 * several machines that share a PostgreSQL, and `layerClient` for a process that calls nothing itself.
 *
 * @example
 * ```ts
 * import { Archive, Operation, Source, Worker } from "@effect-speech/archive"
 * import { Effect, Stream } from "effect"
 *
 * export const program = Effect.gen(function* () {
 *   const archive = yield* Archive
 *   const { id } = yield* archive.start({
 *     source: Source.jsonl("prompts.jsonl"),
 *     operation: Operation.synthesize({ lang: "hi" }),
 *     output: { directory: "prompts", format: "wav" }
 *   })
 *   yield* Stream.runDrain(archive.progress(id))
 * }).pipe(Effect.provide(Archive.layerEmbedded({ path: "prompts/archive.db", workers: [Worker.synthesis] })))
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class Archive extends Context.Tag("@effect-speech/archive/Archive")<Archive, ArchiveService>() {
  /**
   * The archive in a file, for one process. It works on the runs that it starts, resumes or retries. When its scope is closed, it
   * finishes the calls under way, and leaves. Fails with `ArchiveStoreLocked` if another process works on the file, with
   * `ArchiveStoreFailed` if it can't be opened, and with `ArchiveStoreTooNew` if a newer version made it.
   */
  static layerEmbedded<const Workers extends ReadonlyArray<Worker<unknown>>>(
    options: WorkOptions<Workers> & {
      /** The file. It is made, with its folder, if it does not exist. `:memory:` is a store that ends with the layer, for a test. */
      readonly path: string
    }
  ): Layer.Layer<
    Archive,
    ArchiveStoreLocked | ArchiveStoreTooNew | ArchiveStoreFailed,
    RequiredBy<Workers> | FileSystem.FileSystem
  > {
    return Layer.unwrapEffect(
      Effect.promise(async () => {
        const { layerLibsql } = await import("./internal/store/libsqlStore.js")
        return Layer.provide(working(options, "adopted"), layerLibsql(options))
      })
    )
  }

  /**
   * One of several machines that share a PostgreSQL. It works on every run that is running and whose operation has a worker. Machines
   * meet in the database alone: they need no port and no name. When its scope is closed, it finishes the calls under way, and leaves; if
   * it dies, the others take its files over. Fails with `ArchiveStoreFailed` if the database can't be used, and with `ArchiveStoreTooNew`
   * if a newer version made its tables.
   */
  static layerMachine<const Workers extends ReadonlyArray<Worker<unknown>>>(
    options: WorkOptions<Workers> & DatabaseOptions
  ): Layer.Layer<Archive, ArchiveStoreTooNew | ArchiveStoreFailed, RequiredBy<Workers> | FileSystem.FileSystem> {
    return Layer.unwrapEffect(
      Effect.promise(async () => {
        const { layerPostgres } = await import("./internal/store/postgresStore.js")
        return Layer.provide(working(options, "all"), layerPostgres(options))
      })
    )
  }

  /**
   * Starts, watches and steers the runs of a store, and calls nothing itself: other processes work on them. The file of `path`
   * must exist; `:memory:` is an empty store, for a plan before the first run. Fails with `ArchiveStoreFailed` if the store can't be
   * opened, and with `ArchiveStoreTooNew` if a newer version made it.
   */
  static layerClient(
    options: DatabaseOptions | { readonly path: string }
  ): Layer.Layer<Archive, ArchiveStoreTooNew | ArchiveStoreFailed, FileSystem.FileSystem> {
    return Layer.unwrapEffect(
      Effect.promise(async () => {
        const store =
          "path" in options
            ? (await import("./internal/store/libsqlStore.js")).layerLibsqlShared(options)
            : (await import("./internal/store/postgresStore.js")).layerPostgres(options)
        const { synthesis, transcription } = await import("./Worker.js")
        return Layer.provide(watching([transcription, synthesis]), store)
      })
    )
  }
}

/**
 * Where the PostgreSQL is that several machines share.
 *
 * @example
 * ```ts
 * import { Archive, type DatabaseOptions } from "@effect-speech/archive"
 * import { Config, Effect, Layer } from "effect"
 *
 * const options: Config.Config<DatabaseOptions> = Config.all({ url: Config.redacted("SPEECH_ARCHIVE_STORE") })
 * export const layer = Layer.unwrapEffect(Effect.map(options, Archive.layerClient))
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface DatabaseOptions {
  /** The URL of the PostgreSQL, which may hold a password. */
  readonly url: Redacted.Redacted
}

/**
 * How a process works on runs: with which workers, and how many calls at once.
 *
 * @example
 * ```ts
 * import { Archive, Worker, type WorkOptions } from "@effect-speech/archive"
 *
 * const options: WorkOptions<[typeof Worker.synthesis]> = {
 *   workers: [Worker.synthesis],
 *   concurrency: 16,
 *   closeLimit: "30 seconds"
 * }
 * export const layer = Archive.layerEmbedded({ path: "prompts/archive.db", ...options })
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface WorkOptions<Workers extends ReadonlyArray<Worker<unknown>>> {
  /** What calls the service: `Worker.transcription`, `Worker.synthesis`. This process leaves a run without a worker to others. */
  readonly workers: Workers
  /** How many files this process calls for at once, a whole number from 1. Another number is a defect of the layer. Default: 8. */
  readonly concurrency?: number | undefined
  /**
   * How long calls under way may take when the process ends. What has not ended by then is interrupted, and its file counts as
   * unanswered. Default: 60 seconds.
   */
  readonly closeLimit?: Duration.DurationInput | undefined
}

/**
 * The services that workers need, as a type.
 *
 * @since 0.1.0
 * @category models
 */
export type RequiredBy<Workers extends ReadonlyArray<Worker<unknown>>> = Workers[number] extends infer W
  ? W extends Worker<infer R>
    ? R
    : never
  : never

const watching = (
  workers: ReadonlyArray<Pick<Worker<unknown>, "operation" | "cost">>
): Layer.Layer<Archive, never, Store | FileSystem.FileSystem> =>
  Layer.scoped(
    Archive,
    Effect.flatMap(Effect.context<FileSystem.FileSystem>(), (context) => {
      const costs = workers.map(({ cost, operation }): [string, CostOf] => [
        operation,
        (job) => Effect.provide(cost(job), context)
      ])
      return Service.make({ costs: new Map(costs), checks: new Map() })
    })
  )

const working = <Workers extends ReadonlyArray<Worker<unknown>>>(
  options: WorkOptions<Workers>,
  works: "all" | "adopted"
): Layer.Layer<Archive, ArchiveStoreFailed, RequiredBy<Workers> | FileSystem.FileSystem | Store> =>
  Layer.scoped(
    Archive,
    Effect.gen(function* () {
      const context = yield* Effect.context<RequiredBy<Workers> | FileSystem.FileSystem>()
      /** The calls and checks of workers need no more than the context: see {@link RequiredBy}. */
      const ofWorker = Effect.provide(context as Context.Context<unknown>)
      const byOperation = <A>(of: (worker: Worker<unknown>) => A) =>
        new Map(options.workers.map((worker): [string, A] => [worker.operation, of(worker)]))
      const lacking = new Set<string>()
      const { concurrency = 8 } = options
      if (!(Number.isSafeInteger(concurrency) && concurrency >= 1)) {
        return yield* Effect.die(new RangeError(`concurrency must be a whole number from 1, not ${concurrency}.`))
      }
      const machine = yield* Machine.make({
        store: yield* Store,
        works,
        machine: crypto.randomUUID(),
        concurrency,
        closeLimit: Duration.toMillis(options.closeLimit ?? "60 seconds"),
        workers: byOperation(({ call }) => ({
          call: (job: Job) => Effect.map(ofWorker(call(job)), (settlement) => Write.withOutput(job, settlement))
        })),
        costs: byOperation((worker) => (job: Job) => ofWorker(highestCost(worker, job))),
        recorded: ({ file, settings }, { inPieces, result }) =>
          Effect.catchAll(
            Effect.provide(Write.complete(settings.output, { ...file, result, inPieces }), context),
            ({ message }) =>
              // A full disk lacks many files: one warning is enough.
              lacking.has(file.run)
                ? Effect.void
                : Effect.zipRight(
                    Effect.sync(() => lacking.add(file.run)),
                    unnoticed(Effect.logWarning(message))
                  )
          )
      })
      return yield* Service.make({
        machine,
        costs: byOperation(
          ({ cost }): CostOf =>
            (job) =>
              Effect.provide(cost(job), context)
        ),
        checks: byOperation(
          ({ check }): Check | undefined => check && ((item, settings) => ofWorker(check(item, settings)))
        )
      })
    })
  )

/** What a call costs at most, in credits. Nothing, if it can't be known: then nothing is sent. */
const highestCost = ({ cost, measure }: Worker<unknown>, job: Job) =>
  Effect.gen(function* () {
    const { isStated, most } = yield* cost(job)
    return isStated || measure === undefined ? most : ((yield* measure(job)) ?? 0)
  })

/**
 * Where the pieces of a long text or recording are kept, and what becomes of them.
 */
import { rmdir } from "node:fs/promises"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import { PieceStore, type PieceStoreService } from "@effect-speech/long-form/PieceStore"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type CommandError, LongJobFailed, withoutKept } from "./failure.js"

/** The files of a `PieceStore`, also those that a killed process left half written. */
const isPiece = (name: string): boolean => /^[0-9a-f]{64}\.(wav|json)(\.[0-9a-f-]{36}\.part)?$/.test(name)

type JobError = Exclude<CommandError, LongJobFailed>

export interface PieceFolder {
  /** Without one, nothing is kept. */
  readonly folder: string | undefined
  /** Whether the folder is for this job alone, so that also pieces that it no longer needs are removed. */
  readonly isOwn: boolean
}

/** A file in a folder that the command made, so that a later run may remove the folder. */
const mark = ".made-by-speech"

/** Nothing is kept: memory would grow with the job. */
const forgetful: PieceStoreService = { get: () => Effect.succeedNone, put: () => Effect.void }

const plural = (count: number, noun: string): string => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`

/** Removes a folder if it is empty. `FileSystem.remove` removes no folder without its content. */
const removeEmpty = (folder: string) => Effect.ignore(Effect.tryPromise(() => rmdir(folder)))

/**
 * Runs a job whose pieces are kept in a folder until it succeeds. Then its files are removed, and the folder if the command made it.
 * A failure or an interruption says where the pieces are.
 */
export const keepPieces = <A, E extends JobError, R>({ folder, isOwn }: PieceFolder, job: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const used = new Set<string>()
    const isNew = folder !== undefined && !(yield* Effect.orElseSucceed(fs.exists(folder), () => false))
    const opened = folder === undefined ? Layer.succeed(PieceStore, forgetful) : PieceStore.layerFolder(folder)
    const counted = Layer.effect(
      PieceStore,
      Effect.map(
        PieceStore,
        ({ get, put }): PieceStoreService => ({
          get: (name) => Effect.tap(get(name), (found) => Effect.sync(() => Option.isSome(found) && used.add(name))),
          put: (name, result) => Effect.tap(put(name, result), () => Effect.sync(() => used.add(name)))
        })
      )
    )

    const remove = (names: Iterable<string>) =>
      Effect.gen(function* () {
        if (folder === undefined) return
        yield* Effect.forEach(names, (name) => Effect.ignore(fs.remove(join(folder, name))), { discard: true })
        const isMade = yield* Effect.isSuccess(fs.remove(join(folder, mark)))
        if (isMade) yield* removeEmpty(folder)
      })
    const removeAll = Effect.gen(function* () {
      if (folder === undefined || !isOwn) return yield* remove(used)
      const files = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
      yield* remove(files.filter(isPiece))
    })

    const note = (): string | undefined => {
      if (used.size === 0) return undefined
      const pieces = `${plural(used.size, "finished piece")} ${used.size === 1 ? "is" : "are"}`
      return folder === undefined
        ? `${pieces} lost. With --pieces FOLDER they are kept, and the same command goes on where it was.`
        : `${pieces} kept in ${folder}. The same command goes on where it was.`
    }
    const explain = <Failure extends JobError>(error: Failure): Failure | LongJobFailed => {
      const said = note()
      const told = folder === undefined ? withoutKept(error) : error
      return said === undefined ? told : new LongJobFailed({ error: told, note: said })
    }
    const markNew = isNew ? Effect.ignore(fs.writeFile(join(folder, mark), new Uint8Array(0))) : Effect.void
    return yield* Effect.zipRight(markNew, job).pipe(
      Effect.provide(Layer.provide(counted, opened)),
      Effect.tap(() => removeAll),
      Effect.tapErrorCause(() => (used.size === 0 ? remove([]) : Effect.void)),
      Effect.mapError(explain),
      Effect.onInterrupt(() =>
        used.size === 0 || folder === undefined ? remove([]) : Console.error(`speech: ${note()}`)
      )
    )
  })

/** Keeps the pieces of a long text or recording, and removes them after success. */
import { rmdir } from "node:fs/promises"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import { PieceStore, type PieceStoreService } from "@effect-speech/long-form/PieceStore"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type CommandError, describeRest, LongJobFailed } from "./failure.js"
import { isPrinted } from "./output.js"

/** The name of the piece in a file of a `PieceStore`. The file may be a temporary one that a killed process left. */
const pieceOf = (name: string): string | undefined =>
  /^([0-9a-f]{64}\.(?:wav|json))(?:\.[0-9a-f-]{36}\.part)?$/.exec(name)?.[1]

const isPiece = (name: string): boolean => pieceOf(name) === name

type JobError = Exclude<CommandError, LongJobFailed>

export interface PieceFolder {
  /** `undefined`: no piece is kept. */
  readonly folder: string | undefined
  /** Whether only this job uses the folder. If so, pieces that it no longer needs are removed too. */
  readonly isOwn: boolean
}

/** A file in a folder that the command made, so that a later run may remove the folder. */
const mark = ".made-by-speech"

/** Nothing is kept: memory would grow with the job. */
const forgetful: PieceStoreService = { get: () => Effect.succeedNone, put: () => Effect.void }

const plural = (count: number, noun: string): string => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`

/**
 * Runs a job and keeps its pieces in a folder until it has succeeded and its result is printed. Then it removes the files, and
 * the folder if the command made it. The message of a failure or an interruption names the folder.
 */
export const keepPieces = <A, E extends JobError, R>({ folder, isOwn }: PieceFolder, job: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const used = new Set<string>()
    const isThere = (path: string) => Effect.orElseSucceed(fs.exists(path), () => false)
    const isNew = folder !== undefined && !(yield* isThere(folder))
    // Another run may remove the folder at its end, and a store makes it again without a mark.
    const isMade = isNew || (folder !== undefined && (yield* isThere(join(folder, mark))))
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

    const files = Effect.suspend(() =>
      folder === undefined ? Effect.succeed([]) : Effect.orElseSucceed(fs.readDirectory(folder), () => [])
    )
    const remove = (names: Iterable<string>) =>
      Effect.forEach(names, (name) => Effect.ignore(fs.remove(join(folder ?? "", name))), { discard: true })
    const removeMadeFolder = Effect.gen(function* () {
      if (folder === undefined || !isMade || (yield* files).some((name) => name !== mark)) return
      yield* remove([mark])
      yield* Effect.ignore(Effect.tryPromise(() => rmdir(folder)))
    })
    const removeAll = Effect.gen(function* () {
      const ours = (yield* files).filter((name) => {
        const piece = pieceOf(name)
        return piece !== undefined && (isOwn || used.has(piece))
      })
      yield* remove(ours)
      yield* removeMadeFolder
    }).pipe(Effect.uninterruptible)

    /** A sentence about the kept or lost pieces, and about the cost of the rest. `undefined`: there are no pieces. */
    const noteOn = Effect.fnUntraced(function* (rest: string) {
      const finished = (count: number) => `${plural(count, "finished piece")} ${count === 1 ? "is" : "are"}`
      if (folder === undefined) {
        return used.size === 0
          ? undefined
          : `${finished(used.size)} lost. With --pieces FOLDER they are kept, and the same command goes on where it was.`
      }
      yield* removeMadeFolder
      const keptHere = `kept in ${folder}. The same command goes on where it was${rest}.`
      // Another run over the same folder may have removed some at its end.
      const pieces = (yield* files).filter(isPiece)
      const kept = pieces.filter((name) => used.has(name)).length
      if (kept > 0) return `${finished(kept)} ${keptHere}`
      return pieces.length > 0 ? `Pieces of an earlier run are ${keptHere}` : undefined
    })
    const explain = <Failure extends JobError>(error: Failure) =>
      Effect.flatMap(noteOn(describeRest(error)), (note) =>
        Effect.fail(note === undefined ? error : new LongJobFailed({ error, note }))
      )
    const explainInterruption = Effect.flatMap(noteOn(""), (note) =>
      note === undefined || folder === undefined ? Effect.void : Console.error(`speech: ${note}`)
    )
    const markNew = isNew ? Effect.ignore(fs.writeFile(join(folder, mark), new Uint8Array(0))) : Effect.void
    return yield* Effect.zipRight(markNew, job).pipe(
      Effect.provide(Layer.provide(counted, opened)),
      Effect.zipLeft(Effect.whenEffect(removeAll, isPrinted)),
      Effect.catchAll(explain),
      Effect.onInterrupt(() => explainInterruption)
    )
  })

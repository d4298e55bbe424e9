/**
 * A folder of pieces while one job has its lock. The job claims each piece before it is there, so that no other job removes it,
 * whenever the process is killed. At its end the job removes what only it needs.
 */
import { readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import { PieceStore, PieceStoreError, type PieceStoreService } from "@effect-speech/long-form/PieceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { isLink } from "./fileIdentity.js"
import { lockName } from "./fileLock.js"
import { lockFolder } from "./lockFolder.js"
import * as PieceFolder from "./pieceFolder.js"

export interface End extends PieceFolder.Ending {
  /** Whether the command made the folder, in this run or an earlier one, so that it may remove it. */
  readonly isMade: boolean
}

export interface JobFolder {
  /** The store of the job. It sends nothing more once the folder is renamed or removed. */
  readonly store: Layer.Layer<PieceStore, PieceStoreError, FileSystem.FileSystem>
  /** The folder without links, where it was when the job began. */
  readonly real: string
  /** Where the folder is now. */
  readonly where: () => string
  /** Whether this run wrote or found a piece. */
  readonly hasUsed: (name: string) => boolean
  /** How many pieces are paid, and could not be kept. */
  readonly lost: () => number
  /** Ends the job. If it is done, the pieces that only it has are removed. The folder is removed if nothing of others is in it. */
  readonly end: (isDone: boolean) => Effect.Effect<End>
}

/** Opens a folder for a job, and locks it until the scope closes. */
export const openJobFolder = (
  folder: string,
  job: string
): Effect.Effect<JobFolder, PieceStoreError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    let isRemovable = false
    // After the lock is released: its file lies in the folder.
    yield* Effect.addFinalizer(() => Effect.sync(() => (isRemovable ? removeFolder(folder) : undefined)))
    const { isNew, place, real } = yield* lockFolder(folder)
    const where = () => place() ?? folder
    const pathOf = (name: string) => join(where(), name)
    const exists = (name: string) => Effect.orElseSucceed(fs.exists(pathOf(name)), () => false)
    const remove = (names: Iterable<string>) =>
      Effect.forEach(names, (name) => Effect.ignore(fs.remove(pathOf(name))), { discard: true })

    if (isNew) yield* Effect.ignore(fs.writeFile(pathOf(PieceFolder.mark), new Uint8Array(0)))
    // This process has the lock, so no other one writes these. They may take the room of whole pieces.
    const found = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
    yield* remove(found.filter((name) => Option.isSome(PieceStore.pieceOfTemporary(name))))

    const claimName = PieceFolder.claimName(job)
    const { claim, used } = makeClaims(fs, () => pathOf(claimName), yield* exists(claimName))
    let lost = 0
    const claiming = ({ get, put, reserve }: PieceStoreService): PieceStoreService => ({
      reserve,
      // A piece is looked up before it is sent.
      get: (name) =>
        Effect.suspend(() => (place() === folder ? get(name) : gone(folder, place()))).pipe(
          Effect.tap((result) =>
            Option.isSome(result)
              ? Effect.flatMap(PieceStore.isWhole(name, result.value), (whole) => (whole ? claim(name) : Effect.void))
              : Effect.void
          )
        ),
      // It is paid, so it is kept wherever the folder is now.
      put: (name, result) =>
        Effect.zipRight(
          claim(name),
          Effect.suspend(() => (where() === folder ? put(name, result) : putIn(fs, where(), name, result)))
        ).pipe(Effect.tapError(() => Effect.sync(() => lost++)))
    })

    const end = (isDone: boolean) =>
      Effect.gen(function* () {
        const before = yield* contentsOf(fs, where())
        const ending = PieceFolder.endingOf(before, job, isDone ? used : new Set())
        yield* remove(ending.remove)
        if (ending.claim.length === 0) yield* remove([claimName])
        else if (isDone && used.size > 0) {
          yield* Effect.ignore(fs.writeFileString(pathOf(claimName), PieceFolder.writeClaim(ending.claim)))
        }
        // A link to a folder is not the folder, so it stays.
        const isMade = !isLink(folder) && (isNew || (yield* exists(PieceFolder.mark)))
        isRemovable = ending.isEmpty && isMade && where() === folder
        if (isRemovable) yield* remove(before.files.filter((name) => name !== lockName && name !== PieceFolder.mark))
        return { ...ending, isMade }
      }).pipe(Effect.uninterruptible)

    return {
      store: Layer.provide(Layer.effect(PieceStore, Effect.map(PieceStore, claiming)), PieceStore.layerFolder(folder)),
      real,
      where,
      hasUsed: (name) => used.has(name),
      lost: () => lost,
      end
    }
  })

/** The claims of a job: each piece is a line of its file. */
const makeClaims = (fs: FileSystem.FileSystem, path: () => string, hasFile: boolean) => {
  const used = new Set<string>()
  let isFirst = !hasFile
  const claim = (name: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (used.has(name)) return Effect.void
      const line = PieceFolder.extendClaim(name, isFirst)
      isFirst = false
      return fs.writeFileString(path(), line, { flag: "a", mode: 0o600 })
    }).pipe(
      // Without a claim the piece is kept too: it is paid.
      Effect.ignore,
      Effect.zipRight(Effect.sync(() => void used.add(name)))
    )
  return { claim, used }
}

/** Removes an empty folder. If another command has taken it since, the mark says that this one may remove it. */
const removeFolder = (folder: string): void => {
  const mark = join(folder, PieceFolder.mark)
  try {
    rmSync(mark, { force: true })
    rmdirSync(folder)
  } catch {
    try {
      writeFileSync(mark, "")
    } catch {
      // The other command has removed the folder.
    }
  }
}

const gone = (folder: string, now: string | undefined) =>
  new PieceStoreError({
    operation: "get",
    store: folder,
    message: `Nothing more was sent: the folder for pieces ${folder} was renamed or removed while the command ran.${now === undefined ? " If it was renamed, give its new name with --pieces, and the new path of each file that was renamed with it: its pieces are paid." : ""}`
  })

const putIn = (fs: FileSystem.FileSystem, folder: string, name: string, result: Uint8Array) =>
  Effect.flatMap(PieceStore, ({ put }) => put(name, result)).pipe(
    Effect.provide(PieceStore.layerFolder(folder)),
    Effect.provideService(FileSystem.FileSystem, fs)
  )

/** What lies in a folder. One that can't be read has nothing that may be removed. */
const contentsOf = (fs: FileSystem.FileSystem, folder: string): Effect.Effect<PieceFolder.Contents> =>
  Effect.gen(function* () {
    const entries = yield* Effect.orElseSucceed(
      Effect.try(() => readdirSync(folder, { withFileTypes: true })),
      () => []
    )
    const namesOf = (isFile: boolean) => entries.flatMap((entry) => (entry.isFile() === isFile ? [entry.name] : []))
    const claims = new Map<string, ReadonlyArray<string>>()
    for (const name of namesOf(true)) {
      const claimant = PieceFolder.jobOf(name)
      if (claimant === undefined) continue
      const names = PieceFolder.readClaim(yield* Effect.orElseSucceed(fs.readFileString(join(folder, name)), () => ""))
      if (names !== undefined) claims.set(claimant, names)
    }
    return { files: namesOf(true), others: namesOf(false), claims }
  })

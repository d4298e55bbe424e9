/**
 * The lock of a folder of pieces, and that of an output. A second command over one of them at the same time would pay for the pieces
 * again.
 */
import { closeSync, openSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import type { FileSystem } from "@effect/platform/FileSystem"
import { makeFolderSync } from "@effect-speech/common/FilesSync"
import { codeOrName } from "@effect-speech/common/SystemCode"
import { PieceStore, PieceStoreError } from "@effect-speech/long-form/PieceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { OutputFailed } from "./failure.js"
import { tooManyOpenFiles } from "./fileFailure.js"
import { exact, isSameNumber } from "./fileIdentity.js"
import { acquire, isBusy, lockName, lockOf, tryLock } from "./fileLock.js"

export interface LockedFolder {
  /** Whether this call made the folder. */
  readonly isNew: boolean
  /** The folder without links, as it was found. */
  readonly real: string
  /**
   * Where the folder is now: as it was given, or, if it was renamed meanwhile, its new path, which only Linux says. `undefined`: it
   * was removed, or renamed on another system.
   */
  readonly place: () => string | undefined
}

/**
 * Locks a folder, which is made, until the scope closes. The lock file is removed at the end, by the process that has the lock.
 */
export const lockFolder = (folder: string): Effect.Effect<LockedFolder, PieceStoreError, FileSystem | Scope.Scope> => {
  const locking = acquire((Database) => {
    const isNew = makeFolderSync(folder, 0o700)
    const real = realpathSync(folder)
    const lock = tryLock(Database, join(real, lockName))
    if (lock === undefined) return undefined
    const { close, place } = watchFolder(folder, real)
    const release = () => {
      lock.release(join(place() ?? real, lockName))
      close()
    }
    return { isNew, real, place, release }
  })
  return Effect.acquireRelease(locking, ({ release }) => Effect.sync(release)).pipe(
    Effect.catchAll((error) =>
      // The store says best what is wrong with a folder.
      isBusy(error)
        ? folderInUse(folder)
        : Effect.zipRight(Effect.scoped(Layer.build(PieceStore.layerFolder(folder))), withoutLocks(folder, error))
    )
  )
}

/**
 * Locks an output until the scope closes, by a file beside it: two commands with folders of their own would both pay for it. If its
 * disk has no locks, nothing is locked.
 */
export const lockOutput = (out: string): Effect.Effect<void, OutputFailed, Scope.Scope> => {
  const path = lockOf(out)
  return Effect.acquireRelease(
    acquire((Database) => tryLock(Database, path)),
    ({ release }) => Effect.sync(() => release(path))
  ).pipe(
    Effect.catchAll((error) => (isBusy(error) ? outputInUse(out) : Effect.void)),
    Effect.asVoid
  )
}

/** Windows opens no folder. It does not rename one either, while a file in it is open. */
const openFolder = (real: string): number | undefined => {
  try {
    return openSync(real, "r")
  } catch {
    return undefined
  }
}

/** As long as the folder is open, no new folder gets its number. */
const watchFolder = (folder: string, real: string) => {
  const descriptor = openFolder(real)
  const identity = statSync(real, exact)
  const isAt = (path: string) => isSameNumber(identity, statSync(path, { ...exact, throwIfNoEntry: false }))
  const place = (): string | undefined => {
    try {
      if (isAt(folder)) return folder
      const moved = readlinkSync(`/proc/self/fd/${descriptor}`)
      return isAt(moved) ? moved : undefined
    } catch {
      return undefined
    }
  }
  return { place, close: () => (descriptor === undefined ? undefined : closeSync(descriptor)) }
}

const waitForOther = "Wait until it has ended, or stop it; it may be suspended."

const folderInUse = (folder: string) =>
  new PieceStoreError({
    operation: "open",
    store: folder,
    code: "EBUSY",
    message: `Nothing was sent: another speech command is using the pieces in ${folder}. ${waitForOther} Or use another folder: --pieces FOLDER.`
  })

const outputInUse = (out: string) =>
  new OutputFailed({
    message: `Nothing was sent: another speech command is writing ${out}. ${waitForOther} Or write to another file: --out FILE.`
  })

const withoutLocks = (folder: string, error: unknown) => {
  const code = codeOrName(error)
  const tooMany = tooManyOpenFiles(code)
  const problem =
    tooMany === undefined
      ? ` (${code}), so a second command could pay again. Remove ${lockName} in it if no command is running, or use a folder on another disk: --pieces FOLDER.`
      : `: ${tooMany}`
  const message = `Nothing was sent: the folder ${folder} can't be locked${problem}`
  return new PieceStoreError({ operation: "open", store: folder, code, message })
}

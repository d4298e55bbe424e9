/**
 * The lock of a folder of pieces. A second command over the folder at the same time would pay for its pieces again.
 *
 * It is a lock of the system on a file in the folder, as SQLite takes it. It ends with the process, also after kill -9, and
 * stays while a process is suspended. It is the same through every link, from every container of a machine, and from other
 * machines as far as their file system has locks. A file with a process id in it knows none of this.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readlinkSync, realpathSync, statSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import type { FileSystem } from "@effect/platform/FileSystem"
import { PieceStore, PieceStoreError } from "@effect-speech/long-form/PieceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { systemCode } from "./failure.js"
import { lockName } from "./pieceFolder.js"

export interface LockedFolder {
  /** Whether this call made the folder. */
  readonly isNew: boolean
  /**
   * Where the folder is now: as it was given, or, if it was renamed meanwhile, its new path, which only Linux says. `undefined`: it
   * was removed, or renamed on another system.
   */
  readonly place: () => string | undefined
}

interface Lock extends LockedFolder {
  readonly release: () => void
}

/** Lock files of this process. Closing one of them anywhere in the process would end its lock, so none is opened twice. */
const locked = new Set<string>()

const busy = Symbol()

/** How often the folder, or the file in it, may be removed by another command between two steps of ours. */
const attempts = 100

/**
 * Locks a folder, which is made, until the scope closes. The lock file is removed at the end, by the process that has the lock.
 */
export const lockFolder = (folder: string): Effect.Effect<LockedFolder, PieceStoreError, FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const { default: Database } = yield* Effect.promise(() => import("libsql"))
    const tryLock = (): Lock | undefined => {
      const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
      const real = realpathSync(folder)
      const path = join(real, lockName)
      if (locked.has(path)) throw busy
      // To open a pipe would wait for its reader.
      if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
        throw Object.assign(new Error("not a regular file"), { code: "ENOTREG" })
      }
      const descriptor = openSync(path, "a", 0o600)
      try {
        const database = new Database(path)
        try {
          database.exec("PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE")
          // The command that had the lock before may have removed the file while this one opened it.
          if (!isSame(fstatSync(descriptor, exact), statSync(path, { ...exact, throwIfNoEntry: false }))) {
            database.close()
            closeSync(descriptor)
            return undefined
          }
        } catch (error) {
          database.close()
          throw error
        }
        locked.add(path)
        const { close, place } = watchFolder(folder, real)
        return {
          isNew,
          place,
          release: () => {
            const last = join(place() ?? real, lockName)
            // The folder of this name may be another one now, with the lock of another command.
            const isOwn = isSame(fstatSync(descriptor, exact), statSync(last, { ...exact, throwIfNoEntry: false }))
            const isRemoved = !isOwn || removed(last)
            database.close()
            closeSync(descriptor)
            close()
            locked.delete(path)
            // Windows removes no open file, and then none that another command has opened.
            if (!isRemoved && process.platform === "win32") removed(last)
          }
        }
      } catch (error) {
        closeSync(descriptor)
        throw error
      }
    }
    const acquire = (): Lock => {
      for (let attempt = 1; ; attempt++) {
        try {
          const lock = tryLock()
          if (lock !== undefined) return lock
        } catch (error) {
          if (systemCode(error) !== "ENOENT" || attempt === attempts) throw error
        }
        if (attempt === attempts) throw busy
      }
    }
    return yield* Effect.acquireRelease(Effect.try({ try: acquire, catch: (error) => error }), ({ release }) =>
      Effect.sync(release)
    ).pipe(
      Effect.catchAll((error) => {
        const isBusy = error === busy || systemCode(error).startsWith("SQLITE_BUSY")
        // The store says best what is wrong with a folder.
        return isBusy
          ? inUse(folder)
          : Effect.zipRight(Effect.scoped(Layer.build(PieceStore.layerFolder(folder))), withoutLocks(folder, error))
      })
    )
  })

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
  const isThere = (path: string) => isSame(identity, statSync(path, { ...exact, throwIfNoEntry: false }))
  const place = (): string | undefined => {
    try {
      if (isThere(folder)) return folder
      const moved = readlinkSync(`/proc/self/fd/${descriptor}`)
      return isThere(moved) ? moved : undefined
    } catch {
      return undefined
    }
  }
  return { place, close: () => (descriptor === undefined ? undefined : closeSync(descriptor)) }
}

const exact = { bigint: true } as const

interface Identity {
  readonly dev: bigint
  readonly ino: bigint
}

const isSame = (one: Identity, other: Identity | undefined): boolean => one.dev === other?.dev && one.ino === other.ino

const removed = (path: string): boolean => {
  try {
    unlinkSync(path)
    return true
  } catch {
    return false
  }
}

const inUse = (folder: string) =>
  new PieceStoreError({
    operation: "open",
    store: folder,
    code: "EBUSY",
    message:
      `Nothing was sent: another speech command is using the pieces in ${folder}. Wait until it has ended, or stop it; it may be suspended. ` +
      "Or use another folder: --pieces FOLDER."
  })

const withoutLocks = (folder: string, error: unknown) =>
  new PieceStoreError({
    operation: "open",
    store: folder,
    code: systemCode(error),
    message: `Nothing was sent: the folder ${folder} can't be locked (${systemCode(error)}), so a second command could pay again. Remove ${lockName} in it if no command is running, or use a folder on another disk: --pieces FOLDER.`
  })

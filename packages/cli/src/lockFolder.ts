/**
 * The lock of a folder of pieces. A second command over the folder at the same time would pay for its pieces again.
 *
 * It is a lock of the system on a file in the folder, as SQLite takes it. It ends with the process, also after kill -9, and
 * stays while a process is suspended. It is the same through every link, from every container of a machine, and from other
 * machines as far as their file system has locks. A file with a process id in it knows none of this.
 */
import { closeSync, fstatSync, mkdirSync, openSync, realpathSync, statSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import type { FileSystem } from "@effect/platform/FileSystem"
import { PieceStore, PieceStoreError } from "@effect-speech/long-form/PieceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { systemCode } from "./failure.js"
import { lockName } from "./pieceFolder.js"

interface Lock {
  /** Whether this call made the folder. */
  readonly isNew: boolean
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
export const lockFolder = (
  folder: string
): Effect.Effect<{ readonly isNew: boolean }, PieceStoreError, FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const { default: Database } = yield* Effect.promise(() => import("libsql"))
    const tryLock = (): Lock | undefined => {
      const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
      const path = join(realpathSync(folder), lockName)
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
        return {
          isNew,
          release: () => {
            const isRemoved = removed(path)
            database.close()
            closeSync(descriptor)
            locked.delete(path)
            // Windows removes no open file, and then none that another command has opened.
            if (!isRemoved && process.platform === "win32") removed(path)
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

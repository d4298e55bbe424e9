/**
 * The lock of a folder of pieces, and that of an output. A second command over one of them at the same time would pay for the pieces
 * again.
 *
 * It is a lock of the system on a file in the folder, or beside the output, as SQLite takes it. It ends with the process, also after kill -9, and
 * stays while a process is suspended. It is the same through every link, from every container of a machine, and from other
 * machines as far as their file system has locks. A file with a process id in it knows none of this.
 */
import { closeSync, fstatSync, openSync, readlinkSync, realpathSync, statSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import type { FileSystem } from "@effect/platform/FileSystem"
import { makeFolderSync } from "@effect-speech/common/FilesSync"
import { codeOrName, systemCode } from "@effect-speech/common/SystemCode"
import { PieceStore, PieceStoreError } from "@effect-speech/long-form/PieceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { OutputFailed } from "./failure.js"
import { tooManyOpenFiles } from "./fileFailure.js"
import { lockOf } from "./output.js"
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

interface FileLock {
  /** Gives the path that the file has now: its folder may have another name. */
  readonly release: (path: string) => void
}

/** Lock files of this process. Closing one of them anywhere in the process would end its lock, so none is opened twice. */
const locked = new Set<string>()

const busy = Symbol()

const isBusy = (error: unknown): boolean => error === busy || systemCode(error)?.startsWith("SQLITE_BUSY") === true

/** How often a file, or its folder, may be removed by another command between two steps of ours. */
const attempts = 100

type Database = typeof import("libsql")

/** `undefined`: the command that had the lock before removed the file meanwhile. */
const tryLock = (Database: Database, path: string): FileLock | undefined => {
  if (locked.has(path)) throw busy
  // To open a pipe would wait for its reader.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw Object.assign(new Error("not a regular file"), { code: "ENOTREG" })
  }
  const descriptor = openSync(path, "a", 0o600)
  const isOwn = (file: string) =>
    isSame(fstatSync(descriptor, exact), statSync(file, { ...exact, throwIfNoEntry: false }))
  try {
    const database = new Database(path)
    try {
      database.exec("PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE")
      if (!isOwn(path)) {
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
      release: (last) => {
        // The folder of this name may be another one now, with the lock of another command.
        const isRemoved = !isOwn(last) || removed(last)
        database.close()
        closeSync(descriptor)
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

/** Runs a step until it has a lock. A lock that another process has fails at once. */
const acquire = <A>(step: (Database: Database) => A | undefined) =>
  Effect.gen(function* () {
    const { default: Database } = yield* Effect.promise(() => import("libsql"))
    const repeat = (): A => {
      for (let attempt = 1; ; attempt++) {
        try {
          const lock = step(Database)
          if (lock !== undefined) return lock
        } catch (error) {
          if (systemCode(error) !== "ENOENT" || attempt === attempts) throw error
        }
        if (attempt === attempts) throw busy
      }
    }
    return yield* Effect.try({ try: repeat, catch: (error) => error })
  })

/**
 * Locks a folder, which is made, until the scope closes. The lock file is removed at the end, by the process that has the lock.
 */
export const lockFolder = (folder: string): Effect.Effect<LockedFolder, PieceStoreError, FileSystem | Scope.Scope> => {
  const locking = acquire((Database): Lock | undefined => {
    const isNew = makeFolderSync(folder, 0o700)
    const real = realpathSync(folder)
    const lock = tryLock(Database, join(real, lockName))
    if (lock === undefined) return undefined
    const { close, place } = watchFolder(folder, real)
    const release = () => {
      lock.release(join(place() ?? real, lockName))
      close()
    }
    return { isNew, place, release }
  })
  return Effect.acquireRelease(locking, ({ release }) => Effect.sync(release)).pipe(
    Effect.catchAll((error) =>
      // The store says best what is wrong with a folder.
      isBusy(error)
        ? inUse(folder)
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

const outputInUse = (out: string) =>
  new OutputFailed({
    message:
      `Nothing was sent: another speech command is writing ${out}. Wait until it has ended, or stop it; it may be suspended. ` +
      "Or write to another file: --out FILE."
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

/**
 * A lock of the system on a file, as SQLite takes it. It ends with the process, also after kill -9, and stays while a process is
 * suspended. It is the same through every link, from every container of a machine, and from other machines as far as their file
 * system has locks. A file with a process id in it knows none of this.
 */
import { closeSync, fstatSync, openSync, statSync, unlinkSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { systemCode } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import { exact, isSameNumber, leadsTo } from "./fileIdentity.js"

/** The file that is locked while a command uses a folder. */
export const lockName = ".speech.lock"

/** The file beside an output by which a command that writes it locks it. */
export const lockOf = (out: string): string => {
  const file = leadsTo(out)
  return join(dirname(file), `.${basename(file)}${lockName}`)
}

export interface FileLock {
  /** Removes the file and ends the lock. It takes the path that the file has now: its folder may have another name. */
  readonly release: (path: string) => void
}

/** Lock files of this process. Closing one of them anywhere in the process would end its lock, so none is opened twice. */
const locked = new Set<string>()

const busy = Symbol()

/** Whether another command has the lock. */
export const isBusy = (error: unknown): boolean =>
  error === busy || systemCode(error)?.startsWith("SQLITE_BUSY") === true

/** How often a file, or its folder, may be removed by another command between two steps of ours. */
const attempts = 100

type Database = typeof import("libsql")

/** `undefined`: the command that had the lock before removed the file meanwhile. */
export const tryLock = (Database: Database, path: string): FileLock | undefined => {
  if (locked.has(path)) throw busy
  // To open a pipe would wait for its reader.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw Object.assign(new Error("not a regular file"), { code: "ENOTREG" })
  }
  const descriptor = openSync(path, "a", 0o600)
  const isAt = (place: string) =>
    isSameNumber(fstatSync(descriptor, exact), statSync(place, { ...exact, throwIfNoEntry: false }))
  let database: InstanceType<Database> | undefined
  const close = () => {
    database?.close()
    closeSync(descriptor)
  }
  try {
    database = new Database(path)
    database.exec("PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE")
    if (!isAt(path)) {
      close()
      return undefined
    }
  } catch (error) {
    close()
    throw error
  }
  locked.add(path)
  return {
    release: (last) => {
      // The folder of this name may be another one now, with the lock of another command.
      const isRemoved = !isAt(last) || remove(last)
      close()
      locked.delete(path)
      // Windows removes no open file, and then none that another command has opened.
      if (!isRemoved && process.platform === "win32") remove(last)
    }
  }
}

const remove = (path: string): boolean => {
  try {
    unlinkSync(path)
    return true
  } catch {
    return false
  }
}

/** Runs a step until it has a lock. A lock that another process has fails at once. */
export const acquire = <A>(step: (Database: Database) => A | undefined): Effect.Effect<A, unknown> =>
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

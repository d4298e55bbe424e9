import { statfsSync } from "node:fs"
import { readdir, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as FileSystem from "@effect/platform/FileSystem"
import { SqlError } from "@effect/sql/SqlError"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import { makeFolderSync } from "@effect-speech/common/FilesSync"
import { codeOrName } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { LocalServiceDataDirectoryUnusable } from "../../LocalServiceError.js"
import { quote } from "../http/problems.js"
import { isDiskFull } from "../isDiskFull.js"
import {
  leftFolders,
  lockName,
  openTemporaryFolder,
  processFolderPrefix,
  removeLeftFolder,
  temporaryFolderName
} from "../recordings/temporaryFiles.js"
import { type KeptKey, keepIn, keepsNone, keyFileName } from "./keptKey.js"

/** The database of the service and the folder of its temporary files. */
export interface DataDirectory {
  readonly sql: LibsqlClient.LibsqlClient
  /** Holds recordings and speech of calls in progress. Empty at the start. */
  readonly temporaryFolder: string
  readonly keptKey: KeptKey
  /** Whether the disk of the database surely has room for a debit. */
  readonly hasRoom: () => boolean
}

const databaseName = "service.db"

/** Version of the tables below. If you change them, raise it and add a migration. */
const version = 1

/**
 * Triggers keep two rules, even if the process is killed:
 * - A debit and its usage are written by one statement.
 * - A new key revokes the active one in the same statement, so there are never two active keys, nor none in between.
 */
const tables = [
  `CREATE TABLE account (
    id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL, credits INTEGER NOT NULL CHECK (credits >= 0)
  )`,
  `CREATE TABLE keys (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, creator TEXT NOT NULL,
    created_at TEXT NOT NULL, scopes TEXT NOT NULL, revoked_at TEXT, digest TEXT NOT NULL
  )`,
  "CREATE UNIQUE INDEX one_active_key ON keys (revoked_at IS NULL) WHERE revoked_at IS NULL",
  `CREATE TRIGGER replaced_key BEFORE INSERT ON keys BEGIN
    UPDATE keys SET revoked_at = NEW.created_at WHERE revoked_at IS NULL;
  END`,
  `CREATE TABLE usage (
    date TEXT NOT NULL, operation TEXT NOT NULL, calls INTEGER NOT NULL, units INTEGER NOT NULL,
    credits INTEGER NOT NULL, PRIMARY KEY (date, operation)
  )`,
  `CREATE TRIGGER first_debit AFTER INSERT ON usage BEGIN
    UPDATE account SET credits = max(0, credits - NEW.credits);
  END`,
  `CREATE TRIGGER further_debit AFTER UPDATE OF credits ON usage BEGIN
    UPDATE account SET credits = max(0, credits - (NEW.credits - OLD.credits));
  END`,
  `PRAGMA user_version = ${version}`
]

const databaseFile = /^(lock|service)\.db(-wal|-shm|-journal)?$/

/** Entries that a system adds to a folder by itself: at the root of a disk, and after macOS has shown it. */
const ofTheSystem = ["lost+found", ".DS_Store"]

/** The first entry that no local service made. Earlier versions kept their temporary files in `spool`. */
const foreignEntry = (names: ReadonlyArray<string>): string | undefined =>
  names.find(
    (name) =>
      !databaseFile.test(name) &&
      name !== temporaryFolderName &&
      !ofTheSystem.includes(name) &&
      !((name === "spool" || name === keyFileName) && names.includes("service.db"))
  )

/** Opens a data directory. Without one: a database in memory, and a temporary folder that is removed with the scope. */
export const openDataDirectory = (
  directory: string | undefined
): Effect.Effect<DataDirectory, LocalServiceDataDirectoryUnusable, FileSystem.FileSystem | Scope.Scope> =>
  directory === undefined ? openInMemory : Effect.flatMap(absolute(directory), openOnDisk)

/** A relative path has no meaning if the working directory was deleted. */
const absolute = (directory: string) =>
  Effect.try({
    try: () => resolve(directory),
    catch: (error) =>
      new LocalServiceDataDirectoryUnusable({
        directory,
        message: `The data directory ${directory} can't be found, because the working directory is gone (${codeOrName(error)}); change to another folder, or give an absolute path.`
      })
  })

/**
 * Windows removes no file that is open, and libsql closes a file late. So there the lock is an empty file, and only the id of the process says
 * whether its service runs.
 */
const onWindows = process.platform === "win32"

const lockTemporary = (path: string): Effect.Effect<void, unknown, Scope.Scope> =>
  onWindows ? Effect.tryPromise(() => writeFile(path, "")) : Effect.asVoid(lockFile(path))

const openInMemory = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const temporaryFolder = yield* Effect.acquireRelease(
    fs.makeTempDirectory({ prefix: `${processFolderPrefix}${process.pid}-` }),
    // If it can't be removed now, the next start of a service removes it.
    (folder) => Effect.ignore(fs.remove(folder, { recursive: true, force: true }))
  ).pipe(
    Effect.mapError(({ cause }) => {
      const directory = tmpdir()
      const message = `The temporary folder ${directory} can't be written (${codeOrName(cause)}); set TMPDIR to a folder that you can write to, or give a data directory.`
      return new LocalServiceDataDirectoryUnusable({ directory, message })
    })
  )
  yield* removeLeftFolders(dirname(temporaryFolder))
  // Without a lock, no service removes the folder.
  yield* Effect.ignore(lockTemporary(join(temporaryFolder, lockName)))
  const sql = yield* makeClient(":memory:")
  yield* Effect.orDie(createTables(sql))
  return { sql, temporaryFolder, keptKey: keepsNone, hasRoom: () => true }
})

const removeUnlocked = (folder: string) =>
  lockTemporary(join(folder, lockName)).pipe(
    Effect.zipRight(Effect.tryPromise(() => removeLeftFolder(folder))),
    Effect.scoped,
    Effect.ignore
  )

/** Removes what services that were killed have left, as far as that works. */
const removeLeftFolders = (parent: string) =>
  Effect.tryPromise(() => leftFolders(parent)).pipe(
    Effect.flatMap((folders) => Effect.forEach(folders, removeUnlocked, { discard: true })),
    Effect.ignore
  )

const fullDisk = (directory: string) =>
  new LocalServiceDataDirectoryUnusable({
    directory,
    message: `The disk of the data directory ${directory} is full; free some space, or give a directory on another disk.`
  })

/** Turns a full disk into the error of the data directory. Without a directory, it stays a defect. */
export const refuseFullDisk =
  (directory: string | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | LocalServiceDataDirectoryUnusable, R> =>
    Effect.catchSomeDefect(effect, (defect) =>
      directory !== undefined && isDiskFull(defect)
        ? Option.some(Effect.fail(fullDisk(resolve(directory))))
        : Option.none()
    )

const openOnDisk = (directory: string) =>
  Effect.gen(function* () {
    /** The error of a failed step: `problem` is its sentence, unless the disk is full. */
    const unusable = (error: unknown, problem: string) =>
      isDiskFull(error) ? fullDisk(directory) : new LocalServiceDataDirectoryUnusable({ directory, message: problem })
    const names = yield* Effect.tryPromise({
      try: async () => {
        makeFolderSync(resolve(directory), 0o700)
        return await readdir(directory)
      },
      catch: (error) =>
        unusable(
          error,
          `The data directory ${directory} can't be created or read (${codeOrName(error)}); give one that you can write to.`
        )
    })
    const foreign = foreignEntry(names)
    if (foreign !== undefined) {
      const message = `The data directory ${directory} holds other files, such as ${quote(foreign)}; give an empty directory.`
      return yield* new LocalServiceDataDirectoryUnusable({ directory, message })
    }
    const openDatabase = (path: string) =>
      Effect.catchAllDefect(makeFileClient(path), (defect) =>
        unusable(defect, `${path} can't be opened; give a directory that you can write to.`)
      )
    const lockPath = join(directory, lockName)
    yield* lock(yield* openDatabase(lockPath)).pipe(
      Effect.mapError((error) =>
        unusable(
          error,
          isLocked(error)
            ? `The data directory ${directory} is in use by another local service; stop that service, or give another directory.`
            : `${lockPath} can't be locked; delete it, or give a directory that you can write to.`
        )
      )
    )
    const path = join(directory, databaseName)
    const sql = yield* openDatabase(path)
    const failed = (error: unknown) =>
      unusable(
        error,
        isLocked(error)
          ? `${path} is open in another program; close it there, or give another directory.`
          : isReadOnly(error)
            ? `${path} can't be written; give a directory that you can write to.`
            : `${path} is not a database of this version of the local service, or is damaged; move it away, or give another directory.`
      )
    yield* Effect.mapError(
      Effect.gen(function* () {
        // First: it refuses a database of another program and leaves it unchanged.
        yield* createTables(sql)
        yield* sql`PRAGMA journal_mode = WAL`
        // Commits survive the end of the process. A power cut may lose the last commits, but does not damage the file.
        yield* sql`PRAGMA synchronous = NORMAL`
      }),
      failed
    )
    yield* Effect.mapError(keepOthersOut(sql), failed)
    const temporaryFolder = yield* Effect.tryPromise({
      try: () => openTemporaryFolder(directory),
      catch: (error) =>
        unusable(
          error,
          `${join(directory, temporaryFolderName)} is not a folder that can be written (${codeOrName(error)}); delete it, or give another directory.`
        )
    })
    return {
      sql,
      temporaryFolder,
      keptKey: yield* keepIn(directory, temporaryFolder),
      hasRoom: () => hasRoomIn(directory)
    }
  })

/** In bytes: of a disk that surely has room. A debit writes a few pages of 4 KiB. */
const littleRoom = 64 * 1024

/** Takes 2 µs. The same without blocking takes ten times as much, and SQLite blocks for each debit. */
const hasRoomIn = (directory: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize >= littleRoom
  } catch {
    // The directory was deleted, or its disk does not say.
    return true
  }
}

const makeClient = (url: string) => Effect.provide(LibsqlClient.make({ url }), Reactivity.layer)

/** In a URL these characters have a meaning of their own. */
const makeFileClient = (path: string) => makeClient(`file:${path.replace(/[%?#]/g, encodeURIComponent)}`)

/** Locks a file until the scope closes. Fails if another service has it. */
const lockFile = (path: string) => Effect.flatMap(Effect.sandbox(makeFileClient(path)), lock)

/**
 * Locks a directory for this process: the credit held for calls in progress exists only in its memory. The lock is an open
 * transaction, which ends with the process, even if it is killed.
 */
const lock = (sql: LibsqlClient.LibsqlClient) =>
  Effect.acquireRelease(sql`BEGIN EXCLUSIVE`, () => Effect.ignore(sql`ROLLBACK`))

/**
 * Keeps other programs from reading and writing the database until the scope closes or the process ends: a debit must never fail because
 * one of them has it locked. After such a failure libsql does not reset the statement, and then no later write is committed.
 */
const keepOthersOut = (sql: LibsqlClient.LibsqlClient) =>
  Effect.acquireRelease(
    // The first write takes the lock.
    Effect.all([sql`PRAGMA locking_mode = EXCLUSIVE`, sql`BEGIN IMMEDIATE`, sql`COMMIT`]),
    // libsql closes a connection only when its statements are collected as garbage. Without WAL it holds no lock till then.
    // The mode of locking can't change in WAL, and changes with the next read.
    () =>
      Effect.ignore(
        Effect.all([
          sql`PRAGMA journal_mode = DELETE`,
          sql`PRAGMA locking_mode = NORMAL`,
          sql`SELECT state FROM account`
        ])
      )
  )

/** Whether a cause of an error has such a code. */
const hasCode = (error: unknown, codes: RegExp): boolean =>
  error instanceof Error && (("code" in error && codes.test(String(error.code))) || hasCode(error.cause, codes))

/** Whether the cause of an error is that another program has the database locked. */
const isLocked = (error: unknown): boolean => hasCode(error, /^SQLITE_BUSY/)

/** 1544: SQLITE_READONLY_DIRECTORY, for which libsql has no name. */
const isReadOnly = (error: unknown): boolean => hasCode(error, /^(SQLITE_READONLY|UNKNOWN_SQLITE_ERROR_1544)/)

const notOurs = new SqlError({ cause: "another database, or a damaged one" })

const createTables = (sql: LibsqlClient.LibsqlClient): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const [found] = yield* sql<{ readonly user_version: number }>`PRAGMA user_version`
    const others = yield* sql`SELECT name FROM sqlite_master LIMIT 1`
    if (found?.user_version === version) {
      // Another program may use the same version number, and the file may be damaged.
      yield* sql`SELECT state, credits FROM account`
      const [check] = yield* sql<{ readonly quick_check: string }>`PRAGMA quick_check(1)`
      if (check?.quick_check !== "ok") return yield* notOurs
      return
    }
    if (found?.user_version !== 0 || others.length > 0) return yield* notOurs
    yield* sql`BEGIN EXCLUSIVE`
    for (const statement of tables) yield* sql.unsafe(statement)
    yield* sql`COMMIT`
  })

import { mkdir, rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as FileSystem from "@effect/platform/FileSystem"
import { SqlError } from "@effect/sql/SqlError"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { DataDirectoryUnusable } from "../../LocalServiceError.js"
import { codeOf } from "../http/codeOf.js"

/** Where the service keeps what outlives it, and the files that it works with. */
export interface DataDirectory {
  readonly sql: LibsqlClient.LibsqlClient
  /** A folder for recordings and speech under way. It is empty at the start. */
  readonly spool: string
}

/** Of the tables below. A later version of them has another number, and a step that leads there. */
const version = 1

/**
 * The balance follows the usage, in the same statement and whatever becomes of the process; and there is no moment with
 * two active keys, or with none between an old one and a new one.
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

/** Opens a directory, or without one a database in memory and a folder that goes with the scope. */
export const openDataDirectory = (
  directory: string | undefined
): Effect.Effect<DataDirectory, DataDirectoryUnusable, FileSystem.FileSystem | Scope.Scope> =>
  directory === undefined ? openTemporary : openKept(resolve(directory))

const openTemporary = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const spool = yield* Effect.orDie(fs.makeTempDirectoryScoped({ prefix: "effect-speech-" }))
  const sql = yield* makeClient(":memory:")
  yield* Effect.orDie(createTables(sql))
  return { sql, spool }
})

const openKept = (directory: string) =>
  Effect.gen(function* () {
    const unusable = (message: string) => new DataDirectoryUnusable({ directory, message })
    yield* Effect.tryPromise({
      try: () => mkdir(directory, { recursive: true, mode: 0o700 }),
      catch: (error) =>
        unusable(`The data directory ${directory} can't be made (${codeOf(error)}); give one that can be written.`)
    })
    const openDatabase = (path: string) =>
      // Of an address, these would be more than characters of the path.
      makeClient(`file:${path.replace(/[%?#]/g, encodeURIComponent)}`).pipe(
        Effect.catchAllDefect(() => unusable(`${path} can't be opened; give a directory that can be written.`))
      )
    yield* lock(yield* openDatabase(join(directory, "lock.db"))).pipe(
      Effect.mapError(() =>
        unusable(
          `The data directory ${directory} is in use by another local service; end that one, or give another directory.`
        )
      )
    )
    const path = join(directory, "service.db")
    const sql = yield* openDatabase(path)
    yield* Effect.mapError(
      Effect.gen(function* () {
        // First, for it refuses a database of another program, which stays as it is then.
        yield* createTables(sql)
        yield* sql`PRAGMA journal_mode = WAL`
        // What is committed survives the process; a power cut may take the last commits, and never the file.
        yield* sql`PRAGMA synchronous = NORMAL`
      }),
      () =>
        unusable(
          `${path} is not a database of this version of the local service, or is damaged; move it away, or give another directory.`
        )
    )
    const spool = join(directory, "spool")
    // What a service that was killed has left.
    yield* Effect.tryPromise({
      try: async () => {
        await rm(spool, { recursive: true, force: true })
        await mkdir(spool)
      },
      catch: (error) => unusable(`${spool} can't be written (${codeOf(error)}); give a directory that can.`)
    })
    return { sql, spool }
  })

const makeClient = (url: string) => Effect.provide(LibsqlClient.make({ url }), Reactivity.layer)

/**
 * Holds a directory for this process: credit that is held for calls under way is in its memory alone. A transaction of a
 * database is a lock that goes with the process, however it ends.
 */
const lock = (sql: LibsqlClient.LibsqlClient) =>
  Effect.acquireRelease(sql`BEGIN EXCLUSIVE`, () => Effect.ignore(sql`ROLLBACK`))

const damaged = new SqlError({ cause: "another database, or a damaged one" })

const createTables = (sql: LibsqlClient.LibsqlClient): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const [found] = yield* sql<{ readonly user_version: number }>`PRAGMA user_version`
    const others = yield* sql`SELECT name FROM sqlite_master LIMIT 1`
    if (found?.user_version === version) {
      // A database of another program may have that version too, and one that is damaged here is found now.
      yield* sql`SELECT state, credits FROM account`
      const [check] = yield* sql<{ readonly quick_check: string }>`PRAGMA quick_check(1)`
      if (check?.quick_check !== "ok") return yield* damaged
      return
    }
    if (found?.user_version !== 0 || others.length > 0) return yield* damaged
    yield* sql`BEGIN EXCLUSIVE`
    for (const statement of tables) yield* sql.unsafe(statement)
    yield* sql`COMMIT`
  })

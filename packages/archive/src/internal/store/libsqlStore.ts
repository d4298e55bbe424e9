/**
 * The store in a file, for one process that works, and for others that look and steer.
 */
import { closeSync, existsSync, fchmodSync, openSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import { makeFolderSync } from "@effect-speech/common/FilesSync"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import Database from "libsql"
import { ArchiveStoreFailed, ArchiveStoreLocked, type ArchiveStoreTooNew } from "../../ArchiveError.js"
import { type ConnectionOptions, SingleConnection } from "./libsqlClient.js"
import { migrate, otherTable, refuseOther } from "./migrations.js"
import { failingIfMoved } from "./movedStore.js"
import { register } from "./openStores.js"
import { Store } from "./Store.js"
import { make } from "./sqlStore.js"
import { codeOf, storeFailed } from "./storeFailed.js"
import { withTypedEnds } from "./transactions.js"

/**
 * The store in a file that this process alone works on. Another one that works fails with `ArchiveStoreLocked`. The lock is a lock of
 * the system on `<path>.lock`: it ends with the process, also after kill -9. Only its user may read what this makes.
 */
export const layerLibsql = (options: {
  /** The file. It is made, with its folder, if it does not exist. */
  readonly path: string
}): Layer.Layer<Store | SqlClient.SqlClient, ArchiveStoreLocked | ArchiveStoreTooNew | ArchiveStoreFailed> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      // It has no file to lock, or to be moved.
      if (options.path === ":memory:") return yield* open(options.path, yield* connect(options.path))
      const path = yield* attempt(options.path, () => realPath(options.path))
      // What is no store is refused before it has a lock.
      yield* Effect.scoped(connect(path))
      yield* lock(path)
      const context = yield* open(path, yield* connect(path, { checkpoint: true }))
      // The process that held the lock before has ended, so its started files have no owner.
      yield* Effect.mapError(Context.get(context, SqlClient.SqlClient)`DELETE FROM archive_machines`, storeFailed(path))
      const store = yield* attempt(path, () => failingIfMoved(path, Context.get(context, Store)))
      return Context.add(context, Store, store)
    })
  )

/** The store in a file that another process may be working on: reads it, pauses and resumes. */
export const layerLibsqlShared = (options: {
  readonly path: string
}): Layer.Layer<Store | SqlClient.SqlClient, ArchiveStoreTooNew | ArchiveStoreFailed> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const isFile = options.path !== ":memory:"
      const path = yield* attempt(options.path, () => (isFile ? realpathSync(options.path) : options.path))
      return yield* open(path, yield* connect(path), isFile ? () => isLocked(path) : undefined)
    })
  )

const attempt = <A>(path: string, body: () => A): Effect.Effect<A, ArchiveStoreFailed> =>
  Effect.try({ try: body, catch: (cause) => storeFailed(path)({ cause }) })

/** The same file by another name has the same lock. */
const realPath = (path: string): string => {
  const absolute = resolve(path)
  makeFolderSync(dirname(absolute), 0o700)
  try {
    return realpathSync(absolute)
  } catch {
    return join(realpathSync(dirname(absolute)), basename(absolute))
  }
}

/** Makes an empty file for its user alone, if there is none. SQLite gives the files beside it the same permissions. */
const makeFile = (path: string): void => {
  try {
    const file = openSync(path, "wx", 0o600)
    fchmodSync(file, 0o600)
    closeSync(file)
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
  }
}

const lock = (path: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        makeFile(`${path}.lock`)
        const database = new Database(`${path}.lock`)
        try {
          // A process that reads a status looks at the lock for a moment.
          database.exec("PRAGMA busy_timeout=100; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE")
        } catch (error) {
          database.close()
          throw error
        }
        return database
      },
      catch: (cause) =>
        codeOf(cause)?.startsWith("SQLITE_BUSY") === true
          ? new ArchiveStoreLocked({
              store: path,
              message: `Another process works on the store ${path}; wait until it has ended, or stop it.`
            })
          : storeFailed(path)({ cause })
    }),
    (database) => Effect.sync(() => database.close())
  )

/** Whether a process works on the store. A lock that is not there, or can't be read, says nothing: `undefined`. */
const isLocked = (path: string): boolean | undefined => {
  // libSQL would make it, also if it were to be read alone.
  if (!existsSync(`${path}.lock`)) return undefined
  try {
    const database = new Database(`${path}.lock`)
    try {
      database.prepare("SELECT count(*) FROM sqlite_master").get()
      return false
    } finally {
      database.close()
    }
  } catch (error) {
    return codeOf(error)?.startsWith("SQLITE_BUSY") === true ? true : undefined
  }
}

/** Opens a file, and changes nothing in or beside it if it is no store. */
const connect = (path: string, options?: ConnectionOptions) =>
  Effect.gen(function* () {
    const file = yield* attempt(path, () => {
      if (path === ":memory:") return undefined
      return statSync(path, { throwIfNoEntry: false }) ?? makeFile(path)
    })
    if (file !== undefined && !file.isFile()) {
      return yield* new ArchiveStoreFailed({
        store: path,
        message: `The store ${path} is ${file.isDirectory() ? "a folder" : "no regular file"}; give the path of a file.`
      })
    }
    // SQLite keeps the last changes in a file beside the name that it was opened by, and locks by the number of the file.
    if (file !== undefined && file.nlink > 1) {
      return yield* new ArchiveStoreFailed({
        store: path,
        message: `The store ${path} is one file with ${file.nlink} names (hard links), so it was not opened. SQLite writes the last changes beside one of these names: opened by another, files that are done would be called again. Keep the name that has a file beside it with the same name and -wal, or any one if none has, and remove the others.`
      })
    }
    if (path !== ":memory:") {
      yield* Effect.acquireRelease(
        Effect.sync(() => register(path)),
        (close) => Effect.sync(close)
      )
    }
    return yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => SingleConnection.open(path, { ...options, check: refuseOther }),
        catch: (cause) => {
          const table = otherTable(cause)
          if (table === undefined) return storeFailed(path)({ cause })
          return new ArchiveStoreFailed({
            store: path,
            message: `The file ${path} is the database of another program: it has the table ${table}, and none of a store. Give the store a file of its own.`
          })
        }
      }),
      (connection) => Effect.sync(() => connection.close())
    )
  })

const open = (path: string, connection: SingleConnection, hasProcess?: () => boolean | undefined) =>
  Effect.gen(function* () {
    const client = yield* Layer.build(LibsqlClient.layer({ liveClient: connection.client }))
    withTypedEnds(Context.get(client, SqlClient.SqlClient))
    return yield* Effect.provide(
      Effect.gen(function* () {
        yield* Effect.catchTag(migrate(path), "SqlError", (error) => Effect.fail(storeFailed(path)(error)))
        return Context.add(
          client,
          Store,
          yield* make(storeFailed(path), path === ":memory:" ? undefined : dirname(path), hasProcess)
        )
      }),
      client
    )
  })

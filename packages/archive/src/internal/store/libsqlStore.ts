/**
 * The store in a file, for one process that works, and for others that look and steer.
 */
import { mkdirSync, realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import Database from "libsql"
import { type StoreFailed, StoreLocked, type StoreTooNew } from "../../ArchiveError.js"
import { SingleConnection } from "./libsqlClient.js"
import { migrate } from "./migrations.js"
import { Store } from "./Store.js"
import { make } from "./sqlStore.js"
import { codeOf, storeFailed } from "./storeFailed.js"

/**
 * The store in a file that this process alone works on. Another one that works fails with `StoreLocked`. The lock is a lock of
 * the system on `<path>.lock`: it ends with the process, also after kill -9.
 */
export const layerLibsql = (options: {
  /** The file. It is made, with its folder, if it does not exist. */
  readonly path: string
}): Layer.Layer<Store | SqlClient.SqlClient, StoreLocked | StoreTooNew | StoreFailed> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const path = yield* attempt(options.path, () => realPath(options.path))
      yield* lock(path)
      const context = yield* open(path)
      // The process that held the lock before has ended, so its started files have no owner.
      yield* Effect.mapError(Context.get(context, SqlClient.SqlClient)`DELETE FROM archive_machines`, storeFailed(path))
      return context
    })
  )

/** The store in a file that another process may be working on: reads it, pauses and resumes. */
export const layerLibsqlShared = (options: {
  readonly path: string
}): Layer.Layer<Store | SqlClient.SqlClient, StoreTooNew | StoreFailed> =>
  Layer.scopedContext(
    Effect.flatMap(
      attempt(options.path, () => (options.path === ":memory:" ? options.path : realpathSync(options.path))),
      open
    )
  )

const attempt = <A>(path: string, body: () => A): Effect.Effect<A, StoreFailed> =>
  Effect.try({ try: body, catch: (cause) => storeFailed(path)({ cause }) })

/** The same file by another name has the same lock. */
const realPath = (path: string): string => {
  const absolute = resolve(path)
  mkdirSync(dirname(absolute), { recursive: true })
  try {
    return realpathSync(absolute)
  } catch {
    return join(realpathSync(dirname(absolute)), basename(absolute))
  }
}

const lock = (path: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const database = new Database(`${path}.lock`)
        try {
          database.exec("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE")
        } catch (error) {
          database.close()
          throw error
        }
        return database
      },
      catch: (cause) =>
        codeOf(cause)?.startsWith("SQLITE_BUSY") === true
          ? new StoreLocked({
              store: path,
              message: `Another process works on the store ${path}; wait until it has ended, or stop it.`
            })
          : storeFailed(path)({ cause })
    }),
    (database) => Effect.sync(() => database.close())
  )

const open = (path: string) =>
  Effect.gen(function* () {
    const connection = yield* Effect.acquireRelease(
      attempt(path, () => new SingleConnection(path)),
      (connection) => Effect.sync(() => connection.close())
    )
    const client = yield* Layer.build(LibsqlClient.layer({ liveClient: connection.client }))
    return yield* Effect.provide(
      Effect.gen(function* () {
        yield* Effect.catchTag(migrate(path), "SqlError", (error) => Effect.fail(storeFailed(path)(error)))
        return Context.add(client, Store, yield* make(storeFailed(path)))
      }),
      client
    )
  })

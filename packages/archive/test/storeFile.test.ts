import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { join } from "node:path"
import { inspect } from "node:util"
import * as SqlClient from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { loopback } from "effect-speech-test-support/loopback"
import { freshDatabase, hasPostgres, postgresTitle } from "effect-speech-test-support/postgres"
import { leaked, secretAddress } from "effect-speech-test-support/secretAddresses"
import Database from "libsql"
import { layerLibsql, layerLibsqlShared } from "../src/internal/store/libsqlStore.js"
import { layerPostgres } from "../src/internal/store/postgresStore.js"
import { Store, type StoreService } from "../src/internal/store/Store.js"
import { isOutage, storeFailed } from "../src/internal/store/storeFailed.js"
import { databases, folder, libsql, list, settings } from "./support/stores.js"

/** A run of three files, in its first epoch. */
const begun = Effect.gen(function* () {
  const store = yield* Store
  yield* store.createRun("run", settings, {})
  yield* list(
    store,
    "run",
    [1, 2, 3].map((name) => ({ path: `${name}.wav`, size: 1, modifiedMillis: 1 }))
  )
  return (yield* store.begin("run", "resumed")) ?? 0
})

const fails = <E>(layer: Layer.Layer<Store, E>) => Effect.flip(Effect.scoped(Layer.build(layer)))

describe("a store in a file", () => {
  it.scoped("with a second hard link opens by none of its names, since the last changes are beside one of them", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const [path, other] = [join(directory, "store.db"), join(directory, "other.db")]
      yield* Effect.provide(begun, layerLibsql({ path }))
      linkSync(path, other)
      for (const layer of [layerLibsql, layerLibsqlShared]) {
        for (const name of [path, other]) {
          const error = yield* fails(layer({ path: name }))
          assert.strictEqual(error._tag, "ArchiveStoreFailed")
          assert.include(error.message, `The store ${name} is one file with 2 names (hard links)`)
        }
      }
      assert.isFalse(existsSync(`${other}.lock`))
      rmSync(other)
      const status = Effect.flatMap(Store, (store) => store.status("run"))
      assert.strictEqual((yield* Effect.provide(status, layerLibsql({ path }))).counts.pending, 3)
    })
  )

  it.scoped("says at once that its process has ended, also if it was killed, and what it had begun", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "store.db")
      const look = Effect.flatMap(Store, (store) => store.status("run")).pipe(
        Effect.map(({ abandoned, counts, machines }) => [machines, counts.started, abandoned]),
        Effect.provide(layerLibsqlShared({ path }))
      )
      // Like a killed process, this one does not leave.
      yield* Effect.gen(function* () {
        const epoch = yield* begun
        const store = yield* Store
        yield* store.join("a")
        yield* store.claim("run", epoch, "a", 2)
        assert.deepStrictEqual(yield* look, [1, 2, 0])
        // It is suspended, as a process or with its computer, and goes on later.
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE archive_machines SET seen_at = seen_at - 60000`
        assert.deepStrictEqual(yield* look, [1, 2, 0])
        yield* sql`UPDATE archive_machines SET seen_at = seen_at + 60000`
      }).pipe(Effect.provide(layerLibsql({ path })))
      assert.deepStrictEqual(yield* look, [0, 2, 2])
      // Without a lock file, nobody knows whether the process lives, so the heartbeats count.
      rmSync(`${path}.lock`)
      assert.deepStrictEqual(yield* look, [1, 2, 0])
      assert.isFalse(existsSync(`${path}.lock`))
    })
  )

  it.scoped("is worked on by one process, by whatever name it opens it", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const path = join(directory, "new", "store.db")
      const context = yield* Layer.build(layerLibsql({ path }))
      symlinkSync(join(directory, "new"), join(directory, "other"))
      const error = yield* fails(layerLibsql({ path: join(directory, "other", "store.db") }))
      assert.deepInclude(error, { _tag: "ArchiveStoreLocked", store: path })
      const epoch = yield* Effect.provide(begun, context)
      // Another process looks and pauses.
      yield* Effect.gen(function* () {
        const store = yield* Store
        assert.strictEqual((yield* store.status("run")).counts.pending, 3)
        assert.isTrue(yield* store.changeState("run", "paused", "paused"))
      }).pipe(Effect.provide(layerLibsqlShared({ path })))
      const claim = Effect.flatMap(Store, (store) => store.claim("run", epoch, "a", 1, { seq: 1, cost: 0 }))
      assert.strictEqual((yield* Effect.provide(claim, context))._tag, "Stopped")
    })
  )

  it.scoped("is free after kill -9, and the started files are held", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "store.db")
      yield* Effect.gen(function* () {
        const store = yield* Store
        const epoch = yield* begun
        yield* store.join("dead")
        yield* store.claim("run", epoch, "dead", 1, { seq: 2, cost: 0 })
      }).pipe(Effect.provide(layerLibsql({ path })))
      const libsql = createRequire(import.meta.url).resolve("libsql")
      const script = `new (require(${JSON.stringify(libsql)}))(${JSON.stringify(`${path}.lock`)})
        .exec("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE"); console.log("locked"); setInterval(() => {}, 1000)`
      const child = spawn(process.execPath, ["-e", script])
      yield* Effect.promise(() => once(child.stdout, "data"))
      assert.strictEqual((yield* fails(layerLibsql({ path })))._tag, "ArchiveStoreLocked")
      child.kill("SIGKILL")
      yield* Effect.promise(() => once(child, "close"))
      const context = yield* Layer.build(layerLibsql({ path }))
      const takeOver = Effect.flatMap(Store, (store) => Effect.zipRight(store.takeOver("run", []), store.status("run")))
      assert.deepInclude((yield* Effect.provide(takeOver, context)).counts, { pending: 2, started: 0, held: 1 })
    })
  )

  it.scoped("fails with a code and advice if its disk is full, and goes on when there is room", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const sql = yield* SqlClient.SqlClient
      const epoch = yield* begun
      yield* store.join("a")
      const claim = (seq: number) => store.claim("run", epoch, "a", 1, { seq: seq, cost: 0 })
      const settle = (seq: number, length: number) =>
        store.settle("run", epoch, seq, "a", {
          _tag: "Done",
          result: { text: "x".repeat(length), segments: [], warnings: [] },
          billing: "billed",
          credits: 1
        })
      yield* Effect.all([claim(1), claim(2)])
      const [pages] = yield* sql<{ page_count: bigint }>`PRAGMA page_count`
      yield* sql.unsafe(`PRAGMA max_page_count=${Number(pages?.page_count)}`)
      // All are in one commit. It has the writes that succeeded, and no others.
      const exits = yield* Effect.all([Effect.exit(settle(1, 100_000)), Effect.exit(settle(2, 10))], {
        concurrency: "unbounded"
      })
      assert.isTrue(Exit.isFailure(exits[0]))
      assert.strictEqual((yield* store.status("run")).counts.done, Exit.isSuccess(exits[1]) ? 1 : 0)
      const error = yield* Effect.flip(settle(1, 100_000))
      assert.deepInclude(error, { _tag: "ArchiveStoreFailed", code: "SQLITE_FULL" })
      assert.include(error.message, "The disk of the store is full; free some space")
      const transaction = sql.withTransaction(settle(1, 100_000))
      assert.strictEqual((yield* Effect.flip(transaction))._tag, "ArchiveStoreFailed")
      yield* sql.unsafe("PRAGMA max_page_count=1000000")
      assert.isTrue(yield* settle(1, 100_000))
      assert.strictEqual((yield* claim(3))._tag, "Claimed")
    }).pipe(Effect.provide(libsql))
  )

  it.scoped("commits writes at once together, each with its own error, and none within a transaction of another", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE t (n INTEGER PRIMARY KEY)`
      const insert = (n: number) => sql`INSERT INTO t VALUES (${n}) RETURNING n`
      const exits = yield* Effect.all(
        [1, 1, 2].map((n) => Effect.exit(insert(n))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      const rolledBack = yield* Effect.fork(
        sql
          .withTransaction(Effect.zipRight(Effect.zipRight(insert(3), Effect.yieldNow()), Effect.fail("no")))
          .pipe(Effect.flip)
      )
      yield* Effect.yieldNow()
      yield* Effect.all([insert(4), insert(5)], { concurrency: "unbounded" })
      assert.strictEqual(yield* Fiber.join(rolledBack), "no")
      const rows = yield* sql<{ n: bigint }>`SELECT n FROM t ORDER BY n`
      assert.deepStrictEqual(
        rows.map(({ n }) => n),
        [1n, 2n, 4n, 5n]
      )
      const [settings] =
        yield* sql`SELECT s.synchronous, j.journal_mode FROM pragma_synchronous AS s, pragma_journal_mode AS j`
      assert.deepStrictEqual({ ...settings }, { synchronous: 2n, journal_mode: "wal" })
    }).pipe(Effect.provide(libsql))
  )

  it.scoped("says what is wrong with a path", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const text = join(directory, "text")
      writeFileSync(text, "This is not a database. ".repeat(100))
      mkdirSync(join(directory, "folder"))
      const noFile = yield* fails(layerLibsqlShared({ path: join(directory, "missing.db") }))
      assert.deepInclude(noFile, { _tag: "ArchiveStoreFailed", code: "ENOENT" })
      assert.deepInclude(yield* fails(layerLibsql({ path: text })), {
        _tag: "ArchiveStoreFailed",
        code: "SQLITE_NOTADB"
      })
      for (const layer of [layerLibsql, layerLibsqlShared]) {
        const isFolder = yield* fails(layer({ path: join(directory, "folder") }))
        assert.include(isFolder.message, "is a folder; give the path of a file.")
        assert.include(
          (yield* fails(layer({ path: "/dev/null" }))).message,
          "is no regular file; give the path of a file."
        )
      }
      assert.deepStrictEqual(readdirSync(directory).toSorted(), ["folder", "text"])
    })
  )

  it.scoped.each(["delete", "wal"])("leaves the database of another program as it is, with journal_mode=%s", (mode) =>
    Effect.gen(function* () {
      const directory = yield* folder
      const path = join(directory, "app.db")
      const other = new Database(path)
      other.exec(`PRAGMA journal_mode=${mode}; CREATE TABLE users (name TEXT)`)
      other.close()
      const before = readFileSync(path)
      for (const layer of [layerLibsql, layerLibsqlShared]) {
        const error = yield* fails(layer({ path }))
        assert.strictEqual(
          error.message,
          `The file ${path} is the database of another program: it has the table users, and none of a store. Give the store a file of its own.`
        )
        assert.deepStrictEqual(readdirSync(directory), ["app.db"])
        assert.isTrue(before.equals(readFileSync(path)))
      }
    })
  )

  it.scoped("has all in the file itself when it is closed, for its user alone", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const path = join(directory, "private", "store.db")
      const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
      yield* Effect.gen(function* () {
        yield* begun
        for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}.lock`])
          assert.strictEqual(mode(file), "600", file)
      }).pipe(Effect.provide(layerLibsql({ path })))
      assert.strictEqual(mode(join(directory, "private")), "700")
      assert.strictEqual(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0, 0)
      const copy = join(directory, "copy.db")
      copyFileSync(path, copy)
      const status = Effect.flatMap(Store, (store) => store.status("run"))
      assert.strictEqual((yield* Effect.provide(status, layerLibsqlShared({ path: copy }))).counts.pending, 3)
    })
  )

  it.scoped.skipIf(!existsSync("/proc/self"))("can't be in a folder that the system does not make", () =>
    Effect.gen(function* () {
      const error = yield* fails(layerLibsql({ path: "/proc/new/folder/store.db" }))
      assert.deepInclude(error, { _tag: "ArchiveStoreFailed", code: "ENOENT" })
    })
  )
})

describe.runIf(hasPostgres)(`the errors of a store on ${postgresTitle}`, () => {
  it.scoped("have a code and advice, and never the password", () =>
    Effect.gen(function* () {
      const url = new URL(yield* Effect.promise(freshDatabase))
      const failure = (change: (url: URL) => void) => {
        const changed = new URL(url)
        change(changed)
        return Effect.map(fails(layerPostgres({ url: Redacted.make(changed.href) })), (error) => {
          assert.notInclude(JSON.stringify(error) + String(error) + error.stack, changed.password)
          return error
        })
      }
      const wrongPassword = yield* failure((url) => Object.assign(url, { password: "wrong-secret" }))
      assert.deepInclude(wrongPassword, { _tag: "ArchiveStoreFailed", code: "28P01" })
      assert.include(wrongPassword.message, "refuses the user or the password")
      assert.deepInclude(yield* failure((url) => Object.assign(url, { pathname: "/none" })), { code: "3D000" })
      assert.deepInclude(yield* failure((url) => Object.assign(url, { port: "1" })), { code: "ECONNREFUSED" })
      const noPassword = yield* fails(layerPostgres({ url: Redacted.make(url.href.replace(`:${url.password}`, "")) }))
      assert.include(noPassword.message, "refuses the user or the password")
      const noTls = yield* failure((url) => Object.assign(url, { search: "?ssl=true" }))
      assert.include(noTls.message, "check sslmode in the URL")
      for (const error of [noPassword, noTls]) assert.isFalse(error._tag === "ArchiveStoreFailed" && isOutage(error))
      const noUrl = yield* fails(layerPostgres({ url: Redacted.make("host=db password=wrong-secret") }))
      assert.notInclude(JSON.stringify(noUrl), "wrong-secret")
    })
  )

  it("have no part of the password, in whatever form its URL is", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(secretAddress("127.0.0.1:1"), async (secret) => {
        const layer = layerPostgres({ url: Redacted.make(secret.address) })
        const error = await Effect.runPromise(fails(layer))
        // The frames have paths of this machine, which may have four characters of any password.
        const withoutFrames = (text = "") => text.replaceAll(/^ +at .*$/gm, "")
        const output = [
          JSON.stringify(error),
          String(error),
          ...[error.stack, inspect(error, { depth: 9 })].map(withoutFrames)
        ]
        assert.deepStrictEqual(leaked(output.join("\n"), secret), [])
        assert.strictEqual(error._tag, "ArchiveStoreFailed")
      }),
      { numRuns: 60, seed: 1 }
    ))

  it.scoped("are of a URL that it can't read, and say how to write one", () =>
    Effect.gen(function* () {
      const urls = ["postgresql:/u:p@h/d", "postgres:u:p@h/d", "postgresql://u:p/q@h/d", "postgresql://u:5#q@h/d"]
      for (const url of [
        ...urls,
        "postgresql://u:50%off@h/d",
        "postgresql://u%3Ap@h/d",
        "postgresql://h/d;password=p"
      ]) {
        const error = yield* fails(layerPostgres({ url: Redacted.make(url) }))
        assert.include(error.message, "percent-encode special characters: %2F for /", url)
      }
    })
  )

  it.scopedLive.each(["COMMIT", "a statement"])(
    "are errors and no defects if the connection is lost before %s",
    (before) =>
      Effect.gen(function* () {
        const url = Redacted.make(yield* Effect.promise(freshDatabase))
        const context = yield* Layer.build(layerPostgres({ url }))
        const sql = Context.get(context, SqlClient.SqlClient)
        const transaction = sql.withTransaction(
          Effect.gen(function* () {
            const [row] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
            const end = Effect.flatMap(
              SqlClient.SqlClient,
              (sql) => sql`SELECT pg_terminate_backend(${row?.pid ?? 0}, 5000)`
            )
            yield* Effect.provide(end, PgClient.layer({ url }))
            if (before === "a statement") yield* sql`SELECT 1`
          })
        )
        assert.strictEqual((yield* Effect.flip(transaction))._tag, "SqlError")
        yield* sql.withTransaction(sql`SELECT 1`)
      })
  )

  it.scopedLive("pass if a statement took too long, or the server does not answer", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(freshDatabase)
      const open = (url: string) =>
        Effect.map(Layer.build(layerPostgres({ url: Redacted.make(url) })), (context) =>
          Context.get(context, SqlClient.SqlClient)
        )
      const names = ["statement_timeout", "idle_in_transaction_session_timeout", "tcp_keepalives_idle"]
      const settingsOf = (sql: SqlClient.SqlClient) =>
        Effect.forEach(names, (name) =>
          Effect.map(sql<{ value: string }>`SELECT current_setting(${name}) AS value`, ([row]) => row?.value)
        )
      assert.deepStrictEqual(yield* settingsOf(yield* open(url)), ["10min", "1min", "10"])
      const short = yield* open(`${url}?options=-c%20statement_timeout%3D50`)
      assert.deepStrictEqual(yield* settingsOf(short), ["50ms", "1min", "10"])
      assert.deepStrictEqual((yield* settingsOf(yield* open(`${url}?options=`)))[1], "0")
      const tooLong = storeFailed("postgresql://db")(yield* Effect.flip(short`SELECT pg_sleep(10)`))
      assert.deepInclude(tooLong, { code: "57014" })
      const { host } = yield* loopback(createServer())
      const silent = Redacted.make(`postgresql://user:password@${host}/db`)
      const noAnswer = yield* fails(layerPostgres({ url: silent, connectTimeoutMillis: 50 }))
      for (const error of [tooLong, noAnswer]) assert.isTrue(error._tag === "ArchiveStoreFailed" && isOutage(error))
    })
  )

  it.scopedLive("leave machines that create it at once with one set of tables", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 3; round++) {
        const url = Redacted.make(yield* Effect.promise(freshDatabase))
        const open = Effect.scoped(Layer.build(layerPostgres({ url, maxConnections: 2 })))
        yield* Effect.all([open, open, open, open, open], { concurrency: "unbounded" })
      }
    })
  )
})

for (const { title, open, installed } of databases) {
  describe.runIf(installed)(`a table of another program in ${title}`, () => {
    const taken: ReadonlyArray<readonly [name: string, statements: ReadonlyArray<string>]> = [
      ["archive_migrations", ["CREATE TABLE archive_migrations (n INTEGER)"]],
      [
        "archive_migrations",
        [
          "CREATE TABLE archive_migrations (migration_id INTEGER, name TEXT)",
          "INSERT INTO archive_migrations VALUES (1, 'users')"
        ]
      ],
      ["archive_runs", ["CREATE TABLE archive_runs (n INTEGER)"]],
      ["archive_files_state", ["CREATE TABLE other (n INTEGER)", "CREATE INDEX archive_files_state ON other (n)"]]
    ]
    it.scoped.each(taken)("is not taken for one of a store: %s", ([name, statements]) =>
      Effect.gen(function* () {
        const layer = yield* open
        const change = Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.gen(function* () {
            const tables = ["archive_migrations", "archive_runs", "archive_files", "archive_machines"]
            yield* Effect.forEach(tables, (table) => sql`DROP TABLE ${sql(table)}`)
            yield* Effect.forEach(statements, (statement) => sql.unsafe(statement))
          })
        )
        yield* Effect.provide(change, layer)
        const error = yield* fails(layer)
        assert.strictEqual(error._tag, "ArchiveStoreFailed")
        assert.include(
          error.message,
          title === "a file" && !statements[0]?.includes("migrations") ? "of another program" : name
        )
      })
    )
  })

  describe.runIf(installed)(`a store of a newer version in ${title}`, () => {
    it.scoped("is not opened", () =>
      Effect.gen(function* () {
        const layer = yield* open
        yield* Effect.provide(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql`INSERT INTO archive_migrations (migration_id, name) VALUES (99, 'later')`
          ),
          layer
        )
        assert.deepInclude(yield* fails(layer), { _tag: "ArchiveStoreTooNew", found: 99, known: 6 })
      })
    )
  })

  describe.runIf(installed)(`a store of the first version in ${title}`, () => {
    it.scoped("goes on, with the warnings of its results, and counts none of a file that has changed", () =>
      Effect.gen(function* () {
        const layer = yield* open
        const result = (warnings: ReadonlyArray<string>) =>
          JSON.stringify({ text: 'Say "warnings":["x"].', durationMillis: 1, segments: [], warnings })
        yield* Effect.gen(function* () {
          const epoch = yield* begun
          const store = yield* Store
          yield* store.addItems("run", 1, [{ path: "1.wav", size: 1, modifiedMillis: 0 }])
          yield* store.join("a")
          yield* store.claim("run", epoch, "a", 1, { seq: 3, cost: 0 })
          yield* store.leave("a")
          const sql = yield* SqlClient.SqlClient
          yield* sql`UPDATE archive_files SET state = 2, result = ${result(["A", "B"])} WHERE seq = 1`
          yield* sql`UPDATE archive_files SET state = 2, result = ${result([])} WHERE seq = 2`
          // Of a file that has another content now.
          yield* sql`UPDATE archive_files SET state = 2, listed = 0, result = ${result(["C"])} WHERE seq = 4`
          yield* sql`DROP INDEX archive_files_warnings`
          yield* sql`DROP INDEX archive_files_hidden`
          yield* sql`ALTER TABLE archive_files DROP COLUMN warnings`
          yield* sql`ALTER TABLE archive_runs DROP COLUMN outage`
          yield* sql`ALTER TABLE archive_files DROP COLUMN output_size`
          yield* sql`ALTER TABLE archive_files DROP COLUMN output_digest`
          yield* sql`ALTER TABLE archive_runs DROP COLUMN listed`
          yield* sql`ALTER TABLE archive_runs DROP COLUMN results_due`
          yield* sql`ALTER TABLE archive_runs DROP COLUMN ids`
          yield* sql`DELETE FROM archive_migrations WHERE migration_id >= 2`
        }).pipe(Effect.provide(layer))
        yield* Effect.gen(function* () {
          const store = yield* Store
          const { counts, warnings } = yield* store.status("run")
          assert.deepInclude(counts, { done: 2, started: 1 })
          assert.deepStrictEqual(warnings, { A: 1, B: 1 })
          yield* store.takeOver("run", [])
          assert.isTrue(yield* store.endIfComplete("run", (yield* store.run("run")).epoch))
        }).pipe(Effect.provide(layer))
      })
    )

    it.scoped("has the tags of today, and retries its files by them", () =>
      Effect.gen(function* () {
        const layer = yield* open
        const message = 'The disk is full. Say "tag":"OutputFailed".'
        yield* Effect.gen(function* () {
          yield* begun
          const store = yield* Store
          yield* store.addItems("run", 1, [
            { path: "1.wav", size: 1, modifiedMillis: 0, problem: { tag: "OutputFailed", message } }
          ])
          const sql = yield* SqlClient.SqlClient
          const reason = JSON.stringify({ tag: "OutputFailed", message, at: 1 })
          yield* sql`UPDATE archive_runs SET state = 'suspended', suspension = ${reason}, outage = ${reason}, slowness = 1`
          yield* sql`ALTER TABLE archive_runs DROP COLUMN ids`
          yield* sql`DELETE FROM archive_migrations WHERE migration_id >= 5`
        }).pipe(Effect.provide(layer))
        yield* Effect.gen(function* () {
          const store = yield* Store
          const { failures, outage } = yield* store.status("run")
          assert.deepEqual(failures, { ArchiveOutputFailed: 1 })
          assert.deepInclude((yield* store.run("run")).suspension, { tag: "ArchiveOutputFailed", message })
          assert.deepInclude(outage, { tag: "ArchiveOutputFailed", message })
          assert.strictEqual(yield* store.retry("run", "ArchiveOutputFailed"), 1)
        }).pipe(Effect.provide(layer))
      })
    )

    it.scoped("keeps the ids of its files, so that none is called again, and gives new runs the ids of today", () =>
      Effect.gen(function* () {
        const layer = yield* open
        const items = [{ path: "1.wav", size: 1, modifiedMillis: 1 }]
        const idsOf = (store: StoreService, run: string) =>
          Effect.map(Stream.runCollect(store.files(run)), (files) => [...files].map(({ callId }) => callId))
        yield* Effect.gen(function* () {
          yield* (yield* Store).createRun("run", settings, {})
          const sql = yield* SqlClient.SqlClient
          yield* sql`ALTER TABLE archive_runs DROP COLUMN ids`
          yield* sql`DELETE FROM archive_migrations WHERE migration_id >= 6`
        }).pipe(Effect.provide(layer))
        yield* Effect.gen(function* () {
          const store = yield* Store
          yield* list(store, "run", items)
          // As the earlier versions made it.
          const ids = ["f2bd15ef-f687-54e3-b0b1-25f9286c3036"]
          assert.deepEqual(yield* idsOf(store, "run"), ids)
          assert.deepEqual(yield* store.states("run", items), ["pending"])
          yield* store.createRun("run", settings, {})
          yield* list(store, "run", items)
          assert.deepEqual(yield* idsOf(store, "run"), ids)
          const other = "0c8a7f31-5d2e-8b46-9a10-3f6e2d1c0b9a"
          yield* store.createRun(other, { ...settings, root: "/other" }, {})
          yield* list(store, other, items)
          assert.match((yield* idsOf(store, other)).join(), /^0c8a7f31-5d2e-8/)
          assert.deepEqual(yield* store.states(other, items), ["pending"])
        }).pipe(Effect.provide(layer))
      })
    )
  })
}

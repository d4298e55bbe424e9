import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { freshDatabase, hasPostgres, postgresTitle } from "../../../test/support/postgres.js"
import { layerLibsql, layerLibsqlShared } from "../src/internal/store/libsqlStore.js"
import { layerPostgres } from "../src/internal/store/postgresStore.js"
import { Store } from "../src/internal/store/Store.js"
import { settings } from "./support/settings.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "archive-store-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** A run of three files, in its first epoch. */
const begun = Effect.gen(function* () {
  const store = yield* Store
  yield* store.createRun("run", settings, {})
  const listing = yield* store.beginListing("run")
  yield* store.addItems(
    "run",
    listing,
    [1, 2, 3].map((name) => ({ path: `${name}.wav`, size: 1, modifiedMillis: 1 }))
  )
  return yield* store.begin("run")
})

const fails = <E>(layer: Layer.Layer<Store, E>) => Effect.flip(Effect.scoped(Layer.build(layer)))

describe("a store in a file", () => {
  it.scoped("is worked on by one process, by whatever name it opens it", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const path = join(directory, "new", "store.db")
      const context = yield* Layer.build(layerLibsql({ path }))
      symlinkSync(join(directory, "new"), join(directory, "other"))
      const error = yield* fails(layerLibsql({ path: join(directory, "other", "store.db") }))
      assert.deepInclude(error, { _tag: "StoreLocked", store: path })
      const epoch = yield* Effect.provide(begun, context)
      // Another process looks and pauses.
      yield* Effect.gen(function* () {
        const store = yield* Store
        assert.strictEqual((yield* store.status("run")).counts.pending, 3)
        assert.isTrue(yield* store.changeState("run", ["running"], "paused"))
      }).pipe(Effect.provide(layerLibsqlShared({ path })))
      const claim = Effect.flatMap(Store, (store) => store.claim("run", epoch, 1, "a", 0))
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
        yield* store.claim("run", epoch, 2, "dead", 0)
      }).pipe(Effect.provide(layerLibsql({ path })))
      const libsql = createRequire(import.meta.url).resolve("libsql")
      const script = `new (require(${JSON.stringify(libsql)}))(${JSON.stringify(`${path}.lock`)})
        .exec("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE"); console.log("locked"); setInterval(() => {}, 1000)`
      const child = spawn(process.execPath, ["-e", script])
      yield* Effect.promise(() => once(child.stdout, "data"))
      assert.strictEqual((yield* fails(layerLibsql({ path })))._tag, "StoreLocked")
      child.kill("SIGKILL")
      yield* Effect.promise(() => once(child, "close"))
      const context = yield* Layer.build(layerLibsql({ path }))
      const takeOver = Effect.flatMap(Store, (store) =>
        Effect.zipRight(store.takeOver("run", { from: 1, to: 3 }), store.status("run"))
      )
      assert.deepInclude((yield* Effect.provide(takeOver, context)).counts, { pending: 2, started: 0, held: 1 })
    })
  )

  it.scoped("fails with a code and advice if its disk is full, and goes on when there is room", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const sql = yield* SqlClient.SqlClient
      const epoch = yield* begun
      const claim = (seq: number) => store.claim("run", epoch, seq, "a", 0)
      const settle = (seq: number, length: number) =>
        store.settle("run", epoch, seq, "a", {
          _tag: "Done",
          result: "x".repeat(length),
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
      assert.deepInclude(error, { _tag: "StoreFailed", code: "SQLITE_FULL" })
      assert.include(error.message, "The disk of the store is full; free some space")
      const transaction = sql.withTransaction(settle(1, 100_000))
      assert.strictEqual((yield* Effect.flip(transaction))._tag, "StoreFailed")
      yield* sql.unsafe("PRAGMA max_page_count=1000000")
      assert.isTrue(yield* settle(1, 100_000))
      assert.strictEqual((yield* claim(3))._tag, "Claimed")
    }).pipe(Effect.provide(Layer.unwrapScoped(Effect.map(folder, (path) => layerLibsql({ path: join(path, "x.db") })))))
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
    }).pipe(Effect.provide(Layer.unwrapScoped(Effect.map(folder, (path) => layerLibsql({ path: join(path, "x.db") })))))
  )

  it.scoped("says what is wrong with a path", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const text = join(directory, "text")
      writeFileSync(text, "This is not a database. ".repeat(100))
      mkdirSync(join(directory, "folder"))
      const noFile = yield* fails(layerLibsqlShared({ path: join(directory, "missing.db") }))
      assert.deepInclude(noFile, { _tag: "StoreFailed", code: "ENOENT" })
      assert.deepInclude(yield* fails(layerLibsql({ path: text })), { _tag: "StoreFailed", code: "SQLITE_NOTADB" })
      assert.strictEqual((yield* fails(layerLibsql({ path: join(directory, "folder") })))._tag, "StoreFailed")
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
      assert.deepInclude(wrongPassword, { _tag: "StoreFailed", code: "28P01" })
      assert.include(wrongPassword.message, "refuses the user or the password")
      assert.deepInclude(yield* failure((url) => Object.assign(url, { pathname: "/none" })), { code: "3D000" })
      assert.deepInclude(yield* failure((url) => Object.assign(url, { port: "1" })), { code: "ECONNREFUSED" })
      const noUrl = yield* fails(layerPostgres({ url: Redacted.make("host=db password=wrong-secret") }))
      assert.notInclude(JSON.stringify(noUrl), "wrong-secret")
    })
  )

  it.scopedLive("leave two machines that create it at once with one set of tables", () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* Effect.promise(freshDatabase))
      const open = Effect.scoped(Layer.build(layerPostgres({ url })))
      yield* Effect.all([open, open, open, open], { concurrency: "unbounded" })
    })
  )
})

const databases = [
  { title: "a file", open: Effect.map(folder, (path) => layerLibsql({ path: join(path, "x.db") })), installed: true },
  {
    title: postgresTitle,
    open: Effect.map(Effect.promise(freshDatabase), (url) => layerPostgres({ url: Redacted.make(url) })),
    installed: hasPostgres
  }
]

for (const { title, open, installed } of databases) {
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
        assert.deepInclude(yield* fails(layer), { _tag: "StoreTooNew", found: 99, known: 3 })
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
          yield* store.claim("run", epoch, 3, "a", 0)
          yield* store.leave("a")
          const sql = yield* SqlClient.SqlClient
          yield* sql`UPDATE archive_files SET state = 2, result = ${result(["A", "B"])} WHERE seq = 1`
          yield* sql`UPDATE archive_files SET state = 2, result = ${result([])} WHERE seq = 2`
          // Of a file that has another content now.
          yield* sql`UPDATE archive_files SET state = 2, listed = 0, result = ${result(["C"])} WHERE seq = 4`
          yield* sql`DROP INDEX archive_files_warnings`
          yield* sql`ALTER TABLE archive_files DROP COLUMN warnings`
          yield* sql`ALTER TABLE archive_runs DROP COLUMN outage`
          yield* sql`DELETE FROM archive_migrations WHERE migration_id >= 2`
        }).pipe(Effect.provide(layer))
        yield* Effect.gen(function* () {
          const store = yield* Store
          const { counts, warnings } = yield* store.status("run")
          assert.deepInclude(counts, { done: 2, started: 1 })
          assert.deepStrictEqual(warnings, { A: 1, B: 1 })
          yield* store.takeOver("run", { from: 1, to: 3 })
          assert.isTrue(yield* store.endIfComplete("run", (yield* store.run("run")).epoch))
        }).pipe(Effect.provide(layer))
      })
    )
  })
}

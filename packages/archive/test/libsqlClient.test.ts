import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { isInstalled } from "effect-speech-test-support/programs"
import Database from "libsql"
import { SingleConnection } from "../src/internal/store/libsqlClient.js"
import { codeOf } from "../src/internal/store/storeFailed.js"
import { withTypedEnds } from "../src/internal/store/transactions.js"
import { folder } from "./support/stores.js"

/** A table `t` in a file, and another program that can lock it. */
const place = (busyLimitMillis: number) =>
  Effect.gen(function* () {
    const path = join(yield* folder, "x.db")
    const connection = yield* Effect.promise(() => SingleConnection.open(path, { busyLimitMillis }))
    yield* Effect.addFinalizer(() => Effect.sync(() => connection.close()))
    const client = yield* Layer.build(LibsqlClient.layer({ liveClient: connection.client }))
    const sql = withTypedEnds(Context.get(client, SqlClient.SqlClient))
    yield* sql`CREATE TABLE t (n INTEGER PRIMARY KEY)`
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => new Database(path)),
      (database) => Effect.sync(() => database.close())
    )
    return {
      sql,
      connection,
      insert: (n: number) => sql`INSERT INTO t VALUES (${n})`,
      numbers: Effect.map(sql<{ n: bigint }>`SELECT n FROM t ORDER BY n`, (rows) => rows.map(({ n }) => Number(n))),
      /** What the other program sees. */
      others: Effect.sync(() =>
        other
          .prepare("SELECT n FROM t ORDER BY n")
          .all()
          .map((row) => (row as { readonly n: number }).n)
      ),
      path,
      writeOfOthers: (n: number) => Effect.sync(() => other.exec(`INSERT INTO t VALUES (${n})`)),
      lock: Effect.sync(() => other.exec("BEGIN IMMEDIATE")),
      free: Effect.sync(() => other.exec("COMMIT"))
    }
  })

const both = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) => Effect.all(effects, { concurrency: "unbounded" })

/** Locks the index of the -wal, and makes it look new: as a program does that recovers the file, until it reads a line. */
const recovery = `
import fcntl, struct, sys
with open(sys.argv[1] + "-shm", "r+b", buffering=0) as file:
    fcntl.fcntl(file, fcntl.F_SETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 120, 8, 0))
    header = file.read(96)
    file.seek(0)
    file.write(bytes(96))
    print("locked", flush=True)
    sys.stdin.readline()
    file.seek(0)
    file.write(header)
`

const canRecover = process.platform === "linux" && isInstalled("python3")

describe("a store in a file that another program writes to", () => {
  it.scopedLive("waits for it, reads meanwhile, and leaves the thread free", () =>
    Effect.gen(function* () {
      const { free, insert, lock, numbers, sql } = yield* place(5_000)
      yield* lock
      const writes = yield* Effect.fork(both([insert(1), insert(2)]))
      let turns = 0
      const timer = setInterval(() => turns++, 5)
      yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(timer)))
      yield* Effect.repeat(Effect.sleep(5), { until: () => turns > 5 })
      assert.deepStrictEqual(yield* numbers, [])
      const transaction = yield* Effect.fork(sql.withTransaction(Effect.zipRight(insert(3), insert(4))))
      yield* Effect.sleep(20)
      yield* free
      yield* Effect.zipRight(Fiber.join(writes), Fiber.join(transaction))
      assert.deepStrictEqual(yield* numbers, [1, 2, 3, 4])
    })
  )

  it.scopedLive("fails with SQLITE_BUSY after a while, and goes on when it is free", () =>
    Effect.gen(function* () {
      const { free, insert, lock, numbers, sql } = yield* place(50)
      yield* lock
      const writes = [insert(1), insert(2), sql.withTransaction(insert(3))]
      for (const { cause } of yield* both(writes.map((write) => Effect.flip(write)))) {
        assert.strictEqual(codeOf(cause), "SQLITE_BUSY")
      }
      // A transaction that has not begun commits nothing, though its failure is caught.
      const caught = sql.withTransaction(Effect.ignore(insert(4)))
      assert.strictEqual(codeOf((yield* Effect.flip(caught)).cause), "SQLITE_BUSY")
      yield* free
      yield* both(writes)
      assert.deepStrictEqual(yield* numbers, [1, 2, 3])
    })
  )

  it.scopedLive("commits what comes after a write that failed", () =>
    Effect.gen(function* () {
      const { free, insert, lock, others, sql } = yield* place(20)
      yield* lock
      yield* Effect.flip(insert(1))
      yield* free
      yield* insert(2)
      assert.deepStrictEqual(yield* others, [2])
      yield* sql.withTransaction(insert(3))
      assert.deepStrictEqual(yield* others, [2, 3])
    })
  )

  it.scopedLive("does not begin a transaction that was interrupted while it waited", () =>
    Effect.gen(function* () {
      const { free, insert, lock, numbers, sql } = yield* place(5_000)
      yield* lock
      const waiting = yield* Effect.fork(sql.withTransaction(Effect.zipRight(insert(1), Effect.never)))
      yield* Effect.sleep(20)
      yield* Fiber.interrupt(waiting)
      yield* free
      yield* Effect.sleep(60)
      yield* lock
      yield* free
      yield* sql.withTransaction(insert(2))
      assert.deepStrictEqual(yield* numbers, [2])
    })
  )

  it.scopedLive("is closed at once, and what waits fails", () =>
    Effect.gen(function* () {
      const { connection, insert, lock, sql } = yield* place(5_000)
      yield* lock
      const waiting = yield* Effect.fork(both([Effect.flip(insert(1)), Effect.flip(sql.withTransaction(insert(2)))]))
      yield* Effect.sleep(20)
      const begun = performance.now()
      connection.close()
      yield* Fiber.join(waiting)
      assert.isBelow(performance.now() - begun, 4_000)
    })
  )

  it.scopedLive.skipIf(!canRecover)("writes after a read that failed because another program recovered the file", () =>
    Effect.gen(function* () {
      const { free, insert, lock, numbers, others, path, sql, writeOfOthers } = yield* place(20)
      yield* insert(1)
      const program = spawn("python3", ["-c", recovery, path], { stdio: ["pipe", "pipe", "inherit"] })
      yield* Effect.addFinalizer(() => Effect.sync(() => program.kill()))
      yield* Effect.promise(() => once(program.stdout, "data"))
      assert.match(codeOf((yield* Effect.flip(sql`SELECT count(*) FROM t`)).cause) ?? "", /^SQLITE_BUSY/)
      program.stdin.end("\n")
      yield* Effect.promise(() => once(program, "exit"))
      assert.deepStrictEqual(yield* numbers, [1])
      yield* lock
      yield* writeOfOthers(2)
      yield* free
      yield* insert(3)
      assert.deepStrictEqual(yield* numbers, [1, 2, 3])
      assert.deepStrictEqual(yield* others, [1, 2, 3])
    })
  )
})

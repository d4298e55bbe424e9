import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { SqlError } from "@effect/sql/SqlError"
import { expect, layer } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { makeAccounts } from "../src/internal/account/accounts.js"
import { type DataDirectory, openDataDirectory } from "../src/internal/account/dataDirectory.js"
import { isDiskFull } from "../src/internal/isDiskFull.js"
import type { OperationName } from "../src/OperationName.js"

layer(NodeFileSystem.layer)("the debit of a call", (it) => {
  const initial = { state: "active", credits: 100 } as const
  const openedWith = Effect.fn(function* (change: (sql: DataDirectory["sql"]) => DataDirectory["sql"]) {
    const directory = yield* openDataDirectory(undefined)
    const sql = change(directory.sql)
    const disk = { hasRoom: true }
    const accounts = yield* makeAccounts(sql, {
      initial,
      hasRoom: () => disk.hasRoom,
      keep: () => Effect.void,
      now: () => new Date(0),
      changed: () => undefined
    })
    const { hold } = yield* accounts.authorizeConsole
    const holdFor = (operation: OperationName) => Effect.suspend(() => hold({ operation, units: 3, credits: 2 }))
    return { accounts, disk, sql, holdFor, hold: holdFor("synthesize") }
  })
  const opened = openedWith((sql) => sql)
  /** SQLite fails at each debit as on a full disk: a counter has its largest value. */
  const fill = (sql: DataDirectory["sql"]) =>
    Effect.forEach(
      [
        "CREATE TABLE counter (number INTEGER PRIMARY KEY AUTOINCREMENT)",
        "INSERT INTO counter VALUES (9223372036854775807)",
        "CREATE TRIGGER full BEFORE UPDATE ON account BEGIN INSERT INTO counter VALUES (NULL); END"
      ],
      (statement) => sql.unsafe(statement)
    )
  /** The disk has no room for a debit of this operation. */
  const fullFor = (sql: DataDirectory["sql"], operation: "synthesize" | "transcribe"): DataDirectory["sql"] =>
    new Proxy(sql, {
      apply: (target, _, parameters) =>
        parameters.includes(operation)
          ? Effect.fail(new SqlError({ cause: Object.assign(new Error("full"), { code: "SQLITE_FULL" }) }))
          : Reflect.apply(target, undefined, parameters)
    })
  const failureOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flip(Effect.sandbox(effect))
  const never = () => false
  const day = { date: "1970-01-01", operation: "synthesize" }

  it.scoped("is written once with the others of its turn", () =>
    Effect.gen(function* () {
      const { accounts, hold } = yield* opened
      const holds = yield* Effect.all([hold, hold, hold])
      yield* Effect.forEach(holds, ({ debit }) => debit(never), { concurrency: "unbounded" })
      expect(yield* accounts.usage).toEqual([{ ...day, calls: 3, units: 9, credits: 6 }])
      expect(yield* accounts.account).toEqual({ ...initial, credits: 94 })
    })
  )

  it.scoped("is not written if its client is disconnected in the same turn, and its credit is free again", () =>
    Effect.gen(function* () {
      const { accounts, hold } = yield* opened
      const others = yield* Effect.fork(Effect.flatMap(hold, ({ debit }) => debit(never)))
      const left = yield* Effect.fork(Effect.scoped(Effect.flatMap(hold, ({ debit }) => debit(never))))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(left)
      yield* Fiber.join(others)
      expect(yield* accounts.usage).toEqual([{ ...day, calls: 1, units: 3, credits: 2 }])
      const whole = { operation: "synthesize", units: 1, credits: 98 } as const
      yield* Effect.flatMap(
        Effect.flatten(Effect.map(accounts.authorizeConsole, ({ hold }) => hold(whole))),
        ({ debit }) => debit(never)
      )
      expect(yield* accounts.account).toEqual({ ...initial, credits: 0 })
    })
  )

  it.scoped("is not written if its client is disconnected, but not yet interrupted", () =>
    Effect.gen(function* () {
      const { accounts, hold } = yield* opened
      const left = yield* Effect.fork(Effect.flatMap(hold, ({ debit }) => debit(() => true)))
      yield* Effect.yieldNow()
      for (let turn = 0; turn < 2; turn++) yield* Effect.flatMap(hold, ({ debit }) => debit(never))
      expect(yield* accounts.usage).toEqual([{ ...day, calls: 2, units: 6, credits: 4 }])
      yield* Fiber.interrupt(left)
    })
  )

  it.scoped("is written if that of the other operation in its turn fails", () =>
    Effect.gen(function* () {
      const { accounts, holdFor } = yield* openedWith((sql) => fullFor(sql, "transcribe"))
      const holds = yield* Effect.all([holdFor("transcribe"), holdFor("synthesize")])
      const [transcribed, synthesized] = yield* Effect.forEach(holds, ({ debit }) => Effect.exit(debit(never)), {
        concurrency: "unbounded"
      })
      expect(Exit.isFailure(transcribed ?? Exit.void)).toBe(true)
      expect(synthesized).toEqual(Exit.void)
      expect(yield* accounts.usage).toEqual([{ ...day, calls: 1, units: 3, credits: 2 }])
    })
  )

  it.scoped("ends without a charge if the account is reset before it is written", () =>
    Effect.gen(function* () {
      const { accounts, hold } = yield* opened
      const call = yield* Effect.fork(Effect.flatMap(hold, ({ debit }) => debit(never)))
      yield* Effect.yieldNow()
      yield* accounts.reset(undefined)
      yield* Fiber.join(call)
      expect(yield* accounts.usage).toEqual([])
      expect(yield* accounts.account).toEqual(initial)
    })
  )

  it.scoped("that the disk has no room for fails, and the next calls before their responses, until there is room", () =>
    Effect.gen(function* () {
      const { accounts, hold, sql } = yield* opened
      yield* fill(sql)
      expect(isDiskFull(Cause.squash(yield* failureOf(Effect.flatMap(hold, ({ debit }) => debit(never)))))).toBe(true)
      for (let call = 0; call < 2; call++) expect(isDiskFull(Cause.squash(yield* failureOf(hold)))).toBe(true)
      yield* sql`DROP TRIGGER full`
      yield* Effect.flatMap(hold, ({ debit }) => debit(never))
      expect(yield* accounts.usage).toEqual([{ ...day, calls: 1, units: 3, credits: 2 }])
      expect(yield* accounts.account).toEqual({ ...initial, credits: 98 })
    })
  )

  it.scoped("is tried before the response if the disk has little room, and fails only if there is too little", () =>
    Effect.gen(function* () {
      const { accounts, disk, hold, sql } = yield* opened
      disk.hasRoom = false
      yield* hold
      expect(yield* accounts.usage).toEqual([])
      yield* fill(sql)
      expect(isDiskFull(Cause.squash(yield* failureOf(hold)))).toBe(true)
      expect(yield* accounts.account).toEqual(initial)
    })
  )
})

import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeAccounts } from "../src/internal/account/accounts.js"
import { openDataDirectory } from "../src/internal/account/dataDirectory.js"

layer(NodeFileSystem.layer)("the debit of a call", (it) => {
  const initial = { state: "active", credits: 100 } as const
  const opened = Effect.gen(function* () {
    const { sql } = yield* openDataDirectory(undefined)
    const accounts = yield* makeAccounts(sql, {
      initial,
      keep: () => Effect.void,
      now: () => new Date(0),
      changed: () => undefined
    })
    const { hold } = yield* accounts.authorizeConsole
    return { accounts, hold: Effect.suspend(() => hold({ operation: "synthesize", units: 3, credits: 2 })) }
  })
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
})

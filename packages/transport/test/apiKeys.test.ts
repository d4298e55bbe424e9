import { describe, expect, it } from "@effect/vitest"
import type { Deadlines } from "@effect-speech/transport"
import type * as Operation from "@effect-speech/transport/unstable/Operation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { makeRetryBudget } from "../src/internal/call/retryBudget.js"
import { type Failed, operation, type PlayOptions, playedTransport, resolvedDeadlines } from "./scriptedTransport.js"

class Tenant extends Context.Tag("Tenant")<Tenant, string>() {}

describe("a key that is refused", () => {
  /** A service that accepts the key `valid`, and a store whose key was `old.key` when the transport was made. */
  const rotated = (valid: string, stored: string, options: PlayOptions = {}) =>
    Effect.gen(function* () {
      const keys: Array<string | undefined> = []
      const store = { key: "old.key", readings: 0 }
      const transport = yield* playedTransport(
        (request) =>
          Effect.map(Effect.yieldNow(), () => {
            const key = request.headers["x-api-key"]
            keys.push(key)
            return new Response("ok", { status: key === valid ? 200 : 401 })
          }),
        {
          apiKey: Effect.sync(() => {
            store.readings++
            return Redacted.make(store.key)
          }),
          retries: { retries: 0 },
          ...options
        }
      )
      store.key = stored
      return { keys, store, transport }
    })

  it.effect("is read again, and the call repeated with the new key, even without retries", () =>
    Effect.gen(function* () {
      const budget = makeRetryBudget()
      const { keys, store, transport } = yield* rotated("new.key", "new.key", { budget })
      expect(yield* transport.run(operation())).toBe("ok")
      expect(yield* transport.run(operation())).toBe("ok")
      expect(keys).toEqual(["old.key", "new.key", "new.key"])
      expect(store.readings).toBe(2)
      expect(budget.tokens()).toBe(500)
    })
  )

  it.effect("is not sent again if it has not changed, and only one new key is tried", () =>
    Effect.gen(function* () {
      const { keys, store, transport } = yield* rotated("new.key", "old.key")
      expect(Either.isLeft(yield* Effect.either(transport.run(operation())))).toBe(true)
      expect(keys).toEqual(["old.key"])
      store.key = "other.key"
      expect(Either.isLeft(yield* Effect.either(transport.run(operation())))).toBe(true)
      expect(keys).toEqual(["old.key", "old.key", "other.key"])

      let readings = 0
      const apiKey = Effect.sync(() => Redacted.make(`other.key${readings++}`))
      const changing = yield* rotated("new.key", "", { apiKey })
      expect(Either.isLeft(yield* Effect.either(changing.transport.run(operation())))).toBe(true)
      expect(changing.keys).toEqual(["other.key0", "other.key1"])
    })
  )

  it.effect.each([{ keys: ["a.b", "a.bc"] }, { keys: ["a.bc", "a.b"] }])(
    "is redacted together with the new one, the longer of $keys first",
    ({ keys: [...keys] }) =>
      Effect.gen(function* () {
        const transport = yield* playedTransport(() => Effect.succeed(new Response("", { status: 401 })), {
          apiKey: Effect.sync(() => Redacted.make(keys.shift() ?? ""))
        })
        const redacted: Array<string> = []
        const accept = ({ progress, redact, withoutKey }: Operation.Response<Failed>) => {
          redacted.push(redact("not a.bc"), withoutKey("nor a.b"))
          return Effect.fail<Failed>({ _tag: "Failed", retry: "otherKey", progress: progress() })
        }
        yield* Effect.ignore(transport.run({ ...operation(), accept }))
        expect(redacted.slice(2)).toEqual(["not <redacted>", "nor <redacted>"])
      })
  )

  it.effect.each([
    { what: "has changed", stored: "new.key", requests: 128 },
    { what: "has not changed", stored: "old.key", requests: 64 }
  ])("is read once for all calls that fail together, if it $what", ({ requests, stored }) =>
    Effect.gen(function* () {
      const { keys, store, transport } = yield* rotated("new.key", stored)
      const calls = Array.from({ length: 64 }, () => Effect.ignore(transport.run(operation())))
      yield* Effect.all(calls, { concurrency: "unbounded" })
      expect(store.readings).toBe(2)
      expect(keys.length).toBe(requests)
    })
  )

  it.effect("is not read again for a call that fails after another call got the new key", () =>
    Effect.gen(function* () {
      const late = yield* Effect.makeLatch()
      const keys: Array<string | undefined> = []
      const stored = ["old.key", "new.key"]
      const transport = yield* playedTransport(
        (request) =>
          Effect.gen(function* () {
            const key = request.headers["x-api-key"]
            if (keys.push(key) === 1) yield* late.await
            return new Response("ok", { status: key === "new.key" ? 200 : 401 })
          }),
        { apiKey: Effect.sync(() => Redacted.make(stored.shift() ?? "third.key")) }
      )
      const first = yield* Effect.fork(transport.run(operation()))
      yield* Effect.yieldNow()
      expect(yield* transport.run(operation())).toBe("ok")
      yield* late.open
      expect(yield* Fiber.join(first)).toBe("ok")
      expect(keys).toEqual(["old.key", "old.key", "new.key", "new.key"])
    })
  )

  it.effect("is read again in the context of the layer, whatever the caller has in its own", () =>
    Effect.gen(function* () {
      const tenant = FiberRef.unsafeMake("layer")
      const readBy: Array<string> = []
      const apiKey = Effect.gen(function* () {
        const inContext = (yield* Effect.serviceOption(Tenant)).pipe(Option.getOrElse(() => "none"))
        readBy.push(`${yield* FiberRef.get(tenant)}/${inContext}`)
        return Redacted.make(readBy.length === 1 ? "old.key" : "new.key")
      })
      const { transport } = yield* rotated("new.key", "", { apiKey }).pipe(Effect.provideService(Tenant, "layer"))
      const call = transport.run(operation()).pipe(Effect.locally(tenant, "A"), Effect.provideService(Tenant, "A"))
      expect(yield* call).toBe("ok")
      expect(readBy).toEqual(["layer/layer", "layer/layer"])
    })
  )

  it.effect("is read to the end for the other calls if one of them is interrupted, and not if none is left", () =>
    Effect.gen(function* () {
      const store = { begun: 0, interrupted: 0 }
      const vault = yield* Effect.makeLatch()
      const again = Effect.onInterrupt(Effect.as(vault.await, Redacted.make("new.key")), () =>
        Effect.sync(() => store.interrupted++)
      )
      const apiKey = Effect.suspend(() => (++store.begun === 1 ? Effect.succeed(Redacted.make("old.key")) : again))
      const { transport } = yield* rotated("new.key", "", { apiKey })
      const begin = Effect.fork(transport.run(operation()))
      const turns = Effect.repeatN(Effect.yieldNow(), 20)

      const alone = yield* begin
      yield* turns
      yield* Fiber.interrupt(alone)
      yield* turns
      expect(store).toEqual({ begun: 2, interrupted: 1 })

      const [first, second] = [yield* begin, yield* begin]
      yield* turns
      yield* Fiber.interrupt(first)
      yield* turns
      yield* vault.open
      expect(yield* Fiber.join(second)).toBe("ok")
      expect(store).toEqual({ begun: 3, interrupted: 1 })
    })
  )

  it.effect("is the same failure for all calls that wait for a reading that fails", () =>
    Effect.gen(function* () {
      let readings = 0
      const apiKey = Effect.suspend(() =>
        readings++ === 0 ? Effect.succeed(Redacted.make("old.key")) : Effect.fail(new Error("vault"))
      )
      const { transport } = yield* rotated("new.key", "", { apiKey })
      const calls = Array.from({ length: 3 }, () => Effect.flip(transport.run(operation())))
      const failures = yield* Effect.all(calls, { concurrency: "unbounded" })
      expect(failures.map(({ failure }) => failure)).toEqual(
        Array.from({ length: 3 }, () => ({ _tag: "InvalidApiKey", problem: "reading it failed (Error)" }))
      )
      expect(readings).toBe(2)
    })
  )

  /** The failure of a call whose key was refused, and whose second reading does this. */
  const failureAfter = (again: Effect.Effect<Redacted.Redacted, unknown>, deadlines: Deadlines.Deadlines = {}) =>
    Effect.gen(function* () {
      const readings = [Effect.succeed(Redacted.make("old.key"))]
      const transport = yield* playedTransport(() => Effect.succeed(new Response("", { status: 401 })), {
        apiKey: Effect.suspend(() => readings.shift() ?? again),
        deadlines: resolvedDeadlines(deadlines, "1 minute")
      })
      const fiber = yield* Effect.fork(Effect.flip(transport.run(operation())))
      yield* TestClock.adjust("5 seconds")
      return yield* Fiber.join(fiber)
    })

  const invalid = (problem: string) => ({ _tag: "InvalidApiKey", problem })
  const unreadable = Effect.fail(new Error("vault: old.key"))
  const tooLate = { _tag: "DeadlineExceeded", phase: "total", limitMillis: 5000 }
  it.effect.each<
    readonly [what: string, again: Parameters<typeof failureAfter>[0], failure: object, Deadlines.Deadlines?]
  >([
    [
      "is malformed",
      Effect.succeed(Redacted.make("malformed")),
      invalid("it has no dot between a prefix and a secret")
    ],
    ["can't be read", unreadable, invalid("reading it failed (Error)")],
    ["is read too slowly", Effect.never, invalid("reading it took longer than 5000 ms"), { downloadIdle: "5 seconds" }],
    ["is not read before the total deadline", Effect.never, tooLate, { total: "5 seconds" }]
  ])("fails the call if the new key %s", ([_, again, failure, deadlines]) =>
    Effect.gen(function* () {
      const failed = yield* failureAfter(again, deadlines)
      expect(failed).toMatchObject({ failure, progress: { attempts: [{ status: 401 }] } })
    })
  )
})

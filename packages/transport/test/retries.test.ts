import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import { type CallEvent, type Deadlines, type Retries, Upload } from "@effect-speech/transport"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { backoffMillis, retryAfterMillis } from "../src/internal/call/backoff.js"
import { makeRetryBudget } from "../src/internal/call/retryBudget.js"
import {
  type End,
  type Failed,
  operation,
  type PlayOptions,
  playedTransport,
  resolvedDeadlines,
  scripted,
  settled
} from "./scriptedTransport.js"

const attemptsOf = (outcome: Either.Either<string, Failed>) =>
  Either.isLeft(outcome) ? outcome.left.progress.attempts : undefined

/** One call after the other on one transport: how it ends, what is left of the budget, and the delays before attempts. */
interface Step {
  readonly ends: Array<End>
  readonly outcome: "ok" | number | string
  readonly tokens: number
  readonly delays: ReadonlyArray<number>
}

const tables: ReadonlyArray<{ what: string; steps: ReadonlyArray<Step>; options?: Retries.RetryOptions }> = [
  {
    what: "what may pass is tried three times, and each retry costs 14",
    steps: [
      { ends: [], outcome: "ok", tokens: 500, delays: [0] },
      { ends: [500], outcome: "ok", tokens: 500, delays: [0, 200] },
      { ends: [500, 502], outcome: "ok", tokens: 486, delays: [0, 200, 400] },
      { ends: [500, 500, 500], outcome: 500, tokens: 458, delays: [0, 200, 400] },
      { ends: [], outcome: "ok", tokens: 459, delays: [0] },
      {
        ends: ["ECONNREFUSED", "ENOTFOUND", "UND_ERR_CONNECT_TIMEOUT"],
        outcome: "lost",
        tokens: 431,
        delays: [0, 200, 400]
      },
      { ends: ["ECONNREFUSED", 500], outcome: "ok", tokens: 417, delays: [0, 200, 400] }
    ]
  },
  {
    what: "an overload costs 5",
    steps: [
      { ends: [503, 429, 503], outcome: 503, tokens: 490, delays: [0, 200, 400] },
      { ends: [429], outcome: "ok", tokens: 490, delays: [0, 200] },
      { ends: [503, 500], outcome: "ok", tokens: 485, delays: [0, 200, 400] }
    ]
  },
  {
    what: "what can't pass is tried once, and costs nothing",
    steps: [400, 402, 403, 404, 302].map((status) => ({ ends: [status], outcome: status, tokens: 500, delays: [0] }))
  },
  {
    what: "what may have been carried out is not repeated",
    steps: [{ ends: ["ECONNRESET"], outcome: "lost", tokens: 500, delays: [0] }]
  },
  {
    what: "unless it is asked for",
    options: { retryAmbiguous: true },
    steps: [{ ends: ["ECONNRESET", "EPIPE"], outcome: "ok", tokens: 486, delays: [0, 200, 400] }]
  },
  {
    what: "without retries there is one request",
    options: { retries: 0 },
    steps: [
      { ends: [500], outcome: 500, tokens: 500, delays: [0] },
      { ends: [503], outcome: 503, tokens: 500, delays: [0] },
      { ends: ["ECONNREFUSED"], outcome: "lost", tokens: 500, delays: [0] }
    ]
  },
  {
    what: "delays double up to 8 seconds",
    options: { retries: 8 },
    steps: [
      {
        ends: Array.from({ length: 9 }, () => 503),
        outcome: 503,
        tokens: 460,
        delays: [0, 200, 400, 800, 1600, 3200, 6400, 8000, 8000]
      }
    ]
  },
  {
    what: "a service is not asked sooner than it wants",
    steps: [
      { ends: [{ status: 503, retryAfter: "3" }], outcome: "ok", tokens: 500, delays: [0, 3000] },
      { ends: [{ status: 429, retryAfter: "0" }], outcome: "ok", tokens: 500, delays: [0, 200] },
      { ends: [{ status: 503, retryAfter: "60" }], outcome: "ok", tokens: 500, delays: [0, 60_000] },
      // Longer than a minute is too long for a call that has no deadline for all of it.
      { ends: [{ status: 503, retryAfter: "61" }], outcome: 503, tokens: 500, delays: [0] },
      { ends: [{ status: 503, retryAfter: "soon" }], outcome: "ok", tokens: 500, delays: [0, 200] },
      { ends: [{ status: 400, retryAfter: "1" }], outcome: 400, tokens: 500, delays: [0] }
    ]
  }
]

/** How many attempts the metrics know of. */
const attemptsCounted = Effect.map(Metric.snapshot, (metrics) =>
  metrics
    .filter(({ metricKey }) => metricKey.name === "speech_attempts")
    .reduce((sum, { metricState }) => sum + ("count" in metricState ? Number(metricState.count) : 0), 0)
)

describe("a call that fails", () => {
  it.effect.each(tables)("$what", ({ options = {}, steps }) =>
    Effect.gen(function* () {
      const ends: Array<End> = []
      const { budget, requests, transport } = yield* scripted(ends, { retries: options })
      for (const step of steps) {
        ends.push(...step.ends)
        const before = requests.length
        const delays: Array<number> = [0]
        const onEvent = (event: CallEvent.CallEvent) =>
          Effect.sync(() => {
            if (event._tag === "Retrying") delays.push(event.delayMillis)
          })
        const outcome = yield* settled(transport.run(operation(), { onEvent }))
        const attempts = attemptsOf(outcome)
        expect({
          outcome: Either.getOrElse(outcome, ({ progress }) => progress.attempts.at(-1)?.status ?? "lost"),
          tokens: budget.tokens(),
          delays
        }).toEqual({ outcome: step.outcome, tokens: step.tokens, delays: step.delays })
        expect(requests.length - before).toBe(step.delays.length)
        if (attempts !== undefined) expect(attempts.map(({ delayMillis }) => delayMillis)).toEqual(step.delays)
      }
    })
  )

  it.effect("tells of each attempt how it ended, how long it was held back and what it was asked to wait", () =>
    Effect.gen(function* () {
      const { transport } = yield* scripted([{ status: 503, retryAfter: "2" }, "ECONNREFUSED", 400])
      const outcome = yield* settled(transport.run(operation()))
      expect(attemptsOf(outcome)).toEqual([
        { status: 503, sent: "all", delayMillis: 0, retryAfterMillis: 2000, elapsedMillis: 0 },
        { sent: "nothing", delayMillis: 2000, elapsedMillis: 0 },
        { status: 400, sent: "all", delayMillis: 400, elapsedMillis: 0 }
      ])
    })
  )

  it.effect("is not tried again after the deadline for all of it, nor made to wait for nothing", () =>
    Effect.gen(function* () {
      const deadlines = resolvedDeadlines({ total: "5 seconds" }, "1 minute")
      const { requests, transport } = yield* scripted(
        [
          { status: 503, retryAfter: "4" },
          { status: 503, retryAfter: "4" }
        ],
        {
          deadlines
        }
      )
      const fiber = yield* Effect.fork(Effect.either(transport.run(operation())))
      yield* TestClock.adjust("4 seconds")
      const outcome = yield* Fiber.join(fiber)
      expect(attemptsOf(outcome)?.map(({ status }) => status)).toEqual([503, 503])
      expect(requests.length).toBe(2)
    })
  )

  it.effect("is not tried again where whoever looks at its events leaves no time for that", () =>
    Effect.gen(function* () {
      const deadlines = resolvedDeadlines({ total: "5 seconds" }, "1 minute")
      const { requests, transport } = yield* scripted([{ status: 503, retryAfter: "3" }], { deadlines })
      const onEvent = ({ _tag }: CallEvent.CallEvent) => (_tag === "Retrying" ? Effect.sleep("3 seconds") : Effect.void)
      const fiber = yield* Effect.fork(Effect.either(transport.run(operation(), { onEvent })))
      yield* TestClock.adjust("3 seconds")
      expect(attemptsOf(yield* Fiber.join(fiber))?.map(({ status }) => status)).toEqual([503])
      expect(requests.length).toBe(1)
    })
  )

  it.effect("is not repeated when the recording can be read but once", () =>
    Effect.gen(function* () {
      const { requests, transport } = yield* scripted([500])
      const upload = Upload.fromStream(Stream.make(Uint8Array.of(1)), 1)
      expect(Either.isLeft(yield* settled(transport.run(operation(upload, false))))).toBe(true)
      expect(requests.length).toBe(1)
    })
  )

  it.effect("leaves no record of an attempt that was interrupted", () =>
    Effect.gen(function* () {
      const lostBefore = yield* attemptsCounted
      const transport = yield* Effect.orDie(playedTransport(() => Effect.never))
      const fiber = yield* Effect.fork(transport.run(operation()))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      expect(yield* attemptsCounted).toBe(lostBefore)
    })
  )

  it.effect("can be ended while it waits for the next attempt", () =>
    Effect.gen(function* () {
      const { requests, transport } = yield* scripted([{ status: 503, retryAfter: "30" }])
      const fiber = yield* Effect.fork(transport.run(operation()))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 minute")
      expect(requests.length).toBe(1)
    })
  )
})

describe("the delay before a retry", () => {
  it("is anything from nothing to the backoff", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.nat(2000), FastCheck.double({ min: 0, max: 1, noNaN: true }), (retry, random) => {
        const delay = backoffMillis(retry, random)
        return delay >= 0 && delay <= Math.min(8000, 200 * 2 ** retry)
      })
    )
  })

  it("is read from a Retry-After in seconds or as a date", () => {
    const now = Date.parse("Sat, 21 Nov 2026 10:00:00 GMT")
    expect(retryAfterMillis("120", now)).toBe(120_000)
    expect(retryAfterMillis("Sat, 21 Nov 2026 10:00:05 GMT", now)).toBe(5000)
    expect(retryAfterMillis("Sat, 21 Nov 2026 09:00:00 GMT", now)).toBe(0)
    expect(retryAfterMillis("9".repeat(30), now)).toBe(Number.MAX_SAFE_INTEGER)
    const dates = ["2026-11-21", "21 Nov 2026 10:00:05 GMT", "Sat, 21 Nov 2026 10:00:05 GMT+1", "Soon GMT"]
    for (const header of [undefined, "", "soon", "-1", "1.5", "1 2", ...dates]) {
      expect(retryAfterMillis(header, now)).toBe(undefined)
    }
  })

  it("is read from a date in each of the three forms of HTTP, and from nothing that is merely alike", () => {
    const now = Date.parse("Sat, 21 Nov 2026 10:00:00 GMT")
    for (const header of [
      "Sat, 21 Nov 2026 10:00:05 GMT",
      "Saturday, 21-Nov-26 10:00:05 GMT",
      "Sat Nov 21 10:00:05 2026"
    ]) {
      expect(retryAfterMillis(header, now), header).toBe(5000)
    }
    expect(retryAfterMillis("Sat Nov  7 10:00:05 2026", now)).toBe(0)
    for (const header of ["In 2099 GMT", "W ednesday, 18-Dec-30 02:43:45 GMT", "Sat Nov 21 10:00:05 2026 GMT"]) {
      expect(retryAfterMillis(header, now), header).toBe(undefined)
    }
  })
})

describe("a key that is refused", () => {
  /** A service that knows one key, and a secret manager that may know another. */
  const rotating = (valid: string, stored: { key: string; readings: number }, options: PlayOptions = {}) =>
    Effect.gen(function* () {
      const keys: Array<string | undefined> = []
      const transport = yield* Effect.orDie(
        playedTransport(
          (request) =>
            Effect.map(Effect.yieldNow(), () => {
              const key = request.headers["x-api-key"]
              keys.push(key)
              return new Response("ok", { status: key === valid ? 200 : 401 })
            }),
          {
            apiKey: Effect.sync(() => {
              stored.readings++
              return Redacted.make(stored.key)
            }),
            retries: { retries: 0 },
            ...options
          }
        )
      )
      return { keys, transport }
    })

  it.effect("is read once more, and the call repeated with the new one, even without retries", () =>
    Effect.gen(function* () {
      const stored = { key: "old.key", readings: 0 }
      const budget = makeRetryBudget()
      const { keys, transport } = yield* rotating("new.key", stored, { budget })
      stored.key = "new.key"
      expect(yield* transport.run(operation())).toBe("ok")
      expect(yield* transport.run(operation())).toBe("ok")
      expect(keys).toEqual(["old.key", "new.key", "new.key"])
      expect(stored.readings).toBe(2)
      expect(budget.tokens()).toBe(500)
    })
  )

  it.effect("is not tried again if it has not changed, nor a second new one", () =>
    Effect.gen(function* () {
      const stored = { key: "old.key", readings: 0 }
      const { keys, transport } = yield* rotating("new.key", stored)
      expect(Either.isLeft(yield* Effect.either(transport.run(operation())))).toBe(true)
      expect(keys).toEqual(["old.key"])
      stored.key = "other.key"
      expect(Either.isLeft(yield* Effect.either(transport.run(operation())))).toBe(true)
      expect(keys).toEqual(["old.key", "old.key", "other.key"])

      let readings = 0
      const each = yield* rotating("new.key", stored, {
        apiKey: Effect.sync(() => Redacted.make(`other.key${readings++}`))
      })
      expect(Either.isLeft(yield* Effect.either(each.transport.run(operation())))).toBe(true)
      expect(each.keys).toEqual(["other.key0", "other.key1"])
    })
  )

  it.effect("is taken out of what the service says of it, the longer of two that begin alike first", () =>
    Effect.gen(function* () {
      for (const [old, next] of [
        ["a.b", "a.bc"],
        ["a.bc", "a.b"]
      ]) {
        const stored = { key: old ?? "", readings: 0 }
        const { transport } = yield* rotating("none", stored)
        stored.key = next ?? ""
        const said: Array<string> = []
        yield* Effect.ignore(
          transport.run({
            ...operation(),
            accept: ({ progress, redact, withoutKey }) => {
              said.push(redact("not a.bc"), withoutKey("nor a.b"))
              return Effect.fail<Failed>({ _tag: "Failed", retry: "otherKey", progress: progress() })
            }
          })
        )
        expect(said.slice(2)).toEqual(["not <redacted>", "nor <redacted>"])
      }
    })
  )

  it.effect("is read once for all calls that fail together", () =>
    Effect.gen(function* () {
      const stored = { key: "old.key", readings: 0 }
      const { keys, transport } = yield* rotating("new.key", stored)
      stored.key = "new.key"
      yield* Effect.forEach(Array.from({ length: 64 }), () => transport.run(operation()), { concurrency: "unbounded" })
      expect(stored.readings).toBe(2)
      expect(keys.length).toBe(128)
    })
  )

  it.effect("is read once for all calls that fail together, also where it has not changed", () =>
    Effect.gen(function* () {
      const stored = { key: "old.key", readings: 0 }
      const { keys, transport } = yield* rotating("new.key", stored)
      const calls = Array.from({ length: 64 }, () => Effect.ignore(transport.run(operation())))
      yield* Effect.all(calls, { concurrency: "unbounded" })
      expect(stored.readings).toBe(2)
      expect(keys.length).toBe(64)
    })
  )

  it.effect("is not read for a call that comes late, after another one got the new one", () =>
    Effect.gen(function* () {
      const late = yield* Effect.makeLatch()
      const keys: Array<string | undefined> = []
      const stored = { key: "old.key", readings: 0 }
      const transport = yield* Effect.orDie(
        playedTransport(
          (request) =>
            Effect.gen(function* () {
              const key = request.headers["x-api-key"]
              if (keys.push(key) === 1) yield* late.await
              return new Response("ok", { status: key === "new.key" ? 200 : 401 })
            }),
          {
            apiKey: Effect.sync(() => {
              stored.readings++
              return Redacted.make(stored.key)
            })
          }
        )
      )
      stored.key = "new.key"
      const first = yield* Effect.fork(transport.run(operation()))
      yield* Effect.yieldNow()
      expect(yield* transport.run(operation())).toBe("ok")
      yield* late.open
      expect(yield* Fiber.join(first)).toBe("ok")
      expect(keys).toEqual(["old.key", "old.key", "new.key", "new.key"])
      expect(stored.readings).toBe(2)
    })
  )

  it.effect("and read anew in a wrong form, or not at all, is told as such", () =>
    Effect.gen(function* () {
      const stored = { key: "old.key", readings: 0 }
      const { transport } = yield* rotating("new.key", stored)
      stored.key = "malformed"
      expect(yield* Effect.flip(transport.run(operation()))).toMatchObject({
        failure: { _tag: "InvalidApiKey", problem: "it has no dot between a prefix and a secret" },
        progress: { attempts: [{ status: 401 }] }
      })

      let readings = 0
      const { transport: failing } = yield* rotating("new.key", stored, {
        apiKey: Effect.suspend(() =>
          readings++ === 0 ? Effect.succeed(Redacted.make("old.key")) : Effect.fail(new Error("vault: old.key"))
        )
      })
      expect(yield* Effect.flip(failing.run(operation()))).toMatchObject({
        failure: { _tag: "InvalidApiKey", problem: "reading it failed (Error)" }
      })

      const missing = rotating("new.key", stored, {
        apiKey: Effect.provide(
          Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.map(fs.readFileString("/no/key.txt"), Redacted.make)),
          NodeFileSystem.layer
        )
      })
      expect((yield* Effect.exit(missing)).toString()).toContain("reading it failed (SystemError: NotFound)")
    })
  )

  const readForEver = (deadlines: Deadlines.Deadlines) =>
    Effect.gen(function* () {
      let readings = 0
      const transport = yield* Effect.orDie(
        playedTransport(() => Effect.succeed(new Response("", { status: 401 })), {
          apiKey: Effect.suspend(() => (readings++ === 0 ? Effect.succeed(Redacted.make("old.key")) : Effect.never)),
          deadlines: resolvedDeadlines(deadlines, "1 minute")
        })
      )
      const fiber = yield* Effect.fork(Effect.flip(transport.run(operation())))
      yield* TestClock.adjust("5 seconds")
      return yield* Fiber.join(fiber)
    })

  it.effect("is not waited for longer than the call may take", () =>
    Effect.gen(function* () {
      const told = yield* readForEver({ total: "5 seconds" })
      expect(told).toMatchObject({ failure: { _tag: "DeadlineExceeded", phase: "total", limitMillis: 5000 } })
    })
  )

  it.effect("and not longer than a download may pause, which is then told of the key", () =>
    Effect.gen(function* () {
      const told = yield* readForEver({ downloadIdle: "5 seconds" })
      const problem = "reading it took longer than 5000 ms"
      expect(told).toMatchObject({ failure: { _tag: "InvalidApiKey", problem } })
    })
  )
})

it("a budget gives all that it has, and not more", () => {
  const budget = makeRetryBudget()
  expect([budget.take(499), budget.take(2), budget.take(1), budget.take(1)]).toEqual([true, false, true, false])
  expect(budget.tokens()).toBe(0)
  budget.giveBack(0)
  expect(budget.tokens()).toBe(1)
})

import { describe, expect, it } from "@effect/vitest"
import type { CallEvent, Retries } from "@effect-speech/transport"
import * as Upload from "@effect-speech/transport/unstable/Upload"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { backoffMillis } from "../src/internal/call/backoff.js"
import { makeRetryBudget } from "../src/internal/call/retryBudget.js"
import {
  type End,
  type Failed,
  operation,
  type PlayOptions,
  resolvedDeadlines,
  scripted,
  settled
} from "./scriptedTransport.js"

const attemptsOf = (outcome: Either.Either<string, Failed>) =>
  Either.isLeft(outcome) ? outcome.left.progress.attempts : undefined

/** One call: the ends of its requests, its outcome, the tokens left in the budget, and the delays before its attempts. */
type Step = readonly [ends: Array<End>, outcome: "ok" | number | "lost", tokens: number, delays: ReadonlyArray<number>]

const times = (count: number, end: End): Array<End> => Array.from({ length: count }, () => end)
const later = (retryAfter: string, status = 503) => ({ status, retryAfter })

const policy = { times: 1, firstDelay: "1 second", longestDelay: "10 seconds", outage: "1 minute" } as const
const policyOf = (retries: Retries.RetryOptions["retries"]): PlayOptions => ({ retries: { retries } })

const tables: ReadonlyArray<readonly [what: string, steps: ReadonlyArray<Step>, options?: PlayOptions]> = [
  [
    "a transient error is tried three times, and each retry costs 14",
    [
      [[], "ok", 500, [0]],
      [[500], "ok", 500, [0, 200]],
      [[500, 502], "ok", 486, [0, 200, 400]],
      [[500, 500, 500], 500, 458, [0, 200, 400]],
      [[], "ok", 459, [0]],
      [["ECONNREFUSED", "ENOTFOUND", "UND_ERR_CONNECT_TIMEOUT"], "lost", 431, [0, 200, 400]],
      [["ECONNREFUSED", 500], "ok", 417, [0, 200, 400]]
    ]
  ],
  [
    "a retry after an overload costs 5",
    [
      [[503, 429, 503], 503, 490, [0, 200, 400]],
      [[429], "ok", 490, [0, 200]],
      [[503, 500], "ok", 485, [0, 200, 400]]
    ]
  ],
  [
    "a Retry-After is added to the delay",
    [
      [[later("3")], "ok", 500, [0, 3200]],
      [[later("0", 429)], "ok", 500, [0, 200]],
      [[later("8")], "ok", 500, [0, 8200]],
      // Without a total deadline, a call waits no longer than `longestDelay`.
      [[later("9")], 503, 500, [0]],
      [[later("soon")], "ok", 500, [0, 200]],
      [[later("1", 400)], 400, 500, [0]]
    ]
  ],
  ["other errors are not retried", [400, 402, 403, 404, 302].map((status) => [[status], status, 500, [0]])],
  ["an ambiguous error is not retried", [[["ECONNRESET"], "lost", 500, [0]]]],
  [
    "an ambiguous error is retried with retryAmbiguous",
    [[["ECONNRESET", "EPIPE"], "ok", 486, [0, 200, 400]]],
    { retries: { retryAmbiguous: true } }
  ],
  ["without retries there is one request", [500, 503].map((status) => [[status], status, 500, [0]]), policyOf(0)],
  [
    "delays double up to 8 seconds",
    [[times(9, 503), 503, 460, [0, 200, 400, 800, 1600, 3200, 6400, 8000, 8000]]],
    policyOf(8)
  ],
  [
    "delays follow the policy",
    [[[503, 503, 503], "ok", 490, [0, 1000, 2000, 3000]]],
    policyOf({ times: 3, firstDelay: "1 second", longestDelay: "3 seconds" })
  ],
  [
    "a longer Retry-After is waited for if the policy allows it",
    [[[later("30")], "ok", 500, [0, 30_200]]],
    policyOf({ longestDelay: "30 seconds" })
  ],
  [
    "a longer Retry-After is not waited for if the policy does not allow it",
    [[[later("30")], 503, 500, [0]]],
    policyOf({ longestDelay: "29 seconds" })
  ],
  [
    "a longer Retry-After is waited for if the total deadline allows it",
    [[[later("30")], "ok", 500, [0, 30_200]]],
    { deadlines: resolvedDeadlines({ total: "2 minutes" }, "1 minute") }
  ],
  [
    "in an outage, the time of the policy limits the retries",
    [[times(99, "ECONNREFUSED"), "lost", 388, [0, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000]]],
    policyOf(policy)
  ],
  [
    "an outage that ends in time ends in a result",
    [[[503, "ECONNREFUSED", "ECONNREFUSED", 429], "ok", 467, [0, 1000, 2000, 4000, 8000]]],
    policyOf(policy)
  ],
  [
    "an outage that is long enough leaves the time for a Retry-After of more than a minute",
    [[[later("100")], "ok", 500, [0, 101_000]]],
    policyOf({ ...policy, outage: "2 minutes" })
  ],
  [
    "an error of the service is no outage: it may be billed each time",
    [[[500, 500, 500], 500, 486, [0, 1000]]],
    policyOf(policy)
  ],
  [
    "a lost response is no outage: it may be billed each time",
    [[["ECONNRESET", "EPIPE", 200], "lost", 486, [0, 1000]]],
    { retries: { retries: policy, retryAmbiguous: true } }
  ]
]

describe("a call that fails", () => {
  it.effect.each(tables)("%s", ([_, steps, options = {}]) =>
    Effect.gen(function* () {
      const ends: Array<End> = []
      const { budget, requests, transport } = yield* scripted(ends, { retries: {}, ...options })
      for (const [next, ...expected] of steps) {
        ends.splice(0, ends.length, ...next)
        const before = requests.length
        const delays: Array<number> = [0]
        const onEvent = (event: CallEvent.CallEvent) =>
          Effect.sync(() => void (event._tag === "Retrying" && delays.push(event.delayMillis)))
        const outcome = yield* settled(transport.run(operation(), { onEvent }))
        const ended = Either.getOrElse(outcome, ({ progress }) => progress.attempts.at(-1)?.status ?? "lost")
        expect([ended, budget.tokens(), delays]).toEqual(expected)
        expect(requests.length - before).toBe(delays.length)
        if (Either.isLeft(outcome)) expect(attemptsOf(outcome)?.map(({ delayMillis }) => delayMillis)).toEqual(delays)
      }
    })
  )

  it.effect("reports the status, delay and Retry-After of each attempt", () =>
    Effect.gen(function* () {
      const { transport } = yield* scripted([{ status: 503, retryAfter: "2" }, "ECONNREFUSED", 400])
      const outcome = yield* settled(transport.run(operation()))
      expect(attemptsOf(outcome)).toEqual([
        { status: 503, sent: "all", delayMillis: 0, retryAfterMillis: 2000, elapsedMillis: 0 },
        { sent: "nothing", delayMillis: 2200, elapsedMillis: 0 },
        { status: 400, sent: "all", delayMillis: 400, elapsedMillis: 0 }
      ])
    })
  )

  it.effect.each([
    { clock: "is right", date: undefined },
    { clock: "is an hour behind", date: "Thu, 01 Jan 1970 01:00:00 GMT" },
    { clock: "is a day ahead", date: "Wed, 31 Dec 1969 00:00:00 GMT" },
    { clock: "is right, and the Date is none", date: "now" }
  ])("waits until the date of a Retry-After if the clock of the machine $clock", ({ date }) =>
    Effect.gen(function* () {
      const until = new Date((Date.parse(date ?? "") || 0) + 5_000).toUTCString()
      const { requests, transport } = yield* scripted([{ status: 503, retryAfter: until, date }])
      const fiber = yield* Effect.fork(Effect.withRandom(transport.run(operation()), Random.fixed([0])))
      yield* TestClock.adjust(4_999)
      expect(requests.length).toBe(1)
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toBe("ok")
    })
  )

  it.effect("is not retried if the delay exceeds the total deadline, which no event handler uses up", () =>
    Effect.gen(function* () {
      const deadlines = resolvedDeadlines({ total: "5 seconds" }, "1 minute")
      const unavailable = { status: 503, retryAfter: "4" }
      const { requests, transport } = yield* scripted([unavailable, unavailable], { deadlines })
      const onEvent = () => Effect.sleep("3 seconds")
      const fiber = yield* Effect.fork(Effect.either(transport.run(operation(), { onEvent })))
      yield* TestClock.adjust("4500 millis")
      expect(attemptsOf(yield* Fiber.join(fiber))?.map(({ status }) => status)).toEqual([503, 503])
      expect(requests.length).toBe(2)
    })
  )

  it.effect("is not retried if its recording can be read only once", () =>
    Effect.gen(function* () {
      const { requests, transport } = yield* scripted([500])
      const upload = Upload.fromStream(Stream.make(Uint8Array.of(1)), 1)
      expect(Either.isLeft(yield* settled(transport.run(operation(upload, false))))).toBe(true)
      expect(requests.length).toBe(1)
    })
  )

  it.effect("can be interrupted during the delay before a retry", () =>
    Effect.gen(function* () {
      const { requests, transport } = yield* scripted([{ status: 503, retryAfter: "8" }])
      const fiber = yield* Effect.fork(transport.run(operation()))
      yield* TestClock.adjust("4 seconds")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 minute")
      expect(requests.length).toBe(1)
    })
  )
})

describe("the outage of a call", () => {
  it.effect("may be longer than that of its layer", () =>
    Effect.gen(function* () {
      const { requests, transport } = yield* scripted(times(9, 503), { retries: { retries: { times: 1 } } })
      expect(yield* settled(transport.run(operation(), { outage: "5 minutes" }))).toEqual(Either.right("ok"))
      expect(requests.length).toBe(10)
    })
  )

  it.effect("must be a duration", () =>
    Effect.gen(function* () {
      const { requests, transport } = yield* scripted([])
      const exit = yield* Effect.exit(transport.run(operation(), { outage: 0 }))
      expect(exit).toMatchObject({ cause: { defect: { message: expect.stringContaining("outage") } } })
      expect(requests.length).toBe(0)
    })
  )

  it.effect("does not need the budget of the layer", () =>
    Effect.gen(function* () {
      const budget = makeRetryBudget()
      while (budget.take(1));
      const { transport } = yield* scripted(["ECONNREFUSED", "ECONNREFUSED"], { ...policyOf(policy), budget })
      expect(yield* settled(transport.run(operation()))).toEqual(Either.right("ok"))
    })
  )
})

describe("the budget of a layer", () => {
  it.effect.each([
    { what: "is overloaded", end: 503, most: 200 },
    { what: "fails", end: 500, most: 135 },
    { what: "is down", end: "ECONNREFUSED", most: 135 }
  ])("turns 100 calls of a service that $what into at most $most requests", ({ end, most }) =>
    Effect.gen(function* () {
      const { budget, requests, transport } = yield* scripted(times(300, end))
      const calls = Array.from({ length: 100 }, () => Effect.either(transport.run(operation())))
      const fiber = yield* Effect.fork(Effect.all(calls, { concurrency: "unbounded" }))
      for (let step = 0; step < 5; step++) yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)
      expect(requests.length).toBe(most)
      expect(budget.tokens()).toBeLessThan(14)
    })
  )

  it.effect("gets a token back for each success, until it is full", () =>
    Effect.gen(function* () {
      const budget = makeRetryBudget()
      while (budget.take(1));
      const { transport } = yield* scripted([], { budget })
      for (let call = 1; call <= 10; call++) {
        yield* transport.run(operation())
        expect(budget.tokens()).toBe(call)
      }
      budget.giveBack(489)
      yield* transport.run(operation())
      yield* transport.run(operation())
      expect(budget.tokens()).toBe(500)
    })
  )
})

describe("the delay before a retry", () => {
  it("is between 0 and the backoff", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.nat(2000), FastCheck.double({ min: 0, max: 1, noNaN: true }), (retry, random) => {
        const delay = backoffMillis(retry, random, { firstDelay: 200, longestDelay: 8000 })
        return delay >= 0 && delay <= Math.min(8000, 200 * 2 ** retry)
      })
    )
  })
})

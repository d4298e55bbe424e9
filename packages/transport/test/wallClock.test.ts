import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { httpClients } from "effect-speech-test-support/httpClients"
import { respondJson, scriptedServer } from "effect-speech-test-support/scriptedServer"
import { operation, resolvedDeadlines, transportOver } from "./scriptedTransport.js"

/** The clock of this machine, with a wall clock that a test can set. */
const settableClock = () => {
  const real = Clock.make()
  let shift = 0
  const clock = Object.create(real) as Clock.Clock
  clock.unsafeCurrentTimeMillis = () => real.unsafeCurrentTimeMillis() + shift
  const setBy = (millis: number) => {
    shift = millis
  }
  return { clock, setBy }
}
const hour = 60 * 60 * 1000

const drivers = [
  ["undici", httpClients.recommended],
  ["any HttpClient", httpClients.node]
] as const

describe("a call during which someone sets the clock of the machine", () => {
  it.scopedLive.each(drivers)("forward by two hours does not end early, over %s", ([, httpClient]) =>
    Effect.gen(function* () {
      const { clock, setBy } = settableClock()
      const server = yield* scriptedServer((response) => {
        setBy(2 * hour)
        setTimeout(() => respondJson(response, 503, "later"), 100)
      })
      // The shortest deadline is also how often all deadlines are checked.
      const deadlines = resolvedDeadlines({ downloadIdle: "30 millis" }, "1 minute")
      const { run } = yield* transportOver(httpClient, { deadlines })
      const call = run(operation(undefined, true, server.url))
      const { progress } = yield* Effect.flip(Effect.withClock(call, clock))
      expect(progress.attempts).toMatchObject([{ status: 503 }])
      expect(progress.elapsedMillis).toBeLessThan(5000)
    })
  )

  it.scopedLive.each(drivers)("back by an hour still exceeds its deadlines in time, over %s", ([, httpClient]) =>
    Effect.gen(function* () {
      const { clock, setBy } = settableClock()
      const server = yield* scriptedServer(() => setBy(-hour))
      for (const [phase, given] of [
        ["total", { total: "150 millis" }],
        ["answer", { answer: "150 millis" }]
      ] as const) {
        setBy(0)
        const { run } = yield* transportOver(httpClient, { deadlines: resolvedDeadlines(given, "1 minute") })
        const { failure, progress } = yield* Effect.flip(run(operation(undefined, true, server.url))).pipe(
          Effect.withClock(clock),
          Effect.timeout("5 seconds")
        )
        expect(failure).toEqual({ _tag: "DeadlineExceeded", phase, limitMillis: 150 })
        expect(progress.elapsedMillis).toBeGreaterThanOrEqual(100)
      }
    })
  )
})

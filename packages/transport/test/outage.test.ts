/** Tests with many calls. They have a file of their own because they are slow. */
import { describe, expect, it } from "@effect/vitest"
import type { Transport } from "@effect-speech/transport"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { type End, operation, scripted, settled } from "./scriptedTransport.js"

describe("a lasting outage", () => {
  const callAll = (transport: Transport.Transport, calls: number) =>
    Effect.forEach(Array.from({ length: calls }), () => Effect.either(transport.run(operation())), {
      concurrency: "unbounded",
      discard: true
    })

  it.effect.each([
    { what: "that is overloaded", end: 503, calls: 500, most: 600 },
    { what: "that fails", end: 500, calls: 500, most: 535 },
    { what: "that is down", end: "ECONNREFUSED", calls: 500, most: 535 }
  ])("of a service $what turns $calls calls into at most $most requests", ({ calls, end, most }) =>
    Effect.gen(function* () {
      const { budget, requests, transport } = yield* scripted(Array.from({ length: 2 * calls }, () => end))
      const fiber = yield* Effect.fork(callAll(transport, calls))
      for (let step = 0; step < 5; step++) yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)
      expect(requests.length).toBe(most)
      expect(budget.tokens()).toBeLessThan(14)
    })
  )

  it.effect("leaves a budget that successes refill", () =>
    Effect.gen(function* () {
      const ends: Array<End> = Array.from({ length: 135 }, () => 503)
      const { budget, transport } = yield* scripted(ends)
      for (let call = 0; call < 60 && ends.length > 0; call++) yield* settled(transport.run(operation()))
      const low = budget.tokens()
      for (let call = 0; call < 600; call++) yield* transport.run(operation())
      expect(low).toBeLessThan(300)
      expect(budget.tokens()).toBe(500)
    })
  )
})

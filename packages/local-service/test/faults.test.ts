import { describe, expect, it } from "@effect/vitest"
import type { Fault } from "@effect-speech/local-service/Faults"
import * as Effect from "effect/Effect"
import { makeFaults } from "../src/internal/faults/faults.js"

/** The times at which a request meets the fault. */
const meetsAt = (fault: Fault, times: ReadonlyArray<number>): ReadonlyArray<number> => {
  let now = 1000
  const faults = makeFaults({ changed: () => undefined, now: () => now })
  Effect.runSync(faults.set([fault]))
  return times.filter((time) => {
    now = 1000 + time
    const entry = { number: time, at: "2026-01-01T00:00:00.000Z", operation: "synthesize" } as const
    return faults.arrived(entry)?.fault !== undefined
  })
}

describe("the time of a fault", () => {
  const every10 = Array.from({ length: 11 }, (_, index) => index * 10)

  it("begins after `afterMillis`, and ends `forMillis` later", () => {
    expect(meetsAt({ status: 503, afterMillis: 30, forMillis: 20 }, every10)).toEqual([30, 40])
    expect(meetsAt({ status: 503, afterMillis: 80 }, every10)).toEqual([80, 90, 100])
    expect(meetsAt({ status: 503, forMillis: 15 }, every10)).toEqual([0, 10])
  })

  it("holds together with the counts, which count only the requests in it", () => {
    const time = { status: 503, afterMillis: 20, forMillis: 50 }
    expect(meetsAt({ ...time, nth: 2 }, every10)).toEqual([30, 40, 50, 60])
    expect(meetsAt({ ...time, nth: 2, times: 2 }, every10)).toEqual([30, 40])
    expect(meetsAt({ ...time, operation: "transcribe" }, every10)).toEqual([])
  })

  it("is listed as the time until it begins, and until it is over", () => {
    let now = 1000
    const faults = makeFaults({ changed: () => undefined, now: () => now })
    const fault = { status: 503, afterMillis: 30, forMillis: 20 }
    Effect.runSync(faults.set([fault, { status: 502, afterMillis: 40 }, { status: 500 }]))
    const timesAt = (elapsed: number) => {
      now = 1000 + elapsed
      return Effect.runSync(faults.list).map(({ fault: _, happened: __, ...times }) => times)
    }
    expect(timesAt(10)).toEqual([{ beginsInMillis: 20, endsInMillis: 40 }, { beginsInMillis: 30 }, {}])
    expect(timesAt(30.5)).toEqual([{ endsInMillis: 20 }, { beginsInMillis: 10 }, {}])
    expect(timesAt(90)).toEqual([{ endsInMillis: 0 }, {}, {}])
  })

  it("does not change which of its requests a seed selects", () => {
    const chance = { status: 503, probability: 0.5, seed: 7 }
    const met = meetsAt(chance, every10.slice(0, 6))
    expect(met.length).toBeGreaterThan(0)
    expect(meetsAt({ ...chance, afterMillis: 50 }, every10)).toEqual(met.map((time) => time + 50))
  })
})

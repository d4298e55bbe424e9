import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { deadOf, type Seen, see } from "../src/internal/machine/heartbeat.js"

describe("a machine that watches others", () => {
  it("takes one for dead after 35 seconds without a change, whatever the clock of its heartbeats says", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(
          FastCheck.record({
            after: FastCheck.integer({ min: 1, max: 20_000 }),
            // The clock of the database, which may jump.
            clock: FastCheck.integer(),
            beats: FastCheck.boolean()
          }),
          { maxLength: 40 }
        ),
        (steps) => {
          let seen: Seen = new Map()
          let now = 0
          let at = 0
          let changed: number | undefined
          for (const { after, beats, clock } of steps) {
            now += after
            if (beats && clock !== at) {
              at = clock
              changed = now
            }
            seen = see(seen, [{ machine: "one", at }], now)
            changed ??= now
            expect(deadOf(seen, now)).toEqual(now - changed >= 35_000 ? ["one"] : [])
          }
        }
      )
    )
  })

  it("forgets one that has left", () => {
    const seen = see(see(new Map(), [{ machine: "one", at: 1 }], 0), [], 50_000)
    expect(deadOf(seen, 90_000)).toEqual([])
  })
})

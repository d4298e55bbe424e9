import { describe, expect, it } from "vitest"
import { daysUntil, scaleOf } from "../console/src/account/usageDays.js"
import { Usage } from "../src/Accounts.js"

describe("the chart of the usage", () => {
  it("has each day until today, with both operations", () => {
    const of = (date: string, operation: Usage["operation"], credits: number) =>
      Usage.make({ date, operation, calls: 1, units: 1, credits })
    const usage = [
      of("2026-03-01", "synthesize", 5),
      of("2026-02-27", "transcribe", 2),
      of("2026-02-27", "synthesize", 3),
      of("2026-01-01", "synthesize", 100)
    ]
    expect(daysUntil("2026-03-01", usage, 3)).toEqual([
      { date: "2026-02-27", synthesize: 3, transcribe: 2 },
      { date: "2026-02-28", synthesize: 0, transcribe: 0 },
      { date: "2026-03-01", synthesize: 5, transcribe: 0 }
    ])
  })

  it.each([
    [0, [0, 1]],
    [3, [0, 1, 2, 3]],
    [93, [0, 50, 100]],
    [100, [0, 50, 100]],
    [101, [0, 50, 100, 150]],
    [1_234_567, [0, 500_000, 1_000_000, 1_500_000]]
  ])("has a scale of round numbers to %i", (most, scale) => {
    expect(scaleOf(most)).toEqual(scale)
  })
})

/** The usage as the chart shows it: consecutive days, and a scale of round numbers. */
import type { Usage } from "../../../src/Accounts.js"

export interface Day {
  /** Such as `2026-01-31`. */
  readonly date: string
  /** Credits of each operation. */
  readonly synthesize: number
  readonly transcribe: number
}

const dayMillis = 86_400_000

/** So many days until today, also those without usage. `usage` has its days in UTC, and so has `today`. */
export const daysUntil = (today: string, usage: ReadonlyArray<Usage>, count: number): ReadonlyArray<Day> => {
  const credits = (date: string, operation: Usage["operation"]) =>
    usage.find((each) => each.date === date && each.operation === operation)?.credits ?? 0
  return Array.from({ length: count }, (_, index) => {
    const date = new Date(Date.parse(today) - (count - 1 - index) * dayMillis).toISOString().slice(0, 10)
    return { date, synthesize: credits(date, "synthesize"), transcribe: credits(date, "transcribe") }
  })
}

export const creditsOf = ({ synthesize, transcribe }: Day): number => synthesize + transcribe

/** The numbers beside the axis: from 0 in equal round steps to at least `most`, at most five. */
export const scaleOf = (most: number): ReadonlyArray<number> => {
  const rough = Math.max(1, most) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power)
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, index) => index * step)
}

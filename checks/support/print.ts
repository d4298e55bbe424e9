/** Figures, tables and bars of several checks, beside those of `test/support/report.ts`. */
import { bar, list, table } from "effect-speech-test-support/report"

export const seconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`

/** A number of things by the time that they took, in milliseconds. */
export const rate = (count: number, millis: number) => `${((1000 * count) / millis).toFixed(0)}/s`

/** Prints a table with a row for each of these, and a column for each function. */
export const tableOf = <Row>(
  rows: ReadonlyArray<Row>,
  columns: Readonly<Record<string, (row: Row) => string | number>>
) => table([Object.keys(columns), ...rows.map((row) => Object.values(columns).map((cell) => String(cell(row))))])

/** Lists problems. The bar is met if there are none. */
export const barOfNone = (
  claim: string,
  problems: ReadonlyArray<string>,
  figure = `${problems.length} differences`
) => {
  list(problems)
  bar(claim, problems.length === 0, figure)
}

/** A bar for a figure that is at most a limit. */
export const barAtMost = (claim: string, value: number, limit: number, show: (value: number) => string = String) =>
  bar(claim, value <= limit, show(value))

/** What checks print: Markdown tables, figures and bars. */

export const at = <T>(values: ReadonlyArray<T>, index: number): T => {
  const value = values[index]
  if (value === undefined) throw new RangeError(`There is no index ${index} in ${values.length} values.`)
  return value
}

export const sum = (values: Iterable<number>): number => {
  let total = 0
  for (const value of values) total += value
  return total
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return (at(sorted, Math.ceil(middle) - 1) + at(sorted, Math.floor(middle))) / 2
}

/** How often each value occurs. */
export const countBy = <T>(values: Iterable<T>, keyOf: (value: T) => string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(keyOf(value), (counts.get(keyOf(value)) ?? 0) + 1)
  return counts
}

/** The range, as "least to most". */
export const spread = (values: ReadonlyArray<number>, show: (value: number) => string) =>
  `${show(Math.min(...values))} to ${show(Math.max(...values))}`

export const whole = (value: number) => value.toFixed(0)

export const ratio = (value: number, reference: number) => `${(value / reference).toFixed(2)}x`

export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`

export const title = (text: string) => console.log(`\n## ${text}\n`)

/** Prints a table. All columns but the first are aligned to the right, as figures are, or all to the left. */
export const table = (
  [header = [], ...rows]: ReadonlyArray<ReadonlyArray<string>>,
  align: "right" | "left" = "right"
) => {
  const rule = header.map((_, column) => (column === 0 || align === "left" ? "---" : "--:"))
  for (const row of [header, rule, ...rows]) console.log(`| ${row.join(" | ")} |`)
  console.log()
}

/** Prints the first 20 of these, as a list. */
export const list = (problems: ReadonlyArray<string>) => {
  for (const problem of problems.slice(0, 20)) console.log(`- ${problem}`)
}

let missed = 0

/** Prints whether a bar is met, with the figure that decides it. */
export const bar = (claim: string, met: boolean, figure: string) => {
  if (!met) missed++
  console.log(`- ${met ? "met" : "NOT MET"}: ${claim} (${figure})`)
}

let isTooShort = false

/** Says that this run is too short to judge what it measures. */
export const judgeNoMeasurement = () => {
  isTooShort = true
}

/** A bar of time or memory. A run that is too short for it prints only the figure. */
export const measuredBar = (claim: string, met: boolean, figure: string) => {
  if (isTooShort) console.log(`- too short to judge: ${claim} (${figure})`)
  else bar(claim, met, figure)
}

/** Exit status of a check: 1 if a bar was not met, else 0. */
export const exitStatus = () => (missed === 0 ? 0 : 1)

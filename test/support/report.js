/** What commands measure, and how they tell it: figures, and Markdown. */
import { readFileSync, writeFileSync } from "node:fs"

/** @template T @param {ReadonlyArray<T>} values @param {number} index @returns {T} */
export const at = (values, index) => {
  const value = values[index]
  if (value === undefined) throw new RangeError(`There is no ${index} in ${values.length}.`)
  return value
}

/** @param {ReadonlyArray<number>} values */
export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return (at(sorted, Math.ceil(middle) - 1) + at(sorted, Math.floor(middle))) / 2
}

/** From the least to the most. @param {ReadonlyArray<number>} values @param {(value: number) => string} show */
export const spread = (values, show) => `${show(Math.min(...values))} to ${show(Math.max(...values))}`

/** @param {number} value */
export const whole = (value) => value.toFixed(0)

/** @param {number} value @param {number} reference */
export const ratio = (value, reference) => `${(value / reference).toFixed(2)}x`

/** Markdown. @param {string} text */
export const title = (text) => console.log(`\n## ${text}\n`)

/**
 * Markdown, with columns but the first aligned to the right, as figures are.
 *
 * @param {ReadonlyArray<ReadonlyArray<string>>} rows
 * @param {"right" | "left"} [aligned]
 */
export const table = ([header = [], ...rows], aligned = "right") => {
  const rule = header.map((_, column) => (column === 0 || aligned === "left" ? "---" : "--:"))
  for (const row of [header, rule, ...rows]) console.log(`| ${row.join(" | ")} |`)
  console.log()
}

/** @param {string} claim @param {boolean} met @param {string} figure */
export const bar = (claim, met, figure) => console.log(`- ${met ? "met" : "NOT MET"}: ${claim} (${figure})`)

/** @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`

/**
 * The most memory this process ever had, in bytes. `maxRSS` would do, but on Linux a process inherits it from the one
 * that started it.
 */
export const peakMemory = () => {
  try {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))
    return Number(peak?.[1]) * 1024
  } catch {
    return process.resourceUsage().maxRSS * 1024
  }
}

/**
 * Sets the most memory that this process ever had to what it has now, and tells whether that could be done: on Linux it
 * can.
 */
export const forgetPeak = () => {
  try {
    writeFileSync("/proc/self/clear_refs", "5")
    return true
  } catch {
    return false
  }
}

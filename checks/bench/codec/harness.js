/** How contestants are run, and how what came of it is printed. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { at } from "../../../test/support/report.js"

/**
 * @typedef {(samples: Float32Array) => Float32Array} Push A resampler: the output that is complete with a block.
 *
 * @typedef {object} Contestant
 * @property {string} name
 * @property {() => unknown} run What is timed, to the end of the promise if it gives one.
 * @property {(() => void) | undefined} [before] What is done before each run, untimed.
 *
 * @typedef {object} Result
 * @property {string} name
 * @property {number} median In milliseconds, as is `fastest`.
 * @property {number} fastest
 * @property {number} runs
 */

/**
 * Runs all contestants in turn, round after round, so that what else the machine does meets them alike. The first round
 * warms up and doesn't count. Who has run for as long as `patience`, in milliseconds, sits the other rounds out, after
 * one that counts.
 *
 * @param {ReadonlyArray<Contestant>} contestants
 * @param {{ readonly rounds: number, readonly patience?: number }} options
 */
export const race = async (contestants, { patience = 4000, rounds }) => {
  const entrants = contestants.map((contestant) => ({ ...contestant, times: /** @type {Array<number>} */ ([]) }))
  for (let round = 0; round <= rounds; round++) {
    for (const { before, run, times } of entrants) {
      if (times.length > 1 && times.reduce((sum, time) => sum + time, 0) > patience) continue
      before?.()
      const start = performance.now()
      await run()
      times.push(performance.now() - start)
    }
  }
  return entrants.map(({ name, times }) => {
    const counted = times.slice(1).toSorted((a, b) => a - b)
    const middle = counted.length / 2
    const median = (at(counted, Math.ceil(middle) - 1) + at(counted, Math.floor(middle))) / 2
    return { name, median, fastest: at(counted, 0), runs: counted.length }
  })
}

/** @param {ReadonlyArray<Result>} results @param {string} name */
export const medianOf = (results, name) =>
  at(
    results.filter((result) => result.name === name).map(({ median }) => median),
    0
  )

/** @param {string} text */
export const title = (text) => console.log(`\n${text}\n`)

/** Columns but the first are aligned to the right. @param {ReadonlyArray<ReadonlyArray<string>>} rows */
export const table = (rows) => {
  const widths = at(rows, 0).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(at(widths, column)) : cell.padStart(at(widths, column))
    )
    console.log(`  ${cells.join("   ").trimEnd()}`)
  }
}

/**
 * The times of a race, against the first contestant.
 *
 * @param {ReadonlyArray<Result>} results
 * @param {string} unit
 * @param {(milliseconds: number) => number} speed
 */
export const timesTable = (results, unit, speed) => {
  const ours = at(results, 0).median
  table([
    ["", "median", "fastest", "runs", unit, "time / ours"],
    ...results.map(({ fastest, median, name, runs }) => [
      name,
      `${median.toFixed(1)} ms`,
      `${fastest.toFixed(1)} ms`,
      `${runs}`,
      speed(median).toFixed(0),
      `${(median / ours).toFixed(2)}x`
    ])
  ])
}

/** @param {string} claim @param {boolean} met @param {string} figure */
export const bar = (claim, met, figure) => console.log(`  ${met ? "met    " : "NOT MET"}  ${claim}: ${figure}`)

/** @param {string} command @param {ReadonlyArray<string>} parameters @returns {string} what it printed */
export const execute = (command, ...parameters) => {
  const { error, status, stderr, stdout } = spawnSync(command, parameters, { encoding: "utf8" })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`)
  return stdout
}

/** Runs a case as a process of its own. @param {ReadonlyArray<string>} parameters @returns {number} its peak memory */
export const executeCase = (...parameters) =>
  Number(execute(process.execPath, fileURLToPath(new URL("case.js", import.meta.url)), ...parameters))

/** @param {string} command @param {string} versionFlag @returns {string | undefined} its version, if it is installed */
export const versionOf = (command, versionFlag) => {
  const { error, stdout } = spawnSync(command, [versionFlag], { encoding: "utf8" })
  return error === undefined ? /\d+(\.\d+)+\S*/.exec(stdout)?.[0] : undefined
}

/** Those of the processes that are installed; the others get a line. */
export const installed = () => {
  const commands = [
    { command: "sox", version: versionOf("sox", "--version") },
    { command: "ffmpeg", version: versionOf("ffmpeg", "-version") }
  ]
  for (const { command, version } of commands) {
    if (version === undefined) console.log(`  ${command} is not installed, so it is left out.`)
  }
  return new Set(commands.filter(({ version }) => version !== undefined).map(({ command }) => command))
}

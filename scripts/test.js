/**
 * `pnpm test` checks and builds everything, and runs all tests, as CI does. `pnpm test FILE…` runs the tests of these files alone,
 * from the sources, with any option of vitest.
 */
import { spawn } from "node:child_process"

const filters = process.argv.slice(2)
const vitest = `vitest run ${filters.map((filter) => JSON.stringify(filter)).join(" ")}`.trim()

/**
 * Runs a command, and gives its exit status. pnpm has its programs in PATH. On Windows they need a shell.
 *
 * @param {string} command
 * @returns {Promise<number>}
 */
const run = (command) =>
  new Promise((resolve) => {
    spawn(command, { shell: true, stdio: "inherit" }).once("exit", (status) => resolve(status ?? 1))
  })

// The check and the build share nothing, and neither keeps two cores busy.
const before = filters.length > 0 ? [] : await Promise.all([run("pnpm run check"), run("pnpm run build")])
process.exitCode = before.find((status) => status !== 0) ?? (await run(vitest))

/**
 * `pnpm test` checks and builds everything, and runs all tests, as CI does. `pnpm test FILE…` runs the tests of these files alone,
 * from the sources, with any option of vitest.
 */
import { spawn } from "node:child_process"

const filters = process.argv.slice(2)
const vitest = `vitest run ${filters.map((filter) => JSON.stringify(filter)).join(" ")}`.trim()

/** The compiler is a program of Go. If it collects garbage less often, the check takes a quarter less CPU, and a tenth more memory. */
const compiling = { GOGC: "400", ...process.env }

/**
 * Runs a command, and gives its exit status. pnpm has its programs in PATH. On Windows they need a shell.
 *
 * @param {string} command
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<number>}
 */
const run = (command, env = process.env) =>
  new Promise((resolve) => {
    spawn(command, { shell: true, stdio: "inherit", env }).once("exit", (status) => resolve(status ?? 1))
  })

// The tests need the build. Nothing needs the check, which fills the time in which they wait.
const checked = filters.length > 0 ? 0 : run("pnpm run check", compiling)
const built = filters.length > 0 ? 0 : await run("pnpm run build", compiling)
const tested = built === 0 ? await run(vitest) : 0
if ((await checked) !== 0) console.error("The check failed. What it found is above the tests.")
process.exitCode = [built, await checked, tested].find((status) => status !== 0) ?? 0

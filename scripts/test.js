/**
 * `pnpm test` checks and builds everything, and runs all tests, as CI does. `pnpm test FILE…` runs the tests of these files alone,
 * from the sources, with any option of vitest.
 */
import { spawnSync } from "node:child_process"

const filters = process.argv.slice(2)
const steps =
  filters.length > 0
    ? [`vitest run ${filters.map((filter) => JSON.stringify(filter)).join(" ")}`]
    : ["pnpm run check", "pnpm run build", "vitest run"]
for (const step of steps) {
  // pnpm has its programs in PATH. On Windows they need a shell.
  const { status } = spawnSync(step, { shell: true, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

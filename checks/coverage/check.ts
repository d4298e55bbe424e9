/**
 * What of the packages the tests run, and what they don't: `pnpm verify coverage`, or `pnpm verify coverage FILTER…` for some of the
 * tests. What the command, an example or a worker runs in a process or thread of its own is counted too.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { root } from "../../test/support/processes.js"
import { table, title } from "../../test/support/report.js"
import { temporaryFolder } from "../../test/support/processes.js"
import { type Count, countOf, type FileCoverage } from "./gaps.js"
import { runsOfProcesses } from "./seen.js"

const folder = temporaryFolder("coverage-")
const vitest = join(root, "node_modules/vitest/vitest.mjs")
const child = spawn(
  process.execPath,
  [vitest, "run", "--config", "checks/coverage/vitest.config.ts", ...process.argv.slice(2)],
  {
    cwd: root,
    env: { ...process.env, COVERAGE_FOLDER: folder, NODE_V8_COVERAGE: join(folder, "processes") },
    stdio: ["ignore", process.stderr, process.stderr]
  }
)
const [status] = await once(child, "exit")
if (status !== 0) console.error("Some tests failed, so what they would have run is missing.")

const report: Record<string, FileCoverage> = JSON.parse(readFileSync(join(folder, "tests/coverage-final.json"), "utf8"))
const runs = runsOfProcesses(root, join(folder, "processes"))
const files = Object.entries(report)
  .map(([path, coverage]) => {
    const file = relative(root, path)
    return { file, name: file.split("/")[1] ?? "", ...countOf(file, coverage, runs) }
  })
  .toSorted((a, z) => (a.file < z.file ? -1 : 1))

const shown = (counts: ReadonlyArray<Count>): string => {
  const all = counts.reduce((sum, count) => sum + count.all, 0)
  const run = counts.reduce((sum, count) => sum + count.seen, 0)
  return `${run} of ${all} (${((100 * run) / all).toFixed(1)} %)`
}
title("What the tests run")
const names = [...new Set(files.map(({ name }) => name))]
table([
  ["package", "statements", "branches"],
  ...names.map((name) => {
    const own = files.filter((file) => file.name === name)
    return [name, shown(own.map(({ statements }) => statements)), shown(own.map(({ branches }) => branches))]
  })
])

title("What they don't")
for (const { file, gaps } of files) {
  const lines = readFileSync(join(root, file), "utf8").split("\n")
  for (const { column, kind, line } of gaps) {
    console.log(`- ${file}:${line}:${column + 1}, ${kind}: \`\` ${lines[line - 1]?.trim()} \`\``)
  }
}
process.exitCode = status === 0 ? 0 : 1

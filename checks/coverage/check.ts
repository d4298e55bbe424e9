/**
 * Measures which statements and branches of the packages the tests run, and fails if a package is below its threshold.
 * Filters select some of the tests; no threshold applies then. Writes `coverage/lcov.info`, which editors and `genhtml` read.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { convert } from "ast-v8-to-istanbul"
import { root, temporaryFolder } from "effect-speech-test-support/processes"
import { bar, table, title } from "effect-speech-test-support/report"
import { parseAst } from "vitest/node"

/** The lowest share of statements and of branches, in per cent. */
const thresholds: Readonly<Record<string, readonly [statements: number, branches: number]>> = {
  archive: [97.5, 91.5],
  "audio-codec": [98.5, 97],
  "audio-decoder": [95.5, 84],
  cli: [95, 91],
  common: [98.5, 94],
  engine: [98.5, 94],
  "engine-sherpa": [97, 90],
  "local-service": [97.5, 92],
  "long-form": [98.5, 94.5],
  promise: [96, 90],
  stt: [99.5, 98],
  transport: [99, 95],
  tts: [98.5, 96.5]
}

interface Place {
  readonly line?: number
  readonly column?: number
}

/** The part of Istanbul's format that is used here. */
export interface FileCoverage {
  readonly path: string
  readonly statementMap: Readonly<Record<string, { readonly start: Place }>>
  readonly s: Record<string, number>
  readonly branchMap: Readonly<Record<string, { readonly type: string; readonly loc: { readonly start: Place } }>>
  readonly b: Record<string, Array<number>>
}

const folder = temporaryFolder("coverage-")
const processes = join(folder, "processes")
const filters = process.argv.slice(2)
const child = spawn(
  process.execPath,
  [join(root, "node_modules/vitest/vitest.mjs"), "run", "--config", "checks/coverage/vitest.config.ts", ...filters],
  {
    cwd: root,
    env: { ...process.env, COVERAGE_FOLDER: folder, NODE_V8_COVERAGE: processes },
    stdio: ["ignore", process.stderr, process.stderr]
  }
)
const [status] = await once(child, "exit")

const report: Record<string, FileCoverage> = JSON.parse(readFileSync(join(folder, "tests/coverage-final.json"), "utf8"))

/** Adds the counts of another run. The two may have been compiled differently, so the place of a statement identifies it. */
const addCounts = (into: FileCoverage, from: FileCoverage): void => {
  const placeOf = ({ column = 0, line = 0 }: Place) => `${line}:${column}`
  const statements = new Map(
    Object.entries(from.statementMap).map(([id, { start }]) => [placeOf(start), from.s[id] ?? 0])
  )
  for (const [id, { start }] of Object.entries(into.statementMap)) {
    into.s[id] = (into.s[id] ?? 0) + (statements.get(placeOf(start)) ?? 0)
  }
  const keyOf = ({ loc, type }: FileCoverage["branchMap"][string]) => `${type} ${placeOf(loc.start)}`
  const branches = new Map(Object.entries(from.branchMap).map(([id, branch]) => [keyOf(branch), from.b[id] ?? []]))
  for (const [id, branch] of Object.entries(into.branchMap)) {
    const counts = branches.get(keyOf(branch)) ?? []
    into.b[id] = (into.b[id] ?? []).map((count, index) => count + (counts[index] ?? 0))
  }
}

/** What a process has counted. Nothing if it was killed while it wrote. */
const resultsOf = (text: string) => {
  try {
    return JSON.parse(text).result
  } catch {
    return []
  }
}

for (const name of existsSync(processes) ? readdirSync(processes) : []) {
  // The name ends with the number of the thread. Vitest transforms modules in its main threads; workers load them as they are.
  const scripts = /-0\.json$/.test(name) ? /^packages\/[^/]+\/dist\// : /^packages\/[^/]+\/(src|dist)\//
  for (const coverage of resultsOf(readFileSync(join(processes, name), "utf8"))) {
    if (!coverage.url.startsWith("file:")) continue
    const path = fileURLToPath(coverage.url)
    if (!scripts.test(relative(root, path))) continue
    const code = readFileSync(path, "utf8")
    const sourceMap = existsSync(`${path}.map`) ? JSON.parse(readFileSync(`${path}.map`, "utf8")) : undefined
    const converted: Record<string, FileCoverage> = await convert({
      code,
      ast: parseAst(code),
      coverage,
      wrapperLength: 0,
      ...(sourceMap && { sourceMap })
    })
    for (const [source, counts] of Object.entries(converted)) {
      const into = report[source]
      if (into !== undefined) addCounts(into, counts)
    }
  }
}

const packageOf = (file: string) => relative(root, file).split("/")[1] ?? ""
const names = [...new Set(Object.keys(report).map(packageOf))].toSorted()
const shareOf = (counts: ReadonlyArray<number>) => (100 * counts.filter((count) => count > 0).length) / counts.length
const shares = names.map((name) => {
  const files = Object.values(report).filter(({ path }) => packageOf(path) === name)
  const statements = shareOf(files.flatMap(({ s }) => Object.values(s)))
  return { name, statements, branches: shareOf(files.flatMap(({ b }) => Object.values(b).flat())) }
})
title("What the tests run")
const percent = (share: number) => `${share.toFixed(1)} %`
table([
  ["package", "statements", "branches"],
  ...shares.map(({ branches, name, statements }) => [name, percent(statements), percent(branches)])
])

const lcov = Object.values(report).flatMap(({ b, branchMap, path, s, statementMap }) => [
  `SF:${path}`,
  ...Object.entries(statementMap).map(([id, { start }]) => `DA:${start.line},${s[id]}`),
  ...Object.entries(branchMap).flatMap(([id, { loc }]) =>
    (b[id] ?? []).map((count, index) => `BRDA:${loc.start.line},${id},${index},${count}`)
  ),
  "end_of_record"
])
mkdirSync(join(root, "coverage"), { recursive: true })
writeFileSync(join(root, "coverage/lcov.info"), lcov.join("\n"))

if (filters.length === 0) {
  for (const { branches, name, statements } of shares) {
    const [least = 0, leastBranches = 0] = thresholds[name] ?? []
    const isMet = statements >= least && branches >= leastBranches
    bar(`${name}: at least ${least} % of statements and ${leastBranches} % of branches`, isMet, percent(statements))
    if (!isMet) process.exitCode = 1
  }
}
if (status !== 0) {
  console.error("Some tests failed: what they would have run is missing.")
  process.exitCode = 1
}

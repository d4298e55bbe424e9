/**
 * Changes the clients and the transport in one place after another, and sees whether a test notices: `pnpm verify mutation`,
 * `--only tts` for one package, `--files internal/watch` for some of its files, `--minutes N` for how long it may take and
 * `--concurrency N` for how many at once. What was found is kept, so that the next run goes on where one has stopped, and
 * looks again only at what has changed.
 *
 * Every change that no test notices has an answer in `README.md`, or the check fails.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { pnpm, root, run, temporaryFolder } from "../../test/support/processes.js"
import { bar, table, title } from "../../test/support/report.js"
import { answersIn, merged, type Report, shownMutants, tallyOf, unanswered } from "./survivors.js"

/** The tests that can notice a change, by how their paths begin: those that are quick, and the others for what is left. */
const testsOf = {
  tts: { first: ["packages/tts/test/"], others: ["test/faults/", "test/secrecy", "test/endToEnd"] },
  transport: {
    first: ["packages/transport/test/", "packages/tts/test/", "packages/stt/test/"],
    others: ["test/faults/", "test/secrecy", "test/endToEnd"]
  },
  stt: { first: ["packages/stt/test/"], others: ["test/faults/", "test/secrecy", "test/endToEnd"] }
} as const
type Name = keyof typeof testsOf

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    files: { type: "string", default: "" },
    minutes: { type: "string", default: "60" },
    concurrency: { type: "string", default: String(Math.max(1, Math.floor(availableParallelism() / 2))) }
  }
})
const all = Object.keys(testsOf) as ReadonlyArray<Name>
const names = all.filter((name) => values.only === undefined || name === values.only)
const minutes = Number(values.minutes)
if (names.length === 0 || !(minutes > 0)) {
  console.error(`The packages are ${all.join(", ")}, and the minutes a number above 0.`)
  process.exit(1)
}
const end = Date.now() + minutes * 60_000

const here = join(root, "checks/mutation")
const tester = join(here, "stryker/node_modules")
const results = join(here, "results")
mkdirSync(results, { recursive: true })
type Turn = keyof (typeof testsOf)[Name]
const reportFile = (name: Name, turn: Turn) => join(results, `${name}.${turn}.json`)
const reportOf = (name: Name, turn: Turn): Report =>
  existsSync(reportFile(name, turn)) ? JSON.parse(readFileSync(reportFile(name, turn), "utf8")) : { files: {} }
const outcomeOf = (name: Name) => merged(reportOf(name, "first"), reportOf(name, "others"))

/** Stryker writes its changes into the sources, so it gets a copy of all that is in the working tree. */
const copy = temporaryFolder("check-mutants-")
const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
for (const file of stdout.split("\0").filter((path) => path !== "" && existsSync(join(root, path)))) {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  copyFileSync(join(root, file), join(copy, file))
}
await pnpm(["install", "--frozen-lockfile", "--prefer-offline"], { cwd: copy })

interface Piece {
  readonly name: Name
  readonly files: ReadonlyArray<string>
}

/** As many lines as take a few minutes: what a run that has to stop may lose. */
const linesOfPiece = 300

const piecesOf = (name: Name): ReadonlyArray<Piece> => {
  const src = `packages/${name}/src`
  const pieces: Array<{ files: Array<string>; lines: number }> = []
  for (const entry of readdirSync(join(copy, src), { recursive: true, encoding: "utf8" }).toSorted()) {
    if (!entry.endsWith(".ts") || !entry.includes(values.files)) continue
    const lines = readFileSync(join(copy, src, entry), "utf8").split("\n").length
    const last = pieces.at(-1)
    if (last !== undefined && last.lines + lines <= linesOfPiece) {
      last.files.push(`${src}/${entry}`)
      last.lines += lines
    } else pieces.push({ files: [`${src}/${entry}`], lines })
  }
  return pieces.map(({ files }) => ({ name, files }))
}

/** Whether it has come to its end. */
const test = async (name: Name, turn: Turn, mutate: ReadonlyArray<string>): Promise<boolean> => {
  const config = join(copy, "stryker.json")
  writeFileSync(
    config,
    JSON.stringify({
      testRunner: "vitest",
      plugins: [join(tester, "@stryker-mutator/vitest-runner/dist/src/index.js")],
      vitest: { configFile: "checks/mutation/vitest.config.ts", related: false },
      inPlace: true,
      mutate,
      coverageAnalysis: "perTest",
      // What is evaluated once, when a module is loaded: a schema, a table. The compiler knows many of them.
      ignoreStatic: true,
      concurrency: Number(values.concurrency),
      disableTypeChecks: false,
      incremental: true,
      incrementalFile: reportFile(name, turn),
      timeoutMS: 60_000,
      reporters: ["progress-append-only"],
      allowConsoleColors: false
    })
  )
  const child = spawn(process.execPath, [join(tester, "@stryker-mutator/core/bin/stryker.js"), "run", config], {
    cwd: copy,
    env: { ...process.env, MUTANTS_TESTS: JSON.stringify(testsOf[name][turn]) },
    stdio: ["ignore", process.stderr, process.stderr],
    // With all that it starts.
    detached: true
  })
  const stop = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
  }
  const timer = setTimeout(stop, end - Date.now())
  // Before the copy goes, into which it writes.
  process.prependOnceListener("exit", stop)
  const [status, signal] = await once(child, "exit")
  clearTimeout(timer)
  process.off("exit", stop)
  if (status !== 0 && signal === null) throw new Error(`Stryker ended with ${status}.`)
  return signal === null
}

const answers = answersIn(readFileSync(join(here, "README.md"), "utf8"))

/** What is not known yet comes first. */
const isKnown = ({ files, name }: Piece) => files.every((file) => file in reportOf(name, "first").files)
const pieces = names.flatMap(piecesOf).toSorted((one, other) => Number(isKnown(one)) - Number(isKnown(other)))
const steps = [
  ...pieces.map(
    ({ files, name }) =>
      () =>
        test(name, "first", files)
  ),
  ...names.map((name) => async () => {
    const left = unanswered(reportOf(name, "first"), answers).filter(({ file }) => file.includes(values.files))
    const places = [...new Set(left.map(({ place }) => place))]
    return places.length === 0 || (await test(name, "others", places))
  })
]
let done = 0
for (const step of steps) {
  if (Date.now() >= end || !(await step())) break
  done++
  console.error(`${done} of ${steps.length} steps`)
}

const { version } = JSON.parse(readFileSync(join(tester, "@stryker-mutator/core/package.json"), "utf8"))
title(`Mutants, by Stryker ${version}`)
table([
  ["package", "changes", "killed", "timeout", "survived", "no test runs it", "not valid", "only at load"],
  ...names.map((name) => {
    const tally = tallyOf(outcomeOf(name))
    return [
      name,
      ...[tally.all, tally.Killed, tally.Timeout, tally.Survived, tally.NoCoverage, tally.invalid, tally.Ignored].map(
        String
      )
    ]
  })
])

const open = names.flatMap((name) => unanswered(outcomeOf(name), answers))
if (open.length > 0) {
  title("Without an answer")
  table([["change", "where"], ...shownMutants(open)])
}
bar("all was looked at", done === steps.length, `${done} of ${steps.length} steps`)
bar("every change that no test notices has an answer", open.length === 0, `${open.length} have none`)
process.exitCode = done === steps.length && open.length === 0 ? 0 : 1

/**
 * Changes the clients and the transport in one place after another, and measures how many changes a test notices.
 * `README.md` says how. The check fails if the score of a package is below its threshold.
 *
 * - `--only tts`: one package.
 * - `--files internal/timer`: the files of the packages whose path contains this. No threshold applies.
 * - `--minutes N`: stop after this time. Default: 60. The next run continues.
 * - `--concurrency N`: how many changes are tested at a time. Default: half of the processors.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { pnpm, root, run, temporaryFolder } from "effect-speech-test-support/processes"
import { bar } from "effect-speech-test-support/report"

const slowTests = ["test/faults/", "test/secrecy", "test/endToEnd"]
/** The lowest score in per cent, and the tests: how their paths begin, in the order in which they run. */
const packages = {
  tts: { threshold: 92, tests: ["packages/tts/test/", ...slowTests] },
  transport: {
    threshold: 96,
    tests: ["packages/transport/test/", "packages/tts/test/", "packages/stt/test/", ...slowTests]
  },
  stt: { threshold: 97, tests: ["packages/stt/test/", ...slowTests] }
} as const
type Name = keyof typeof packages

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    files: { type: "string", default: "" },
    minutes: { type: "string", default: "60" },
    concurrency: { type: "string", default: String(Math.max(1, Math.floor(availableParallelism() / 2))) }
  }
})
const all = Object.keys(packages) as ReadonlyArray<Name>
const names = all.filter((name) => values.only === undefined || name === values.only)
const minutes = Number(values.minutes)
if (names.length === 0 || !(minutes > 0)) {
  console.error(`--only takes ${all.join(", ")}. --minutes takes a number above 0.`)
  process.exit(2)
}
const end = Date.now() + minutes * 60_000

const here = join(root, "checks/mutation")
const stryker = join(here, "stryker/node_modules/@stryker-mutator")
const results = join(here, "results")
mkdirSync(results, { recursive: true })
const resultsOf = (name: Name) => join(results, `${name}.json`)
const knownFiles = (name: Name): Readonly<Record<string, unknown>> =>
  existsSync(resultsOf(name)) ? JSON.parse(readFileSync(resultsOf(name), "utf8")).files : {}

/** Stryker changes sources in place, so it works on a copy of the working tree. */
const copy = temporaryFolder("check-mutation-")
const { stdout } = await run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
for (const file of stdout.split("\0").filter((path) => path !== "" && existsSync(join(root, path)))) {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  copyFileSync(join(root, file), join(copy, file))
}
await pnpm(["install", "--frozen-lockfile", "--prefer-offline"], { cwd: copy })

/** Runs Stryker. Results: `stopped` if the time was up, `below` if the score is below the threshold. */
const mutate = async (name: Name, files: ReadonlyArray<string>, threshold: number | null) => {
  const config = join(copy, "stryker.json")
  writeFileSync(
    config,
    JSON.stringify({
      testRunner: "vitest",
      plugins: [join(stryker, "vitest-runner/dist/src/index.js")],
      vitest: { configFile: "checks/mutation/vitest.config.ts", related: false },
      inPlace: true,
      mutate: files,
      coverageAnalysis: "perTest",
      // Code that runs when a module is loaded, such as a schema or a table: each change would need every test.
      ignoreStatic: true,
      concurrency: Number(values.concurrency),
      disableTypeChecks: false,
      incremental: true,
      incrementalFile: resultsOf(name),
      timeoutMS: 60_000,
      thresholds: { high: 100, low: threshold ?? 0, break: threshold },
      reporters: ["progress-append-only", ...(threshold === null ? [] : ["clear-text", "html"])],
      clearTextReporter: { logTests: false, reportTests: false },
      htmlReporter: { fileName: join(results, `${name}.html`) },
      allowConsoleColors: false
    })
  )
  const child = spawn(process.execPath, [join(stryker, "core/bin/stryker.js"), "run", config], {
    cwd: copy,
    env: { ...process.env, MUTATION_TESTS: JSON.stringify(packages[name].tests) },
    stdio: ["ignore", "inherit", "inherit"],
    // So that `stop` also ends the processes that it starts.
    detached: true
  })
  const stop = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
  }
  const timer = setTimeout(stop, end - Date.now())
  // Before the copy is removed.
  process.prependOnceListener("exit", stop)
  const [status, signal] = await once(child, "exit")
  clearTimeout(timer)
  process.off("exit", stop)
  if (signal !== null) return "stopped"
  if (status !== 0 && threshold === null) throw new Error(`Stryker ended with ${status}.`)
  return status === 0 ? "done" : "below"
}

/** File by file, so that a run that stops loses the results of one file. Then the whole package, which reuses them. */
const check = async (name: Name) => {
  const src = `packages/${name}/src`
  const files = readdirSync(join(copy, src), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && file.includes(values.files))
    .map((file) => `${src}/${file}`)
  for (const file of files.filter((each) => values.files !== "" || !(each in knownFiles(name)))) {
    if (Date.now() >= end || (await mutate(name, [file], null)) === "stopped") return "stopped"
  }
  return values.files === "" ? mutate(name, [`${src}/**/*.ts`], packages[name].threshold) : "done"
}

for (const name of names) {
  const outcome = await check(name)
  bar(`${name}: tests notice at least ${packages[name].threshold} % of the changes`, outcome === "done", outcome)
  if (outcome !== "done") process.exitCode = 1
}

/**
 * The packages on Effect 4: `pnpm verify effect4`.
 *
 * A copy of the packages is rewritten by the rules of `rules.ts` and by the patches in `overlay/`, type-checked against Effect 4,
 * and tested. `--folder PATH` keeps the copy there. After changes by hand there, `--record PATH` writes them as the new overlay.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { run, temporaryFolder } from "effect-speech-test-support/processes"
import { bar, exitStatus, list, table, title } from "effect-speech-test-support/report"
import { commit, contents, copy, git, install, packages } from "./project.js"
import { rewrite } from "./rules.js"

const overlay = fileURLToPath(new URL("overlay/", import.meta.url))
const {
  folder: kept,
  only,
  record
} = readOptions({
  folder: { type: "string" },
  only: { type: "string" },
  record: { type: "string" }
})
if (only !== undefined && only !== "types") refuseOptions("--only takes types, which leaves out the tests.")

/** The packages, and what their tests share. */
const parts = [...packages, "test/support"]
const partOf = (path: string) => /^packages\/([\w-]+)\//.exec(path)?.[1] ?? "test/support"
const isTest = (path: string) => !path.includes("/src/")

/** Writes by what the folder differs from what the rules made of it: one patch for each part. */
const recordOverlay = async (folder: string) => {
  await git(folder, ["add", "--all"])
  for (const part of parts) {
    const path = part.includes("/") ? part : `packages/${part}`
    const format = ["--unified=2", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/"]
    const { stdout } = await git(folder, ["diff", "--cached", ...format, "rules", "--", path])
    const file = join(overlay, `${part.replace("/", "-")}.patch`)
    if (stdout === "") rmSync(file, { force: true })
    else writeFileSync(file, stdout.replace(/^(diff --git|index|similarity) .*\n/gm, ""))
  }
}

if (record !== undefined) {
  await recordOverlay(record)
  process.exit(0)
}

const folder = kept ?? temporaryFolder("check-effect4-")
mkdirSync(folder, { recursive: true })
const all = contents()
copy(folder, all)
await git(folder, ["init", "--quiet"])
await commit(folder, "copy")
const sources = all.files.filter((file) => /^(packages|test)\/.*\.ts$/.test(file))
const lines = new Map<string, number>()
for (const file of sources) {
  const text = readFileSync(join(folder, file), "utf8")
  const part = partOf(file)
  lines.set(part, (lines.get(part) ?? 0) + text.split("\n").length - 1)
  writeFileSync(join(folder, file), rewrite(text, isTest(file)))
}
await commit(folder, "rules")

/** The hunks of the overlay that do not fit any more. */
const misfits: Array<string> = []
for (const name of readdirSync(overlay)) {
  const { stderr } = await git(folder, ["apply", "--reject", "-C1", "--whitespace=nowarn", join(overlay, name)], true)
  for (const [, file = "", line = ""] of stderr.matchAll(/^error: (?:patch failed: )?(.+?):(?:(\d+)| .*)$/gm)) {
    if (file !== "") misfits.push(line === "" ? file : `${file}:${line}`)
  }
}
await git(folder, ["clean", "--quiet", "--force", "-X", "--", "packages", "test"])
await commit(folder, "overlay")

console.error("Installing Effect 4")
const versions = await install(folder)

/** How many lines of each part differ between two commits. */
const changedLines = async (from: string, to: string) => {
  const { stdout } = await git(folder, ["diff", "--numstat", from, to])
  const found = new Map<string, number>()
  for (const line of stdout.split("\n").filter((each) => each !== "")) {
    const [added = "0", removed = "0", file = ""] = line.split("\t")
    found.set(partOf(file), (found.get(partOf(file)) ?? 0) + Math.max(Number(added), Number(removed)))
  }
  return found
}
const byPattern = await changedLines("copy", "rules")
const byHand = await changedLines("rules", "overlay")

console.error("Checking types")
const { stdout: diagnostics } = await run("npx", ["tsc", "--noEmit", "--pretty", "false"], {
  cwd: folder,
  mayFail: true
})
const errors = [...diagnostics.matchAll(/^(\S+)\(\d+,\d+\): error TS.*$/gm)].map(([text, file = ""]) => ({
  text,
  file
}))

interface Outcome {
  readonly name: string
  readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>
}
const outcomes: Array<Outcome> = []
if (only === undefined) {
  console.error("Running the tests")
  const node = join(folder, "node_modules/node/bin/node")
  const parameters = ["node_modules/vitest/vitest.mjs", "run", "--reporter=json", "--outputFile=tests.log"]
  await run(node, parameters, { cwd: folder, mayFail: true, timeoutMillis: 30 * 60 * 1000 })
  const { testResults }: { testResults: ReadonlyArray<Outcome> } = JSON.parse(
    readFileSync(join(folder, "tests.log"), "utf8")
  )
  outcomes.push(...testResults)
}

const percent = (count: number, part: string) => `${count} (${((100 * count) / (lines.get(part) ?? 1)).toFixed(1)} %)`
const results = (part: string, status: string) =>
  outcomes
    .filter(({ name }) => partOf(name.slice(name.indexOf("/packages/") + 1)) === part)
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((result) => result.status === status).length
title(`Effect ${versions.effect}`)
console.log(
  `Installed: ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ")}.\n`
)
table([
  [
    "part",
    "lines",
    "changed by pattern",
    "by hand",
    "type errors in src",
    "in tests",
    "tests passed",
    "failed",
    "files not run"
  ],
  ...parts.map((part) => {
    const own = errors.filter(({ file }) => partOf(file) === part)
    return [
      part,
      String(lines.get(part)),
      percent(byPattern.get(part) ?? 0, part),
      percent(byHand.get(part) ?? 0, part),
      String(own.filter(({ file }) => !isTest(file)).length),
      String(own.filter(({ file }) => isTest(file)).length),
      String(results(part, "passed")),
      String(results(part, "failed")),
      String(all.left.filter(([file]) => partOf(file) === part).length)
    ]
  })
])
const failed = outcomes.flatMap(({ assertionResults, name }) =>
  assertionResults.length === 0
    ? [`${name.slice(folder.length + 1)}: it does not load`]
    : assertionResults
        .filter(({ status }) => status === "failed")
        .map(({ fullName }) => `${name.slice(folder.length + 1)}: ${fullName}`)
)
list([
  ...misfits.map((hunk) => `does not fit: ${hunk}`),
  ...errors.map(({ text }) => text.slice(0, 200)),
  ...failed.map((test) => `failed: ${test}`),
  ...all.left.map(([file, missing]) => `not run: ${file} needs ${missing}`)
])
const inSources = errors.filter(({ file }) => !isTest(file)).length
bar("every patch of the overlay fits", misfits.length === 0, `${misfits.length} do not`)
bar("the sources have no type error", inSources === 0, `${inSources} errors`)
if (only === undefined) {
  const passed = outcomes
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "passed").length
  const share = passed / Math.max(1, passed + failed.length)
  bar("at least 95 % of the tests pass", share >= 0.95, `${(100 * share).toFixed(1)} %`)
}
process.exitCode = exitStatus()

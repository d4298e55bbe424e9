/**
 * The clients beside what they are built on and beside other SDKs: `pnpm verify bench`. It takes half an hour and writes
 * RESULTS.md. `--only PART` for one part, `--quick` for a short form that only shows that everything runs: both only print.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { cpus, totalmem } from "node:os"
import { fileURLToPath } from "node:url"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { run } from "effect-speech-test-support/processes"
import { parts } from "./part.js"
import { versions as peerVersions } from "./peers/index.js"

const { only, quick } = readOptions({ only: { type: "string" }, quick: { type: "boolean", default: false } })
const names = Object.keys(parts)
if (only !== undefined && !names.includes(only)) refuseOptions(`--only takes one of ${names.join(", ")}.`)

const resultsFile = fileURLToPath(new URL("RESULTS.md", import.meta.url))

const manifest = (file: string | URL) => JSON.parse(readFileSync(file, "utf8"))
const versionOf = (name: string) => manifest(new URL(import.meta.resolve(`${name}/package.json`))).version
const undici = createRequire(import.meta.resolve("@effect/platform-node/package.json")).resolve("undici/package.json")

/** The commit that the packages were built from, apart from changes of the stored results. */
const commit = async () => {
  const git = async (...parameters: ReadonlyArray<string>) => (await run("git", parameters)).stdout.trim()
  try {
    const changed = await git("status", "--porcelain", "--", ":/", ":(exclude,top)checks/bench/RESULTS.md")
    return `${await git("rev-parse", "--short", "HEAD")}${changed === "" ? "" : ", with changes"}`
  } catch {
    return "unknown"
  }
}

const versions = {
  effect: versionOf("effect"),
  "@effect/platform": versionOf("@effect/platform"),
  "@effect/platform-node": versionOf("@effect/platform-node"),
  undici: manifest(undici).version,
  "undici of fetch": process.versions.undici,
  ...peerVersions
}
const header = [
  "# Results\n",
  "Written by `pnpm verify bench`. Anyone can run it again: it needs the network for the peers, and a quiet machine for " +
    `half an hour. \`pnpm verify bench --only NAME\` runs one part: ${names.join(", ")}.\n`,
  `- ${new Date().toISOString().slice(0, 10)}, commit ${await commit()}${quick ? " (quick: too short for conclusions)" : ""}`,
  `- ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB; ` +
    `Node ${process.version}, ${process.platform}`,
  "- client and server on loopback, each a process",
  `- ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ")}\n`
].join("\n")
console.log(header)

let results = ""
for (const name of only === undefined ? names : [only]) {
  console.error(`\n${name}`)
  // In a process of its own, so that no part inherits the heap of another.
  const script = fileURLToPath(new URL("part.ts", import.meta.url))
  const { stdout } = await run(process.execPath, ["--import", "tsx", script, name, String(quick)], {
    progress: true,
    timeoutMillis: 60 * 60 * 1000
  })
  console.log(stdout)
  results += stdout
}

const count = (verdict: string) => results.split(`\n- ${verdict}: `).length - 1
const summary = `- bars met: ${count("met")}, not met: ${count("NOT MET")}`
console.log(`\n${summary}`)
if (count("NOT MET") > 0) process.exitCode = 1

if (only === undefined && !quick) {
  const document = `${header.trimEnd()}\n${summary}\n${results}`.replaceAll(/\n{3,}/g, "\n\n")
  writeFileSync(`${resultsFile}.part`, `${document.trimEnd()}\n`)
  renameSync(`${resultsFile}.part`, resultsFile)
  console.error(`\nWritten to ${resultsFile}`)
}

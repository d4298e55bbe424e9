/**
 * The clients beside what they are built on and beside other SDKs: `pnpm verify bench`, which takes a quarter of an hour and
 * writes RESULTS.md; `--only PART` for a part, and `--quick` for a short form that only shows that it runs, which both
 * write nothing and print alone. Prints Markdown, and its progress to stderr. Exit status 1 where a bar is not met.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { cpus, totalmem } from "node:os"
import { fileURLToPath } from "node:url"
import { readOptions, refuseOptions } from "../../test/support/options.js"
import { track } from "./harness.js"
import { parts } from "./parts.js"
import { versions as peerVersions } from "./peers/index.js"

const { only, quick } = readOptions({ only: { type: "string" }, quick: { type: "boolean", default: false } })
if (only !== undefined && !Object.hasOwn(parts, only)) {
  refuseOptions(`There is no part ${only}; there are ${Object.keys(parts).join(", ")}.`)
}
process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

const here = fileURLToPath(new URL(".", import.meta.url))
const resultsFile = fileURLToPath(new URL("RESULTS.md", import.meta.url))

/** @param {string | URL} file */
const manifest = (file) => JSON.parse(readFileSync(file, "utf8"))
/** @param {string} name */
const versionOf = (name) => manifest(new URL(import.meta.resolve(`${name}/package.json`))).version
const undici = createRequire(import.meta.resolve("@effect/platform-node/package.json")).resolve("undici/package.json")

/** What the packages were built from. The results of the last time are no part of it. */
const commit = () => {
  /** @param {ReadonlyArray<string>} parameters */
  const git = (...parameters) => execFileSync("git", parameters, { encoding: "utf8", cwd: here }).trim()
  try {
    const changed = git("status", "--porcelain", "--", ":/", `:(exclude,top)checks/bench/RESULTS.md`)
    return `${git("rev-parse", "--short", "HEAD")}${changed === "" ? "" : ", with changes"}`
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
const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`
const header = [
  "# Results\n",
  "Written by `pnpm verify bench`, which anyone can run again: it needs the network for the peers alone, and a quiet machine for a " +
    `quarter of an hour. One part of it is \`pnpm verify bench --only NAME\`, of ${Object.keys(parts).join(", ")}.\n`,
  `- ${new Date().toISOString().slice(0, 10)}, commit ${commit()}${quick ? " (quick: too short for conclusions)" : ""}`,
  `- ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${memory}; Node ${process.version}, ${process.platform}`,
  "- client and server on loopback, each a process",
  `- ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ")}\n`
].join("\n")

/** Each part in a process of its own, so that none carries the heap of another. @param {string} name */
const runPart = async (name) => {
  console.error(`\n${name}`)
  const parameters = ["--import", "tsx", fileURLToPath(new URL("part.js", import.meta.url)), name, String(quick)]
  const child = track(spawn(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] }))
  let printed = ""
  child.stdout.setEncoding("utf8").on("data", (text) => {
    printed += text
    process.stdout.write(text)
  })
  const [status] = await once(child, "close")
  if (status !== 0) throw new Error(`${name} ended with ${status}.`)
  return printed
}

console.log(header)
let results = ""
for (const name of only === undefined ? Object.keys(parts) : [only]) results += await runPart(name)

/** @param {string} verdict */
const count = (verdict) => results.split(`\n- ${verdict}: `).length - 1
const summary = `- bars met: ${count("met")}, not met: ${count("NOT MET")}`
console.log(`\n${summary}`)
if (count("NOT MET") > 0) process.exitCode = 1

if (only === undefined && !quick) {
  // Blank lines are one, as Markdown's are.
  const document = `${header.trimEnd()}\n${summary}\n${results}`.replaceAll(/\n{3,}/g, "\n\n")
  writeFileSync(`${resultsFile}.part`, `${document.trimEnd()}\n`)
  renameSync(`${resultsFile}.part`, resultsFile)
  console.error(`\nWritten to ${resultsFile}`)
}

/**
 * The clients beside what they are built on and beside other SDKs: `pnpm verify bench`. It takes three quarters of
 * an hour and writes RESULTS.md. `--only PARTS` for some parts, `--quick` for a short form that only shows that everything runs: both only print.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { cpus, totalmem } from "node:os"
import { fileURLToPath } from "node:url"
import { readOptions } from "effect-speech-test-support/options"
import { run } from "effect-speech-test-support/processes"
import { judgeNoMeasurement } from "effect-speech-test-support/report"
import { runParts } from "../support/parts.js"
import * as Calls from "./calls/calls.js"
import * as Faults from "./faults/faults.js"
import * as Growth from "./growth/growth.js"
import * as Layers from "./layers/layers.js"
import * as Long from "./long/long.js"
import { versions as peerVersions } from "./peers/index.js"
import * as WithoutEffect from "./promise/promise.js"
import * as Runtimes from "./runtimes/runtimes.js"
import * as Start from "./start.js"
import * as Upload from "./upload/upload.js"

const { only, quick } = readOptions({ only: { type: "string" }, quick: { type: "boolean", default: false } })
const setting = { quick }
if (quick) judgeNoMeasurement()
const parts = {
  calls: () => Calls.run(setting),
  layers: () => Layers.run(setting),
  runtimes: () => Runtimes.run(setting),
  promise: () => WithoutEffect.run(setting),
  upload: () => Upload.run(setting),
  growth: () => Growth.run(setting),
  long: () => Long.run(setting),
  faults: () => Faults.run(setting),
  start: () => Start.run(setting)
}

const manifest = (file: string | URL) => JSON.parse(readFileSync(file, "utf8"))
const versionOf = (name: string) => manifest(new URL(import.meta.resolve(`${name}/package.json`))).version
const undici = createRequire(import.meta.resolve("@effect/platform-node/package.json")).resolve("undici/package.json")
const versions = {
  effect: versionOf("effect"),
  "@effect/platform": versionOf("@effect/platform"),
  "@effect/platform-node": versionOf("@effect/platform-node"),
  undici: manifest(undici).version,
  "undici of fetch": process.versions.undici,
  ...peerVersions
}
const commit = (await run("git", ["describe", "--always", "--dirty"])).stdout.trim()

/** All that is printed, for RESULTS.md. */
const printed: Array<string> = []
const print = console.log
console.log = (text = "") => {
  printed.push(text)
  print(text)
}

console.log(
  [
    "# Results\n",
    "Written by `pnpm verify bench`. Anyone can run it again: it needs the network for the peers and the runtimes, and a " +
      `quiet machine for three quarters of an hour. \`pnpm verify bench --only NAME\` runs one part: ${Object.keys(parts).join(", ")}.\n`,
    `- ${new Date().toISOString().slice(0, 10)}, commit ${commit}${quick ? " (quick: too short for conclusions)" : ""}`,
    `- ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB; ` +
      `Node ${process.version}, ${process.platform}`,
    "- client and server on loopback, each a process",
    `- ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}`
  ].join("\n")
)
await runParts(parts, only)

if (only === undefined && !quick) {
  const file = fileURLToPath(new URL("RESULTS.md", import.meta.url))
  writeFileSync(`${file}.part`, `${printed.join("\n").trimEnd()}\n`.replaceAll(/\n{3,}/g, "\n\n"))
  renameSync(`${file}.part`, file)
}

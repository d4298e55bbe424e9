/**
 * The audio codec against other libraries, other programs and the limits of the machine: `pnpm verify bench-codec`, or
 * `pnpm verify bench-codec --only=3` for one table.
 *
 * Each group of tables runs in a process of its own, so that none inherits the memory of another.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { versionOf } from "./harness.js"
import { writeRecording } from "./signal.js"

/** @type {Record<string, string>} */
const tables = {
  1: "conversion.js",
  2: "wav.js",
  3: "writing.js",
  4: "telephony.js",
  5: "resampling.js",
  6: "quality.js"
}

const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length)
if (only !== undefined && tables[only] === undefined) {
  console.error(`There is no table ${only}; there are ${Object.keys(tables).join(", ")}.`)
  process.exit(1)
}

/** @param {string | URL} file */
const manifest = (file) => JSON.parse(readFileSync(new URL(file), "utf8"))
const versions = {
  effect: manifest(import.meta.resolve("effect/package.json")).version,
  ...manifest(new URL("peers/package.json", import.meta.url)).devDependencies,
  sox: versionOf("sox", "--version"),
  ffmpeg: versionOf("ffmpeg", "-version")
}
console.log(`${cpus()[0]?.model}, ${cpus().length} cores; Node ${process.version}, ${process.platform}`)
for (const [name, version] of Object.entries(versions)) console.log(`${name} ${version ?? "not installed"}`)
console.log("Times are medians of interleaved runs after one that warms up.")

const folder = mkdtempSync(join(tmpdir(), "bench-codec-"))
process.once("exit", () => rmSync(folder, { recursive: true }))
process.once("SIGINT", () => process.exit(130))
writeRecording(join(folder, "in.wav"))

for (const [number, file] of Object.entries(tables)) {
  if (only !== undefined && only !== number) continue
  const script = fileURLToPath(new URL(file, import.meta.url))
  const { signal, status } = spawnSync(process.execPath, [script, folder], { stdio: "inherit" })
  if (status !== 0) process.exitCode = 1
  if (signal !== null) break
}

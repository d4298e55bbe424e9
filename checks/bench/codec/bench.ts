/**
 * The audio codec beside other libraries, other programs and the limits of the machine: `pnpm verify bench-codec`, or
 * `--only N` for one table. Each group of tables runs in a process of its own, so that none inherits the memory of another.
 */
import { readFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { run, temporaryFolder } from "effect-speech-test-support/processes"
import { programVersions } from "./harness.js"
import { writeRecording } from "./signal.js"

const tables = ["conversion", "wav", "writing", "telephony", "resampling", "quality"]
const { only } = readOptions({ only: { type: "string" } })
if (only !== undefined && tables[Number(only) - 1] === undefined) refuseOptions(`--only takes 1 to ${tables.length}.`)

const manifest = (file: string | URL) => JSON.parse(readFileSync(new URL(file), "utf8"))
const versions = {
  effect: manifest(import.meta.resolve("effect/package.json")).version,
  ...manifest(new URL("peers/package.json", import.meta.url)).devDependencies,
  ...{ sox: "not installed", ffmpeg: "not installed", ...programVersions() }
}
console.log(`${cpus()[0]?.model}, ${cpus().length} cores; Node ${process.version}, ${process.platform}`)
for (const [name, version] of Object.entries(versions)) console.log(`${name} ${version}`)
console.log("Times are medians of interleaved runs, after one that warms up.")

const folder = temporaryFolder("bench-codec-")
writeRecording(join(folder, "in.wav"))
for (const [index, name] of tables.entries()) {
  if (only !== undefined && Number(only) !== index + 1) continue
  const script = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  const parameters = ["--import", "tsx", script, folder]
  const { status, stdout } = await run(process.execPath, parameters, { mayFail: true, progress: true })
  console.log(stdout)
  if (status !== 0) process.exitCode = 1
}

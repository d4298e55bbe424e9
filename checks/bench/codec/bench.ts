/**
 * The audio codec beside other libraries, other programs and the limits of the machine: `pnpm verify bench-codec`, or `--only
 * PARTS` for some of it.
 */
import { readFileSync } from "node:fs"
import { cpus } from "node:os"
import { readOptions } from "effect-speech-test-support/options"
import { runParts } from "../../support/parts.js"
import { programVersions } from "./harness.js"
import { measureQuality } from "./quality.js"
import * as Speed from "./speed.js"

const { only } = readOptions({ only: { type: "string" } })
const manifest = (file: string | URL) => JSON.parse(readFileSync(new URL(file), "utf8"))
const versions = {
  effect: manifest(import.meta.resolve("effect/package.json")).version,
  ...manifest(new URL("peers/package.json", import.meta.url)).devDependencies,
  ...{ sox: "not installed", ffmpeg: "not installed", ...programVersions() }
}
console.log(`${cpus()[0]?.model}, ${cpus().length} cores; Node ${process.version}, ${process.platform}`)
for (const [name, version] of Object.entries(versions)) console.log(`${name} ${version}`)
console.log("Times are medians of interleaved runs, after one that warms up.")
await runParts({ ...Speed, quality: measureQuality }, only)

/**
 * The clients against what they are built on and against other SDKs: `pnpm bench:clients`, `--quick` for a short form
 * that only shows that it runs, `--only calls` or `--only upload` for one part. Prints Markdown, and its progress to
 * stderr. A bar that is not met is printed as such; only an error makes it fail.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { cpus, tmpdir, totalmem } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { measureCalls } from "./calls.js"
import { startServer } from "./harness.js"
import { measureUpload } from "./upload.js"

const { values: options } = parseArgs({ options: { only: { type: "string" }, quick: { type: "boolean" } } })
const { only, quick = false } = options
if (only !== undefined && only !== "calls" && only !== "upload") {
  console.error(`There is no part ${only}; there are calls and upload.`)
  process.exit(1)
}

/** @param {string | URL} file */
const manifest = (file) => JSON.parse(readFileSync(file, "utf8"))
/** @param {string} name */
const versionOf = (name) => manifest(new URL(import.meta.resolve(`${name}/package.json`))).version
const undici = createRequire(import.meta.resolve("@effect/platform-node/package.json")).resolve("undici/package.json")

const versions = {
  "effect-speech": commit(),
  effect: versionOf("effect"),
  "@effect/platform": versionOf("@effect/platform"),
  "@effect/platform-node": versionOf("@effect/platform-node"),
  undici: manifest(undici).version,
  "undici of fetch": process.versions.undici,
  ...manifest(new URL("peers/package.json", import.meta.url)).devDependencies
}

/** The packages have no version of their own before they are published. */
function commit() {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], {
      encoding: "utf8",
      cwd: fileURLToPath(new URL(".", import.meta.url))
    }).trim()
  } catch {
    return "unknown"
  }
}

const folder = mkdtempSync(join(tmpdir(), "bench-clients-"))
process.once("exit", () => rmSync(folder, { recursive: true }))
process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

console.log(
  `# Clients, ${new Date().toISOString().slice(0, 10)}${quick ? " (quick: too short for conclusions)" : ""}\n`
)
console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB; Node ${process.version}, ` +
    `${process.platform}; client and server on loopback, each a process.\n`
)
console.log(
  Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ")
)

const server = await startServer()
const setting = { folder, quick, url: server.url }
if (only !== "upload") await measureCalls(setting)
if (only !== "calls") await measureUpload(setting)
await server.stop()

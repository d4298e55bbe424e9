/**
 * Runs a program from the sources: `node scripts/run.js FILE [ARGUMENT…]`. It bundles the program, and keeps the bundle until a
 * file of the workspace in it changes: bundled, a program starts several times as fast. Errors point to the sources.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { root, runnable } from "./bundling.js"

const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error("Give the file of a program.")
  process.exit(2)
}
const program = resolve(file)
const cache = join(root, "node_modules/.cache/effect-speech")
const bundle = join(cache, `${createHash("sha256").update(program).digest("hex").slice(0, 16)}.mjs`)
const state = `${bundle}.json`

/** @param {string} path */
const changedAt = (path) => statSync(path).mtimeMs

const isFresh = () => {
  try {
    /** @type {ReadonlyArray<readonly [string, number]>} */
    const inputs = JSON.parse(readFileSync(state, "utf8"))
    return inputs.every(([path, time]) => changedAt(path) === time)
  } catch {
    return false
  }
}

/** Another process may read the file meanwhile. @param {string} path @param {string | Uint8Array} content */
const replace = (path, content) => {
  const part = `${path}.${process.pid}`
  writeFileSync(part, content)
  renameSync(part, path)
}

if (!isFresh()) {
  const began = Date.now()
  const { build, stop } = await import("esbuild")
  const result = await build({
    ...runnable,
    entryPoints: [program],
    outfile: bundle,
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
    write: false
  }).catch(() => process.exit(1))
  await stop()
  mkdirSync(cache, { recursive: true })
  const inputs = Object.keys(result.metafile.inputs).filter((input) => !input.includes("node_modules/"))
  const all = [...inputs, "scripts/run.js", "scripts/bundling.js", "pnpm-lock.yaml"].map((input) =>
    resolve(root, input)
  )
  const times = all.map((path) => /** @type {const} */ ([path, changedAt(path)]))
  for (const { contents, path } of result.outputFiles) replace(path, contents)
  // One that changed meanwhile may be in the bundle as it was.
  if (times.every(([, time]) => time < began)) replace(state, JSON.stringify(times))
}

process.argv.splice(1, 2, program)
process.setSourceMapsEnabled(true)
await import(String(pathToFileURL(bundle)))

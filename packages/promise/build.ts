/**
 * Builds the package into `dist`: one file with all that it uses, Effect and undici included, so that it needs no other package.
 * The module for `import` exports that of `require`, so a process has one class of errors, whichever way it is loaded.
 * The bundle is a file of its own: Node searches a CommonJS module for the names of its exports, before `import` gives them. In the
 * bundle that would take as long as to load it.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "esbuild"
import { bundling } from "../../scripts/bundling.js"
import { licencesOf } from "../../scripts/licences.js"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const dist = here("dist")
const bundle = join(dist, "bundle.cjs")

/** Where `tsc --build` writes the declarations of all modules. */
const declarations = here("node_modules/.cache/declarations")

/**
 * The state of Effect and undici is in the bundle, not in the global object of the process. Else the agent of this undici would serve
 * the `fetch` of the process too, another Effect would share its values, and jest, which keeps what is set there, would break the
 * fibers when a test file ends.
 */
const ownState: Plugin = {
  name: "own state",
  setup: ({ onLoad }) => {
    onLoad(
      { filter: /[\\/]effect[\\/]dist[\\/]esm[\\/](internal[\\/]fiberRuntime|GlobalValue)\.js$/ },
      async ({ path }) => {
        const text = await readFile(path, "utf8")
        return { contents: `const ownState = {};\n${text.replaceAll("globalThis[", "ownState[")}`, loader: "js" }
      }
    )
    // All of undici that the transport uses. The rest would be a quarter of the bundle.
    onLoad({ filter: /[\\/]undici[\\/]index\.js$/ }, () => ({
      contents: `exports.Agent = require("./lib/dispatcher/agent.js"); exports.buildConnector = require("./lib/core/connect.js")`,
      loader: "js"
    }))
    // Of no use without its cache. A bundler would import it for each Node, and Node 20 does not have it.
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]util[\\/]runtime-features\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(/^ *'node:sqlite':.*\n/m, ""),
      loader: "js"
    }))
  }
}

const { banner: _, ...settings } = bundling

// Not minified: it would load no faster than within 5 %, and nobody could read the stack of a defect.
const { metafile } = await build({
  ...settings,
  entryPoints: [here("src/index.ts")],
  outfile: bundle,
  format: "cjs",
  metafile: true,
  plugins: [ownState],
  write: false
}).then(async ({ metafile, outputFiles }) => {
  await rm(dist, { recursive: true, force: true })
  await mkdir(dist)
  for (const { contents, path } of outputFiles) await writeFile(path, contents)
  return { metafile }
})

const names = Object.keys(createRequire(import.meta.url)(bundle)).sort()
const exported = names.map((name) => `exports.${name} = bundle.${name}\n`)
await writeFile(join(dist, "index.cjs"), `"use strict"\nconst bundle = require("./bundle.cjs")\n${exported.join("")}`)
await writeFile(join(dist, "index.js"), `export { ${names.join(", ")} } from "./index.cjs"\n`)
await writeFile(join(dist, "licences.txt"), await licencesOf(metafile))

/** A relative import of a declaration. */
const relativeImport = /(?<=(?:from|import\() ?")(\.{1,2}\/[^"]+)\.js(?=")/g

/** Copies the declarations of a module, and of those that it imports, as those of CommonJS. */
const written = new Set<string>()
const copyDeclarations = async (module: string): Promise<void> => {
  if (written.has(module)) return
  written.add(module)
  const text = await readFile(join(declarations, `${module}.d.ts`), "utf8")
  const file = join(dist, `${module}.d.cts`)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text.replace(relativeImport, "$1.cjs"))
  for (const [, path = ""] of text.matchAll(relativeImport)) await copyDeclarations(join(dirname(module), path))
}
await copyDeclarations("index")

// A program without the types of Node has `AsyncDisposable` only so.
const index = join(dist, "index.d.cts")
await writeFile(index, `/// <reference lib="esnext.disposable" />\n${await readFile(index, "utf8")}`)
await writeFile(join(dist, "index.d.ts"), `export * from "./index.cjs"\n`)

/**
 * Builds the page of the console into `dist/console`: `index.html`, and a script, a style sheet and lazily loaded chunks
 * whose names hold a digest of their content; `licences.txt` of the packages in them.
 */
import { createHash } from "node:crypto"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { type BuildOptions, build, context, type Metafile, type Plugin } from "esbuild"
import { root } from "../../../scripts/bundling.js"
import { licencesOf } from "../../../scripts/licences.js"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * wavesurfer.js writes a style element into its shadow root, which a content security policy without `unsafe-inline`
 * blocks. The element is removed here. `src/player/waveformStyle.ts` is adopted in its place.
 */
const removeInlineStyle: Plugin = {
  name: "remove the inline style of wavesurfer.js",
  setup: ({ onLoad }) => {
    onLoad({ filter: /wavesurfer\.esm\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8")
      const parts = source.split(/<style\$\{.*?<\/style>/s)
      if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} style elements, and 1 was expected`)
      return { contents: parts.join(""), loader: "js" }
    })
  }
}

interface Files {
  readonly script: string
  readonly style: string
  readonly icon: string
  /** Modules that the script imports at once. */
  readonly chunks: ReadonlyArray<string>
}

const page = ({ chunks, icon, script, style }: Files): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Local speech service</title>
<link rel="icon" type="image/svg+xml" href="console/${icon}">
<link rel="stylesheet" href="console/${style}">
${chunks
  .map(
    (chunk) => `<link rel="modulepreload" href="console/${chunk}">
`
  )
  .join("")}<script type="module" src="console/${script}"></script>
</head>
<body>
<div id="console"></div>
<noscript>This page needs JavaScript. The API is described in <a href="openapi.json">openapi.json</a>.</noscript>
</body>
</html>
`

const optionsFor = (folder: string) =>
  ({
    entryPoints: { console: here("src/main.tsx"), style: here("src/console.css") },
    absWorkingDir: root,
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: ["es2022", "chrome123", "firefox125", "safari18"],
    conditions: ["@effect-speech/source"],
    loader: { ".woff2": "file" },
    entryNames: "[name]-[hash]",
    chunkNames: "chunk-[hash]",
    assetNames: "[name]-[hash]",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    metafile: true,
    plugins: [removeInlineStyle],
    logLevel: "warning"
  }) satisfies BuildOptions

/** The names of the modules that a module imports before it runs, and those that they import. */
const importedBy = (metafile: Metafile, path: string): ReadonlyArray<string> => {
  const imported = new Set<string>()
  const follow = (from: string) => {
    for (const { kind, path: to } of metafile.outputs[from]?.imports ?? []) {
      if (kind !== "import-statement" || imported.has(to)) continue
      imported.add(to)
      follow(to)
    }
  }
  follow(path)
  return Array.from(imported, (each) => basename(each))
}

const empty = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
}

/** Writes the page, its icon and the licences. Returns the names of the files that the first load needs. */
const writePage = async (folder: string, metafile: Metafile): Promise<ReadonlyArray<string>> => {
  const output = (source: string) => {
    const found = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(source))
    if (found === undefined) throw new Error(`esbuild wrote nothing for ${source}`)
    return { name: basename(found[0]), path: found[0] }
  }
  const script = output("main.tsx")
  const style = output("console.css")
  const drawing = await readFile(here("icon.svg"))
  const icon = `icon-${createHash("sha256").update(drawing).digest("hex").slice(0, 8).toUpperCase()}.svg`
  await writeFile(`${folder}/${icon}`, drawing)
  const chunks = importedBy(metafile, script.path)
  await writeFile(`${folder}/index.html`, page({ script: script.name, style: style.name, icon, chunks }))
  await writeFile(`${folder}/licences.txt`, await licencesOf(metafile))
  return ["index.html", icon, script.name, style.name, ...chunks]
}

/** Builds the page into a folder, which it empties first. Returns the names of the files that the first load needs. */
export const buildConsole = async (folder: string): Promise<ReadonlyArray<string>> => {
  await empty(folder)
  const { metafile } = await build(optionsFor(folder))
  return writePage(folder, metafile)
}

/** Builds the page again after each change of its sources, until the process ends. The service reads it anew for each request. */
const watchConsole = async (folder: string): Promise<void> => {
  const writing: Plugin = {
    name: "the page around the script",
    setup: ({ onEnd }) =>
      onEnd(async ({ metafile }) => {
        if (metafile === undefined) return
        await writePage(folder, metafile)
        console.log(`${new Date().toLocaleTimeString()}: the page is built. Reload it.`)
      })
  }
  await empty(folder)
  const options = optionsFor(folder)
  await (await context({ ...options, plugins: [...options.plugins, writing] })).watch()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = here("../dist/console")
  await (process.argv.includes("--watch") ? watchConsole(folder) : buildConsole(folder))
}

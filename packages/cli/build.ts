/**
 * Builds the command into `dist`: a bundle for each program, so that a process loads a few files in place of a thousand, with the
 * console of the local service and `licences.txt` of all packages in them. What the manifest calls a dependency stays outside.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, parse, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "esbuild"
import { bundling, libsqlFiles, undiciClient } from "../../scripts/bundling.js"
import { licencesOf } from "../../scripts/licences.js"

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * The server of `@effect/platform-node` imports its client for a layer that no command uses. esbuild leaves out the layer, but
 * would load the client with `speech serve`, and undici with it, since other commands use them.
 */
const serverWithoutClient: Plugin = {
  name: "a server without a client",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.\/NodeHttpClient\.js$/ }, ({ importer, path }) =>
      /internal.httpServer\.js$/.test(importer) ? { path, external: true, sideEffects: false } : undefined
    )
}

const dist = here("dist")
/** Chunks are here, so that the local service and the decoder find their threads, the page and a package.json as in their own `dist`. */
const bundle = "internal/bundle"

/** What `programs.ts` of the sources loads is a bundle beside. */
const bundledPrograms: Plugin = {
  name: "programs in their bundles",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/programs\// }, ({ path }) => ({
      path: path.replace("./programs", `./${bundle}`),
      external: true
    }))
}

/**
 * Programs that share no code with others, since people run them most. Shared code is a hundred chunks, and such a program would load
 * sixty of them, which takes a third of the CPU of a short run.
 */
const alone = ["synthesize", "transcribe"]

/** Bundles that share their chunks. */
const bundled = async (entryPoints: Readonly<Record<string, string>>) => {
  const { dependencies, peerDependencies } = JSON.parse(await readFile(here("package.json"), "utf8"))
  return build({
    ...bundling,
    outdir: dist,
    write: false,
    entryPoints,
    chunkNames: `${bundle}/[hash]`,
    splitting: true,
    // msgpackr is faster with this native module, and works without.
    external: [...Object.keys({ ...dependencies, ...peerDependencies }), "msgpackr-extract"],
    // For the coverage of our tests. They are larger than the code, and not published.
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
    plugins: [bundledPrograms, libsqlFiles, serverWithoutClient, undiciClient]
  })
}

/**
 * Builds the command into a folder, which it empties first. The files are the same in each folder. The page of the console is
 * built before.
 */
export const buildCommand = async (folder: string): Promise<void> => {
  const programs = (await readdir(here("src/programs"))).map((file) => parse(file).name)
  const sharing = programs.filter((name) => !alone.includes(name))
  const results = await Promise.all([
    bundled({ bin: here("src/bin.ts") }),
    ...[...alone.map((name) => [name]), sharing].map((names) =>
      bundled(Object.fromEntries(names.map((name) => [`${bundle}/${name}`, here(`src/programs/${name}.ts`)])))
    ),
    bundled({
      [`${bundle}/espeakWorker`]: here("../local-service/src/internal/espeak/espeakWorker.js"),
      [`${bundle}/decodeWorker`]: here("../audio-decoder/src/internal/decodeWorker.js"),
      [`${bundle}/modelHost`]: here("../engine-sherpa/src/internal/host/modelHost.js"),
      [`${bundle}/parentWatch`]: here("../engine-sherpa/src/internal/host/parentWatch.js")
    })
  ])
  await rm(folder, { recursive: true, force: true })
  for (const { contents, path } of results.flatMap(({ outputFiles }) => outputFiles)) {
    const file = join(folder, relative(dist, path))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, contents)
  }
  await cp(here("../local-service/dist/console"), join(folder, "console"), { recursive: true })
  const outputs = Object.assign({}, ...results.map(({ metafile }) => metafile.outputs))
  await writeFile(join(folder, "licences.txt"), await licencesOf({ outputs }))
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await buildCommand(dist)
}

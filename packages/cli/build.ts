/**
 * Builds the command into `dist`: bundles, so that a process loads a few files in place of a thousand, with the console of the
 * local service and `licences.txt` of all packages in them. What the manifest calls a dependency stays outside.
 */
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "esbuild"
import { bundling, undiciClient } from "../../scripts/bundling.js"
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

/**
 * Builds the command into a folder, which it empties first. The files are the same in each folder. The page of the console is
 * built before.
 */
export const buildCommand = async (folder: string): Promise<void> => {
  const { dependencies, peerDependencies } = JSON.parse(await readFile(here("package.json"), "utf8"))
  const { metafile, outputFiles } = await build({
    ...bundling,
    outdir: dist,
    write: false,
    // The local service and the decoder find their threads, the page and a package.json by these paths, as in their own `dist`.
    entryPoints: {
      bin: here("src/bin.ts"),
      "internal/bundle/espeakWorker": here("../local-service/src/internal/espeak/espeakWorker.js"),
      "internal/bundle/decodeWorker": here("../audio-decoder/src/internal/decodeWorker.js"),
      "internal/bundle/modelHost": here("../engine-sherpa/src/internal/host/modelHost.js"),
      "internal/bundle/parentWatch": here("../engine-sherpa/src/internal/host/parentWatch.js")
    },
    chunkNames: "internal/bundle/[hash]",
    splitting: true,
    // msgpackr is faster with this native module, and works without.
    external: [...Object.keys({ ...dependencies, ...peerDependencies }), "msgpackr-extract"],
    // For the coverage of our tests. They are larger than the code, and not published.
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
    plugins: [serverWithoutClient, undiciClient]
  })
  await rm(folder, { recursive: true, force: true })
  for (const { contents, path } of outputFiles) {
    const file = join(folder, relative(dist, path))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, contents)
  }
  await cp(here("../local-service/dist/console"), join(folder, "console"), { recursive: true })
  await writeFile(join(folder, "licences.txt"), await licencesOf(metafile))
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await buildCommand(dist)
}

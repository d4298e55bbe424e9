import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"

export const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * How esbuild bundles a program of ours with all packages that it uses: the command as it is published, and what runs from the
 * sources. JavaScript, because plain Node runs `run.js`.
 *
 * @satisfies {import("esbuild").BuildOptions}
 */
export const bundling = {
  absWorkingDir: root,
  bundle: true,
  format: /** @type {const} */ ("esm"),
  platform: /** @type {const} */ ("node"),
  target: "node20.19",
  conditions: ["@effect-speech/source"],
  // For packages in CommonJS: an ES module has no `require`.
  banner: {
    js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);'
  },
  logLevel: /** @type {const} */ ("warning")
}

/**
 * What our programs use of undici, whose whole takes a seventh of the start of a command: its cookies alone load the undici inside
 * Node, and nothing here sends by its `fetch`.
 *
 * @type {import("esbuild").Plugin}
 */
export const undiciClient = {
  name: "the client of undici alone",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]undici[\\/]index\.js$/ }, () => ({
      contents: `
        const Dispatcher = require("./lib/dispatcher/dispatcher")
        const { getGlobalDispatcher, setGlobalDispatcher } = require("./lib/global")
        Object.assign(Dispatcher.prototype, require("./lib/api"))
        module.exports = {
          Dispatcher, getGlobalDispatcher, setGlobalDispatcher,
          Agent: require("./lib/dispatcher/agent"),
          buildConnector: require("./lib/core/connect")
        }`,
      loader: "js"
    }))
}

/**
 * The client of libsql for databases in files. That for servers loads Node's own `fetch` and the package `ws`, which take a twelfth of the
 * start of `speech run`.
 *
 * @type {import("esbuild").Plugin}
 */
export const libsqlFiles = {
  name: "the client of libsql for files alone",
  setup: ({ onResolve, resolve }) =>
    onResolve({ filter: /^@libsql\/client$/ }, ({ importer, kind, path, resolveDir }) =>
      resolve(`${path}/sqlite3`, { importer, kind, resolveDir })
    )
}

/** @type {import("esbuild").Plugin} */
const filesBeside = {
  name: "files beside the sources and the packages",
  setup: ({ onLoad, onResolve }) => {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8").replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path)))
      return { contents, loader: "ts" }
    })
    // It loads a native module.
    onResolve({ filter: /^libsql$/ }, ({ importer, path }) => ({
      path: createRequire(importer).resolve(path),
      external: true
    }))
  }
}

/**
 * For a bundle in any folder, which finds its threads and native modules where the sources and the packages are.
 *
 * @satisfies {import("esbuild").BuildOptions}
 */
export const runnable = {
  ...bundling,
  external: ["msgpackr-extract"],
  plugins: [filesBeside, libsqlFiles, undiciClient]
}

/**
 * Bundles a program from the sources. Its process needs no compiler, which would take ten times as long as the bundle to start.
 *
 * @param {string} program
 * @param {string} outfile An `.mjs`.
 */
export const bundleProgram = async (program, outfile) => {
  const { build } = await import("esbuild")
  await build({ ...runnable, entryPoints: [program], outfile })
}

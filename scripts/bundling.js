import { fileURLToPath } from "node:url"

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

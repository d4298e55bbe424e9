/**
 * Finds `sherpa-onnx-node`. It is not a dependency, since there is GPL code in its binary: the user installs it.
 */
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import { SherpaNotInstalled } from "../../SherpaError.js"

const name = "sherpa-onnx-node"

/** What npm installs. */
const version = `${name}@1.13`

const resolveFrom = (file: string): string | undefined => {
  try {
    return createRequire(file).resolve(name)
  } catch {
    return undefined
  }
}

/** `undefined` if the folder was removed. */
const currentFolder = (): string | undefined => {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/**
 * The URL of its module, or `undefined` if it is not installed. It is looked for beside this package, or beside the command that has
 * this package in its bundle; then from the current folder, so that a global command finds that of a project.
 */
export const sherpaModule = (): string | undefined => {
  const folder = currentFolder()
  const path = resolveFrom(import.meta.url) ?? (folder === undefined ? undefined : resolveFrom(join(folder, "_")))
  return path === undefined ? undefined : pathToFileURL(path).href
}

/** Fails if it is not installed. Only the process of a model loads it. */
export const ensureInstalled: Effect.Effect<void, SherpaNotInstalled> = Effect.suspend(() => {
  if (sherpaModule() !== undefined) return Effect.void
  const beside = fileURLToPath(new URL(".", import.meta.url))
  const folder = currentFolder()
  const places = folder === undefined ? beside : `${beside} and ${folder}`
  return new SherpaNotInstalled({
    message: `${name} is not installed, which runs the models. It was looked for from ${places}. In a project, run npm install ${version}. For a command that is installed globally, run npm install --global ${version}.`
  })
})

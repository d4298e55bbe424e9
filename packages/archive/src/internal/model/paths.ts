/**
 * The paths of a run. They are real paths, so that a link and its target are the same. In a file store, those below the folder of the
 * file are relative to it, so that the folder can be moved.
 */
import { existsSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import type { RunSettings } from "../../Run.js"

/** The path without links, as far as it exists. */
export const realPath = (path: string): string => {
  const absolute = resolve(path)
  try {
    return realpathSync(absolute)
  } catch {
    const parent = dirname(absolute)
    return parent === absolute ? absolute : join(realPath(parent), basename(absolute))
  }
}

/** The real path of a source. The name of a stream of texts is no path, and stays as it is. */
export const realRoot = (root: string): string => (isAbsolute(root) && existsSync(root) ? realpathSync(root) : root)

const withPaths = (settings: RunSettings, change: (path: string) => string): RunSettings => ({
  ...settings,
  root: change(settings.root),
  output: { ...settings.output, directory: change(settings.output.directory) }
})

/** As a store in this folder keeps the settings. Without a folder, each path is absolute. */
export const toStored = (settings: RunSettings, folder: string | undefined): RunSettings =>
  folder === undefined
    ? settings
    : withPaths(settings, (path) => {
        const below = relative(folder, path)
        const isBelow = isAbsolute(path) && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below)
        return isBelow ? `.${sep}${below}` : path
      })

/** As a store in this folder has kept the settings. */
export const fromStored = (settings: RunSettings, folder: string | undefined): RunSettings =>
  folder === undefined
    ? settings
    : withPaths(settings, (path) => (path.startsWith(`.${sep}`) ? resolve(folder, path) : path))

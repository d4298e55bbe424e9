/**
 * Folders before there is a `FileSystem`. For Node, Bun and Deno.
 */
import { chmodSync, mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Makes a folder, and those above it that do not exist, as `makeFolder` of `Files` does. Each has this mode, whatever the umask is.
 * Returns whether it made the folder.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeFolderSync = (path: string, mode: number): boolean => {
  if (isFolder(path)) return false
  const above = dirname(path)
  if (above !== path) makeFolderSync(above, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process was faster.
    if (isFolder(path)) return false
    throw error
  }
  chmodSync(path, mode)
  return true
}

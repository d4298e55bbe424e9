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
 * Throws the error of Node if the folder can't be made.
 *
 * @example
 * ```ts
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { FilesSync } from "@effect-speech/common"
 *
 * const folder = join(tmpdir(), `speech-${crypto.randomUUID()}`)
 * console.log(FilesSync.makeFolderSync(folder, 0o700), FilesSync.makeFolderSync(folder, 0o700)) // true false
 * ```
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

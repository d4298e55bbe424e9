import { mkdir, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { systemCode } from "@effect-speech/common/SystemCode"

/**
 * Creates a folder, and the folders above it, if they do not exist.
 *
 * The option `recursive` of Node never ends in a file system that refuses a new folder with ENOENT, such as /proc.
 */
export const makeFolder = async (path: string): Promise<void> => {
  const folder = resolve(path)
  try {
    await makeOne(folder)
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || dirname(folder) === folder) throw error
    await makeFolder(dirname(folder))
    await makeOne(folder)
  }
}

/** Creates a folder in one that exists. */
export const makeOne = async (path: string): Promise<void> => {
  try {
    await mkdir(path)
  } catch (error) {
    const isFolder = systemCode(error) === "EEXIST" && (await stat(path).catch(() => undefined))?.isDirectory()
    if (isFolder !== true) throw error
  }
}

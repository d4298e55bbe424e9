import { lstatSync, statSync } from "node:fs"

/** What a path is. `undefined`: nothing is there, or it can't be read. */
export const typeOf = (path: string): "folder" | "file" | undefined => {
  try {
    return statSync(path).isDirectory() ? "folder" : "file"
  } catch {
    return undefined
  }
}

/** Whether a path is a link, also to something that does not exist. `false`: or it can't be read. */
export const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

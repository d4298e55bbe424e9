import { statSync } from "node:fs"

/** What a path is. `undefined`: nothing is there, or it can't be read. */
export const typeOf = (path: string): "folder" | "file" | undefined => {
  try {
    return statSync(path).isDirectory() ? "folder" : "file"
  } catch {
    return undefined
  }
}

/**
 * Where the files of a command are after a folder above them was renamed.
 */
import { isAbsolute, join, relative, sep } from "node:path"

/** A path in a folder, relative to it. `undefined`: the path is elsewhere. */
export const relativeTo = (folder: string, path: string): string | undefined => {
  const below = relative(folder, path)
  return below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below) ? undefined : below
}

/**
 * Where a path is now, if it was renamed together with a folder: that was `before`, and is `now`. All are absolute. What both end in was
 * not renamed, but something above it, which is not the root. `undefined`: the path was not renamed with it.
 */
export const movedPath = (path: string, before: string, now: string): string | undefined => {
  const [old, found] = [before.split(sep), now.split(sep)]
  let same = 0
  while (same < Math.min(old.length, found.length) - 2 && old.at(-1 - same) === found.at(-1 - same)) same++
  const rootOf = (parts: ReadonlyArray<string>) => parts.slice(0, parts.length - same).join(sep)
  const below = relativeTo(rootOf(old), path)
  return below === undefined ? undefined : join(rootOf(found), below)
}

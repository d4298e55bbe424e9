/**
 * Where the files of a command are after a folder above them was renamed.
 */
import { isAbsolute, join, relative, sep } from "node:path"

/** The way from a folder to a path in it. `undefined`: the path is elsewhere. */
export const wayTo = (folder: string, path: string): string | undefined => {
  const way = relative(folder, path)
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way
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
  const way = wayTo(rootOf(old), path)
  return way === undefined ? undefined : join(rootOf(found), way)
}

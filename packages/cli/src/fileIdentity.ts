/**
 * Which file a path is: a file is known by what it is, not by how its path was typed.
 */
import { fstatSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"

/** Options of `stat`: the number of a file may be too large for a double. */
export const exact = { bigint: true } as const

interface Numbered {
  readonly dev: bigint
  readonly ino: bigint
}

/** Whether two files have one number on one disk. */
export const isSameNumber = (one: Numbered, other: Numbered | undefined): boolean =>
  one.dev === other?.dev && one.ino === other.ino

/** `undefined`: there is no file, it is no regular one, or its file system numbers no files, as some of a network. */
const identityOf = (file: string | number): string | undefined => {
  try {
    const stats = typeof file === "number" ? fstatSync(file, exact) : statSync(file, exact)
    return stats.isFile() && stats.ino !== 0n ? `${stats.dev} ${stats.ino}` : undefined
  } catch {
    return undefined
  }
}

/** A path is compared by its name too, since some file systems number no files. */
const isSamePath = (input: string, output: string): boolean => {
  try {
    return resolve(input) === resolve(output)
  } catch {
    // A relative path leads nowhere: the working directory was deleted.
    return false
  }
}

/** Whether a result would replace its own input. A dash is standard input or output, which may be redirected to a file. */
export const isSameFile = (input: string, output: string): boolean => {
  if (input !== "-" && isSamePath(input, output)) return true
  const identity = identityOf(input === "-" ? 0 : input)
  return identity !== undefined && identity === identityOf(output === "-" ? 1 : output)
}

/** Whether a path is a link itself. */
export const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/** How many links a system follows. */
const mostLinks = 40

/** The file that a path leads to, through every link, also if it does not exist yet. */
export const leadsTo = (path: string): string => {
  let reached = path
  for (let links = 0; links < mostLinks; links++) {
    try {
      // Unlike `resolve`, the system takes `..` behind a link as the folder above its target.
      return realpathSync.native(reached)
    } catch {
      try {
        const folder = realpathSync.native(dirname(reached))
        reached = join(folder, basename(reached))
        const target = readlinkSync(reached)
        reached = isAbsolute(target) ? target : `${folder}/${target}`
      } catch {
        return reached
      }
    }
  }
  return reached
}

const isSameFolder = (one: string, other: string): boolean => {
  const [first, second] = [one, other].map((path) => statSync(path, { ...exact, throwIfNoEntry: false }))
  return one === other || (first !== undefined && first.ino !== 0n && isSameNumber(first, second))
}

/**
 * Whether two results would be one file, also if neither exists yet. Names that differ in case or in their Unicode form are the
 * same on some file systems, and here.
 */
export const isSameOutput = (one: string, other: string): boolean => {
  if (isSameFile(one, other)) return true
  const [first, second] = [leadsTo(one), leadsTo(other)]
  const nameOf = (path: string) => basename(path).normalize("NFC").toLowerCase()
  return isSameFolder(dirname(first), dirname(second)) && nameOf(first) === nameOf(second)
}

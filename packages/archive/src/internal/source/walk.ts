import { opendir, realpath } from "node:fs/promises"
import { join } from "node:path"
import { sourceFailed, unreadable } from "./files.js"
import type { SourceItem } from "./SourceItem.js"

export interface WalkOptions {
  /** Absolute. */
  readonly root: string
  /** Whether to list the file of this path below the root. */
  readonly isTaken: (path: string) => boolean
  /** Levels of folders below the root to enter. Default: all. */
  readonly depth?: number | undefined
  /** A folder that is not entered. Absolute. */
  readonly skip?: string | undefined
  /** How many names of one folder are sorted at once; twice as many are in memory. Default: 200,000. */
  readonly mostNames?: number | undefined
}

/** A path below the root, or an item for a folder that can't be read. */
export type Found = string | SourceItem

/** The files below a folder, in the order of their names. */
export async function* walk({
  depth = Number.POSITIVE_INFINITY,
  isTaken,
  root,
  skip,
  mostNames = 200_000
}: WalkOptions): AsyncGenerator<Found> {
  const real = (path: string) => realpath(path).catch(() => path)
  const realRoot = await real(root)
  const skipped = skip === undefined ? undefined : await real(skip)

  async function* below(folder: string, level: number): AsyncGenerator<Found> {
    const isListed = (name: string, isFolder: boolean): boolean => {
      if (name.startsWith(".")) return false
      return isFolder ? level < depth && join(realRoot, folder, name) !== skipped : isTaken(folder + name)
    }
    const batches = sortedNames(join(root, folder), isListed, mostNames)
    for (;;) {
      let next: IteratorResult<ReadonlyArray<string>, void>
      try {
        next = await batches.next()
      } catch (error) {
        if (folder === "") throw sourceFailed(root, error)
        yield unreadable(folder.slice(0, -1), join(root, folder), error)
        return
      }
      if (next.done === true) return
      for (const name of next.value) {
        if (name.endsWith("/")) yield* below(folder + name, level + 1)
        else yield folder + name
      }
    }
  }
  yield* below("", 0)
}

/**
 * The names in a folder in their order, as batches. The name of a folder ends with a slash. A folder with more names than one batch
 * is read again for the next: memory does not grow with the folder.
 */
async function* sortedNames(
  folder: string,
  isListed: (name: string, isFolder: boolean) => boolean,
  mostNames: number
): AsyncGenerator<ReadonlyArray<string>, void> {
  let after = ""
  for (;;) {
    let names: Array<string> = []
    /** Names from here on belong to a later batch. */
    let end: string | undefined
    const cut = () => {
      names.sort()
      if (names.length <= mostNames) return
      end = names[mostNames]
      names = names.slice(0, mostNames)
    }
    for await (const entry of await opendir(folder, { bufferSize: 1024 })) {
      const isFolder = entry.isDirectory()
      const name = isFolder ? `${entry.name}/` : entry.name
      if (name <= after || (end !== undefined && name >= end) || !isListed(entry.name, isFolder)) continue
      names.push(name)
      if (names.length === 2 * mostNames) cut()
    }
    cut()
    yield names
    if (end === undefined) return
    after = names.at(-1) ?? after
  }
}

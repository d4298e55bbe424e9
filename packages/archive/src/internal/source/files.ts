import { createHash } from "node:crypto"
import { constants, type Stats } from "node:fs"
import { open, stat } from "node:fs/promises"
import { join, relative, resolve, sep } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Printable from "@effect-speech/common/Printable"
import { systemCode } from "@effect-speech/common/SystemCode"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ArchiveSourceFailed } from "../../ArchiveError.js"
import { identityOf } from "../model/identity.js"
import { pathProblem } from "../pathProblem.js"
import { isOfOpenStore } from "../store/openStores.js"
import type { SourceItem } from "./SourceItem.js"

/** Files that are looked at together. */
const batchSize = 256

/** Files that are read at once to know them by their content. */
const readAtOnce = 8

interface FilesOptions {
  /** Absolute. */
  readonly root: string
  readonly byContent: boolean
  /** Files in this folder are left out, as those of a store that is open. Absolute. */
  readonly skip?: string | undefined
}

/** Looks at each file that a generator finds. It is run again for each listing. */
export const toItems = (
  find: () => AsyncIterable<string | SourceItem>,
  options: FilesOptions
): Stream.Stream<SourceItem, ArchiveSourceFailed> =>
  Stream.suspend(() =>
    Stream.fromAsyncIterable(batchesOf(find(), options), (error) => asSourceFailed(options.root, error))
  ).pipe(Stream.map(Chunk.unsafeFromArray), Stream.flattenChunks)

/** Looks at the file of each path in a stream. */
export const pathItems = <R>(
  paths: Stream.Stream<string, ArchiveSourceFailed, R>,
  options: FilesOptions
): Stream.Stream<SourceItem, ArchiveSourceFailed, R> =>
  paths.pipe(
    Stream.zipWithIndex,
    Stream.rechunk(batchSize),
    Stream.mapChunksEffect((chunk) =>
      Effect.tryPromise({
        try: async () =>
          Chunk.unsafeFromArray(
            await itemsOf(
              Chunk.toReadonlyArray(chunk).map(([path, index]) => pathBelow(options.root, path, index + 1)),
              options
            )
          ),
        catch: (error) => asSourceFailed(options.root, error)
      })
    )
  )

/** A list of paths. */
export interface List {
  readonly path: string
  /** Whether its root was chosen. If not, it is the working directory. */
  readonly hasRoot: boolean
}

/** The path below the root, with `/`. Throws an `ArchiveSourceFailed` if it lies elsewhere. `number` is its place in the list. */
export const pathBelow = (root: string, path: string, number: number, list?: List): string => {
  const below = relative(root, resolve(root, path)).replaceAll(sep, "/")
  const problem = path.includes("\0") ? "holds a NUL character" : pathProblem(below)
  if (problem === undefined) return below
  const advice =
    list?.hasRoot === false
      ? "run this in the folder that holds all files: paths of a list are relative to the working directory"
      : "set root to the folder that holds all files"
  throw new ArchiveSourceFailed({
    path: list?.path ?? root,
    line: number,
    message: Printable.line(
      `Path ${number}${list === undefined ? "" : ` of ${list.path}`} does not name a file in ${root}: ${path}. Correct it, or ${advice}.`
    )
  })
}

async function* batchesOf(
  found: AsyncIterable<string | SourceItem>,
  options: FilesOptions
): AsyncGenerator<ReadonlyArray<SourceItem>> {
  let batch: Array<string | SourceItem> = []
  for await (const next of found) {
    batch.push(next)
    if (batch.length < batchSize) continue
    yield await itemsOf(batch, options)
    batch = []
  }
  if (batch.length > 0) yield await itemsOf(batch, options)
}

const itemsOf = async (
  found: ReadonlyArray<string | SourceItem>,
  { byContent, root, skip }: FilesOptions
): Promise<Array<SourceItem>> => {
  const inside = skip?.startsWith(`${root}${sep}`) ? `${skip}${sep}` : undefined
  const looked = await Promise.all(
    found.map(async (path) => {
      if (typeof path !== "string") return path
      const full = join(root, path)
      const isLeftOut = (inside !== undefined && full.startsWith(inside)) || (await isOfOpenStore(full))
      return isLeftOut ? undefined : itemOf(root, path)
    })
  )
  const items = looked.filter((item) => item !== undefined)
  if (!byContent) return items
  const known: Array<SourceItem> = []
  for (let at = 0; at < items.length; at += readAtOnce) {
    known.push(...(await Promise.all(items.slice(at, at + readAtOnce).map((item) => withContent(root, item)))))
  }
  return known
}

/** `undefined`: a link to a folder. */
const itemOf = async (root: string, path: string): Promise<SourceItem | undefined> => {
  const full = join(root, path)
  try {
    const stats = await stat(full)
    if (stats.isDirectory()) return undefined
    if (stats.isFile()) return { path, ...identityOf(stats) }
    return withProblem(
      path,
      "NotAFile",
      `${full} is ${kindOf(stats)}, not a file. Put a recording there, or remove it, and run again.`
    )
  } catch (error) {
    return unreadable(path, full, error)
  }
}

const kindOf = (stats: Stats): string => (stats.isFIFO() ? "a pipe" : stats.isSocket() ? "a socket" : "a device")

const ofProcess: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE"])

/** A process that has too many open files can open no file: nothing is wrong with this one. */
export const isOfProcess = (code: string | undefined): boolean => ofProcess.has(code)

/** A file or folder that can't be opened. Throws an `ArchiveSourceFailed` if this process can open none. */
export const unreadable = (path: string, full: string, error: unknown): SourceItem => {
  const code = systemCode(error)
  if (isOfProcess(code)) throw sourceFailed(full, error)
  if (code === "ENOENT") {
    const advice = path.includes("\ufffd")
      ? "its name is not valid UTF-8. Rename it, and run again."
      : "it does not exist, or is a link to nothing. Restore it, or remove the link, and run again."
    return withProblem(path, "FileGone", `${full} can't be opened: ${advice}`)
  }
  return withProblem(
    path,
    "FileUnreadable",
    `${full} can't be read (${code ?? "unknown"}): ${adviceFor(code)} Then run again.`
  )
}

const adviceFor = (code: string | undefined): string => {
  switch (code) {
    case "EACCES":
    case "EPERM":
      return "this process has no permission. Change its permissions."
    case "EMFILE":
    case "ENFILE":
      return "this process has too many open files. Raise its limit (ulimit -n)."
    case "ELOOP":
      return "its links lead in a circle. Remove them."
    case "ENAMETOOLONG":
      return "its path is too long for this system. Shorten it."
    default:
      return "check its disk."
  }
}

const withProblem = (path: string, tag: string, message: string): SourceItem => ({
  path,
  size: 0,
  modifiedMillis: 0,
  problem: { tag, message: Printable.line(message) }
})

const withContent = async (root: string, item: SourceItem): Promise<SourceItem> => {
  if (item.problem !== undefined) return item
  try {
    return { ...item, content: await hashFile(join(root, item.path)) }
  } catch (error) {
    return unreadable(item.path, join(root, item.path), error)
  }
}

const blockSize = 512 * 1024

/** SHA-256 of a file, as hexadecimal digits. It is not opened as a pipe, even if the name leads to one by now. */
export const hashFile = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  const block = Buffer.allocUnsafe(blockSize)
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    for (;;) {
      const { bytesRead } = await file.read(block, 0, blockSize)
      if (bytesRead === 0) return hash.digest("hex")
      hash.update(block.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

/** The error of a source that can't be opened or read. */
export const sourceFailed = (path: string, error: unknown): ArchiveSourceFailed => {
  const code = systemCode(error)
  const problem =
    code === "ENOENT" ? "does not exist. Check the path." : `can't be read (${code ?? "unknown"}): ${adviceFor(code)}`
  return new ArchiveSourceFailed({ path, message: Printable.line(`${path} ${problem}`) })
}

const asSourceFailed = (path: string, error: unknown): ArchiveSourceFailed =>
  error instanceof ArchiveSourceFailed ? error : sourceFailed(path, error)

export const requireFolder = (path: string): Effect.Effect<void, ArchiveSourceFailed, FileSystem.FileSystem> =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.stat(path)).pipe(
    Effect.mapError((error) => sourceFailed(path, error)),
    Effect.flatMap(({ type }) =>
      type === "Directory"
        ? Effect.void
        : new ArchiveSourceFailed({
            path,
            message: Printable.line(`${path} is not a folder. Give a folder, a pattern or a list.`)
          })
    )
  )

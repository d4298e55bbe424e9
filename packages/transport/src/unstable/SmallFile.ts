/**
 * Small files, read at once by the file system of `NodeTransport.layer`. Opening a file by the methods of a FileSystem takes more disk
 * calls, a scope, a fiber and many effects, which together cost more than the rest of a short call.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Effect from "effect/Effect"

/**
 * A whole file.
 *
 * @since 0.1.0
 * @category models
 */
export interface SmallFile {
  /** At least one. */
  readonly bytes: Uint8Array
  /** The time of the latest write, in milliseconds since 1970. `undefined`: the file system has no times. */
  readonly modifiedMillis: number | undefined
}

/**
 * Reads the file at `path` if it has at most `longest` bytes, and calls `done` once. The result stops the reading: then `done` is not
 * called, and the result ends when nothing of the file is open.
 *
 * `undefined`: this is not a small file that lay still while it was read. It may be large, empty, missing, a pipe, or written just now.
 * Open it by the FileSystem, which gives the error if there is one.
 *
 * @since 0.1.0
 * @category models
 */
export type ReadSmallFile = (
  path: string,
  longest: number,
  done: (file: SmallFile | undefined) => void
) => Effect.Effect<void>

/**
 * The reader of each file system that has one, found by the identity of the object, as for the drivers of an HttpClient: a file system
 * that a program made of another must see each file in its own methods.
 */
const readers = new WeakMap<FileSystem.FileSystem, ReadSmallFile>()

/**
 * Lets exactly this file system read small files by `read`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withReader = (fs: FileSystem.FileSystem, read: ReadSmallFile): FileSystem.FileSystem => {
  readers.set(fs, read)
  return fs
}

/**
 * How a file system reads small files. `undefined`: only by its methods.
 *
 * @since 0.1.0
 * @category getters
 */
export const readerOf = (fs: FileSystem.FileSystem): ReadSmallFile | undefined => readers.get(fs)

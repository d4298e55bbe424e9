import { close, constants, fstat, open, read, type Stats, stat } from "node:fs"
import * as Effect from "effect/Effect"
import type { ReadSmallFile, SmallFile } from "../../unstable/SmallFile.js"

/** Opens a pipe without waiting for its writer. Windows has neither the flag nor pipes among its files. */
export const readWithoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Reads a small file in five disk calls: `stat` of the path, `open`, `read`, `fstat`, `close`.
 *
 * - A pipe or a device is not opened. If the path becomes one between the first two calls, nothing is read from a pipe, because
 *   the read has a position, and `fstat` shows what was open.
 * - `fstat` after the last byte shows whether the bytes are those of the file that `stat` saw, and whether it was written since.
 *
 * No call is synchronous, although `fstat` of an open file usually needs no disk: on a network file system it may ask a server, and on
 * FUSE another program, or this one.
 */
export const readSmallFile: ReadSmallFile = (path, longest, done) => {
  let isStopped = false
  let hasEnded = false
  let onEnd = (): void => undefined
  const end = (file?: SmallFile): void => {
    hasEnded = true
    if (isStopped) onEnd()
    else done(file)
  }
  const readOpen = (fd: number, before: Stats): void => {
    const bytes = Buffer.allocUnsafeSlow(before.size)
    // No error of `close` makes other bytes of those that were read.
    const closeWith = (file?: SmallFile): void => close(fd, () => end(file))
    const check = (error: unknown, after: Stats): void =>
      error === null && isSameVersion(before, after)
        ? closeWith({ bytes, modifiedMillis: modifiedMillis(after) })
        : closeWith()
    read(fd, bytes, 0, bytes.byteLength, 0, (error, length) =>
      error === null && length === bytes.byteLength ? fstat(fd, check) : closeWith()
    )
  }
  const openFile = (before: Stats): void => {
    if (isStopped || !before.isFile() || before.size === 0 || before.size > longest) end()
    else open(path, readWithoutWaiting, (error, fd) => (error === null ? readOpen(fd, before) : end()))
  }
  try {
    stat(path, (error, before) => (error === null ? openFile(before) : end()))
  } catch {
    // It is not a path.
    end()
  }
  return Effect.async((resume) => {
    isStopped = true
    onEnd = () => resume(Effect.void)
    if (hasEnded) onEnd()
  })
}

/** Programs can set the time of the latest write back, but not `ctimeMs`, the time of the latest change. */
const isSameVersion = (before: Stats, after: Stats): boolean =>
  after.ino === before.ino &&
  after.dev === before.dev &&
  after.size === before.size &&
  after.mtimeMs === before.mtimeMs &&
  after.ctimeMs === before.ctimeMs

/** Deno has no time where its types say that there is one. */
const modifiedMillis = ({ mtime }: { readonly mtime: Date | null }): number | undefined => mtime?.getTime()

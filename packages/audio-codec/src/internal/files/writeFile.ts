import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

/** In bytes. A smaller write costs more than moving its bytes. */
const writeSize = 512 * 1024

/** In bytes. A chunk of this size or more goes to the file as it is. */
const largeChunk = 256 * 1024

/** Gathers small chunks into larger writes. While one is written, the next is gathered. */
export const openGathering = (path: string, options: FileSystem.OpenFileOptions) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    const file = yield* Scope.extend(fs.open(path, options), scope)
    let block = new Uint8Array(writeSize)
    let written = new Uint8Array(writeSize)
    let filled = 0
    let writing: Fiber.Fiber<void, PlatformError> = Fiber.void

    // Otherwise an interrupt would close the file while the system still writes to its descriptor.
    const writeAll = (bytes: Uint8Array) => Effect.uninterruptible(file.writeAll(bytes))
    const waitForWrite = Effect.suspend(() => Fiber.join(writing))
    const startWrite = Effect.gen(function* () {
      yield* waitForWrite
      if (filled === 0) return
      const write = writeAll(block.subarray(0, filled))
      ;[block, written] = [written, block]
      filled = 0
      writing = yield* Effect.forkIn(write, scope)
      // Lets the write begin before the next block is gathered.
      yield* Effect.yieldNow()
    })
    const flush = Effect.zipRight(startWrite, waitForWrite)
    const write = (chunk: Uint8Array): Effect.Effect<void, PlatformError> => {
      if (chunk.byteLength >= largeChunk) return Effect.zipRight(flush, writeAll(chunk))
      if (filled + chunk.byteLength > writeSize) {
        return Effect.zipRight(
          startWrite,
          Effect.suspend(() => write(chunk))
        )
      }
      block.set(chunk, filled)
      filled += chunk.byteLength
      return Effect.void
    }
    return { write, close: Effect.zipRight(flush, Scope.close(scope, Exit.void)) }
  })

/**
 * Replaces bytes of a file that is open for reading and writing, at given offsets.
 *
 * All bytes before them are written again: the `fs.write` of Bun takes no position from a FileSystem, and writes where it
 * wrote last. Every runtime reads by position.
 */
export const overwrite = (
  file: FileSystem.File,
  replacements: ReadonlyArray<readonly [offset: number, bytes: Uint8Array]>
): Effect.Effect<void, PlatformError> =>
  Effect.gen(function* () {
    const end = Math.max(...replacements.map(([offset, bytes]) => offset + bytes.byteLength))
    const block = new Uint8Array(Math.min(writeSize, end))
    for (let start = 0; start < end; ) {
      yield* file.seek(FileSystem.Size(start), "start")
      const size = Number(yield* file.read(block.subarray(0, Math.min(block.byteLength, end - start))))
      if (size === 0) return
      const part = block.subarray(0, size)
      for (const [offset, bytes] of replacements) {
        const visible = bytes.subarray(Math.max(0, start - offset), Math.max(0, start + size - offset))
        if (visible.byteLength > 0) part.set(visible, Math.max(0, offset - start))
      }
      yield* file.seek(FileSystem.Size(start), "start")
      yield* file.writeAll(part)
      start += size
    }
  })

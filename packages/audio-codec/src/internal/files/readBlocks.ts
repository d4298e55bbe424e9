import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** In bytes. A smaller read costs more than moving its bytes. */
const readSize = 512 * 1024

/**
 * Reads a file from `offset` on. All blocks share one piece of memory, because new memory for each would cost as much as
 * reading. So use up a block before you pull the next, and put no buffer between.
 */
export const readBlocks = (path: string, offset = 0): Stream.Stream<Uint8Array, PlatformError, FileSystem.FileSystem> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { type } = yield* fs.stat(path)
      if (type === "FIFO" || type === "Socket")
        return yield* notAFile("read", path, type, "decode its stream with decodeStream")
      const file = yield* fs.open(path)
      yield* file.seek(FileSystem.Size(offset), "start")
      const block = new Uint8Array(readSize)
      return Stream.repeatEffectChunkOption(
        Effect.flatMap(Effect.mapError(file.read(block), Option.some), (size) =>
          size === 0n ? Effect.fail(Option.none()) : Effect.succeed(Chunk.of(block.subarray(0, Number(size))))
        )
      )
    })
  )

/** The error for a path that is not a file. `instead` is what to do. */
export const notAFile = (method: string, path: string, type: FileSystem.File.Type, instead: string) =>
  new SystemError({
    module: "FileSystem",
    method,
    reason: "BadResource",
    pathOrDescriptor: path,
    description: `the path must be a WAV file, not a ${type === "FIFO" ? "pipe" : type.toLowerCase()}; ${instead}`
  })

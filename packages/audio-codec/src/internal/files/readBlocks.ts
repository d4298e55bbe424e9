import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** In bytes: calls for less cost more than the bytes they move. */
const readSize = 512 * 1024

/**
 * A file from an offset on, in blocks that are all in the same memory: a block is to be used up before the next one is
 * asked for, so nothing that gathers or buffers may stand between. New memory for each would cost as much as reading.
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

/** The error for something that is no file where one is needed, and what to do instead. */
export const notAFile = (method: string, path: string, type: FileSystem.File.Type, instead: string) =>
  new SystemError({
    module: "FileSystem",
    method,
    reason: "BadResource",
    pathOrDescriptor: path,
    description: `a WAV file is needed, not a ${type === "FIFO" ? "pipe" : type.toLowerCase()}; ${instead}`
  })

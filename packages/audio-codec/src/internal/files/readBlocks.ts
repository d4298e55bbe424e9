import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type OpenFile, openFile } from "./openFile.js"

/** In bytes. A smaller read costs more than moving its bytes. */
const readSize = 2 * 1024 * 1024

interface OpenBlocks extends OpenFile {
  readonly blocks: Stream.Stream<Uint8Array, PlatformError>
}

/**
 * Opens a file, to be read from `offset` on. The next block is read while one is used.
 *
 * All blocks share two pieces of memory, because new memory for each would cost as much as reading. So use up a block before
 * you pull the next, and put no buffer between.
 */
export const openBlocks = (
  path: string,
  { flag = "r", offset = 0 }: { readonly flag?: "r" | "r+"; readonly offset?: number } = {}
): Effect.Effect<OpenBlocks, PlatformError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const { file, info } = yield* openSeekable(path, { flag })
    yield* file.seek(FileSystem.Size(offset), "start")
    const scope = yield* Effect.scope
    let block = new Uint8Array(readSize)
    let used = new Uint8Array(readSize)
    const read = Effect.suspend(() => file.read(block)).pipe(Effect.exit, Effect.forkIn(scope))
    let reading: Effect.Effect.Success<typeof read> | undefined
    const blocks = Stream.repeatEffectChunkOption(
      Effect.gen(function* () {
        reading ??= yield* read
        const size = yield* Effect.mapError(Effect.flatten(Fiber.join(reading)), Option.some)
        const result = block.subarray(0, Number(size))
        ;[block, used] = [used, block]
        if (size === 0n) return yield* Effect.fail(Option.none())
        reading = yield* read
        // Lets the read begin before the block is used.
        yield* Effect.yieldNow()
        return Chunk.of(result)
      })
    )
    return { file, info, blocks }
  })

/** Opens a file, and refuses a folder, and a pipe, which can't be read by position. */
export const openSeekable = (path: string, options?: FileSystem.OpenFileOptions) =>
  openFile<PlatformError>(
    path,
    ({ type }) =>
      type === "FIFO" || type === "Socket" || type === "Directory"
        ? notAFile("read", path, type, "decode its stream with decodeStream")
        : Effect.void,
    options
  )

/** The error for a path that is not a file. `instead` is what to do. */
export const notAFile = (method: string, path: string, type: FileSystem.File.Type, instead: string) =>
  new SystemError({
    // The code that the system itself gives, only later and by some methods.
    ...(type === "Directory" && { cause: Object.assign(new Error("it is a folder"), { code: "EISDIR" }) }),
    module: "FileSystem",
    method,
    reason: "BadResource",
    pathOrDescriptor: path,
    description:
      type === "Directory"
        ? "the path is a folder; give the path of a file"
        : `the path must be a WAV file, not a ${type === "FIFO" ? "pipe" : type.toLowerCase()}; ${instead}`
  })

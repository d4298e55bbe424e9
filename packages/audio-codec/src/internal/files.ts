import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AudioFormat } from "../AudioFormat.js"
import { padding, wavHeader } from "./wav/wavHeader.js"

/** In bytes: calls for less cost more than the bytes they move. */
const readSize = 512 * 1024
const writeSize = 512 * 1024

/** At least this much of a block goes to the file as it is, without being gathered. */
const largeChunk = 256 * 1024

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

/** A name in the folder of `path`, so that a rename to it stays on one disk. What is there in the end is removed. */
export const temporaryBeside = (path: string): Effect.Effect<string, never, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    // The beginning of the name is enough to know it by, and a longer one might be too long.
    const folder = /^.*[/\\\\]/s.exec(path)?.[0] ?? ""
    const beginning = Array.from(path.slice(folder.length)).slice(0, 40).join("")
    const name = `${folder}${beginning}.${crypto.randomUUID()}.part`
    yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(name)))
    return name
  })

/** Gathers small chunks into larger writes. */
const openGathering = (path: string, flag: FileSystem.OpenFlag) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    const file = yield* Scope.extend(fs.open(path, { flag }), scope)
    const block = new Uint8Array(writeSize)
    let filled = 0

    const flush = Effect.suspend(() => {
      if (filled === 0) return Effect.void
      const bytes = block.subarray(0, filled)
      filled = 0
      return file.writeAll(bytes)
    })
    const write = (chunk: Uint8Array): Effect.Effect<void, PlatformError> => {
      if (chunk.byteLength >= largeChunk) {
        return filled === 0 ? file.writeAll(chunk) : Effect.zipRight(flush, file.writeAll(chunk))
      }
      if (filled + chunk.byteLength > writeSize) {
        return Effect.zipRight(
          flush,
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
 * Puts bytes into a file, each at its offset, in place of those that are there.
 *
 * All that stands before them is written again as it is: the `fs.write` of Bun takes no position from a FileSystem, and
 * writes where it has written last. Reading is done by position everywhere.
 */
export const overwrite = (
  path: string,
  replacements: ReadonlyArray<readonly [offset: number, bytes: Uint8Array]>
): Effect.Effect<void, PlatformError, FileSystem.FileSystem> =>
  Effect.scoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = yield* fs.open(path, { flag: "r+" })
      const end = Math.max(...replacements.map(([offset, bytes]) => offset + bytes.byteLength))
      const block = new Uint8Array(Math.min(readSize, end))
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
  )

export interface WavWriter {
  /** To be called when the chunk is to be written: it may be gathered at once. */
  readonly write: (chunk: Uint8Array) => Effect.Effect<void, PlatformError>
  /** Ends the file, of whose samples so many bytes were written. */
  readonly close: (dataLength: number) => Effect.Effect<void, PlatformError>
}

/** Writes into a device, whose header can't be put right at the end. */
export const openDevice = (format: AudioFormat, byteLength: number | undefined, path: string) =>
  Effect.gen(function* () {
    const file = yield* openGathering(path, "w")
    yield* file.write(wavHeader(format, byteLength))
    const writer: WavWriter = {
      write: file.write,
      close: (dataLength) => Effect.zipRight(file.write(new Uint8Array(padding(dataLength))), file.close)
    }
    return writer
  })

/** Writes a temporary file beside `path`, which takes its name when it is closed, with the permissions of `mode`. */
export const openReplacement = (
  format: AudioFormat,
  byteLength: number | undefined,
  path: string,
  mode: number | undefined
) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const scope = yield* Effect.scope
    const temporary = yield* temporaryBeside(path)
    const file = yield* Effect.mapError(openGathering(temporary, "wx"), (error) =>
      error._tag === "SystemError" ? new SystemError({ ...error, pathOrDescriptor: path }) : error
    )
    const provisional = wavHeader(format, byteLength)
    yield* file.write(provisional)

    /** An RF64 begins with more bytes than were left for the header, so its samples move to another file. */
    const moved = (header: Uint8Array) =>
      Effect.gen(function* () {
        const large = yield* temporaryBeside(path)
        const copy = yield* openGathering(large, "wx")
        yield* copy.write(header)
        yield* Stream.runForEach(readBlocks(temporary, provisional.byteLength), copy.write)
        yield* copy.close
        return large
      })
    const writer: WavWriter = {
      write: file.write,
      close: (dataLength) =>
        Effect.gen(function* () {
          yield* file.write(new Uint8Array(padding(dataLength)))
          const header = wavHeader(format, dataLength)
          const fits = header.byteLength === provisional.byteLength
          yield* file.close
          if (byteLength === undefined && fits) yield* overwrite(temporary, [[0, header]])
          const whole = fits ? temporary : yield* moved(header)
          if (mode !== undefined) yield* fs.chmod(whole, mode & 0o777)
          yield* fs.rename(whole, path)
        }).pipe(Effect.provideService(FileSystem.FileSystem, fs), Scope.extend(scope))
    }
    return writer
  })

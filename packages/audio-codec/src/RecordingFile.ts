/**
 * A file as the bytes of a recording, in flat memory: read by position, or from the start as often as you like.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { isTooManyOpenFiles, systemCode } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { fromFile, type RecordingBytes } from "./Container.js"
import { openFile } from "./internal/files/openFile.js"
import { RecordingFileError } from "./RecordingFileError.js"

export { RecordingFileError } from "./RecordingFileError.js"

/**
 * An open file. Read it in one place at a time, because all reads move one position. Each effect fails with `RecordingFileError`.
 *
 * @example
 * ```ts
 * import { RecordingFile } from "@effect-speech/audio-codec"
 * import { Effect, Stream } from "effect"
 *
 * // The bytes of a file that did not change meanwhile.
 * export const read = (path: string) =>
 *   RecordingFile.open(path).pipe(
 *     Effect.flatMap((file) => Stream.runCollect(file.stream)),
 *     Effect.scoped
 *   )
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface RecordingFile extends RecordingBytes<RecordingFileError> {
  /** As given. */
  readonly path: string
  /** The size when it was opened, in bytes. It may be 0. */
  readonly byteLength: number
  /** The time of the latest write when it was opened, in milliseconds since 1970. `undefined`: the file system has no times. */
  readonly modifiedMillis: number | undefined
  /** Fails with `Changed` if the file was written since it was opened. */
  readonly unchanged: Effect.Effect<void, RecordingFileError>
  /**
   * Makes a function that reads the next bytes into a block and returns their number, from the start of the file on; 0 at the end.
   * With the last bytes it checks that the file is {@link unchanged}.
   */
  readonly reader: () => (block: Uint8Array) => Effect.Effect<number, RecordingFileError>
  /** All bytes, in chunks of at most 256 KiB, from the start in each run. It fails if the file changes meanwhile. */
  readonly stream: Stream.Stream<Uint8Array, RecordingFileError>
}

/** In bytes. */
const chunkSize = 256 * 1024

/**
 * Opens a file until the scope ends. A pipe, a socket, a device or a folder is an error, and is not opened: opening a pipe would
 * unblock its writer.
 *
 * Fails with `RecordingFileError` if the path names no file that this process can read.
 *
 * @example
 * ```ts
 * import { Container, RecordingFile } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const inspect = (path: string) =>
 *   RecordingFile.open(path).pipe(
 *     Effect.flatMap(Container.readHeader),
 *     Effect.tapErrorTag("RecordingFileError", ({ message }) => Effect.logError(message)),
 *     Effect.scoped
 *   )
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const open = (
  path: string
): Effect.Effect<RecordingFile, RecordingFileError, FileSystem.FileSystem | Scope.Scope> => {
  const failure = (reason: RecordingFileError["reason"], problem: string, cause?: PlatformError) =>
    new RecordingFileError({ path, reason, problem, code: systemCode(cause) })
  const toFailure = (error: PlatformError): RecordingFileError => failure(...reasonOf(error), error)
  const refuse = ({ type }: FileSystem.File.Info): Effect.Effect<void, RecordingFileError> => {
    if (type === "File") return Effect.void
    return type === "Directory"
      ? failure("NotAFile", "it is a folder; give a file")
      : failure("SpecialFile", "it is a pipe or a device")
  }
  const opening = Effect.mapError(openFile(path, refuse), (error) =>
    error._tag === "RecordingFileError" ? error : toFailure(error)
  )
  return Effect.map(opening, ({ file, info }) => {
    const byteLength = Number(info.size)
    const bytes = fromFile(file, byteLength)
    const unchanged = Effect.flatMap(Effect.mapError(file.stat, toFailure), (after) =>
      versionOf(after) === versionOf(info)
        ? Effect.void
        : failure("Changed", "it changed while it was read; wait until it is completely written")
    )
    const reader = () => {
      let position = 0
      return (block: Uint8Array): Effect.Effect<number, RecordingFileError> =>
        Effect.suspend(() => {
          if (position === byteLength) return Effect.succeed(0)
          const reading = file.read(block.subarray(0, byteLength - position))
          const seeking = file.seek(FileSystem.Size(position), "start")
          return Effect.flatMap(Effect.mapError(Effect.zipRight(seeking, reading), toFailure), (size) => {
            position += Number(size)
            if (size === 0n) return failure("EndedEarly", `it ended after ${position} of ${byteLength} bytes`)
            return Effect.as(position === byteLength ? unchanged : Effect.void, Number(size))
          })
        })
    }
    return {
      path,
      byteLength,
      modifiedMillis: Option.getOrUndefined(info.mtime)?.getTime(),
      read: (offset, length) => Effect.mapError(bytes.read(offset, length), toFailure),
      unchanged,
      reader,
      stream: Stream.suspend(() => chunksOf(reader(), Math.min(chunkSize, byteLength)))
    }
  })
}

/** Reads to the end, each chunk in memory of its own. */
const chunksOf = <E>(read: (block: Uint8Array) => Effect.Effect<number, E>, size: number) =>
  Stream.repeatEffectOption(
    Effect.suspend(() => {
      const block = new Uint8Array(size)
      return Effect.flatMap(Effect.mapError(read(block), Option.some), (length) =>
        length === 0 ? Effect.fail(Option.none()) : Effect.succeed(block.subarray(0, length))
      )
    })
  )

/**
 * Differs after each change of an open file. Programs can set the time of the latest write back, but not `ctimeMs`, which the
 * file system of `NodeTransport.layer` adds.
 */
const versionOf = (info: FileSystem.File.Info): string =>
  [info.size, Option.getOrUndefined(info.mtime)?.getTime(), "ctimeMs" in info ? info.ctimeMs : undefined].join()

const reasonOf = (error: PlatformError): [reason: RecordingFileError["reason"], problem: string] => {
  if (error._tag === "BadArgument") return ["NotAPath", "its name is not a path"]
  switch (error.reason) {
    case "NotFound":
      return ["NotFound", "it does not exist; check the path"]
    case "PermissionDenied":
      return ["PermissionDenied", "this process may not read it; check its permissions"]
    case "BadResource":
      return ["NotAFile", "it is not a file"]
    default: {
      const code = systemCode(error)
      return isTooManyOpenFiles(code)
        ? ["TooManyOpenFiles", `the process has too many open files (${code})`]
        : ["Unreadable", `reading it failed (${error.reason})`]
    }
  }
}

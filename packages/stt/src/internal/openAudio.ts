import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { AudioSource, PathSource } from "../AudioSource.js"
import { SttAudioUnreadable } from "../SttError.js"

/** A recording that is ready to be sent. */
export interface OpenAudio {
  readonly stream: Stream.Stream<Uint8Array, SttAudioUnreadable>
  readonly byteLength: number | undefined
}

const chunkSize = 256 * 1024

const unreadable = (source: string, problem: string) => new SttAudioUnreadable({ source, problem })

const problemOf = (error: PlatformError): string => {
  if (error._tag === "BadArgument") return "its name is not a path"
  switch (error.reason) {
    case "NotFound":
      return "it does not exist; check the path"
    case "PermissionDenied":
      return "this process may not read it; check its permissions"
    case "BadResource":
      return "it is not a file"
    default:
      return `reading it failed (${error.reason})`
  }
}

/** Holds what a stream gave against what was announced: a wrong Content-Length would leave the service waiting. */
const exactly =
  (source: string, byteLength: number) =>
  (stream: Stream.Stream<Uint8Array, SttAudioUnreadable>): Stream.Stream<Uint8Array, SttAudioUnreadable> =>
    Stream.suspend(() => {
      let length = 0
      return stream.pipe(
        Stream.tap((chunk) => {
          length += chunk.byteLength
          return length > byteLength
            ? Effect.fail(unreadable(source, `it is longer than the ${byteLength} bytes it was said to have`))
            : Effect.void
        }),
        Stream.concat(
          Stream.execute(
            Effect.suspend(() =>
              length < byteLength
                ? Effect.fail(unreadable(source, `it ended after ${length} of ${byteLength} bytes`))
                : Effect.void
            )
          )
        )
      )
    })

const openPath = (source: PathSource): Effect.Effect<OpenAudio, SttAudioUnreadable, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const describe = (error: PlatformError) => unreadable(source.path, problemOf(error))
    const stat = Effect.mapError(fs.stat(source.path), describe)

    const before = yield* stat
    if (before.type === "Directory") return yield* unreadable(source.path, "it is a folder; give a file")
    // A pipe or a device has no size to announce.
    if (before.type !== "File")
      return { stream: Stream.mapError(fs.stream(source.path), describe), byteLength: undefined }
    const byteLength = Number(before.size)
    if (byteLength === 0) return yield* unreadable(source.path, "it is empty")

    const modified = (info: FileSystem.File.Info) => Option.getOrUndefined(info.mtime)?.getTime()
    const unchanged = Effect.flatMap(stat, (after) =>
      after.size === before.size && modified(after) === modified(before)
        ? Effect.void
        : unreadable(source.path, "it changed while it was being sent; wait until it is written")
    )
    return {
      byteLength,
      stream: fs
        .stream(source.path, { chunkSize, bytesToRead: byteLength })
        .pipe(Stream.mapError(describe), exactly(source.path, byteLength), Stream.concat(Stream.execute(unchanged)))
    }
  })

export const openAudio = (source: AudioSource): Effect.Effect<OpenAudio, SttAudioUnreadable, FileSystem.FileSystem> => {
  switch (source._tag) {
    case "Path":
      return openPath(source)
    case "Bytes":
      return source.bytes.byteLength === 0
        ? Effect.fail(unreadable(source.filename, "it is empty"))
        : Effect.succeed({ stream: Stream.make(source.bytes), byteLength: source.bytes.byteLength })
    case "Stream": {
      const { byteLength, filename, open } = source
      const stream = Stream.suspend(open).pipe(
        Stream.mapError((error) => unreadable(filename, `its stream failed (${nameOf(error)})`))
      )
      return Effect.succeed({
        stream: byteLength === undefined ? stream : exactly(filename, byteLength)(stream),
        byteLength
      })
    }
  }
}

/** A foreign error may hold anything, so only what it is called is kept. */
const nameOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return typeof error
  if ("_tag" in error && typeof error._tag === "string") return error._tag
  return error instanceof Error ? error.name : "object"
}

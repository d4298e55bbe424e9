import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { nothingSent } from "@effect-speech/transport/CallReport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { AudioSource, StreamSource } from "../AudioSource.js"
import { SttAudioUnreadable } from "../SttError.js"

/** A recording that is ready to be sent. */
export interface OpenAudio {
  readonly stream: Stream.Stream<Uint8Array, SttAudioUnreadable>
  readonly byteLength: number | undefined
}

const chunkSize = 256 * 1024

export type Unreadable = (problem: string) => SttAudioUnreadable

/** The error of a recording that the call of `sentId` was to send. */
export const unreadableOf =
  (source: AudioSource, sentId: string): Unreadable =>
  (problem) =>
    new SttAudioUnreadable({
      source: source._tag === "Path" ? source.path : source.filename,
      problem,
      call: { ...nothingSent, sentId }
    })

export const problemOf = (error: PlatformError): string => {
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
  (byteLength: number, unreadable: Unreadable) =>
  (stream: Stream.Stream<Uint8Array, SttAudioUnreadable>): Stream.Stream<Uint8Array, SttAudioUnreadable> =>
    Stream.suspend(() => {
      let length = 0
      return stream.pipe(
        Stream.tap((chunk) => {
          length += chunk.byteLength
          return length > byteLength
            ? Effect.fail(unreadable(`it is longer than the ${byteLength} bytes it was said to have`))
            : Effect.void
        }),
        Stream.concat(
          Stream.execute(
            Effect.suspend(() =>
              length < byteLength
                ? Effect.fail(unreadable(`it ended after ${length} of ${byteLength} bytes`))
                : Effect.void
            )
          )
        )
      )
    })

const openPath = (
  path: string,
  unreadable: Unreadable
): Effect.Effect<OpenAudio, SttAudioUnreadable, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const describe = (error: PlatformError) => unreadable(problemOf(error))
    const stat = Effect.mapError(fs.stat(path), describe)

    const before = yield* stat
    if (before.type === "Directory") return yield* unreadable("it is a folder; give a file")
    // A pipe or a device has no size to announce.
    if (before.type !== "File") {
      return { stream: Stream.mapError(fs.stream(path, { chunkSize }), describe), byteLength: undefined }
    }
    const byteLength = Number(before.size)
    if (byteLength === 0) return yield* unreadable("it is empty")

    const modified = (info: FileSystem.File.Info) => Option.getOrUndefined(info.mtime)?.getTime()
    const unchanged = Effect.flatMap(stat, (after) =>
      after.size === before.size && modified(after) === modified(before)
        ? Effect.void
        : unreadable("it changed while it was being sent; wait until it is written")
    )
    return {
      byteLength,
      stream: fs
        .stream(path, { chunkSize, bytesToRead: byteLength })
        .pipe(Stream.mapError(describe), exactly(byteLength, unreadable), Stream.concat(Stream.execute(unchanged)))
    }
  })

/** In pieces, one at a time: what has been handed on is then about what has been sent, and deadlines can tell. */
const inPieces = <E>(stream: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
  stream.pipe(
    Stream.mapConcat((bytes) =>
      Array.from({ length: Math.ceil(bytes.byteLength / chunkSize) }, (_, index) =>
        bytes.subarray(index * chunkSize, (index + 1) * chunkSize)
      )
    ),
    Stream.rechunk(1)
  )

const notEmpty =
  (unreadable: Unreadable) =>
  (stream: Stream.Stream<Uint8Array, SttAudioUnreadable>): Stream.Stream<Uint8Array, SttAudioUnreadable> =>
    Stream.suspend(() => {
      let empty = true
      return stream.pipe(
        Stream.tap(() => Effect.sync(() => (empty = false))),
        Stream.concat(Stream.execute(Effect.suspend(() => (empty ? unreadable("it is empty") : Effect.void))))
      )
    })

const openStream = (
  { byteLength, open }: StreamSource,
  unreadable: Unreadable
): Effect.Effect<OpenAudio, SttAudioUnreadable> => {
  if (byteLength !== undefined && !(Number.isSafeInteger(byteLength) && byteLength > 0)) {
    return Effect.fail(unreadable(`its length can't be ${byteLength} bytes`))
  }
  // A stream of somebody else's may throw or die as well as fail; whatever it does, it is the recording's fault.
  const stream = Stream.suspend(open).pipe(
    Stream.catchAllCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Stream.failCause(cause as Cause.Cause<never>)
        : Stream.fail(unreadable(`its stream failed (${nameOf(Cause.squash(cause))})`))
    ),
    inPieces
  )
  return Effect.succeed({
    stream: byteLength === undefined ? notEmpty(unreadable)(stream) : exactly(byteLength, unreadable)(stream),
    byteLength
  })
}

/** Opens a recording for one attempt of the call that sends `sentId`. */
export const openAudio = (
  source: AudioSource,
  sentId: string
): Effect.Effect<OpenAudio, SttAudioUnreadable, FileSystem.FileSystem> => {
  const unreadable = unreadableOf(source, sentId)
  switch (source._tag) {
    case "Path":
      return openPath(source.path, unreadable)
    case "Bytes":
      return source.bytes.byteLength === 0
        ? Effect.fail(unreadable("it is empty"))
        : Effect.succeed({ stream: inPieces(Stream.make(source.bytes)), byteLength: source.bytes.byteLength })
    case "Stream":
      return openStream(source, unreadable)
  }
}

/** A foreign error may hold anything, so only what it is called is kept. */
const nameOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return typeof error
  if ("_tag" in error && typeof error._tag === "string") return error._tag
  return error instanceof Error ? error.name : "object"
}

import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { nothingSent } from "@effect-speech/transport/CallReport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AudioSource } from "../AudioSource.js"
import type { SttAudioUnreadable } from "../SttError.js"
import { type RecordingBytes, viewOf } from "./header/header.js"
import { openAudio, problemOf, type Unreadable, unreadableOf } from "./openAudio.js"

/** How much of a stream is looked at: no header that makes sense is longer, notes and all. */
const beginningLength = 256 * 1024

/** No header needs more; one that was made to be endless ends here. */
const maximumReads = 1000

/** The bytes of a source, for looking at. What could not be sent fails here already, and in the same words. */
export const openBytes = (
  source: AudioSource
): Effect.Effect<RecordingBytes, SttAudioUnreadable, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const { sentId } = nothingSent
    const { byteLength, stream } = yield* openAudio(source, sentId)
    switch (source._tag) {
      case "Path":
        // A pipe gives its bytes once, and they are to be sent.
        return byteLength === undefined
          ? fromBytes(new Uint8Array(0), undefined)
          : yield* fromFile(source.path, byteLength, unreadableOf(source, sentId))
      case "Bytes":
        return fromBytes(source.bytes, byteLength)
      case "Stream": {
        const beginning = yield* readBeginning(stream)
        const isWhole = beginning.byteLength < beginningLength
        return fromBytes(beginning, byteLength ?? (isWhole ? beginning.byteLength : undefined))
      }
    }
  })

const fromBytes = (bytes: Uint8Array, byteLength: number | undefined): RecordingBytes => ({
  byteLength,
  read: atMost(maximumReads, (offset, length) => Effect.succeed(bytes.subarray(offset, offset + length)))
})

const fromFile = (path: string, byteLength: number, unreadable: Unreadable) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const describe = (error: PlatformError) => unreadable(problemOf(error))
    const file = yield* Effect.mapError(fs.open(path), describe)
    const read: ReadBytes = (offset, length) =>
      offset >= byteLength
        ? Effect.succeed(new Uint8Array(0))
        : file
            .seek(FileSystem.Size(offset), "start")
            .pipe(
              Effect.zipRight(file.readAlloc(FileSystem.Size(length))),
              Effect.map(Option.getOrElse(() => new Uint8Array(0))),
              Effect.mapError(describe)
            )
    return { byteLength, read: atMost(maximumReads, read) }
  })

type ReadBytes = (offset: number, length: number) => Effect.Effect<Uint8Array, SttAudioUnreadable>

const atMost = (times: number, read: ReadBytes): RecordingBytes["read"] => {
  let left = times
  return (offset, length) =>
    Effect.suspend(() => Effect.map(left-- > 0 ? read(offset, length) : Effect.succeed(new Uint8Array(0)), viewOf))
}

/** As much of a stream as is looked at; then it is closed. */
const readBeginning = (stream: Stream.Stream<Uint8Array, SttAudioUnreadable>) =>
  Effect.suspend(() => {
    const bytes = new Uint8Array(beginningLength)
    let filled = 0
    const fill = (chunk: Uint8Array): boolean => {
      const part = chunk.subarray(0, beginningLength - filled)
      bytes.set(part, filled)
      filled += part.byteLength
      return filled < beginningLength
    }
    return Effect.map(
      Stream.runForEachWhile(stream, (chunk) => Effect.sync(() => fill(chunk))),
      () => bytes.subarray(0, filled)
    )
  })

import * as FileSystem from "@effect/platform/FileSystem"
import { fromBytes, neededToSniff, type RecordingBytes, readHeader } from "@effect-speech/audio-codec/Container"
import * as RecordingFile from "@effect-speech/audio-codec/RecordingFile"
import * as StreamBeginning from "@effect-speech/common/StreamBeginning"
import { errorName, systemCode } from "@effect-speech/common/SystemCode"
import type { UploadFailed } from "@effect-speech/transport/unstable/Failure"
import type { ReadSmallFile } from "@effect-speech/transport/unstable/SmallFile"
import { type Chunks, fromMemory, fromStream, type Upload } from "@effect-speech/transport/unstable/Upload"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AudioSource, BlobSource, FileVersion, PathSource, StreamSource } from "../AudioSource.js"

/** An open recording: its header can be read, then it can be sent. */
export interface OpenAudio {
  readonly bytes: RecordingBytes<UploadFailed>
  readonly upload: Upload
  /** Fails if the recording has changed since it was opened. `upload` checks this when it has read all of it. */
  readonly unchanged: Effect.Effect<void, UploadFailed>
}

const unreadable = (problem: string, cause?: unknown): UploadFailed => ({
  _tag: "UploadFailed",
  problem,
  code: systemCode(cause)
})
const fail = (problem: string): Effect.Effect<never, UploadFailed> => Effect.fail(unreadable(problem))

/**
 * Opens a recording for one attempt. Of a stream it reads at least `lookAhead` bytes first: the fewer, the earlier the
 * upload starts.
 */
export const openAudio = <R>(
  source: AudioSource<R>,
  lookAhead: number
): Effect.Effect<OpenAudio, UploadFailed, R | Scope.Scope> => {
  switch (source._tag) {
    case "Path":
      return Effect.flatMap(source.fileSystem, (fs) =>
        Effect.provideService(openPath(source), FileSystem.FileSystem, fs)
      )
    case "Bytes":
      return openBytes(source.bytes)
    case "Blob":
      return openBlob(source)
    case "Stream":
      return openStream(source, lookAhead)
  }
}

/** In bytes. A file of at most this size is read at once and closed: that takes fewer disk calls, and no fiber for the upload. */
const smallFile = 256 * 1024

/** Reads a small file without a fiber. `undefined`: open it by {@link openAudio}, which also says what is wrong with it. */
export const readAtOnce =
  ({ expected, path }: PathSource<unknown>, read: ReadSmallFile) =>
  (done: (bytes: Uint8Array | undefined) => void): Effect.Effect<void> =>
    read(path, smallFile, (file) => {
      if (file === undefined) return done(undefined)
      const version = { byteLength: file.bytes.byteLength, modifiedMillis: file.modifiedMillis }
      done(expected === undefined || isVersion(version, expected) ? file.bytes : undefined)
    })

const openPath = ({
  expected,
  path
}: PathSource<unknown>): Effect.Effect<OpenAudio, UploadFailed, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const opened = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    const file = yield* Effect.mapError(Scope.extend(RecordingFile.open(path), opened), unreadableFile)
    const { byteLength } = file
    if (expected !== undefined && !isVersion(file, expected)) {
      return yield* fail("it changed after you looked at it; look at it again")
    }
    const read = (offset: number, length: number) => Effect.mapError(file.read(offset, length), unreadableFile)
    const unchanged = Effect.mapError(file.unchanged, unreadableFile)
    if (byteLength <= smallFile) {
      const bytes = yield* read(0, byteLength)
      if (bytes.byteLength === byteLength) {
        yield* unchanged
        yield* Scope.close(opened, Exit.void)
        return yield* openBytes(bytes)
      }
    }
    const readNext = file.reader()
    const fill = (block: Uint8Array) => Effect.mapError(readNext(block), unreadableFile)
    return { bytes: { byteLength, read }, upload: { _tag: "Source", fill, byteLength }, unchanged }
  })

/** A file system without times, and a time that it can't state, do not count. */
const isVersion = (
  { byteLength, modifiedMillis }: Pick<RecordingFile.RecordingFile, "byteLength" | "modifiedMillis">,
  expected: FileVersion
): boolean =>
  byteLength === expected.size &&
  (modifiedMillis === undefined || Number.isNaN(modifiedMillis) || modifiedMillis === expected.modifiedMillis)

const unreadableFile = ({ code, problem, reason }: RecordingFile.RecordingFileError): UploadFailed => {
  const failure: UploadFailed = { _tag: "UploadFailed", problem, code }
  return reason === "SpecialFile" ? { ...failure, hint: "sendAsStream" } : failure
}

/** Opens a recording in memory, which needs no scope. */
export const openBytes = (bytes: Uint8Array): Effect.Effect<OpenAudio, UploadFailed> =>
  bytes.byteLength === 0
    ? fail("it is empty")
    : Effect.succeed({
        bytes: fromBytes(bytes, bytes.byteLength),
        upload: fromMemory([bytes]),
        unchanged: Effect.void
      })

const openBlob = ({ blob }: BlobSource): Effect.Effect<OpenAudio, UploadFailed> => {
  if (blob.size === 0) return fail("it is empty")
  const failed = (error: unknown) => unreadable(`reading it failed (${errorName(error)})`, error)
  return Effect.succeed({
    bytes: {
      byteLength: blob.size,
      read: (offset, length) =>
        Effect.tryPromise({
          try: async () => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
          catch: failed
        })
    },
    upload: fromStream(requireLength(blob.size)(Stream.fromReadableStream(() => blob.stream(), failed)), blob.size),
    unchanged: Effect.void
  })
}

const openStream = <R>(
  source: StreamSource<R>,
  lookAhead: number
): Effect.Effect<OpenAudio, UploadFailed, R | Scope.Scope> =>
  Effect.gen(function* () {
    const { byteLength } = source
    if (byteLength !== undefined && !(Number.isSafeInteger(byteLength) && byteLength > 0)) {
      return yield* fail(`its length can't be ${byteLength} bytes`)
    }
    const { once } = source
    if (once !== undefined) {
      if (once.isRead) return yield* fail("it was read before, and a one-shot stream can be read only once")
      once.isRead = true
    }
    // The upload is read where only its scope is known.
    const context = yield* Effect.context<R>()
    // The stream of a caller may also throw or die: each is an error of the recording, not a defect.
    const stream = Stream.suspend(() => Stream.provideContext(source.stream, context)).pipe(
      Stream.catchAllCause((cause) => {
        const error = Cause.squash(cause)
        return Stream.fail(unreadable(`its stream failed (${errorName(error)})`, error))
      })
    )
    // The stream of a caller without types may emit anything.
    const pull = Effect.flatMap(yield* Stream.toPull(stream), (parts) =>
      Chunk.every(parts, isBytes)
        ? Effect.succeed(parts)
        : Effect.mapError(fail("its stream emits something other than Uint8Array"), Option.some)
    )
    const { beginning, isWhole, whole } = yield* StreamBeginning.read(pull, (bytes) =>
      Math.max(lookAhead, Math.min(neededToSniff(bytes), longestBeginning))
    )
    if (beginning.byteLength === 0) return yield* fail("it is empty")
    if (isWhole && byteLength !== undefined && beginning.byteLength < byteLength) {
      return yield* fail(endedEarly(beginning.byteLength, byteLength))
    }
    return {
      bytes: fromBytes(beginning, byteLength ?? (isWhole ? beginning.byteLength : undefined)),
      upload: fromStream(byteLength === undefined ? whole : requireLength(byteLength)(whole), byteLength),
      unchanged: Effect.void
    }
  })

/** The `Recording` of an open source. */
export const describeRecording = ({ bytes }: OpenAudio) =>
  Effect.map(readHeader(bytes), (header) => ({ ...header, bytes: bytes.byteLength }))

const isBytes = (value: unknown): boolean => value instanceof Uint8Array

/** In bytes. If the tag of ID3 before a recording is longer, the recording is taken for an MP3. */
const longestBeginning = 256 * 1024

const endedEarly = (length: number, byteLength: number) => `it ended after ${length} of ${byteLength} bytes`

/** Fails a stream that has another length: with a wrong Content-Length the service would wait for more bytes. */
const requireLength =
  (byteLength: number) =>
  (stream: Chunks): Chunks =>
    Stream.suspend(() => {
      let length = 0
      return stream.pipe(
        Stream.mapChunksEffect((chunk) => {
          for (const bytes of chunk) length += bytes.byteLength
          return length > byteLength ? fail(`it is longer than its stated ${byteLength} bytes`) : Effect.succeed(chunk)
        }),
        Stream.concat(
          Stream.execute(
            Effect.suspend(() => (length < byteLength ? fail(endedEarly(length, byteLength)) : Effect.void))
          )
        )
      )
    })

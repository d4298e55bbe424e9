/**
 * WAV files: read from bytes or a stream, written as bytes, as a stream, or as a file that appears whole or
 * not at all.
 */
import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AudioFormat } from "./AudioFormat.js"
import { bytesPerFrame, durationMillis } from "./AudioFormat.js"
import { concatBytes } from "./internal/bytes.js"
import { padding, wavHeader } from "./internal/wavHeader.js"
import { makeWavParser } from "./internal/wavParser.js"
import type { PcmStream } from "./PcmStream.js"
import { type WavError, wavError } from "./WavError.js"

export { WavError } from "./WavError.js"

/** What a WAV file holds: a format, and its samples as raw bytes. */
export interface WavAudio {
  readonly format: AudioFormat
  readonly bytes: Uint8Array
}

/**
 * The bytes before the samples: the canonical 44 for PCM, 58 with a `fact` chunk for float.
 *
 * `dataLength` is in bytes; without it the sizes are 0xFFFFFFFF, as in a file that is streamed.
 */
export const header = (format: AudioFormat, dataLength?: number | undefined): Uint8Array =>
  wavHeader(format, dataLength)

/** A whole WAV file in memory. */
export const encode = (format: AudioFormat, bytes: Uint8Array): Uint8Array =>
  concatBytes([wavHeader(format, bytes.byteLength), bytes, new Uint8Array(padding(bytes.byteLength))])

/** A WAV file in memory, read whole. Bytes after the last whole frame are left out. */
export const decode = (file: Uint8Array): Either.Either<WavAudio, WavError> => {
  const parser = makeWavParser()
  return Either.flatMap(parser.push(file), (bytes) => Either.map(parser.end(), (format) => ({ format, bytes })))
}

/**
 * Reads a WAV file as it arrives: the format first, then the samples as a stream of whole frames, which can be run
 * once, inside the scope. A file that ends early gives what there is, so its length is not known before the end.
 */
export const decodeStream = <E, R>(
  file: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<PcmStream<E | WavError>, E | WavError, R | Scope.Scope> =>
  Effect.gen(function* () {
    const parser = makeWavParser()
    const context = yield* Effect.context<R>()
    const pull = Effect.provide(yield* Stream.toPull(file), context)

    const parse = (chunks: Chunk.Chunk<Uint8Array>): Effect.Effect<Chunk.Chunk<Uint8Array>, WavError> =>
      Effect.map(Effect.forEach(chunks, parser.push), (parts) =>
        Chunk.filter(Chunk.unsafeFromArray(parts), (part) => part.byteLength > 0)
      )
    const next: Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<E | WavError>> = Effect.suspend(() =>
      parser.done()
        ? Effect.fail(Option.none())
        : Effect.flatMap(
            Effect.mapError(
              pull,
              Option.map<E, E | WavError>((error) => error)
            ),
            (chunks) => Effect.mapError(parse(chunks), Option.some)
          )
    )

    let first = Chunk.empty<Uint8Array>()
    let format: AudioFormat | undefined
    while (format === undefined) {
      const step = yield* Effect.either(next)
      if (Either.isRight(step)) {
        first = step.right
        format = parser.format()
      } else if (Option.isSome(step.left)) {
        return yield* Effect.fail(step.left.value)
      } else {
        format = yield* parser.end()
      }
    }
    const samples = Stream.concat(Stream.fromChunk(first), Stream.repeatEffectChunkOption(next))
    let read = false
    return {
      format,
      stream: Stream.suspend(() => {
        if (read) return Stream.dieMessage("The samples of a WAV file that is being read can be run once.")
        read = true
        return samples
      })
    }
  })

/**
 * A WAV file as a stream. Where the length is not known before the end, the header says 0xFFFFFFFF: most
 * players take it, and {@link writeFile} writes the true sizes instead.
 */
export const encodeStream = <E, R>(audio: PcmStream<E, R>): Stream.Stream<Uint8Array, E | WavError, R> =>
  Stream.suspend(() => {
    const counted = countBytes(audio)
    return Stream.make(wavHeader(audio.format, audio.byteLength)).pipe(
      Stream.concat(counted.stream),
      Stream.concat(
        Stream.unwrap(
          Effect.map(counted.finish, (length) =>
            padding(length) === 0 ? Stream.empty : Stream.make(new Uint8Array(padding(length)))
          )
        )
      )
    )
  })

/** What was written. */
export interface WavFile {
  readonly path: string
  readonly format: AudioFormat
  /** The size of the samples, in bytes: the file less its header. */
  readonly dataLength: number
  readonly durationMillis: number
}

/**
 * Writes audio as a WAV file, chunk by chunk, in memory that does not grow with it.
 *
 * The bytes go into a temporary file beside `path` that takes its name, and the mode of the file that was there, at
 * the end: after a failure, an interrupt or a crash there is the old file or none, never half of one. Audio that ends
 * before or after the length it announced is a `WavError`, and no file. A link is followed. Into a
 * device the bytes go as they come, with the header of {@link encodeStream}; a folder, a pipe or a socket is refused
 * with a `SystemError` of reason `BadResource`.
 */
export const writeFile = <E, R>(
  audio: PcmStream<E, R>,
  path: string
): Effect.Effect<WavFile, E | WavError | PlatformError, R | FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const existing = yield* statIfAny(path)
    if (existing !== undefined && existing.type !== "File") {
      if (existing.type !== "CharacterDevice") return yield* notAFile(path, existing.type)
      const counted = countBytes(audio)
      yield* Stream.run(encodeStream({ ...audio, stream: counted.stream }), fs.sink(path, { flag: "w" }))
      return wavFile(path, audio.format, yield* counted.finish)
    }
    const target = existing === undefined ? path : yield* fs.realPath(path)
    return yield* Effect.scoped(
      Effect.gen(function* () {
        const temporary = yield* temporaryBeside(target)
        const dataLength = yield* Effect.scoped(writeInto(audio, temporary))
        if (existing !== undefined) yield* fs.chmod(temporary, existing.mode & 0o777)
        yield* fs.rename(temporary, target)
        return wavFile(path, audio.format, dataLength)
      })
    )
  })

const wavFile = (path: string, format: AudioFormat, dataLength: number): WavFile => ({
  path,
  format,
  dataLength,
  durationMillis: durationMillis(format, dataLength)
})

const notAFile = (path: string, type: FileSystem.File.Type) =>
  new SystemError({
    module: "FileSystem",
    method: "writeFile",
    reason: "BadResource",
    pathOrDescriptor: path,
    description: `a WAV file can't take the place of a ${type === "FIFO" ? "pipe" : type}; stream it with encodeStream`
  })

const statIfAny = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) =>
    Effect.catchIf(
      fs.stat(path),
      (error) => error._tag === "SystemError" && error.reason === "NotFound",
      () => Effect.succeed(undefined)
    )
  )

const writeInto = <E, R>(audio: PcmStream<E, R>, path: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const file = yield* fs.open(path, { flag: "wx" })
    const counted = countBytes(audio)

    yield* file.writeAll(wavHeader(audio.format, audio.byteLength))
    yield* Stream.runForEach(counted.stream, (chunk) => (chunk.byteLength === 0 ? Effect.void : file.writeAll(chunk)))
    const dataLength = yield* counted.finish
    if (padding(dataLength) === 1) yield* file.writeAll(new Uint8Array(1))
    if (audio.byteLength === undefined) {
      yield* file.seek(FileSystem.Size(0), "start")
      yield* file.writeAll(wavHeader(audio.format, dataLength))
    }
    yield* file.sync
    return dataLength
  })

/** A name in the folder of `path`, so that the rename at the end stays on one disk; removed if it is never reached. */
const temporaryBeside = (path: string): Effect.Effect<string, never, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const name = `${path}.${crypto.randomUUID()}.part`
    yield* Effect.addFinalizer((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(fs.remove(name))))
    return name
  })

/** Counts what passes, and holds it against what was announced: as soon as it is too much, and at the end. */
const countBytes = <E, R>(audio: PcmStream<E, R>) => {
  const announced = audio.byteLength
  const mismatch = (expected: string, found: string) =>
    Effect.fail(wavError("LengthMismatch", { offset: length, expected, found }))
  let length = 0
  return {
    stream: Stream.tap(audio.stream, (chunk) => {
      length += chunk.byteLength
      return announced !== undefined && length > announced
        ? mismatch(`${announced} bytes`, `${length} and perhaps more`)
        : Effect.void
    }),
    finish: Effect.suspend(() => {
      const frame = bytesPerFrame(audio.format)
      if (announced !== undefined && announced !== length) return mismatch(`${announced} bytes`, `${length}`)
      if (length % frame !== 0) return mismatch(`whole frames of ${frame} bytes`, `${length} bytes`)
      return Effect.succeed(length)
    })
  }
}

/**
 * WAV files: read from bytes or a stream, written as bytes, as a stream, or as a file that appears whole or
 * not at all.
 */
import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { AudioFormat } from "./AudioFormat.js"
import { bytesPerFrame, durationMillis } from "./AudioFormat.js"
import { concatBytes } from "./internal/bytes.js"
import { openDevice, openReplacement, readBlocks } from "./internal/files.js"
import { largestSize, padding, sizeFields, wavHeader } from "./internal/wavHeader.js"
import { makeWavParser, type WavLayout } from "./internal/wavParser.js"
import type { PcmStream } from "./PcmStream.js"
import { type WavError, wavError } from "./WavError.js"

export { WavError } from "./WavError.js"

/** What a WAV file holds: a format, and its samples as raw bytes. */
export interface WavAudio {
  readonly format: AudioFormat
  readonly bytes: Uint8Array
}

/**
 * The bytes before the samples: the canonical 44 for PCM, 58 with a `fact` chunk for the other encodings, and 36 more
 * for an RF64 where the length passes the 4 GiB that a WAV file can hold.
 *
 * `dataLength` is in bytes; without it the sizes are 0xFFFFFFFF, as in a file that is streamed.
 *
 * @throws RangeError for a format that no WAV file has: frames beyond 65,535 bytes, or a rate that is not an integer.
 */
export const header = (format: AudioFormat, dataLength?: number | undefined): Uint8Array =>
  wavHeader(format, dataLength)

/** A whole WAV file in memory. */
export const encode = (format: AudioFormat, bytes: Uint8Array): Uint8Array =>
  concatBytes([wavHeader(format, bytes.byteLength), bytes, new Uint8Array(padding(bytes.byteLength))])

/** Reads a WAV file from bytes that arrive in pieces; what comes out does not depend on where they were cut. */
export interface Decoder {
  /**
   * The whole frames that are complete with these bytes, in order; none before the samples begin and after they have
   * ended. A frame that was split comes alone; the others are views of `bytes`, but for the big-endian RIFX.
   */
  readonly push: (bytes: Uint8Array) => Either.Either<ReadonlyArray<Uint8Array>, WavError>
  /** Known as soon as the samples begin. */
  readonly format: () => AudioFormat | undefined
  /** Whether the samples have ended, so that nothing more will come. */
  readonly done: () => boolean
  /** To be called after the last byte: the format, or what was missing. */
  readonly end: () => Either.Either<AudioFormat, WavError>
}

/** It holds no more than an unfinished header field or frame, and allocates nothing from a size that a file declares. */
export const makeDecoder = (): Decoder => makeWavParser()

/** A WAV file in memory, read whole. Bytes after the last whole frame are left out. */
export const decode = (file: Uint8Array): Either.Either<WavAudio, WavError> => {
  const parser = makeWavParser()
  return Either.flatMap(parser.push(file), ([bytes = new Uint8Array(0)]) =>
    Either.map(parser.end(), (format) => ({ format, bytes }))
  )
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

    const parse = (chunks: Chunk.Chunk<Uint8Array>): Either.Either<Chunk.Chunk<Uint8Array>, WavError> => {
      const parts: Array<Uint8Array> = []
      for (const chunk of chunks) {
        const frames = parser.push(chunk)
        if (Either.isLeft(frames)) return Either.left(frames.left)
        parts.push(...frames.right)
      }
      return Either.right(Chunk.unsafeFromArray(parts))
    }
    const next: Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<E | WavError>> = Effect.suspend(() =>
      parser.done()
        ? Effect.fail(Option.none())
        : Effect.flatMap(pull, (chunks) => Either.mapLeft(parse(chunks), Option.some))
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

/** Reads a WAV file as {@link decodeStream} does, in blocks of 512 KiB. */
export const readFile = (
  path: string
): Effect.Effect<PcmStream<WavError | PlatformError>, WavError | PlatformError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.map(decodeStream(readBlocks(path)), (audio) => ({
    ...audio,
    stream: Stream.map(audio.stream, (block) => block.slice())
  }))

/**
 * A WAV file as a stream. Where the length is not known before the end, the header says 0xFFFFFFFF: most
 * players take it, {@link writeFile} writes the true sizes instead, and {@link repair} puts them right later.
 */
export const encodeStream = <E, R>(audio: PcmStream<E, R>): Stream.Stream<Uint8Array, E | WavError, R> =>
  Stream.suspend(() => {
    const length = makeLength(audio.format, audio.byteLength)
    return Stream.make(wavHeader(audio.format, audio.byteLength)).pipe(
      Stream.concat(Stream.tap(audio.stream, length.add)),
      Stream.concat(
        Stream.unwrap(
          Effect.map(length.end, (dataLength) =>
            padding(dataLength) === 0 ? Stream.empty : Stream.make(new Uint8Array(padding(dataLength)))
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
  Stream.run(audio.stream, fileSink(audio.format, path, audio.byteLength))

/**
 * {@link writeFile} as a `Sink` of bytes, for a stream that goes elsewhere too (`Stream.tapSink`). The file takes its
 * name when the stream ends, and only then.
 */
export const fileSink = (
  format: AudioFormat,
  path: string,
  byteLength?: number | undefined
): Sink.Sink<WavFile, Uint8Array, never, WavError | PlatformError, FileSystem.FileSystem> =>
  Sink.unwrapScoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const length = makeLength(format, byteLength)
      const existing = yield* statIfAny(path)
      const device = existing?.type === "CharacterDevice"
      if (existing !== undefined && existing.type !== "File" && !device) return yield* notAFile(path, existing.type)
      const target = existing === undefined || device ? path : yield* fs.realPath(path)
      const writer = yield* device
        ? openDevice(format, byteLength, path)
        : openReplacement(format, byteLength, target, existing?.mode)
      return Sink.forEachChunk((chunks: Chunk.Chunk<Uint8Array>) =>
        Effect.forEach(chunks, (chunk) => Effect.zipRight(length.add(chunk), writer.write(chunk)), { discard: true })
      ).pipe(
        Sink.mapEffect(() =>
          Effect.gen(function* () {
            const dataLength = yield* length.end
            yield* writer.close(dataLength)
            return { path, format, dataLength, durationMillis: durationMillis(format, dataLength) }
          })
        )
      )
    })
  )

/**
 * Puts the sizes of a WAV file right that was streamed, or whose writer never came to its end: they become those of what
 * is there. A part of a frame at the end is cut off.
 *
 * The sizes are changed in place. Samples too long for them are written anew as an RF64, as {@link writeFile} writes,
 * without the chunks that other programs may have put before them.
 */
export const repair = (path: string): Effect.Effect<WavFile, WavError | PlatformError, FileSystem.FileSystem> =>
  Effect.scoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { format, layout } = yield* readLayout(path)
      const size = Number((yield* fs.stat(path)).size)
      const available = size - layout.data
      const complete = layout.declared <= available
      const dataLength = complete ? layout.declared : available - (available % bytesPerFrame(format))
      if (layout.ds64 === undefined && layout.data - 8 + dataLength + 1 > largestSize) {
        const audio = yield* readFile(path)
        return yield* writeFile({ ...audio, byteLength: dataLength }, path)
      }
      const end = layout.data + dataLength
      if (!complete) yield* fs.truncate(path, FileSystem.Size(end + padding(dataLength)))
      const file = yield* fs.open(path, { flag: "r+" })
      const fileSize = complete ? size : end + padding(dataLength)
      for (const [offset, bytes] of sizeFields(format, layout, fileSize, dataLength)) {
        yield* file.seek(FileSystem.Size(offset), "start")
        yield* file.writeAll(bytes)
      }
      return { path, format, dataLength, durationMillis: durationMillis(format, dataLength) }
    })
  )

const readLayout = (path: string) =>
  Effect.gen(function* () {
    const parser = makeWavParser()
    yield* Stream.runForEachWhile(readBlocks(path), (block) =>
      Effect.map(parser.push(block), () => parser.layout() === undefined)
    )
    const format = yield* parser.end()
    return { format, layout: parser.layout() as WavLayout }
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

/** Counts what passes, and holds it against what was announced: as soon as it is too much, and at the end. */
const makeLength = (format: AudioFormat, announced: number | undefined) => {
  const mismatch = (expected: string, found: string) =>
    Effect.fail(wavError("LengthMismatch", { offset: length, expected, found }))
  let length = 0
  return {
    add: (chunk: Uint8Array) =>
      Effect.suspend(() => {
        length += chunk.byteLength
        return announced !== undefined && length > announced
          ? mismatch(`${announced} bytes`, `${length} and perhaps more`)
          : Effect.void
      }),
    end: Effect.suspend(() => {
      const frame = bytesPerFrame(format)
      if (announced !== undefined && announced !== length) return mismatch(`${announced} bytes`, `${length}`)
      if (length % frame !== 0) return mismatch(`whole frames of ${frame} bytes`, `${length} bytes`)
      return Effect.succeed(length)
    })
  }
}

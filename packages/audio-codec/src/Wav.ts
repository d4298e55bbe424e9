/**
 * WAV files: read from bytes or a stream, written as bytes, as a stream, or as a file that appears whole or
 * not at all.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { AudioFormat } from "./AudioFormat.js"
import { bytesPerFrame, durationMillis } from "./AudioFormat.js"
import { concatBytes } from "./internal/bytes.js"
import { notAFile } from "./internal/files/readBlocks.js"
import { overwrite } from "./internal/files/writeFile.js"
import { wavError } from "./internal/wav/wavError.js"
import { largestSize, padding, sizeFields, wavHeader } from "./internal/wav/wavHeader.js"
import type { WavLayout } from "./internal/wav/wavLayout.js"
import { type Decoder, makeWavParser } from "./internal/wav/wavParser.js"
import { openWav, openWavFile, samplesLength } from "./internal/wav/wavReader.js"
import { openDevice, openReplacement } from "./internal/wav/wavWriter.js"
import type { PcmStream } from "./PcmStream.js"
import type { WavError } from "./WavError.js"

export type { Decoder } from "./internal/wav/wavParser.js"
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
 * @throws RangeError for a length that is not whole frames, or a format that no WAV file has: frames beyond 65,535 bytes,
 * or a rate that is not an integer.
 */
export const header = (format: AudioFormat, dataLength?: number | undefined): Uint8Array => {
  if (dataLength !== undefined && !(dataLength >= 0 && Number.isSafeInteger(dataLength / bytesPerFrame(format)))) {
    throw new RangeError(`Samples are whole frames of ${bytesPerFrame(format)} bytes; ${dataLength} bytes are not.`)
  }
  return wavHeader(format, dataLength)
}

/**
 * A whole WAV file in memory.
 *
 * @throws RangeError for bytes that end inside a frame, or a format that no WAV file has.
 */
export const encode = (format: AudioFormat, bytes: Uint8Array): Uint8Array =>
  concatBytes([header(format, bytes.byteLength), bytes, new Uint8Array(padding(bytes.byteLength))])

/** It holds no more than an unfinished header field or frame, and allocates nothing from a size that a file declares. */
export const makeDecoder = (): Decoder => makeWavParser()

/**
 * A WAV file in memory, read whole. Bytes after the last whole frame are left out. The samples are a view of `file`, but
 * for those of the big-endian RIFX.
 */
export const decode = (file: Uint8Array): Either.Either<WavAudio, WavError> => {
  const parser = makeWavParser()
  return Either.flatMap(parser.push(file), ([bytes = new Uint8Array(0)]) =>
    Either.map(parser.end(), (format) => ({ format, bytes }))
  )
}

/** What the header of a WAV file tells. */
export interface WavHeader {
  readonly format: AudioFormat
  /** The size of the samples, in bytes; absent where neither the header nor the size of the file tells it. */
  readonly byteLength: number | undefined
}

/**
 * Enough bytes for {@link decodeHeader}, whatever a program has put before the samples: notes, or filling up to a block of
 * the disk.
 */
export const longestHeader: number = 128 * 1024

/**
 * Reads the header alone, from the first bytes of a file: a `WavError` where they end before the samples begin. With
 * `fileLength`, the size of the whole file in bytes, the samples are those that are there, as in {@link readFile};
 * without it, those that the header declares.
 */
export const decodeHeader = (
  beginning: Uint8Array,
  fileLength?: number | undefined
): Either.Either<WavHeader, WavError> => {
  const parser = makeWavParser()
  return Either.flatMap(parser.push(beginning), () =>
    Either.map(parser.end(), (format) => {
      // Known as soon as the format is.
      const layout = parser.layout() as WavLayout
      const length = samplesLength(format, layout, fileLength ?? Number.POSITIVE_INFINITY)
      return { format, byteLength: Number.isFinite(length) ? length : undefined }
    })
  )
}

/**
 * Reads a WAV file as it arrives: the format first, then the samples as a stream of whole frames, which can be run
 * once, inside the scope. A file that ends early gives what there is, so its length is not known before the end.
 */
export const decodeStream = <E, R>(
  file: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<PcmStream<E | WavError>, E | WavError, R | Scope.Scope> =>
  Effect.map(openWav(file), ({ format, stream }) => ({ format, stream }))

/**
 * Reads a WAV file as {@link decodeStream} does, in blocks of 512 KiB, and with the length of its samples. A pipe is
 * refused with a `SystemError` of reason `BadResource`: it can't be read by position, but its stream can be decoded.
 */
export const readFile = (
  path: string
): Effect.Effect<PcmStream<WavError | PlatformError>, WavError | PlatformError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.map(openWavFile(path), ({ byteLength, format, stream }) => ({
    format,
    byteLength,
    stream: Stream.map(stream, (block) => block.slice())
  }))

/**
 * A WAV file as a stream. Where the length is not known before the end, the header says 0xFFFFFFFF: most
 * players take it, though they show a wrong duration; {@link writeFile} writes the true sizes instead, and
 * {@link repair} puts them right later.
 */
export const encodeStream = <E, R>(audio: PcmStream<E, R>): Stream.Stream<Uint8Array, E | WavError, R> =>
  Stream.suspend(() => {
    const length = makeLength(audio.format, audio.byteLength)
    return Stream.make(wavHeader(audio.format, audio.byteLength)).pipe(
      Stream.concat(Stream.tap(audio.stream, (chunk) => Effect.suspend(() => length.add(chunk) ?? Effect.void))),
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
 * before or after the length it announced is a `WavError`, and no file. A link to a file is followed. Into a device
 * that can seek the bytes go as they come, with the header of {@link encodeStream}; a folder, a pipe or a socket is
 * refused with a `SystemError` of reason `BadResource`.
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
      if (existing !== undefined && existing.type !== "File" && !device) {
        return yield* notAFile("write", path, existing.type, "stream it with encodeStream")
      }
      const target = existing === undefined || device ? path : yield* fs.realPath(path)
      const writer = yield* device
        ? openDevice(format, byteLength, path)
        : openReplacement(format, byteLength, target, existing?.mode)
      const write = (chunk: Uint8Array): Effect.Effect<void, WavError | PlatformError> =>
        length.add(chunk) ?? writer.write(chunk)
      return Sink.forEach(write).pipe(
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
 * is there. Samples are also what stands behind those that the file knows of, where it is no chunks; a part of a frame
 * at their end is cut off.
 *
 * The sizes are changed in place. Samples too long for them are written anew as an RF64, as {@link writeFile} writes,
 * without the chunks that other programs may have put before them.
 */
export const repair = (path: string): Effect.Effect<WavFile, WavError | PlatformError, FileSystem.FileSystem> =>
  Effect.scoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { format, layout } = yield* openWavFile(path)
      const size = Number((yield* fs.stat(path)).size)
      const complete = yield* isWhole(yield* fs.open(path), layout, size)
      const present = complete ? layout.declared : size - layout.data
      const dataLength = present - (present % bytesPerFrame(format))
      const fileSize = complete ? size : layout.data + dataLength + padding(dataLength)
      if (layout.ds64 === undefined && fileSize - 8 > largestSize) {
        // The size may have wrapped around, so that it ends in the middle of the samples.
        if (!complete) yield* overwrite(path, [[layout.data - 4, new Uint8Array(4).fill(0xff)]])
        const audio = yield* readFile(path)
        return yield* writeFile({ ...audio, byteLength: dataLength }, path)
      }
      if (!complete) yield* fs.truncate(path, FileSystem.Size(fileSize))
      // Where the samples are complete, what they are said to be may end in a part of a frame, and other chunks follow.
      yield* overwrite(path, sizeFields(format, layout, fileSize, complete ? layout.declared : dataLength))
      return { path, format, dataLength, durationMillis: durationMillis(format, dataLength) }
    })
  )

/** More chunks than this behind the samples are none. */
const maximumChunks = 1000

/**
 * Whether the samples are as long as the file says, and what follows them, up to its end, are chunks. Samples that were
 * written after the size look like anything else.
 */
const isWhole = (file: FileSystem.File, layout: WavLayout, size: number): Effect.Effect<boolean, PlatformError> =>
  Effect.gen(function* () {
    let offset = layout.data + layout.declared
    if (offset > size) return false
    offset += padding(layout.declared)
    for (let count = 0; offset < size; count++) {
      const header = new Uint8Array(8)
      yield* file.seek(FileSystem.Size(offset), "start")
      if (count === maximumChunks || (yield* file.read(header)) < 8n) return false
      const printable = header.subarray(0, 4).every((byte) => byte >= 0x20 && byte < 0x7f)
      const length = new DataView(header.buffer).getUint32(4, layout.little)
      if (!printable || offset + 8 + length > size) return false
      offset += 8 + length + padding(length)
    }
    return true
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
    /** The failure, where it is too much. It counts when it is called. */
    add: (chunk: Uint8Array) => {
      length += chunk.byteLength
      return announced !== undefined && length > announced
        ? mismatch(`${announced} bytes`, `${length} and perhaps more`)
        : undefined
    },
    end: Effect.suspend(() => {
      const frame = bytesPerFrame(format)
      if (announced !== undefined && announced !== length) return mismatch(`${announced} bytes`, `${length}`)
      if (length % frame !== 0) return mismatch(`whole frames of ${frame} bytes`, `${length} bytes`)
      return Effect.succeed(length)
    })
  }
}

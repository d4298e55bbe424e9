/**
 * Reads WAV files from bytes, a stream or a file, and writes them as bytes, a stream or a file that appears whole or not at
 * all.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { isMissing } from "@effect-speech/common/Files"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { dual } from "effect/Function"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { AudioFormat } from "./AudioFormat.js"
import { bytesPerFrame, durationMillis } from "./AudioFormat.js"
import { concatBytes } from "./internal/bytes.js"
import { notAFile, openBlocks } from "./internal/files/readBlocks.js"
import { overwrite } from "./internal/files/writeFile.js"
import { asValue } from "./internal/pcm/audioFormat.js"
import { startsWithData } from "./internal/pcm/blocks.js"
import { type MakeOptions, make, type PcmStream } from "./internal/pcm/pcmStream.js"
import { wavError } from "./internal/wav/wavError.js"
import { largestSize, padding, sizeFields, type WavLayout, wavHeader } from "./internal/wav/wavHeader.js"
import { type Decoder, makeWavParser } from "./internal/wav/wavParser.js"
import { openWav, openWavFile, samplesLength } from "./internal/wav/wavReader.js"
import { openDevice, openReplacement } from "./internal/wav/wavWriter.js"
import type { WavError } from "./WavError.js"

export type { Decoder } from "./internal/wav/wavParser.js"
export { WavError } from "./WavError.js"

/**
 * The content of a WAV file in memory: a format, and its samples as raw bytes.
 *
 * @since 0.1.0
 * @category models
 */
export interface WavAudio {
  /** The format of the samples. */
  readonly format: AudioFormat
  /** The samples, in whole frames. */
  readonly bytes: Uint8Array
}

/**
 * Makes the bytes before the samples: the canonical 44 for PCM, 58 with a `fact` chunk for other encodings. If the file
 * would exceed the 4 GiB of a WAV file, it is an RF64, and its header has 36 more. Use it to write a file by other means than
 * {@link writeFile} and {@link encodeStream}.
 *
 * `dataLength` is in bytes. Without it the sizes are 0xFFFFFFFF, as in a streamed file, and `fact` states 0 frames.
 *
 * Throws a `RangeError` if the length is not whole frames, or the format is not one of a WAV file: a frame has at most 65,535
 * bytes, and the rate is an integer.
 *
 * @example
 * ```ts
 * import { Telephony, Wav } from "@effect-speech/audio-codec"
 *
 * console.log(Wav.header(Telephony.format, 16_000).byteLength) // 44
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const header = (format: AudioFormat, dataLength?: number | undefined): Uint8Array => {
  if (dataLength !== undefined && !(dataLength >= 0 && Number.isSafeInteger(dataLength / bytesPerFrame(format)))) {
    throw new RangeError(
      `The samples must be whole frames of ${bytesPerFrame(format)} bytes, and ${dataLength} bytes are not.`
    )
  }
  return wavHeader(format, dataLength)
}

/**
 * Makes a WAV file in memory: the header, and a copy of the samples.
 *
 * Throws a `RangeError` if the bytes end inside a frame, or the format is not one of a WAV file.
 *
 * @example
 * ```ts
 * import { Telephony, Wav } from "@effect-speech/audio-codec"
 *
 * const second = new Uint8Array(16_000)
 * console.log(Wav.encode(second, Telephony.format).byteLength) // 16044
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const encode: {
  (format: AudioFormat): (bytes: Uint8Array) => Uint8Array
  (bytes: Uint8Array, format: AudioFormat): Uint8Array
} = dual(
  2,
  (bytes: Uint8Array, format: AudioFormat): Uint8Array =>
    concatBytes([header(format, bytes.byteLength), bytes, new Uint8Array(padding(bytes.byteLength))])
)

/**
 * Makes a decoder for one file that arrives in chunks, for code without Effect. For a stream, use {@link decodeStream}. It holds at most
 * one incomplete header field or frame, and allocates no memory by a size that the file declares.
 *
 * @example
 * ```ts
 * import { Telephony, Wav } from "@effect-speech/audio-codec"
 * import { Either } from "effect"
 *
 * const file = Wav.encode(new Uint8Array(320), Telephony.format)
 * const decoder = Wav.makeDecoder()
 * const frames = [decoder.push(file.subarray(0, 100)), decoder.push(file.subarray(100))].map(Either.getOrThrow).flat()
 * console.log(frames.reduce((sum, { byteLength }) => sum + byteLength, 0)) // 320
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeDecoder = (): Decoder => makeWavParser()

/**
 * Reads a WAV file in memory. Bytes after the last whole frame are dropped. The samples are a view of `file`, unless it is a
 * big-endian RIFX. For a file on a disk, use {@link readFile}.
 *
 * Fails with `WavError` if the bytes are not a WAV file, or one that this module does not read.
 *
 * @example
 * ```ts
 * import { AudioFormat, Telephony, Wav } from "@effect-speech/audio-codec"
 * import { Either } from "effect"
 *
 * const file = Wav.encode(new Uint8Array(320), Telephony.format)
 * const text = Wav.decode(file).pipe(
 *   Either.match({ onLeft: (error) => error.message, onRight: ({ format }) => AudioFormat.describe(format) })
 * )
 * console.log(text) // 8000 Hz, 1 channel, pcm16
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const decode = (file: Uint8Array): Either.Either<WavAudio, WavError> => {
  const parser = makeWavParser()
  return Either.flatMap(parser.push(file), ([bytes = new Uint8Array(0)]) =>
    Either.map(parser.end(), (format) => ({ format, bytes }))
  )
}

/**
 * The header of a WAV file, as {@link decodeHeader} reads it.
 *
 * @since 0.1.0
 * @category models
 */
export class WavHeader extends Data.Class<{
  /** The format of the samples. */
  readonly format: AudioFormat
  /** The size of the samples, in bytes. `undefined` if neither the header nor the size of the file states it. */
  readonly byteLength: number | undefined
}> {}

/**
 * A number of bytes that is enough for {@link decodeHeader}, 128 KiB: some programs put notes before the samples, or fill the header up to a
 * block of the disk.
 *
 * @example
 * ```ts
 * import { readSync } from "node:fs"
 * import { Wav } from "@effect-speech/audio-codec"
 *
 * export const headerOf = (descriptor: number, fileLength: number) => {
 *   const beginning = new Uint8Array(Math.min(Wav.longestHeader, fileLength))
 *   return Wav.decodeHeader(beginning.subarray(0, readSync(descriptor, beginning)), fileLength)
 * }
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const longestHeader: number = 128 * 1024

/**
 * Reads only the header, from the first bytes of a file. For other containers too, use `Container.readHeader`.
 *
 * `fileLength` is the size of the whole file in bytes. With it, `byteLength` counts the samples that the file has, as in
 * {@link readFile}; without it, those that the header declares.
 *
 * Fails with `WavError` if the bytes are not the beginning of a WAV file, or end before the samples begin.
 *
 * @example
 * ```ts
 * import { Telephony, Wav } from "@effect-speech/audio-codec"
 * import { Either } from "effect"
 *
 * const beginning = Wav.header(Telephony.format, 16_000)
 * console.log(Either.getOrThrow(Wav.decodeHeader(beginning)).byteLength) // 16000
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const decodeHeader: {
  (fileLength: number | undefined): (beginning: Uint8Array) => Either.Either<WavHeader, WavError>
  (beginning: Uint8Array, fileLength?: number | undefined): Either.Either<WavHeader, WavError>
} = dual(
  startsWithData,
  (beginning: Uint8Array, fileLength?: number | undefined): Either.Either<WavHeader, WavError> => {
    const parser = makeWavParser()
    return Either.flatMap(parser.push(beginning), () =>
      Either.map(parser.end(), (format) => {
        // The layout is known as soon as the format is.
        const layout = parser.layout() as WavLayout
        const length = samplesLength(format, layout, fileLength ?? Number.POSITIVE_INFINITY)
        return new WavHeader({ format, byteLength: Number.isFinite(length) ? length : undefined })
      })
    )
  }
)

/**
 * Reads a WAV file as it arrives, such as an upload: first the format, then the samples as a stream of whole frames. The stream can run
 * once, inside the scope; a second run dies. A file that ends early gives the samples it has, so the length is unknown before the end.
 *
 * Fails with `WavError` if the bytes are not a WAV file that this module reads, and with the errors of `file`.
 *
 * @example
 * ```ts
 * import { AudioFormat, Wav } from "@effect-speech/audio-codec"
 * import { Effect, type Stream } from "effect"
 *
 * export const save = <E, R>(upload: Stream.Stream<Uint8Array, E, R>, path: string) =>
 *   Effect.gen(function* () {
 *     const audio = yield* Wav.decodeStream(upload)
 *     yield* Effect.logInfo(AudioFormat.describe(audio.format))
 *     return yield* Wav.writeFile(audio, path)
 *   }).pipe(Effect.scoped)
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const decodeStream = <E, R>(
  file: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<PcmStream<E | WavError>, E | WavError, R | Scope.Scope> =>
  Effect.map(openWav(file), ({ audio }) => audio)

/**
 * Reads a WAV file as {@link decodeStream} does, in blocks of 2 MiB, and gives the length of its samples. Memory does not grow with the
 * file.
 *
 * Fails with `WavError` if it is not a WAV file that this module reads, and with a `PlatformError` if it can't be opened or read. A pipe is
 * a `SystemError` of reason `BadResource`, because it cannot be read by position; decode its stream instead.
 *
 * @example
 * ```ts
 * import { AudioFormat, Wav } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const describe = (path: string) =>
 *   Wav.readFile(path).pipe(
 *     Effect.map(({ byteLength, format }) => `${AudioFormat.describe(format)}, ${byteLength ?? "unknown"} bytes`),
 *     Effect.scoped
 *   )
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const readFile = (
  path: string
): Effect.Effect<PcmStream<WavError | PlatformError>, WavError | PlatformError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.map(openWavFile(path), ({ audio }) => {
    const copied = Stream.map(audio.stream, (block) => block.slice())
    return make(audio.format, copied, audio)
  })

/**
 * Encodes a WAV file as a stream. If the length is unknown, the sizes in the header are 0xFFFFFFFF. Most players accept this,
 * but show a wrong duration. {@link writeFile} writes the true sizes, and {@link repair} corrects them later.
 *
 * {@link contentLength} gives the number of bytes before the stream runs. For the response of an HTTP server, use `wav` of
 * `@effect-speech/tts/SpeechResponse`: the server alone would end audio that was cut as if it were whole.
 *
 * Fails with `WavError` of reason `LengthMismatch` if the audio has another length than it announced, or ends inside a frame, and with the
 * errors of `audio`. It dies with a `RangeError` if no WAV file has this format.
 *
 * @example
 * ```ts
 * import { type PcmStream, Wav } from "@effect-speech/audio-codec"
 * import { type Effect, Stream } from "effect"
 *
 * // Writes into any sink of bytes, such as the input of a process.
 * export const sendTo = <E, R, E2>(audio: PcmStream.PcmStream<E, R>, send: (bytes: Uint8Array) => Effect.Effect<void, E2>) =>
 *   Stream.runForEach(Wav.encodeStream(audio), send)
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const encodeStream = <E, R>(audio: PcmStream<E, R>): Stream.Stream<Uint8Array, E | WavError, R> =>
  Stream.suspend(() => {
    const length = makeLength(audio.format, audio.byteLength)
    return Stream.make(wavHeader(audio.format, audio.byteLength)).pipe(
      Stream.concat(Stream.tap(audio.stream, (chunk) => Effect.suspend(() => length.add(chunk) ?? Effect.void))),
      Stream.concat(Stream.execute(length.end)),
      Stream.concat(padding(audio.byteLength) === 0 ? Stream.empty : Stream.make(new Uint8Array(1)))
    )
  })

/**
 * The number of bytes that {@link encodeStream} gives: the `Content-Length` of a request or a response. `undefined` if the
 * length of the audio is unknown.
 *
 * Throws a `RangeError` if the length is known, and no WAV file has this format.
 *
 * @example
 * ```ts
 * import { PcmStream, Telephony, Wav } from "@effect-speech/audio-codec"
 *
 * const audio = PcmStream.silence(Telephony.format, "1 second")
 * console.log(Wav.contentLength(audio)) // 16044
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const contentLength = ({ byteLength, format }: PcmStream<unknown, unknown>): number | undefined =>
  byteLength === undefined ? undefined : wavHeader(format, byteLength).byteLength + byteLength + padding(byteLength)

/**
 * The file that {@link writeFile}, {@link fileSink} or {@link repair} wrote.
 *
 * @since 0.1.0
 * @category models
 */
export class WavFile extends Data.Class<{
  /** As given. */
  readonly path: string
  /** The format of the samples. */
  readonly format: AudioFormat
  /** The size of the samples, in bytes: the file without its header. */
  readonly dataLength: number
  /** The duration of the samples, in milliseconds. */
  readonly durationMillis: number
}> {}

const written = (path: string, format: AudioFormat, dataLength: number): WavFile =>
  new WavFile({ path, format: asValue(format), dataLength, durationMillis: durationMillis(format, dataLength) })

/**
 * Writes audio as a WAV file, chunk by chunk. Memory does not grow with the audio.
 *
 * The bytes go into a temporary file beside `path`. At the end it takes the name, and the mode of the file that was there;
 * until then only its owner can read it. After a failure, an interrupt or a crash there is the old file or none, never a part
 * of one.
 *
 * - A link to a file is followed.
 * - A device that can seek gets the bytes as they come, with the header of {@link encodeStream}.
 *
 * Fails with `WavError` of reason `LengthMismatch` if the audio has another length than it announced, or ends inside a frame: then there is
 * no file. Fails with a `PlatformError` if the file can't be written; a folder, a pipe or a socket is a `SystemError` of reason
 * `BadResource`. Fails with the errors of `audio`. It dies with a `RangeError` if no WAV file has this format.
 *
 * @example
 * ```ts
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import { PcmStream, Telephony, Wav } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * const program = PcmStream.silence(Telephony.format, "2 seconds").pipe(
 *   Wav.writeFile("pause.wav"),
 *   Effect.map(({ durationMillis }) => durationMillis)
 * )
 *
 * Effect.runPromise(Effect.provide(program, NodeFileSystem.layer)).then(console.log) // 2000
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const writeFile: {
  (
    path: string
  ): <E, R>(audio: PcmStream<E, R>) => Effect.Effect<WavFile, E | WavError | PlatformError, R | FileSystem.FileSystem>
  <E, R>(
    audio: PcmStream<E, R>,
    path: string
  ): Effect.Effect<WavFile, E | WavError | PlatformError, R | FileSystem.FileSystem>
} = dual(
  2,
  <E, R>(
    audio: PcmStream<E, R>,
    path: string
  ): Effect.Effect<WavFile, E | WavError | PlatformError, R | FileSystem.FileSystem> =>
    Stream.run(audio.stream, fileSink(audio.format, path, audio))
)

/**
 * {@link writeFile} as a `Sink` of bytes, for a stream that also goes elsewhere (`Stream.tapSink`). The file takes its name
 * only when the stream ends.
 *
 * Fails with `WavError` and `PlatformError` as {@link writeFile} does.
 *
 * @example
 * ```ts
 * import { type PcmStream, Wav } from "@effect-speech/audio-codec"
 * import { Stream } from "effect"
 *
 * // Plays speech, and keeps it.
 * export const keep = <E, R>(speech: PcmStream.PcmStream<E, R>, path: string) =>
 *   Stream.tapSink(speech.stream, Wav.fileSink(speech.format, path, speech))
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const fileSink = (
  format: AudioFormat,
  path: string,
  { byteLength }: MakeOptions = {}
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
            return written(path, format, dataLength)
          })
        )
      )
    })
  )

/**
 * Corrects the sizes of a WAV file that was streamed, or whose writer was cut off. The sizes become those of the bytes that
 * the file has. Bytes behind the declared samples count as samples, unless they are chunks. An incomplete frame at the end
 * is cut off.
 *
 * The sizes are changed in place. If the samples are too long for them, the file is written again as an RF64, as
 * {@link writeFile} does, without the chunks that other programs put before the samples.
 *
 * Fails with `WavError` if it is not a WAV file that this module reads; the file stays as it was. Fails with a `PlatformError` if it can't
 * be read or written.
 *
 * @example
 * ```ts
 * import { Wav } from "@effect-speech/audio-codec"
 * import { Console, Effect } from "effect"
 *
 * export const repaired = (path: string) =>
 *   Wav.repair(path).pipe(
 *     Effect.flatMap(({ durationMillis }) => Console.log(`${path}: ${durationMillis / 1000} s`)),
 *     Effect.catchTag("WavError", (error) => Console.error(error.message))
 *   )
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const repair = (path: string): Effect.Effect<WavFile, WavError | PlatformError, FileSystem.FileSystem> =>
  Effect.scoped(
    Effect.gen(function* () {
      // One open file for all steps: the path may name another one from one moment to the next.
      const { blocks, file } = yield* openBlocks(path, { flag: "r+" })
      const {
        audio: { format },
        layout
      } = yield* openWav(blocks)
      const size = Number((yield* file.stat).size)
      const complete = yield* isWhole(file, layout, size)
      const present = complete ? layout.declared : size - layout.data
      const dataLength = present - (present % bytesPerFrame(format))
      const fileSize = complete ? size : layout.data + dataLength + padding(dataLength)
      if (layout.ds64 === undefined && fileSize - layout.riff - 8 > largestSize) {
        // The size may have wrapped around, and so end in the middle of the samples.
        if (!complete) yield* overwrite(file, [[layout.data - 4, new Uint8Array(4).fill(0xff)]])
        const { stream } = yield* readFile(path)
        return yield* writeFile(make(format, stream, { byteLength: dataLength }), path)
      }
      // A recorder that still writes may have added samples, so the file is cut only if it must be.
      if (!complete && fileSize !== size) yield* file.truncate(FileSystem.Size(fileSize))
      // If the samples are complete, their declared size may end inside a frame, and chunks follow it.
      yield* overwrite(file, sizeFields(format, layout, fileSize, complete ? layout.declared : dataLength))
      return written(path, format, dataLength)
    })
  )

/** If more follow the samples, they are not chunks. */
const maximumChunks = 1000

/**
 * Whether the samples have their declared length, and only chunks follow them. Samples that were written after the size look
 * like anything else.
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
    Effect.catchIf(fs.stat(path), isMissing, () => Effect.succeed(undefined))
  )

/** Counts bytes, and compares them with the announced length: as soon as there are too many, and at the end. */
const makeLength = (format: AudioFormat, announced: number | undefined) => {
  const mismatch = (expected: string, found: string) =>
    Effect.fail(wavError("LengthMismatch", { offset: length, expected, found }))
  let length = 0
  return {
    /** Counts a chunk. Returns a failure if there are too many bytes. */
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

/**
 * WAV files: read from bytes or a stream, written as bytes, as a stream, or as a file that appears whole or
 * not at all.
 */
import type { PlatformError } from "@effect/platform/Error"
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
import { makeWavParser, type WavHeader } from "./internal/wavParser.js"
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
  return Either.flatMap(parser.push(file), (bytes) =>
    Either.map(parser.end(), ({ format }) => ({
      format,
      bytes: bytes.subarray(0, bytes.byteLength - (bytes.byteLength % bytesPerFrame(format)))
    }))
  )
}

/**
 * Reads a WAV file as it arrives: the format first, then the samples as a stream, until the scope closes.
 *
 * `byteLength` is what the file declares; a file that ends early gives what there is.
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
    const next: Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<E | WavError>> = Effect.flatMap(
      Effect.mapError(
        pull,
        Option.map<E, E | WavError>((error) => error)
      ),
      (chunks) => Effect.mapError(parse(chunks), Option.some)
    )

    let first = Chunk.empty<Uint8Array>()
    let known: WavHeader | undefined
    while (known === undefined) {
      const step = yield* Effect.either(next)
      if (Either.isRight(step)) {
        first = step.right
        known = parser.header()
      } else if (Option.isSome(step.left)) {
        return yield* Effect.fail(step.left.value)
      } else {
        known = yield* parser.end()
      }
    }
    return {
      format: known.format,
      byteLength: known.dataLength,
      stream: Stream.concat(Stream.fromChunk(first), Stream.repeatEffectChunkOption(next))
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
 * The bytes go into a temporary file beside `path` that takes its name at the end: after a failure, an
 * interrupt or a crash there is the old file or none, never half of one. Audio that ends before or after the
 * length it announced is a `WavError`, and no file.
 */
export const writeFile = <E, R>(
  audio: PcmStream<E, R>,
  path: string
): Effect.Effect<WavFile, E | WavError | PlatformError, R | FileSystem.FileSystem> =>
  Effect.scoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const temporary = yield* temporaryBeside(path)
      const dataLength = yield* Effect.scoped(writeInto(audio, temporary))
      yield* fs.rename(temporary, path)
      return {
        path,
        format: audio.format,
        dataLength,
        durationMillis: durationMillis(audio.format, dataLength)
      }
    })
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

/** Counts what passes, and at the end holds it against what was announced. */
const countBytes = <E, R>(audio: PcmStream<E, R>) => {
  let length = 0
  return {
    stream: Stream.tap(audio.stream, (chunk) => Effect.sync(() => (length += chunk.byteLength))),
    finish: Effect.suspend(() => {
      const announced = audio.byteLength
      if (announced !== undefined && announced !== length) {
        return Effect.fail(
          wavError("LengthMismatch", { offset: length, expected: `${announced} bytes`, found: `${length}` })
        )
      }
      if (length % bytesPerFrame(audio.format) !== 0) {
        return Effect.fail(
          wavError("LengthMismatch", {
            offset: length,
            expected: `whole frames of ${bytesPerFrame(audio.format)} bytes`,
            found: `${length} bytes`
          })
        )
      }
      return Effect.succeed(length)
    })
  }
}

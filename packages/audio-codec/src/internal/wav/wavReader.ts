import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AudioFormat } from "../../AudioFormat.js"
import { bytesPerFrame } from "../../AudioFormat.js"
import type { WavError } from "../../WavError.js"
import { openBlocks } from "../files/readBlocks.js"
import { make, type PcmStream } from "../pcm/pcmStream.js"
import type { WavLayout } from "./wavHeader.js"
import { makeWavParser } from "./wavParser.js"

/** A WAV file whose header has been read. */
export interface OpenWav<E> {
  readonly audio: PcmStream<E>
  readonly layout: WavLayout
}

/** Reads a stream up to its samples. Their stream can run once, inside the scope. */
export const openWav = <E, R>(
  file: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<OpenWav<E | WavError>, E | WavError, R | Scope.Scope> =>
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
    const once = Stream.suspend(() => {
      if (read) return Stream.dieMessage("The stream of a WAV file's samples can run only once.")
      read = true
      return samples
    })
    // The layout is known as soon as the format is.
    return { audio: make(format, once), layout: parser.layout() as WavLayout }
  })

/**
 * Opens a file as {@link openWav} does, and gives the length of the samples that it has. All blocks share memory, as those of
 * {@link openBlocks} do.
 */
export const openWavFile = (
  path: string
): Effect.Effect<OpenWav<WavError | PlatformError>, WavError | PlatformError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const { blocks, info } = yield* openBlocks(path)
    const opened = yield* openWav(blocks)
    if (info.type !== "File") return opened
    const { audio, layout } = opened
    const byteLength = samplesLength(audio.format, layout, Number(info.size))
    return { audio: make(audio.format, audio.stream, { byteLength }), layout }
  })

/** The size of the samples in a file of `fileLength` bytes: whole frames, and no more than the file declares. */
export const samplesLength = (format: AudioFormat, { data, declared }: WavLayout, fileLength: number): number => {
  const length = Math.min(declared, Math.max(0, fileLength - data))
  return length - (length % bytesPerFrame(format))
}

/**
 * Decodes recordings of six containers to a `PcmStream`.
 *
 * WAV is decoded here. For MP3, M4A, FLAC, OGG and WebM, provide `NodeAudioDecoder.layer` of `@effect-speech/audio-decoder`, or a
 * decoder of your own. If all recordings are WAV, provide `AudioDecoder.AudioDecoder.layerWav`.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as StreamBeginning from "@effect-speech/common/StreamBeginning"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { AudioDecoderError } from "./AudioDecoderError.js"
import { detect, fromFile } from "./Container.js"
import { type Container, containers } from "./internal/container/containers.js"
import { containerOf as containerIn, neededToSniff } from "./internal/container/sniff.js"
import { displayName } from "./internal/container/structure.js"
import { mostTags } from "./internal/container/tags.js"
import { openSeekable } from "./internal/files/readBlocks.js"
import type { PcmStream } from "./PcmStream.js"
import * as Wav from "./Wav.js"

export { AudioDecoderError } from "./AudioDecoderError.js"

/**
 * A container that this package does not decode.
 *
 * @since 0.1.0
 * @category models
 */
export type Compressed = Exclude<Container, "wav">

/**
 * Options of {@link AudioDecoder.layer}.
 *
 * @example
 * ```ts
 * import { AudioDecoder } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * // A decoder that is not there yet: each recording fails.
 * export const options: AudioDecoder.AudioDecoderOptions = {
 *   containers: ["flac"],
 *   decode: (path, container) =>
 *     Effect.fail(
 *       new AudioDecoder.AudioDecoderError({ reason: "Unreadable", container, message: `${path} can't be decoded.` })
 *     )
 * }
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface AudioDecoderOptions {
  /** The containers that it decodes, for {@link canDecode}: `decode` gets recordings of the others too. Default: all five. */
  readonly containers?: ReadonlyArray<Compressed> | undefined
  /**
   * Decodes the recording in a file, whose container is known from its first bytes. It reads as far as the format; the
   * samples are a stream that can run once, inside the scope. Fails with `AudioDecoderError` if the recording can't be decoded, and so
   * does its stream.
   */
  readonly decode: (
    path: string,
    container: Compressed
  ) => Effect.Effect<PcmStream<AudioDecoderError>, AudioDecoderError, Scope.Scope>
}

/**
 * What an {@link AudioDecoder} does. Programs use {@link decodeFile} and {@link decodeStream}, which decode WAV too.
 *
 * @since 0.1.0
 * @category services
 */
export interface AudioDecoderService {
  /** The containers that it decodes. */
  readonly containers: ReadonlyArray<Compressed>
  /** Decodes the recording in a file. Fails with `AudioDecoderError` if it can't be decoded. */
  readonly decodeFile: AudioDecoderOptions["decode"]
  /**
   * Decodes a recording that arrives as a stream. Fails with `AudioDecoderError` if it can't be decoded, with `PlatformError` if it can't
   * be written into a temporary file, and as the stream does.
   */
  readonly decodeStream: <E, R>(
    file: Stream.Stream<Uint8Array, E, R>,
    container: Compressed
  ) => Effect.Effect<PcmStream<AudioDecoderError>, E | AudioDecoderError | PlatformError, R | Scope.Scope>
}

const noDecoder = (container: Compressed) =>
  new AudioDecoderError({
    reason: "NoDecoder",
    container,
    message:
      `This recording is ${displayName(container)}, and only WAV is decoded. Convert it to WAV, or provide ` +
      "NodeAudioDecoder.layer of @effect-speech/audio-decoder."
  })

/**
 * The decoder of recordings that are not WAV. Provide `NodeAudioDecoder.layer` of `@effect-speech/audio-decoder`, or one of your own. If
 * your recordings are WAV, provide `layerWav`.
 *
 * @example
 * ```ts
 * import { AudioDecoder, Wav } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const toWav = (from: string, to: string) =>
 *   AudioDecoder.decodeFile(from).pipe(
 *     Effect.flatMap((audio) => Wav.writeFile(audio, to)),
 *     Effect.scoped,
 *     Effect.provide(AudioDecoder.AudioDecoder.layerWav)
 *   )
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class AudioDecoder extends Context.Tag("@effect-speech/audio-codec/AudioDecoder")<
  AudioDecoder,
  AudioDecoderService
>() {
  /** A decoder of your own. A recording that arrives as a stream is kept in a temporary file, which is deleted with the scope. */
  static readonly layer = ({
    containers: decoded,
    decode
  }: AudioDecoderOptions): Layer.Layer<AudioDecoder, never, FileSystem.FileSystem> =>
    Layer.effect(
      AudioDecoder,
      Effect.map(FileSystem.FileSystem, (fs) => ({
        containers: decoded ?? compressed,
        decodeFile: decode,
        decodeStream: (file, container) =>
          Effect.gen(function* () {
            const path = yield* fs.makeTempFileScoped({ prefix: "recording-" })
            yield* Stream.run(file, fs.sink(path))
            return yield* decode(path, container)
          })
      }))
    )

  /** Decodes WAV alone. Any other recording is an `AudioDecoderError` of reason `NoDecoder`. */
  static readonly layerWav: Layer.Layer<AudioDecoder> = Layer.succeed(AudioDecoder, {
    containers: [],
    decodeFile: (_, container) => Effect.fail(noDecoder(container)),
    decodeStream: (_, container) => Effect.fail(noDecoder(container))
  })
}

const compressed = containers.filter((container) => container !== "wav")

/**
 * Whether {@link decodeFile} and {@link decodeStream} decode recordings of a container: WAV, and what the provided
 * {@link AudioDecoder} decodes.
 *
 * @example
 * ```ts
 * import { AudioDecoder } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * const canDecodeMp3 = AudioDecoder.canDecode("mp3").pipe(Effect.provide(AudioDecoder.AudioDecoder.layerWav))
 * console.log(Effect.runSync(canDecodeMp3)) // false
 * ```
 *
 * @since 0.1.0
 * @category operations
 */
export const canDecode = (container: Container | undefined): Effect.Effect<boolean, never, AudioDecoder> =>
  Effect.map(
    AudioDecoder,
    ({ containers }) => container === "wav" || containers.some((decoded) => decoded === container)
  )

/**
 * The errors of a recording's bytes; with those of its file, the errors of {@link decodeFile}.
 *
 * @since 0.1.0
 * @category errors
 */
export type DecodeError = AudioDecoderError | Wav.WavError

const unknown = (): AudioDecoderError =>
  new AudioDecoderError({
    reason: "Unknown",
    container: undefined,
    message: "This is not a recording: neither WAV, nor MP3, M4A, FLAC, OGG or WebM. Give a file of one of these."
  })

/**
 * Decodes the recording in a file: WAV as `Wav.readFile` does, others by the {@link AudioDecoder}. The first bytes determine the container,
 * whatever the name of the file. The stream can run once, inside the scope.
 *
 * Fails with `AudioDecoderError` if it is not a recording, or the decoder can't read it; with `WavError` if it is a WAV file that `Wav` does
 * not read; with a `PlatformError` if the file can't be opened or read.
 *
 * @example
 * ```ts
 * import { AudioDecoder, telephony, Wav } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * // Requires an `AudioDecoder` and a `FileSystem`.
 * export const convert = (from: string, to: string) =>
 *   AudioDecoder.decodeFile(from).pipe(
 *     Effect.flatMap((audio) => Wav.writeFile(telephony(audio), to)),
 *     Effect.scoped
 *   )
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const decodeFile = (
  path: string
): Effect.Effect<
  PcmStream<DecodeError | PlatformError>,
  DecodeError | PlatformError,
  AudioDecoder | FileSystem.FileSystem | Scope.Scope
> =>
  Effect.gen(function* () {
    const container = Option.getOrUndefined(yield* containerOf(path))
    if (container === "wav") return yield* Wav.readFile(path)
    if (container === undefined) return yield* unknown()
    return yield* (yield* AudioDecoder).decodeFile(path, container)
  })

const containerOf = (path: string) =>
  openSeekable(path).pipe(
    Effect.flatMap(({ file, info }) => detect(fromFile(file, Number(info.size)))),
    Effect.scoped
  )

/**
 * Decodes a recording that arrives as a stream: WAV as it arrives, others by the {@link AudioDecoder}, which may keep it in a temporary
 * file. The stream of the samples can run once, inside the scope.
 *
 * Fails with the errors of {@link decodeFile}, and with those of `file`.
 *
 * @example
 * ```ts
 * import { AudioDecoder, telephony, Wav } from "@effect-speech/audio-codec"
 * import { Effect, type Stream } from "effect"
 *
 * export const saveUpload = <E, R>(upload: Stream.Stream<Uint8Array, E, R>, path: string) =>
 *   AudioDecoder.decodeStream(upload).pipe(
 *     Effect.flatMap((audio) => Wav.writeFile(telephony(audio), path)),
 *     Effect.scoped
 *   )
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const decodeStream = <E, R>(
  file: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<
  PcmStream<E | DecodeError | PlatformError>,
  E | DecodeError | PlatformError,
  R | AudioDecoder | Scope.Scope
> =>
  Effect.gen(function* () {
    const { beginning, whole } = yield* openBeginning(file)
    const container = containerIn(beginning)
    if (container === "wav") return yield* Wav.decodeStream(whole)
    if (container === undefined) return yield* unknown()
    return yield* (yield* AudioDecoder).decodeStream(whole, container)
  })

/** In bytes. Longer tags are replaced by an empty one: no decoder needs their content. */
const longestBeginning = 256 * 1024

const emptyTag = new TextEncoder().encode("ID3\x04\0\0\0\0\0\0")

/** The bytes of the tags at the beginning, as far as they are given. */
const tagsLength = (beginning: Uint8Array): number => neededToSniff(beginning) - neededToSniff(new Uint8Array(0))

/** How many bytes `containerIn` needs. It grows until the container is known, or the beginning is too long. */
const neededBytes = (beginning: Uint8Array): number => {
  const { byteLength } = beginning
  const inTags = neededToSniff(beginning)
  if (inTags > longestBeginning || (byteLength >= inTags && containerIn(beginning) !== undefined)) return byteLength
  return Math.min(Math.max(inTags, 2 * byteLength), longestBeginning)
}

/** The beginning of a recording, behind tags that are too long to hold. More of them than `mostTags` are damage. */
const openBeginning = <E, R>(
  file: Stream.Stream<Uint8Array, E, R>,
  tags = mostTags
): Effect.Effect<StreamBeginning.StreamBeginning<E, R>, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const opened = yield* StreamBeginning.read(yield* Stream.toPull(file), neededBytes)
    const length = tagsLength(opened.beginning)
    if (tags === 0 || length <= longestBeginning) return opened
    return yield* openBeginning(Stream.concat(Stream.make(emptyTag), dropBytes(opened.whole, length)), tags - 1)
  })

const dropBytes = <E, R>(stream: Stream.Stream<Uint8Array, E, R>, length: number) =>
  Stream.suspend(() => {
    let left = length
    return Stream.map(stream, (part) => {
      const dropped = Math.min(left, part.byteLength)
      left -= dropped
      return part.subarray(dropped)
    })
  })

/**
 * Where a recording comes from. Every source except a one-shot stream can be opened again, so that a call can be
 * retried.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Stream from "effect/Stream"

const TypeId: unique symbol = Symbol.for("@effect-speech/stt/AudioSource")

interface Common {
  readonly [TypeId]: typeof TypeId
  /** The filename in the request. Its ending is replaced by that of the detected container. */
  readonly filename: string
}

/**
 * A file: what {@link fromPath} makes.
 *
 * @since 0.1.0
 * @category models
 */
export interface PathSource<R> extends Common {
  readonly _tag: "Path"
  /** As it was given to {@link fromPath}. */
  readonly path: string
  /** Where the file is: the service of the program that opens it. */
  readonly fileSystem: Effect.Effect<FileSystem.FileSystem, never, R>
  /** What the file must still be when it is opened. `undefined`: what it is then. */
  readonly expected: FileVersion | undefined
}

/**
 * Bytes in memory: what {@link fromBytes} makes.
 *
 * @since 0.1.0
 * @category models
 */
export interface BytesSource extends Common {
  readonly _tag: "Bytes"
  /** The recording. It is not copied. */
  readonly bytes: Uint8Array
}

/**
 * A Blob: what {@link fromBlob} makes.
 *
 * @since 0.1.0
 * @category models
 */
export interface BlobSource extends Common {
  readonly _tag: "Blob"
  /** The recording. */
  readonly blob: Blob
}

/**
 * A stream: what {@link fromStream} and {@link fromOneShotStream} make.
 *
 * @since 0.1.0
 * @category models
 */
export interface StreamSource<R> extends Common {
  readonly _tag: "Stream"
  /** The bytes of the recording. */
  readonly stream: Stream.Stream<Uint8Array, unknown, R>
  /** The exact number of bytes. `undefined`: it is unknown. */
  readonly byteLength: number | undefined
  /** Whether the stream was read. Absent if it can be read again. */
  readonly once: { isRead: boolean } | undefined
}

/**
 * A recording. Reading it requires `R`: nothing if it is in memory, a `FileSystem` for a path, and what a stream requires. Default of
 * `R`: a `FileSystem`, which the layer of `SpeechToText` has. That is any source but a stream with requirements of its own.
 *
 * @example
 * ```ts
 * import { AudioSource } from "@effect-speech/stt"
 *
 * // A path, or the file of a web form.
 * export const sourceOf = (input: string | File): AudioSource.AudioSource =>
 *   typeof input === "string" ? AudioSource.fromPath(input) : AudioSource.fromBlob(input)
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type AudioSource<R = FileSystem.FileSystem> = PathSource<R> | BytesSource | BlobSource | StreamSource<R>

/**
 * What the reading of a source requires; of one of several sources, what all of them require.
 *
 * @example
 * ```ts
 * import type { AudioSource } from "@effect-speech/stt"
 * import { Effect } from "effect"
 *
 * // Requires what the source requires: a `FileSystem` for a path, nothing for bytes.
 * export const contextOf = <Source extends AudioSource.AudioSource<unknown>>(_source: Source) =>
 *   Effect.context<AudioSource.RequirementOf<Source>>()
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type RequirementOf<Source> = Source extends PathSource<infer R> | StreamSource<infer R> ? R : never

/**
 * Whether a value is a source that this module made.
 *
 * @example
 * ```ts
 * import { AudioSource } from "@effect-speech/stt"
 *
 * export const sourceOf = (given: string | AudioSource.AudioSource): AudioSource.AudioSource =>
 *   AudioSource.isAudioSource(given) ? given : AudioSource.fromPath(given)
 * ```
 *
 * @since 0.1.0
 * @category guards
 */
export const isAudioSource = (value: unknown): value is AudioSource<unknown> => Predicate.hasProperty(value, TypeId)

/**
 * What a file was when you looked at it.
 *
 * Use it for `expected` of {@link PathOptions}, if some time passes between a look at a file and its call.
 *
 * @example
 * ```ts
 * import { statSync } from "node:fs"
 * import type { AudioSource } from "@effect-speech/stt"
 *
 * export const versionOf = (path: string): AudioSource.FileVersion => {
 *   const { mtime, size } = statSync(path)
 *   return { size, modifiedMillis: mtime.getTime() }
 * }
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface FileVersion {
  /** In bytes. */
  readonly size: number
  /** The time of the latest write, in whole milliseconds since 1970, as `mtime.getTime()` of Node gives it. */
  readonly modifiedMillis: number
}

/**
 * The options of {@link fromPath}.
 *
 * @example
 * ```ts
 * import { AudioSource } from "@effect-speech/stt"
 *
 * const options: AudioSource.PathOptions = { expected: { size: 16_044, modifiedMillis: 1_764_000_000_000 } }
 *
 * // If the file is another one by then, the call sends nothing.
 * export const source = AudioSource.fromPath("call.wav", options)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface PathOptions {
  /** The call fails, and sends nothing, if the file is another one when it is opened. Default: the file as it is then. */
  readonly expected?: FileVersion | undefined
}

/**
 * A file. It is read as it is sent, in constant memory. If it changes while it is read, the call fails.
 *
 * A file of at most 256 KiB is read at once, before it is sent. Over `NodeTransport.layer` it is read a second time if it changed
 * during the first.
 *
 * Each attempt opens the file, by the `FileSystem` of the layer. A call with it fails with `SttAudioUnreadable` if the file is
 * missing, empty, no regular file or not readable.
 *
 * @example
 * ```ts
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Effect } from "effect"
 *
 * export const transcribe = (path: string) =>
 *   Effect.flatMap(SpeechToText, (stt) =>
 *     stt.transcribe({ audio: AudioSource.fromPath(path), model: "hi-general-v2-8khz" })
 *   )
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromPath = (path: string, { expected }: PathOptions = {}): AudioSource => ({
  [TypeId]: TypeId,
  _tag: "Path",
  path,
  fileSystem: FileSystem.FileSystem,
  expected,
  filename: path.split(/[/\\]/).at(-1) ?? path
})

/**
 * The options of {@link fromBytes} and {@link fromBlob}.
 *
 * @example
 * ```ts
 * import { AudioSource } from "@effect-speech/stt"
 *
 * const options: AudioSource.NamedOptions = { filename: "call-17" }
 *
 * // Sent as `call-17.wav`, if the bytes are those of a WAV file.
 * export const source = (wav: Uint8Array) => AudioSource.fromBytes(wav, options)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface NamedOptions {
  /** The filename in the request. Its ending is replaced by that of the detected container. Default: `audio`. */
  readonly filename?: string | undefined
}

/**
 * A recording in memory. The bytes are not copied: leave them unchanged until the call ends.
 *
 * A call with no bytes fails with `SttAudioUnreadable`.
 *
 * @example
 * ```ts
 * import { AudioFormat, Wav } from "@effect-speech/audio-codec"
 * import { AudioSource } from "@effect-speech/stt"
 *
 * const format = new AudioFormat.AudioFormat({ sampleRate: 8000, channels: 1, encoding: "pcm16" })
 *
 * // Raw samples of a telephone line, as a WAV file.
 * export const source = (samples: Uint8Array) => AudioSource.fromBytes(Wav.encode(samples, format))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromBytes = (bytes: Uint8Array, options: NamedOptions = {}): AudioSource<never> => ({
  [TypeId]: TypeId,
  _tag: "Bytes",
  bytes,
  filename: options.filename ?? "audio"
})

/**
 * A Blob, such as from a web form, `Response.blob` or `fs.openAsBlob`. Default filename: the name of a `File`.
 *
 * A call with it fails with `SttAudioUnreadable` if the Blob is empty or its reading fails.
 *
 * @example
 * ```ts
 * import { openAsBlob } from "node:fs"
 * import { AudioSource } from "@effect-speech/stt"
 * import { Effect } from "effect"
 *
 * export const source = Effect.map(
 *   Effect.promise(() => openAsBlob("call.wav")),
 *   (blob) => AudioSource.fromBlob(blob, { filename: "call.wav" })
 * )
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromBlob = (blob: Blob, options: NamedOptions = {}): AudioSource<never> => ({
  [TypeId]: TypeId,
  _tag: "Blob",
  blob,
  filename: options.filename ?? ("name" in blob && typeof blob.name === "string" ? blob.name : "audio")
})

/**
 * The options of {@link fromStream} and {@link fromOneShotStream}.
 *
 * @example
 * ```ts
 * import { AudioSource } from "@effect-speech/stt"
 * import { Stream } from "effect"
 *
 * const options: AudioSource.StreamOptions = { byteLength: 3, filename: "tone" }
 *
 * export const source = AudioSource.fromStream(Stream.make(Uint8Array.of(1, 2, 3)), options)
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface StreamOptions extends NamedOptions {
  /** The exact number of bytes. Default: unknown; the request is sent chunked, without a Content-Length. */
  readonly byteLength?: number | undefined
}

/**
 * A stream of the bytes of a recording. Each attempt runs it anew, and it must give all bytes each time. The call requires what the
 * stream requires. Chunks are not copied: do not overwrite one that you have emitted.
 *
 * Use {@link fromPath} for a file: it is faster. A call with it fails with `SttAudioUnreadable` if the stream is empty, fails, or does not have
 * its `byteLength`.
 *
 * @example
 * ```ts
 * import { FileSystem } from "@effect/platform"
 * import { AudioSource } from "@effect-speech/stt"
 * import { Effect, Stream } from "effect"
 *
 * // The recording begins after 512 other bytes. The call requires the `FileSystem`.
 * export const source = AudioSource.fromStream(
 *   Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream("call.bin", { offset: 512, chunkSize: 1_048_576 })))
 * )
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromStream = <R = never>(
  stream: Stream.Stream<Uint8Array, unknown, R>,
  options: StreamOptions = {}
): AudioSource<R> => streamSource(stream, undefined, options)

/**
 * A stream that can be read only once, such as a microphone or the body of a request. A call with it is never retried,
 * and a second call with it fails with `SttAudioUnreadable`. Chunks are not copied, as in {@link fromStream}.
 *
 * @example
 * ```ts
 * import { HttpServerRequest } from "@effect/platform"
 * import { AudioSource, SpeechToText } from "@effect-speech/stt"
 * import { Effect } from "effect"
 *
 * // Sends the body of an upload on while it arrives.
 * export const transcribeUpload = Effect.gen(function* () {
 *   const stt = yield* SpeechToText
 *   const { stream } = yield* HttpServerRequest.HttpServerRequest
 *   return yield* stt.transcribe({ audio: AudioSource.fromOneShotStream(stream), model: "hi-general-v2-8khz" })
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromOneShotStream = <R = never>(
  stream: Stream.Stream<Uint8Array, unknown, R>,
  options: StreamOptions = {}
): AudioSource<R> => streamSource(stream, { isRead: false }, options)

const streamSource = <R>(
  stream: StreamSource<R>["stream"],
  once: StreamSource<R>["once"],
  { byteLength, filename = "audio" }: StreamOptions
): StreamSource<R> => ({ [TypeId]: TypeId, _tag: "Stream", stream, byteLength, once, filename })

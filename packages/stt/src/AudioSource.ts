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
 * @since 0.1.0
 * @category models
 */
export interface PathSource<R> extends Common {
  readonly _tag: "Path"
  readonly path: string
  /** Where the file is: the service of the program that opens it. */
  readonly fileSystem: Effect.Effect<FileSystem.FileSystem, never, R>
  readonly expected: FileVersion | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface BytesSource extends Common {
  readonly _tag: "Bytes"
  readonly bytes: Uint8Array
}

/**
 * @since 0.1.0
 * @category models
 */
export interface BlobSource extends Common {
  readonly _tag: "Blob"
  readonly blob: Blob
}

/**
 * @since 0.1.0
 * @category models
 */
export interface StreamSource<R> extends Common {
  readonly _tag: "Stream"
  readonly stream: Stream.Stream<Uint8Array, unknown, R>
  readonly byteLength: number | undefined
  /** Whether the stream was read. Absent if it can be read again. */
  readonly once: { isRead: boolean } | undefined
}

/**
 * A recording whose reading requires `R`: nothing if it is in memory, a `FileSystem` for a path, and what a stream requires. Default of
 * `R`: a `FileSystem`, which the layer of `SpeechToText` has, so that it is any source but a stream with requirements of its own.
 *
 * @since 0.1.0
 * @category models
 */
export type AudioSource<R = FileSystem.FileSystem> = PathSource<R> | BytesSource | BlobSource | StreamSource<R>

/**
 * What the reading of a source requires; of one of several sources, what all of them require.
 *
 * @since 0.1.0
 * @category models
 */
export type RequirementOf<Source> = Source extends PathSource<infer R> | StreamSource<infer R> ? R : never

/**
 * @since 0.1.0
 * @category guards
 */
export const isAudioSource = (value: unknown): value is AudioSource<unknown> => Predicate.hasProperty(value, TypeId)

/**
 * What a file was when you looked at it.
 *
 * @since 0.1.0
 * @category models
 */
export interface FileVersion {
  /** In bytes. */
  readonly size: number
  /** The time of the latest write, in whole milliseconds since 1970. */
  readonly modifiedMillis: number
}

/**
 * @since 0.1.0
 * @category options
 */
export interface PathOptions {
  /** Fails, and sends nothing, if the file is another one when it is opened. Default: the file as it is then. */
  readonly expected?: FileVersion | undefined
}

/**
 * A file. It is read as it is sent, in constant memory. If it changes while it is read, the call fails.
 *
 * A file of at most 256 KiB is read at once, before it is sent. Over `NodeTransport.layer` it is read a second time if it changed
 * during the first.
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

/**
 * Where a recording comes from. All sources but a one-shot stream can be opened anew, so that a request can be sent again
 * whole.
 */
import * as Predicate from "effect/Predicate"
import type * as Stream from "effect/Stream"

const TypeId: unique symbol = Symbol.for("@effect-speech/stt/AudioSource")

interface Common {
  readonly [TypeId]: typeof TypeId
  /** What the file is called in the request, but for its ending, which becomes that of the container that it is. */
  readonly filename: string
}

export interface PathSource extends Common {
  readonly _tag: "Path"
  readonly path: string
}

export interface BytesSource extends Common {
  readonly _tag: "Bytes"
  readonly bytes: Uint8Array
}

export interface BlobSource extends Common {
  readonly _tag: "Blob"
  readonly blob: Blob
}

export interface StreamSource extends Common {
  readonly _tag: "Stream"
  readonly open: () => Stream.Stream<Uint8Array, unknown>
  readonly byteLength: number | undefined
  readonly repeatable: boolean
}

export type AudioSource = PathSource | BytesSource | BlobSource | StreamSource

export const isAudioSource = (value: unknown): value is AudioSource => Predicate.hasProperty(value, TypeId)

/** A file, which is read as it is sent and never held in memory. */
export const fromPath = (path: string): AudioSource => ({
  [TypeId]: TypeId,
  _tag: "Path",
  path,
  filename: path.split(/[/\\]/).at(-1) ?? path
})

export interface NamedOptions {
  /** What the file is called in the request, but for its ending, which becomes that of its container. Default: `audio`. */
  readonly filename?: string | undefined
}

/** A recording that is already in memory. */
export const fromBytes = (bytes: Uint8Array, options: NamedOptions = {}): AudioSource => ({
  [TypeId]: TypeId,
  _tag: "Bytes",
  bytes,
  filename: options.filename ?? "audio"
})

/** A Blob, as a web form, `Response.blob` or `fs.openAsBlob` gives it. A `File` keeps its name, unless given another. */
export const fromBlob = (blob: Blob, options: NamedOptions = {}): AudioSource => ({
  [TypeId]: TypeId,
  _tag: "Blob",
  blob,
  filename: options.filename ?? ("name" in blob && typeof blob.name === "string" ? blob.name : "audio")
})

export interface StreamOptions extends NamedOptions {
  /** The exact number of bytes. Without it the request is sent chunked, with no Content-Length. */
  readonly byteLength?: number | undefined
}

/**
 * A stream of the bytes of a recording; `open` is called anew for each attempt and must give all of them. What the stream
 * needs is to be provided to it.
 */
export const fromStream = (
  open: () => Stream.Stream<Uint8Array, unknown>,
  options: StreamOptions = {}
): AudioSource => ({
  [TypeId]: TypeId,
  _tag: "Stream",
  open,
  byteLength: options.byteLength,
  repeatable: true,
  filename: options.filename ?? "audio"
})

/**
 * A stream that can be read but once, such as a microphone or a request's body: a call with it is never
 * repeated, and a second one fails with `SttAudioUnreadable`.
 */
export const fromOneShotStream = (
  stream: Stream.Stream<Uint8Array, unknown>,
  options: StreamOptions = {}
): AudioSource => ({
  [TypeId]: TypeId,
  _tag: "Stream",
  open: () => stream,
  byteLength: options.byteLength,
  repeatable: false,
  filename: options.filename ?? "audio"
})

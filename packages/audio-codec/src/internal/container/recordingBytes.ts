import * as Effect from "effect/Effect"
import { viewOf } from "../bytes.js"

/**
 * The bytes of a recording, read by position. `fromBytes` makes them of bytes in memory, `RecordingFile.open` of a file. To read from
 * elsewhere, such as ranges of HTTP, implement `read`.
 *
 * @example
 * ```ts
 * import type { Container } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const fromBlob = (blob: Blob): Container.RecordingBytes => ({
 *   byteLength: blob.size,
 *   read: (offset, length) =>
 *     Effect.promise(async () => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()))
 * })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface RecordingBytes<out E = never> {
  /** The size of the whole recording, in bytes, if it is known. */
  readonly byteLength: number | undefined
  /** Reads `length` bytes from `offset` on; fewer, or none, if the recording ends or no more bytes are available. */
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, E>
}

/** {@link RecordingBytes} as the readers of headers take them. */
export interface RecordingViews<out E> {
  /** The number of bytes before those that are read: tags, or zeros, in front of the container. */
  readonly before: number
  readonly byteLength: number | undefined
  readonly read: (offset: number, length: number) => Effect.Effect<DataView, E>
}

/** The fields of a container's header as they are written: a rate may be 0, negative or NaN. */
export interface HeaderFields {
  readonly sampleRate?: number | undefined
  readonly channels?: number | undefined
  readonly durationMillis?: number | undefined
}

/** Most headers are in the first bytes of this number. */
export const usualHeader = 4096

/** Reads a header. Bytes that make no sense give no fields. */
export type ReadHeader = <E>(recording: RecordingViews<E>) => Effect.Effect<HeaderFields, E>

/** Reads beyond the end give no bytes: a damaged file may state such an offset. */
const readWithin = <E>({ byteLength, read }: RecordingBytes<E>, offset: number, length: number) =>
  byteLength !== undefined && offset >= byteLength ? Effect.succeed(new Uint8Array(0)) : read(offset, length)

/** The views of a recording, as it is read. */
export const viewsOf = <E>(recording: RecordingBytes<E>): RecordingViews<E> => ({
  before: 0,
  byteLength: recording.byteLength,
  read: (offset, length) => Effect.map(readWithin(recording, offset, length), viewOf)
})

/** What may be read of a recording for its header. */
export interface ReadLimits {
  readonly reads: number
  /** In bytes. */
  readonly bytes: number
}

/** Limits what is read. A read beyond a limit gives no bytes. The first block and the last one are not read again. */
export const limitReads = <E>(recording: RecordingBytes<E>, limits: ReadLimits): RecordingViews<E> => {
  let { bytes, reads } = limits
  let first: Block | undefined
  let last: Block | undefined
  return {
    before: 0,
    byteLength: recording.byteLength,
    read: (offset, length) =>
      Effect.suspend(() => {
        for (const block of [first, last]) {
          if (block === undefined || offset < block.start) continue
          const at = offset - block.start
          const isAvailable = at + length <= block.bytes.byteLength || (block.isEnd && at <= block.bytes.byteLength)
          if (isAvailable) return Effect.succeed(viewOf(block.bytes.subarray(at, at + length)))
        }
        if (reads === 0 || length > bytes) return Effect.succeed(viewOf(new Uint8Array(0)))
        reads -= 1
        bytes -= length
        return Effect.map(readWithin(recording, offset, length), (found) => {
          last = { start: offset, bytes: found, isEnd: found.byteLength < length }
          first ??= last
          return viewOf(found)
        })
      })
  }
}

interface Block {
  readonly start: number
  readonly bytes: Uint8Array
  /** Whether nothing follows. */
  readonly isEnd: boolean
}

/** The recording from `start` on. */
export const from = <E>({ before, byteLength, read }: RecordingViews<E>, start: number): RecordingViews<E> => ({
  before: before + start,
  byteLength: byteLength === undefined ? undefined : Math.max(0, byteLength - start),
  read: (offset, length) => read(offset + start, length)
})

/** Small reads that follow each other share one read of 16 KiB. */
export const bufferReads = <E>(recording: RecordingBytes<E>): RecordingViews<E> => {
  let block = new Uint8Array(0)
  let start = 0
  const fromBlock = (offset: number, length: number) => viewOf(block.subarray(offset - start, offset - start + length))
  return {
    before: 0,
    byteLength: recording.byteLength,
    read: (offset, length) =>
      Effect.suspend(() =>
        offset >= start && offset + length <= start + block.byteLength
          ? Effect.succeed(fromBlock(offset, length))
          : Effect.map(readWithin(recording, offset, Math.max(length, 16 * 1024)), (bytes) => {
              block = new Uint8Array(bytes)
              start = offset
              return fromBlock(offset, length)
            })
      )
  }
}

/**
 * The bytes of a recording in memory. If they are only the beginning of it, `byteLength` is the size of the whole, or `undefined` if
 * that is unknown.
 *
 * @example
 * ```ts
 * import { Container, Telephony, Wav } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * const file = Wav.encode(new Uint8Array(16_000), Telephony.format)
 * const header = Effect.runSync(Container.readHeader(Container.fromBytes(file, file.byteLength)))
 * console.log(header.durationMillis) // 1000
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromBytes = (bytes: Uint8Array, byteLength: number | undefined): RecordingBytes => ({
  byteLength,
  read: (offset, length) => Effect.succeed(bytes.subarray(offset, offset + length))
})

export const bytesOf = (view: DataView): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength)

/** Latin-1 text; shorter if the view ends first. */
export const characters = (view: DataView, offset: number, length: number): string =>
  String.fromCharCode(...bytesOf(view).subarray(offset, offset + length))

import * as Effect from "effect/Effect"
import { viewOf } from "../bytes.js"

/** The bytes of a recording, read by position. */
export interface RecordingBytes<out E = never> {
  /** The size of the whole recording, in bytes, if it is known. */
  readonly byteLength: number | undefined
  /** Reads `length` bytes from `offset` on; fewer, or none, if the recording ends or no more is at hand. */
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, E>
}

/** {@link RecordingBytes} as the readers of headers take them. */
export interface RecordingViews<out E> {
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

/** Allows `maximumReads` reads. Those after them give no bytes. */
export const limitReads = <E>(recording: RecordingBytes<E>, maximumReads: number): RecordingViews<E> => {
  let left = maximumReads
  return {
    byteLength: recording.byteLength,
    read: (offset, length) =>
      Effect.suspend(() =>
        Effect.map(left-- > 0 ? readWithin(recording, offset, length) : Effect.succeed(new Uint8Array(0)), viewOf)
      )
  }
}

/** Takes what lies within the beginning from there. */
export const startingWith = <E>(beginning: DataView, { byteLength, read }: RecordingViews<E>): RecordingViews<E> => ({
  byteLength,
  read: (offset, length) =>
    offset + length <= beginning.byteLength
      ? Effect.succeed(viewOf(bytesOf(beginning).subarray(offset, offset + length)))
      : read(offset, length)
})

/** Small reads that follow each other share one read of 16 KiB. */
export const bufferReads = <E>(recording: RecordingBytes<E>): RecordingViews<E> => {
  let block = new Uint8Array(0)
  let start = 0
  const fromBlock = (offset: number, length: number) => viewOf(block.subarray(offset - start, offset - start + length))
  return {
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

export const bytesOf = (view: DataView): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength)

/** Latin-1 text; shorter if the view ends first. */
export const characters = (view: DataView, offset: number, length: number): string =>
  String.fromCharCode(...bytesOf(view).subarray(offset, offset + length))

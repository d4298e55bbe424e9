import type { UploadFailed } from "@effect-speech/transport/Failure"
import type * as Effect from "effect/Effect"

/** The bytes of a recording, by position. */
export interface RecordingBytes {
  /** Of the whole recording, where it is known. */
  readonly byteLength: number | undefined
  /** At most `length` bytes from `offset` on: fewer, or none, where that is all there is to be had. */
  readonly read: (offset: number, length: number) => Effect.Effect<DataView, UploadFailed>
}

/** What the header of a container tells; also what can't be, such as a rate of 0 or NaN. */
export interface Header {
  readonly sampleRate?: number | undefined
  readonly channels?: number | undefined
  readonly durationMillis?: number | undefined
}

/** Bytes that make no sense give a header with nothing in it. */
export type ReadHeader = (recording: RecordingBytes) => Effect.Effect<Header, UploadFailed>

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export const bytesOf = (view: DataView): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength)

/** Characters of one byte; fewer where the view ends before. */
export const characters = (view: DataView, offset: number, length: number): string =>
  String.fromCharCode(...bytesOf(view).subarray(offset, offset + length))

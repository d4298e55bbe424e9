import { concat } from "@effect-speech/common/TypedArrays"

/** Joins parts in new memory. The empty one before them is there so that a single part is copied, too. */
export const concatBytes = (parts: ReadonlyArray<Uint8Array>): Uint8Array =>
  concat([new Uint8Array(0), ...parts], Uint8Array)

/** A single part is returned itself, not a copy. */
export const concatSamples = (parts: ReadonlyArray<Float32Array>): Float32Array => concat(parts, Float32Array)

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

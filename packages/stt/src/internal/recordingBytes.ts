import type { UploadFailed } from "@effect-speech/transport/Failure"
import * as Effect from "effect/Effect"
import { type RecordingBytes, viewOf } from "./header/header.js"

/** No header needs more; one that was made to be endless ends here. */
const maximumReads = 1000

export const fromRead = (
  byteLength: number | undefined,
  read: (offset: number, length: number) => Effect.Effect<Uint8Array, UploadFailed>
): RecordingBytes => {
  let left = maximumReads
  return {
    byteLength,
    read: (offset, length) =>
      Effect.suspend(() => Effect.map(left-- > 0 ? read(offset, length) : Effect.succeed(new Uint8Array(0)), viewOf))
  }
}

/** Of bytes that are at hand, which may be the first of more. */
export const fromBytes = (bytes: Uint8Array, byteLength: number | undefined): RecordingBytes =>
  fromRead(byteLength, (offset, length) => Effect.succeed(bytes.subarray(offset, offset + length)))

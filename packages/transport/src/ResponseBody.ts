/**
 * Reading a body that may be larger than it should be.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

export interface Read {
  /** The body, or its first `limit` bytes. */
  readonly bytes: Uint8Array
  /** Whether `bytes` is all of it. */
  readonly complete: boolean
}

/** Reads a body into memory, and stops once it has passed `limit` bytes. */
export const readAtMost = <E, R>(body: Stream.Stream<Uint8Array, E, R>, limit: number): Effect.Effect<Read, E, R> =>
  Effect.suspend(() => {
    const parts: Array<Uint8Array> = []
    let length = 0
    return body.pipe(
      Stream.takeUntil((chunk) => {
        parts.push(chunk)
        length += chunk.byteLength
        return length > limit
      }),
      Stream.runDrain,
      Effect.map(() => ({
        bytes: firstBytes(parts, Math.min(length, limit)),
        complete: length <= limit
      }))
    )
  })

const firstBytes = (parts: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    bytes.set(part.subarray(0, length - offset), offset)
    offset += Math.min(part.byteLength, length - offset)
  }
  return bytes
}

/**
 * Reads a body up to a limit.
 */
import * as Effect from "effect/Effect"
import { fillBuffer, makeBoundedBuffer } from "../internal/http/boundedBuffer.js"

/**
 * A body, as far as it was read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Read {
  /** The body, or its first `limit` bytes. */
  readonly bytes: Uint8Array
  /** Whether `bytes` is the whole body. */
  readonly complete: boolean
}

/**
 * Reads a body into memory. It stops when `pull` returns `undefined`, or after more than `limit` bytes.
 *
 * @since 0.1.0
 * @category combinators
 */
export const collect = <E, R>(
  pull: Effect.Effect<Uint8Array | undefined, E, R>,
  limit: number
): Effect.Effect<Read, E, R> =>
  Effect.suspend(() => {
    const buffer = makeBoundedBuffer(limit)
    return Effect.map(fillBuffer(buffer, pull), buffer.read)
  })

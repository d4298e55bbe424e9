/**
 * Reading a body that may be larger than it should be.
 */
import * as Effect from "effect/Effect"
import { fill, makeParts } from "./internal/http/boundedBuffer.js"

export interface Read {
  /** The body, or its first `limit` bytes. */
  readonly bytes: Uint8Array
  /** Whether `bytes` is all of it. */
  readonly complete: boolean
}

/** Reads what `pull` gives into memory until it gives nothing, and stops once it has passed `limit` bytes. */
export const collect = <E, R>(
  pull: Effect.Effect<Uint8Array | undefined, E, R>,
  limit: number
): Effect.Effect<Read, E, R> =>
  Effect.suspend(() => {
    const parts = makeParts(limit)
    return Effect.map(fill(parts, pull), parts.read)
  })

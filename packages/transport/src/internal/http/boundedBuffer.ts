import * as Effect from "effect/Effect"
import type { Read } from "../../ResponseBody.js"

/** The beginning of a body, as far as it has come. */
export interface Parts {
  /** Adds the next bytes, and tells whether there is room for more. */
  readonly add: (chunk: Uint8Array) => boolean
  readonly read: () => Read
}

export const makeParts = (limit: number): Parts => {
  const parts: Array<Uint8Array> = []
  let length = 0
  return {
    add: (chunk) => {
      parts.push(chunk)
      length += chunk.byteLength
      return length <= limit
    },
    read: () => {
      const bytes = new Uint8Array(Math.min(length, limit))
      let offset = 0
      for (const part of parts) {
        bytes.set(part.subarray(0, bytes.byteLength - offset), offset)
        offset += Math.min(part.byteLength, bytes.byteLength - offset)
      }
      return { bytes, complete: length <= limit }
    }
  }
}

/** Adds what `pull` gives until it gives nothing, or there is no more room. */
export const fill = <E, R>(
  parts: Parts,
  pull: Effect.Effect<Uint8Array | undefined, E, R>
): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    for (let more = true; more; ) {
      const chunk = yield* pull
      more = chunk !== undefined && parts.add(chunk)
    }
  })

import * as Effect from "effect/Effect"

/** Collects the beginning of a body, up to a limit. */
export interface BoundedBuffer {
  /** Adds the next bytes. Returns whether there is room for more. */
  readonly add: (chunk: Uint8Array) => boolean
  /** The bytes so far, cut at the limit. `complete`: nothing was cut off. */
  readonly read: () => { readonly bytes: Uint8Array; readonly complete: boolean }
}

export const makeBoundedBuffer = (limit: number): BoundedBuffer => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  return {
    add: (chunk) => {
      chunks.push(chunk)
      length += chunk.byteLength
      return length <= limit
    },
    read: () => {
      const bytes = new Uint8Array(Math.min(length, limit))
      let offset = 0
      for (const chunk of chunks) {
        bytes.set(chunk.subarray(0, bytes.byteLength - offset), offset)
        offset += Math.min(chunk.byteLength, bytes.byteLength - offset)
      }
      return { bytes, complete: length <= limit }
    }
  }
}

/** Adds what `pull` returns, until it returns `undefined` or the buffer is full. */
export const fillBuffer = <E, R>(
  buffer: BoundedBuffer,
  pull: Effect.Effect<Uint8Array | undefined, E, R>
): Effect.Effect<void, E, R> =>
  Effect.flatMap(pull, (chunk) => (chunk !== undefined && buffer.add(chunk) ? fillBuffer(buffer, pull) : Effect.void))

import type * as Duration from "effect/Duration"
import { millisOf } from "./durations.js"

/** A part of a recording, in order. */
interface Part {
  readonly startSample: number
  readonly samples: Float32Array
}

interface Rules<Details> {
  /** In samples. */
  readonly longest: number
  /** Measures samples that follow the first `filled` ones of the piece. */
  readonly measure: (samples: Float32Array, filled: number) => void
  /** Decides where a piece of the longest length ends, and drops what it measured before that. */
  readonly cut: () => { readonly length: number; readonly details: Details }
  readonly last: Details
}

/**
 * The duration of the longest piece, in milliseconds.
 *
 * @throws RangeError if it is below a second, or infinite.
 */
export const longestMillis = (maximum: Duration.DurationInput): number => {
  const millis = millisOf(maximum)
  if (millis >= 1000 && Number.isFinite(millis)) return millis
  throw new RangeError(`The longest piece must last at least 1000 ms, not ${millis}.`)
}

/** Cuts a recording that arrives in blocks. It holds at most one piece, and no more than the samples that it received. */
export const makePieceCutter = <Details extends object>({ cut, last, longest, measure }: Rules<Details>) => {
  let piece = new Float32Array(0)
  let startSample = 0
  let filled = 0

  /** Makes room for `length` samples. The longest piece is not allocated at once, since a header may state any rate. */
  const reserve = (length: number): void => {
    if (length <= piece.length) return
    const larger = new Float32Array(Math.min(longest, Math.max(length, 2 * piece.length)))
    larger.set(piece)
    piece = larger
  }
  const take = (length: number, details: Details): Part & Details => {
    const complete = { ...details, startSample, samples: piece.slice(0, length) }
    piece.copyWithin(0, length, filled)
    startSample += length
    filled -= length
    return complete
  }
  return {
    push: (samples: Float32Array): ReadonlyArray<Part & Details> => {
      const pieces: Array<Part & Details> = []
      for (let offset = 0; offset < samples.length; ) {
        if (filled === longest) {
          const { details, length } = cut()
          pieces.push(take(length, details))
        }
        const part = samples.subarray(offset, offset + longest - filled)
        reserve(filled + part.length)
        piece.set(part, filled)
        measure(part, filled)
        filled += part.length
        offset += part.length
      }
      return pieces
    },
    flush: (): ReadonlyArray<Part & Details> => (filled === 0 ? [] : [take(filled, last)])
  }
}

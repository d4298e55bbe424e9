import { differences as bits, makeBands } from "./spectrum.js"
import { sampleRate } from "./waveforms.js"

/**
 * Fingerprints of moments of a recording, after Haitsma and Kalker, "A Highly Robust Audio Fingerprinting System" (2002):
 * each bit says whether the difference of two neighbouring bands has grown in the last 40 ms. Loudness, polarity and rates
 * do not matter. A codec changes a few bits; so few that 14 of the 75 fingerprints of a short sentence are found after Opus
 * at 32 kbit/s.
 */

/** In samples: 10 ms, the time between two fingerprints of an input. A known recording has every second one. */
export const hop = 0.01 * sampleRate

/** In hops: 40 ms. */
const lookBack = 4

/** The number of all fingerprints. */
export const fingerprintCount = 2 ** bits

/** The fingerprint of a moment, and the same without its two least certain bits, in all their values. */
export type Fingerprints = Int32Array

/** Makes the fingerprints of one recording, hop by hop in order. `stride` is the number of hops from one to the next. */
export const makeFingerprinter = (stride: 1 | 2) => {
  const bandsOf = makeBands()
  const hopsBack = lookBack / stride
  /** The bands of the latest windows. `undefined` is silence. */
  const earlier: Array<Float64Array | undefined> = []

  /**
   * Takes the window around the sample `center` of a shape. Each center is one stride after the last one. Returns the
   * fingerprint, then those that differ in its two least certain bits. `undefined`: the window is silent.
   */
  return (shape: Int16Array, center: number): Fingerprints | undefined => {
    const bands = bandsOf(shape, center)
    const before = earlier.length < hopsBack ? undefined : earlier.shift()
    earlier.push(bands)
    if (bands === undefined || before === undefined) return undefined
    return fingerprintsOf(bands, before)
  }
}

/** The bit of each difference that has grown. The least certain bits are those of the smallest changes. */
const fingerprintsOf = (bands: Float64Array, before: Float64Array): Fingerprints => {
  let fingerprint = 0
  let [least, second] = [0, 0]
  let [smallest, smaller] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let bit = 0; bit < bits; bit++) {
    const change =
      (bands[bit] as number) - (bands[bit + 1] as number) - (before[bit] as number) + (before[bit + 1] as number)
    if (change > 0) fingerprint |= 1 << bit
    const size = Math.abs(change)
    if (size < smallest) {
      second = least
      smaller = smallest
      least = bit
      smallest = size
    } else if (size < smaller) {
      second = bit
      smaller = size
    }
  }
  const one = 1 << least
  const other = 1 << second
  return Int32Array.of(fingerprint, fingerprint ^ one, fingerprint ^ other, fingerprint ^ one ^ other)
}

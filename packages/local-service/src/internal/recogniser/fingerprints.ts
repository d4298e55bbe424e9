import { sampleRate } from "./waveforms.js"

/**
 * Fingerprints of moments of a recording, after Haitsma and Kalker, "A Highly Robust Audio Fingerprinting System" (2002):
 * each bit says whether the difference of two neighbouring bands has grown in the last 40 ms. Loudness, polarity and rates
 * do not matter. A codec changes a few bits; so few that 14 of the 75 fingerprints of a short sentence are found after Opus
 * at 32 kbit/s.
 */

/** In samples: 10 ms, the time between two fingerprints of an input. A known recording has every second one. */
export const hop = 0.01 * sampleRate

/** In samples: 64 ms. */
export const windowLength = 512

/** In hops: 40 ms. */
const lookBack = 4

/** The number of bits. */
const bits = 18

/** The number of all fingerprints. */
export const fingerprintCount = 2 ** bits

/** In bins of the spectrum, 15.6 Hz each: 19 bands from 300 to 2800 Hz, equally wide on the mel scale. */
const edges = (() => {
  const mel = (frequency: number) => Math.log(1 + frequency / 700)
  const from = mel(300)
  const to = mel(2800)
  return Int32Array.from({ length: bits + 2 }, (_, index) =>
    Math.round(((700 * (Math.exp(from + ((to - from) * index) / (bits + 1)) - 1)) / sampleRate) * windowLength)
  )
})()

/** The fingerprint of a moment, and the same without its two least certain bits, in all their values. */
export type Fingerprints = Int32Array

/** In squared units of a filtered sample. A quieter window is silence, whose bits are noise. */
const leastPower = 4

const half = windowLength / 2
const hann = Float64Array.from(
  { length: windowLength },
  (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (index + 0.5)) / windowLength)
)
const cosines = Float64Array.from({ length: half }, (_, index) => Math.cos((2 * Math.PI * index) / windowLength))
const sines = Float64Array.from({ length: half }, (_, index) => -Math.sin((2 * Math.PI * index) / windowLength))
const reversed = Int32Array.from({ length: half }, (_, index) => {
  let result = 0
  for (let bit = 1; bit < half; bit *= 2) result = 2 * result + ((index / bit) & 1)
  return result
})

/** Makes the fingerprints of one recording, hop by hop in order. `stride` is the number of hops from one to the next. */
export const makeFingerprinter = (stride: 1 | 2) => {
  const real = new Float64Array(half)
  const imaginary = new Float64Array(half)
  const kept = lookBack / stride
  /** The bands of the latest windows. `undefined` is silence. */
  const earlier: Array<Float64Array | undefined> = []

  /**
   * The discrete Fourier transform of `half` complex numbers: the even samples are the real parts, the odd ones the others. Each
   * pass combines four transforms to one (radix 4), in less than half the time of two passes that combine two.
   */
  const transform = () => {
    for (let size = 4; size <= half; size *= 4) {
      const quarter = size / 4
      const turn = windowLength / size
      for (let index = 0; index < quarter; index++) {
        const cosine1 = cosines[index * turn] as number
        const sine1 = sines[index * turn] as number
        const cosine2 = cosines[2 * index * turn] as number
        const sine2 = sines[2 * index * turn] as number
        const cosine3 = cosine1 * cosine2 - sine1 * sine2
        const sine3 = cosine1 * sine2 + sine1 * cosine2
        for (let a = index; a < half; a += size) {
          const b = a + quarter
          const c = b + quarter
          const d = c + quarter
          const bReal = (real[b] as number) * cosine2 - (imaginary[b] as number) * sine2
          const bImaginary = (real[b] as number) * sine2 + (imaginary[b] as number) * cosine2
          const cReal = (real[c] as number) * cosine1 - (imaginary[c] as number) * sine1
          const cImaginary = (real[c] as number) * sine1 + (imaginary[c] as number) * cosine1
          const dReal = (real[d] as number) * cosine3 - (imaginary[d] as number) * sine3
          const dImaginary = (real[d] as number) * sine3 + (imaginary[d] as number) * cosine3
          const sumReal = (real[a] as number) + bReal
          const sumImaginary = (imaginary[a] as number) + bImaginary
          const differenceReal = (real[a] as number) - bReal
          const differenceImaginary = (imaginary[a] as number) - bImaginary
          real[a] = sumReal + cReal + dReal
          imaginary[a] = sumImaginary + cImaginary + dImaginary
          real[c] = sumReal - cReal - dReal
          imaginary[c] = sumImaginary - cImaginary - dImaginary
          real[b] = differenceReal + cImaginary - dImaginary
          imaginary[b] = differenceImaginary - cReal + dReal
          real[d] = differenceReal - cImaginary + dImaginary
          imaginary[d] = differenceImaginary + cReal - dReal
        }
      }
    }
  }

  /** The amplitude of each band of the window around a sample, or `undefined` for silence. */
  const bandsOf = (shape: Int16Array, center: number): Float64Array | undefined => {
    const from = center - half
    let power = 0
    for (let index = 0; index < half; index++) {
      const even = shape[from + 2 * index] ?? 0
      const odd = shape[from + 2 * index + 1] ?? 0
      power += even * even + odd * odd
      const place = reversed[index] as number
      real[place] = even * (hann[2 * index] as number)
      imaginary[place] = odd * (hann[2 * index + 1] as number)
    }
    if (power < leastPower * windowLength) return undefined
    transform()
    const bands = new Float64Array(bits + 1)
    for (let band = 0; band <= bits; band++) {
      let sum = 0
      for (let bin = edges[band] as number; bin < (edges[band + 1] as number); bin++) {
        const a = real[bin] as number
        const b = imaginary[bin] as number
        const c = real[half - bin] as number
        const d = imaginary[half - bin] as number
        const evenReal = (a + c) / 2
        const evenImaginary = (b - d) / 2
        const oddReal = (b + d) / 2
        const oddImaginary = (c - a) / 2
        const cosine = cosines[bin] as number
        const sine = sines[bin] as number
        sum +=
          (evenReal + cosine * oddReal - sine * oddImaginary) ** 2 +
          (evenImaginary + cosine * oddImaginary + sine * oddReal) ** 2
      }
      bands[band] = Math.sqrt(sum)
    }
    return bands
  }

  /**
   * Takes the window around the sample `center` of a shape. Each center is one stride after the last one. Returns the
   * fingerprint, then those that differ in its two least certain bits. `undefined`: the window is silent.
   */
  return (shape: Int16Array, center: number): Fingerprints | undefined => {
    const bands = bandsOf(shape, center)
    const before = earlier.length < kept ? undefined : earlier.shift()
    earlier.push(bands)
    if (bands === undefined || before === undefined) return undefined
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
}

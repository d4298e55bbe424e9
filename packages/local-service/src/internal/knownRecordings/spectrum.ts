import { sampleRate } from "./waveforms.js"

/** In samples: 64 ms. */
export const windowLength = 512

/** The number of differences between neighbouring bands. */
export const differences = 18

/** In bins of the spectrum, 15.6 Hz each: 19 bands from 300 to 2800 Hz, equally wide on the mel scale. */
const edges = (() => {
  const mel = (frequency: number) => Math.log(1 + frequency / 700)
  const from = mel(300)
  const to = mel(2800)
  return Int32Array.from({ length: differences + 2 }, (_, index) =>
    Math.round(((700 * (Math.exp(from + ((to - from) * index) / (differences + 1)) - 1)) / sampleRate) * windowLength)
  )
})()

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

/**
 * The discrete Fourier transform of `half` complex numbers, in place: the even samples are the real parts, the odd ones the others.
 * Each pass combines four transforms to one (radix 4), in less than half the time of two passes that combine two.
 */
const transform = (real: Float64Array, imaginary: Float64Array): void => {
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

/** The power of a bin of the whole window, from the transform of its even and odd samples. */
const powerOf = (real: Float64Array, imaginary: Float64Array, bin: number): number => {
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
  return (
    (evenReal + cosine * oddReal - sine * oddImaginary) ** 2 +
    (evenImaginary + cosine * oddImaginary + sine * oddReal) ** 2
  )
}

/** Makes a function that returns the amplitude of each band of the window around a sample, or `undefined` for silence. */
export const makeBands = () => {
  const real = new Float64Array(half)
  const imaginary = new Float64Array(half)
  return (shape: Int16Array, center: number): Float64Array | undefined => {
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
    transform(real, imaginary)
    const bands = new Float64Array(differences + 1)
    for (let band = 0; band <= differences; band++) {
      let sum = 0
      for (let bin = edges[band] as number; bin < (edges[band + 1] as number); bin++)
        sum += powerOf(real, imaginary, bin)
      bands[band] = Math.sqrt(sum)
    }
    return bands
  }
}

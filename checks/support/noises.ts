/** Noises of any loudness, the same for each seed. */
import { chances } from "effect-speech-test-support/random"

export const whiteNoise = (length: number, seed: number): Float32Array => {
  const random = chances(seed)
  return Float32Array.from({ length }, () => random() + random() + random() + random() - 2)
}

/** White noise through Paul Kellet's filter of three poles. */
export const pinkNoise = (length: number, seed: number): Float32Array => {
  let [slow, middle, fast] = [0, 0, 0]
  return whiteNoise(length, seed).map((white) => {
    slow = 0.99765 * slow + 0.099046 * white
    middle = 0.963 * middle + 0.2965164 * white
    fast = 0.57 * fast + 1.0526913 * white
    return slow + middle + fast + 0.1848 * white
  })
}

/** The mains: 50 Hz with its harmonics up to 1 kHz, each weaker than the one before, of random phases. */
export const hum = (length: number, sampleRate: number, seed: number): Float32Array => {
  const random = chances(seed)
  const phases = Array.from({ length: 20 }, () => 2 * Math.PI * random())
  // 50 Hz is a whole number of samples at any usual rate.
  const period = Float32Array.from({ length: sampleRate / 50 }, (_, index) =>
    phases.reduce(
      (sum, phase, at) => sum + Math.sin((2 * Math.PI * 50 * (at + 1) * index) / sampleRate + phase) / (at + 1),
      0
    )
  )
  return Float32Array.from({ length }, (_, index) => period[index % period.length] as number)
}

/** An offset that wanders: noise below 5 Hz, of a filter of two poles. */
export const slowNoise = (length: number, sampleRate: number, seed: number): Float32Array => {
  const step = (2 * Math.PI * 5) / sampleRate
  let [first, second] = [0, 0]
  return whiteNoise(length, seed).map((white) => {
    first += step * (white - first)
    second += step * (first - second)
    return second
  })
}

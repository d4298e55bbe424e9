import * as Pcm from "@effect-speech/audio-codec/Pcm"
import type { Steps } from "@effect-speech/common/Cooperative"

/** Rate of the mono samples that a recogniser takes, in Hz. */
export const sampleRate = 8000

/** Amplitude of -50 dB. A recording whose every sample is below it is silent. */
const silence = 10 ** (-50 / 20)

/** In samples: 100 ms, shorter than a word and much longer than a period of a voice. */
const windowLength = 0.1 * sampleRate

/** In samples: 5 ms. */
const windowStep = windowLength / 20

/**
 * Largest difference at which two recordings are the same. Measured by `pnpm verify recognition` with 200 sentences:
 *
 * | compared with                                | difference                                            |
 * | -------------------------------------------- | ----------------------------------------------------- |
 * | itself after MP3 at 64 kbit/s                | at most 0.09                                          |
 * | itself after AAC at 64 kbit/s                | at most 0.37                                          |
 * | itself after Opus at 32 kbit/s               | at most 0.39                                          |
 * | itself after Vorbis                          | at most 0.08                                          |
 * | a sentence with one other word, spoken apart | at least 0.49 (सुनीता, अनीता, after Opus), mostly 0.9 |
 *
 * The engine's voice varies from one time to the next. If both sentences have the same variation, eight of the 200
 * differ by less than the tolerance, such as "request" and "requests" (0.15), or "है" and "हैं" (0.22).
 */
export const tolerance = 0.43

/** Fraction of the mean energy. In quieter windows codecs keep little, so a difference weighs less. */
const floor = 0.03

/** Number of taps of a filter. */
const taps = 81

/** Taps of a low-pass filter, a windowed sinc (Hamming) of 10 ms. `cutoff` is in Hz. */
const lowPass = (cutoff: number): Float64Array =>
  Float64Array.from({ length: taps }, (_, index) => {
    const at = index - 40
    const angle = (2 * Math.PI * cutoff * at) / sampleRate
    const sinc = at === 0 ? (2 * cutoff) / sampleRate : Math.sin(angle) / (Math.PI * at)
    return sinc * (0.54 + 0.46 * Math.cos((Math.PI * at) / 40))
  })

/**
 * Taps of the filter before the comparison: 300 to 2800 Hz, rising by 6 dB per octave. Without the rise only vowels
 * would count, and "he" would equal "she". Hum and offsets lie below the band. Above it codecs keep the noise of a voice
 * but not its waveform.
 */
const emphasis = (() => {
  const upper = lowPass(2800)
  const band = lowPass(300).map((tap, index) => (upper[index] as number) - tap)
  // Zeros up to a multiple of four.
  const padded = new Float64Array(taps + 3)
  padded.set(band.map((tap, index) => tap - 0.95 * (band[index - 1] ?? 0)))
  return padded
})()

/** The samples that are read beyond the last taps of the last output. */
const spare = 6

/** In samples: two seconds. Other requests wait while so much is processed. */
const blockLength = 2 * sampleRate

/** Blocks of samples, each of at most two seconds. */
export function* blocksOf<Block extends Int16Array | Float32Array>(samples: Block): Generator<Block> {
  for (let start = 0; start < samples.length; start += blockLength) {
    yield samples.subarray(start, start + blockLength) as Block
  }
}

/** Whether every sample, of 16 bits, is below -50 dB. */
export const isSilent = (samples: Int16Array): boolean => samples.every((sample) => Math.abs(sample) < silence * 0x8000)

/** Filters a whole recording of samples of 16 bits. */
export function* shapeOf(samples: Int16Array): Steps<Int16Array> {
  const shaper = makeShaper()
  const shape = new Int16Array(samples.length)
  let length = 0
  const append = (part: Int16Array) => {
    shape.set(part, length)
    length += part.length
  }
  for (const block of blocksOf(samples)) {
    append(shaper.push(Pcm.decode(new Uint8Array(block.buffer, block.byteOffset, block.byteLength), "pcm16")))
    yield
  }
  append(shaper.flush())
  return shape
}

/** Filters block by block without delay: the middle tap lies on the sample of each output. */
export const makeShaper = () => {
  const middle = (taps - 1) / 2
  // Silence before the first sample.
  let pending = new Float32Array(middle)
  const push = (block: Float32Array): Int16Array => {
    const length = Math.max(0, pending.length + block.length - taps + 1)
    const samples = new Float64Array(pending.length + block.length + spare)
    samples.set(pending)
    samples.set(block, pending.length)
    const shape = new Int16Array(length)
    // Four outputs at a time: one alone would wait for each addition. Four taps at a time: fewer samples are read.
    for (let index = 0; index < length; index += 4) {
      let first = 0
      let second = 0
      let third = 0
      let fourth = 0
      let a = samples[index] as number
      let b = samples[index + 1] as number
      let c = samples[index + 2] as number
      for (let tap = 0; tap < emphasis.length; tap += 4) {
        const d = samples[index + tap + 3] as number
        const e = samples[index + tap + 4] as number
        const f = samples[index + tap + 5] as number
        const g = samples[index + tap + 6] as number
        const k = emphasis[tap] as number
        const l = emphasis[tap + 1] as number
        const m = emphasis[tap + 2] as number
        const n = emphasis[tap + 3] as number
        first += k * a + l * b + m * c + n * d
        second += k * b + l * c + m * d + n * e
        third += k * c + l * d + m * e + n * f
        fourth += k * d + l * e + m * f + n * g
        a = e
        b = f
        c = g
      }
      shape[index] = toInt16(first * 0x7fff)
      // An array ignores what lies behind its end.
      shape[index + 1] = toInt16(second * 0x7fff)
      shape[index + 2] = toInt16(third * 0x7fff)
      shape[index + 3] = toInt16(fourth * 0x7fff)
    }
    pending = Float32Array.from(samples.subarray(length, -spare))
    return shape
  }
  return {
    push,
    /** Returns the last samples, followed by silence. */
    flush: (): Int16Array => push(new Float32Array(middle))
  }
}

const toInt16 = (value: number): number => Math.round(Math.max(-0x7fff, Math.min(0x7fff, value)))

/** In samples: half a minute of recording per step. */
const stepLength = 30 * sampleRate

/** The filtered samples, as many as the input and without delay. */
function* filtered(samples: Int16Array, taps: Float64Array): Steps<Int16Array> {
  const output = new Int16Array(samples.length)
  const middle = (taps.length - 1) / 2
  for (let index = 0; index < output.length; index++) {
    if (index % stepLength === stepLength - 1) yield
    const start = index - middle
    const end = Math.min(taps.length, samples.length - start)
    let sum = 0
    for (let tap = Math.max(0, -start); tap < end; tap++) {
      sum += (taps[tap] as number) * (samples[start + tap] as number)
    }
    output[index] = toInt16(sum)
  }
  return output
}

/**
 * One minus the lowest correlation of any window of a known sentence: 0 for the same, 1 or more for another. `loudest` is the
 * start of its loudest stretch. The lag is searched near `around`, in samples. The input before and after is not compared.
 */
export function* differenceOf(
  known: Int16Array,
  loudest: number,
  input: Int16Array,
  around: number
): Steps<{ readonly difference: number; readonly lag: number }> {
  // A quarter of a second finds the lag faster than the whole sentence.
  const loud: Stretch = { start: loudest, length: stretchLength }
  const lag = bestLag(known, input, loud, around)
  const whole = Math.round(lag)
  if (likeness(known, input, loud, whole) < worthwhile) return { difference: 1, lag }
  const from = Math.max(0, whole - delayReach)
  const part = input.subarray(from, whole + known.length + delayReach)
  const aligned = Math.abs(lag - whole) < negligible ? part : yield* delayed(part, lag - whole)
  return { difference: yield* largestDifference(known, aligned, whole - from), lag }
}

/** In samples. A smaller lag changes a correlation by less than a hundredth, at any frequency of the band. */
const negligible = 0.05

/** In samples: a quarter of a second. */
const stretchLength = sampleRate / 4

/** If a stretch correlates less, its windows differ by more than the tolerance. Half a sample of lag costs a third. */
const worthwhile = 0.5 * (1 - tolerance)

interface Stretch {
  readonly start: number
  readonly length: number
}

const likeness = (known: Int16Array, input: Int16Array, { length, start }: Stretch, lag: number): number => {
  const one = known.subarray(start, start + length)
  const from = Math.max(0, start + lag)
  const other = input.subarray(from, Math.max(from, start + lag + length))
  const product = productOf(known, input, { start, length }, lag)
  return Math.abs(product) / Math.sqrt(energyOf(one) * energyOf(other) || 1)
}

const energyOf = (shape: Int16Array): number => {
  let energy = 0
  for (const sample of shape) energy += sample * sample
  return energy
}

/** In samples: how far the filter of a delay reaches. */
const delayReach = 12

/** The input delayed by a fraction of a sample. A recording cut at another rate rarely has a lag of whole samples. */
const delayed = (shape: Int16Array, fraction: number): Steps<Int16Array> => {
  const taps = Float64Array.from({ length: 2 * delayReach + 1 }, (_, index) => {
    const at = index - delayReach - fraction
    const sinc = at === 0 ? 1 : Math.sin(Math.PI * at) / (Math.PI * at)
    return sinc * (0.54 + 0.46 * Math.cos((Math.PI * at) / (delayReach + 1)))
  })
  return filtered(shape, taps)
}

/** One minus the lowest correlation of any window at a lag in whole samples. */
function* largestDifference(known: Int16Array, input: Int16Array, lag: number): Steps<number> {
  const { length } = known
  let product = 0
  let knownEnergy = 0
  let inputEnergy = 0
  const add = (index: number, sign: number) => {
    const a = known[index] as number
    const b = input[index + lag] ?? 0
    product += sign * a * b
    knownEnergy += sign * a * a
    inputEnergy += sign * b * b
  }
  for (let index = 0; index < length; index++) {
    add(index, 1)
    if (index % stepLength === stepLength - 1) yield
  }
  if (product === 0) return 1
  // Loudness and polarity do not matter. Inverted polarity makes the gain negative.
  const gain = product / inputEnergy
  const ground = (floor * windowLength * knownEnergy) / length

  product = 0
  knownEnergy = 0
  inputEnergy = 0
  let largest = 0
  // At both ends the windows reach beyond the sentence, so that its first and last sounds have windows of their own.
  for (let end = 0; end < length + windowLength; end++) {
    if (end % stepLength === stepLength - 1) yield
    if (end < length) add(end, 1)
    if (end >= windowLength) add(end - windowLength, -1)
    if (end % windowStep !== 0) continue
    const alike = (gain * product + ground) / Math.sqrt((knownEnergy + ground) * (gain * gain * inputEnergy + ground))
    largest = Math.max(largest, 1 - alike)
    if (largest > tolerance) return largest
  }
  return largest
}

/** In samples: 15 ms, how far from the lag of the fingerprints the best lag of the waveforms may be. */
export const lagReach = 0.015 * sampleRate

/** The lag at which a stretch correlates best, in samples and fractions of one. */
const bestLag = (known: Int16Array, input: Int16Array, stretch: Stretch, around: number): number => {
  const { length, start } = stretch
  // First a rough search over all lags. Periods of a voice resemble each other, so an exact search follows around the best
  // of them.
  const from = around - lagReach
  const one = coarse(known, start, length)
  const other = coarse(input, start + from, length + 2 * lagReach)
  const all = { start: 0, length: one.length }
  const rough = Array.from({ length: (2 * lagReach) / step + 1 }, (_, lag) => ({
    near: from + step * lag,
    product: Math.abs(productOf(one, other, all, lag))
  }))
  const likeliest = rough.sort(byProduct).slice(0, candidates)
  const exact = new Set(
    likeliest.flatMap(({ near }) => Array.from({ length: 2 * step + 1 }, (_, index) => near - step + index))
  )
  // One vowel may resemble itself more a period later, if the lag is no whole number of samples. Two seconds do not.
  const longer = { start: Math.max(0, start - sampleRate), length: 2 * sampleRate }
  const best = Array.from(exact, (near) => ({ near, product: Math.abs(productOf(known, input, stretch, near)) }))
    .sort(byProduct)
    .slice(0, candidates / 2)
  const whole = strongest(
    known,
    input,
    longer,
    best.map(({ near }) => near)
  )
  // The vertex of a parabola through the highest product and its neighbours.
  const before = productOf(known, input, longer, whole - 1)
  const at = productOf(known, input, longer, whole)
  const after = productOf(known, input, longer, whole + 1)
  const bend = before - 2 * at + after
  return bend === 0 ? whole : whole + Math.max(-0.5, Math.min(0.5, (before - after) / (2 * bend)))
}

const byProduct = (a: { readonly product: number }, b: { readonly product: number }): number => b.product - a.product

type Samples = Int16Array | Float32Array | Float64Array

const strongest = (known: Samples, input: Samples, stretch: Stretch, lags: Iterable<number>): number => {
  let best = 0
  let highest = -1
  for (const lag of lags) {
    const product = Math.abs(productOf(known, input, stretch, lag))
    if (product > highest) {
      highest = product
      best = lag
    }
  }
  return best
}

const productOf = (known: Samples, input: Samples, { length, start }: Stretch, lag: number): number => {
  const end = Math.min(known.length, start + length, input.length - lag)
  let sum = 0
  for (let index = Math.max(start, -lag); index < end; index++) {
    sum += (known[index] as number) * (input[index + lag] as number)
  }
  return sum
}

/** Number of rough lags that the exact search refines. */
const candidates = 12

/** In samples: distance between two lags of the rough search, and reach of the filter around each. */
const step = 2
const spread = 4

/** Every {@link step}th sample from `start`, as a sum of its neighbours weighted by nearness. */
const coarse = (shape: Int16Array, start: number, length: number): Float64Array => {
  const output = new Float64Array(length / step)
  for (let index = 0; index < output.length; index++) {
    let sum = 0
    for (let off = 1 - spread; off < spread; off++) {
      sum += (spread - Math.abs(off)) * (shape[start + index * step + off] ?? 0)
    }
    output[index] = sum
  }
  return output
}

/** Start of the loudest quarter of a second. */
export function* loudestStretch(shape: Int16Array): Steps<number> {
  let energy = 0
  let highest = 0
  let start = 0
  for (let index = 0; index < shape.length; index++) {
    if (index % stepLength === stepLength - 1) yield
    energy += (shape[index] as number) ** 2 - (shape[index - stretchLength] ?? 0) ** 2
    if (energy > highest) {
      highest = energy
      start = Math.max(0, index - stretchLength + 1)
    }
  }
  return start
}

import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Recordings reach a recogniser as mono samples at this rate, in Hz. */
export const sampleRate = 8000

/** Below -50 dB from the first sample to the last. */
const silence = 10 ** (-50 / 20)

/** In samples, 150 ms: what encoders add before and after, where their files don't say how much that is. */
export const lengthTolerance = 0.15 * sampleRate

/** In samples, 100 ms: shorter than a word, and long against the pitch of a voice. */
const windowLength = 0.1 * sampleRate

/** In samples, 5 ms. */
const windowStep = windowLength / 20

/**
 * Of 200 sentences that `pnpm verify recognition` speaks, each differs from itself at most by 0.09 after MP3 at 64 kbit/s, 0.37
 * after AAC at 64, 0.39 after Opus at 32, and 0.08 after Vorbis; from the partner that differs in a word and is spoken
 * apart, at least by 0.49 ("सुनीता" and "अनीता", after Opus), nearly all by 0.9. Part of that is the engine's: its voice
 * varies from one time to the next. Where both have the same variation, eight of the 200 differ by less than this, as
 * "request" and "requests" do (0.15), or "है" and "हैं" (0.22).
 */
export const tolerance = 0.43

/** Of the mean energy: in quieter windows codecs keep little, and a difference counts for less. */
const floor = 0.03

/** A windowed sinc (Hamming) that ends at a frequency in Hz, over 10 ms. */
const lowPass = (cutoff: number): Float64Array =>
  Float64Array.from({ length: 81 }, (_, index) => {
    const at = index - 40
    const angle = (2 * Math.PI * cutoff * at) / sampleRate
    const sinc = at === 0 ? (2 * cutoff) / sampleRate : Math.sin(angle) / (Math.PI * at)
    return sinc * (0.54 + 0.46 * Math.cos((Math.PI * at) / 40))
  })

/**
 * What is compared: 300 to 2800 Hz, the higher the louder, by 6 dB for an octave. Without that the vowels would be all
 * that counts, and "he" and "she" the same. Below lie hum and offsets, above it codecs keep the noise of a voice but not
 * its waveform.
 */
const emphasis = (() => {
  const upper = lowPass(2800)
  const band = lowPass(300).map((tap, index) => (upper[index] as number) - tap)
  return band.map((tap, index) => tap - 0.95 * (band[index - 1] ?? 0))
})()

interface Shape {
  /** Of all samples, also where they were too many. */
  readonly length: number
  readonly silent: boolean
  /** The samples as they are compared: none where they are too many. */
  readonly shape: Int16Array
}

/** Reads samples to their end, and keeps no more than the shape of so many. */
export const shapeOf = <E, R>(samples: Stream.Stream<Float32Array, E, R>, most: number): Effect.Effect<Shape, E, R> =>
  Effect.gen(function* () {
    const shaper = makeShaper()
    const parts: Array<Int16Array> = []
    let length = 0
    let loudest = 0
    yield* Stream.runForEach(samples, (block) =>
      Effect.sync(() => {
        length += block.length
        for (const sample of block) loudest = Math.max(loudest, Math.abs(sample))
        if (length <= most) parts.push(shaper.push(block))
        else parts.length = 0
      })
    )
    if (length <= most) parts.push(shaper.flush())
    const shape = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
    let offset = 0
    for (const part of parts) {
      shape.set(part, offset)
      offset += part.length
    }
    return { length, silent: loudest < silence, shape }
  })

/** Filters block by block, without delay: each output is the middle of the taps on a sample. */
const makeShaper = () => {
  const middle = (emphasis.length - 1) / 2
  // As if silence came before.
  let pending = new Float32Array(middle)
  const push = (block: Float32Array): Int16Array => {
    const samples = new Float32Array(pending.length + block.length)
    samples.set(pending)
    samples.set(block, pending.length)
    const shape = new Int16Array(Math.max(0, samples.length - emphasis.length + 1))
    for (let index = 0; index < shape.length; index++) {
      let sum = 0
      for (let tap = 0; tap < emphasis.length; tap++) {
        sum += (emphasis[tap] as number) * (samples[index + tap] as number)
      }
      shape[index] = toInt16(sum * 0x7fff)
    }
    pending = samples.slice(shape.length)
    return shape
  }
  return {
    push,
    /** As if silence followed. */
    flush: (): Int16Array => push(new Float32Array(middle))
  }
}

const toInt16 = (value: number): number => Math.round(Math.max(-0x7fff, Math.min(0x7fff, value)))

/** How the loudness goes, in windows of 20 ms around the mean, and its energy. */
export interface Envelope {
  readonly values: Float32Array
  readonly energy: number
}

const envelopeWindow = sampleRate / 50

export const envelopeOf = (shape: Int16Array): Envelope => {
  const values = Float32Array.from({ length: Math.ceil(shape.length / envelopeWindow) }, (_, index) =>
    Math.sqrt(energyOf(shape.subarray(index * envelopeWindow, (index + 1) * envelopeWindow)))
  )
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  let energy = 0
  for (let index = 0; index < values.length; index++) {
    const value = (values[index] as number) - mean
    values[index] = value
    energy += value * value
  }
  return { values, energy }
}

/** Whether it is worth the time to compare two waveforms: their envelopes run together at some lag within reach. */
export const envelopesAlike = (known: Envelope, heard: Envelope): boolean =>
  envelopeLikeness(known, heard) >= leastEnvelopeLikeness

/**
 * Of 40 sentences, each stays above 0.9 after MP3, AAC, Opus at 12 kbit/s, noise at 10 dB, and with 145 ms before it or
 * 50 ms less of it; another sentence of about its length came to 0.63 at most.
 */
const leastEnvelopeLikeness = 0.75

const envelopeLikeness = (known: Envelope, heard: Envelope): number => {
  const reach = Math.ceil(lengthTolerance / envelopeWindow)
  const whole = { start: 0, length: known.values.length }
  let highest = 0
  for (let lag = -reach; lag <= reach; lag++) {
    highest = Math.max(highest, productOf(known.values, heard.values, whole, lag))
  }
  return highest / Math.sqrt(known.energy * heard.energy || 1)
}

/** What takes seconds for an hour of speech, and may be left for a while at every step. */
type Steps<A> = Generator<void, A>

/** In samples, half a minute: between two steps. */
const stepLength = 30 * sampleRate

/** As many as there are, without delay. */
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

/** One minus the correlation of the two, in the window where that is lowest: 0 for the same, 1 and more for others. */
export function* differenceOf(known: Int16Array, heard: Int16Array): Steps<number> {
  // The loudest quarter of a second tells where to look further, in less time than the whole.
  const loud: Stretch = { start: yield* loudest(known, stretchLength), length: stretchLength }
  if (likeness(known, heard, loud, 0) >= worthwhile) {
    const atOnce = yield* largestDifference(known, heard, 0)
    if (atOnce <= tolerance) return atOnce
  }
  const lag = bestLag(known, heard, loud)
  const whole = Math.round(lag)
  return likeness(known, heard, loud, whole) < worthwhile
    ? 1
    : yield* largestDifference(known, yield* later(heard, lag - whole), whole)
}

/** In samples, a quarter of a second. */
const stretchLength = sampleRate / 4

/** The correlation of a stretch, below which its windows won't do either; half a sample of lag takes a third from it. */
const worthwhile = 0.5 * (1 - tolerance)

interface Stretch {
  readonly start: number
  readonly length: number
}

const likeness = (known: Int16Array, heard: Int16Array, { length, start }: Stretch, lag: number): number => {
  const one = known.subarray(start, start + length)
  const from = Math.max(0, start + lag)
  const other = heard.subarray(from, Math.max(from, start + lag + length))
  const product = productOf(known, heard, { start, length }, lag)
  return Math.abs(product) / Math.sqrt(energyOf(one) * energyOf(other) || 1)
}

const energyOf = (shape: Int16Array): number => {
  let energy = 0
  for (const sample of shape) energy += sample * sample
  return energy
}

/** What lies a part of a sample later: what was cut at another rate is hardly ever out by whole ones of this. */
const later = (shape: Int16Array, part: number): Steps<Int16Array> => {
  const reach = 12
  const taps = Float64Array.from({ length: 2 * reach + 1 }, (_, index) => {
    const at = index - reach - part
    const sinc = at === 0 ? 1 : Math.sin(Math.PI * at) / (Math.PI * at)
    return sinc * (0.54 + 0.46 * Math.cos((Math.PI * at) / (reach + 1)))
  })
  return filtered(shape, taps)
}

function* largestDifference(known: Int16Array, heard: Int16Array, lag: number): Steps<number> {
  const from = Math.min(0, -lag)
  const to = Math.max(known.length, heard.length - lag)
  let product = 0
  let knownEnergy = 0
  let heardEnergy = 0
  const add = (index: number, sign: number) => {
    const a = known[index] ?? 0
    const b = heard[index + lag] ?? 0
    product += sign * a * b
    knownEnergy += sign * a * a
    heardEnergy += sign * b * b
  }
  for (let index = from; index < to; index++) {
    add(index, 1)
    if ((index - from) % stepLength === stepLength - 1) yield
  }
  if (product === 0) return 1
  // How loud a recording is says nothing, nor which way round its wires were: that makes the gain negative.
  const gain = product / heardEnergy
  const ground = (floor * windowLength * knownEnergy) / known.length

  product = 0
  knownEnergy = 0
  heardEnergy = 0
  let largest = 0
  for (let end = from; end < to; end++) {
    if ((end - from) % stepLength === stepLength - 1) yield
    add(end, 1)
    if (end - windowLength >= from) add(end - windowLength, -1)
    if ((end - from) % windowStep !== 0) continue
    const alike = (gain * product + ground) / Math.sqrt((knownEnergy + ground) * (gain * gain * heardEnergy + ground))
    largest = Math.max(largest, 1 - alike)
    if (largest > tolerance) return largest
  }
  return largest
}

/** By how many samples, and parts of one, the one lies behind the other where a stretch of them runs together best. */
const bestLag = (known: Int16Array, heard: Int16Array, stretch: Stretch): number => {
  const { length, start } = stretch
  // Roughly at first, among all that is within reach. A voice repeats itself, so one period may seem as good as the next:
  // the likeliest of them are compared exactly.
  const one = coarse(known, start, length)
  const other = coarse(heard, start - lengthTolerance, length + 2 * lengthTolerance)
  const all = { start: 0, length: one.length }
  const rough = Array.from({ length: (2 * lengthTolerance) / step + 1 }, (_, lag) => ({
    near: step * lag - lengthTolerance,
    product: Math.abs(productOf(one, other, all, lag))
  }))
  const likeliest = rough.sort((a, b) => b.product - a.product).slice(0, candidates)
  const whole = strongest(
    known,
    heard,
    stretch,
    new Set(likeliest.flatMap(({ near }) => Array.from({ length: 2 * step + 1 }, (_, index) => near - step + index)))
  )
  // The top of a parabola through the highest product and its neighbours.
  const before = productOf(known, heard, stretch, whole - 1)
  const at = productOf(known, heard, stretch, whole)
  const after = productOf(known, heard, stretch, whole + 1)
  const bend = before - 2 * at + after
  return bend === 0 ? whole : whole + Math.max(-0.5, Math.min(0.5, (before - after) / (2 * bend)))
}

type Samples = Int16Array | Float32Array | Float64Array

const strongest = (known: Samples, heard: Samples, stretch: Stretch, lags: Iterable<number>): number => {
  let best = 0
  let highest = -1
  for (const lag of lags) {
    const product = Math.abs(productOf(known, heard, stretch, lag))
    if (product > highest) {
      highest = product
      best = lag
    }
  }
  return best
}

const productOf = (known: Samples, heard: Samples, { length, start }: Stretch, lag: number): number => {
  const end = Math.min(known.length, start + length, heard.length - lag)
  let sum = 0
  for (let index = Math.max(start, -lag); index < end; index++) {
    sum += (known[index] as number) * (heard[index + lag] as number)
  }
  return sum
}

/** Lags of the rough search that are looked at more closely. */
const candidates = 24

/** In samples: between those of the rough search, and to where each of them reaches. */
const step = 2
const spread = 4

/** Every {@link step}th sample from one on, each with its neighbours, the nearer the more. */
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

/** Where the loudest stretch of a length begins. */
function* loudest(shape: Int16Array, length: number): Steps<number> {
  let energy = 0
  let highest = 0
  let start = 0
  for (let index = 0; index < shape.length; index++) {
    if (index % stepLength === stepLength - 1) yield
    energy += (shape[index] as number) ** 2 - (shape[index - length] ?? 0) ** 2
    if (energy > highest) {
      highest = energy
      start = Math.max(0, index - length + 1)
    }
  }
  return start
}

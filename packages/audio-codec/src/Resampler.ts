/**
 * From one sample rate to another, by polyphase filtering with a Kaiser-windowed sinc.
 *
 * There is no delay: output frame n is the signal at the time n / `to`. State is carried from block to block, so
 * that streamed output equals whole output bit for bit. A channel is resampled on its own.
 *
 * The filter passes up to 0.9 of the lower Nyquist frequency and stops from there on by 110 dB. Its length
 * and shape follow Kaiser's formulas, as in Oppenheim and Schafer, Discrete-Time Signal Processing, 3rd ed.,
 * section 7.6: beta = 0.1102 (A - 8.7) and taps - 1 = (A - 8) / (2.285 * transition width in radians).
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { concatSamples } from "./internal/bytes.js"

const attenuation = 110
const passband = 0.9

export interface Rates {
  /** Of the samples that go in, in Hz: an integer from 1 to 768,000. */
  readonly from: number
  /** Of the samples that come out, in Hz: an integer from 1 to 768,000. */
  readonly to: number
}

export interface Resampler {
  /** The output that is complete with these samples. */
  readonly push: (samples: Float32Array) => Float32Array
  /** The rest, as if silence followed. In all, ceil(n * to / from) samples come out for n that went in. */
  readonly flush: () => Float32Array
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))

/** The modified Bessel function of the first kind and order 0, by its power series. */
const bessel0 = (x: number): number => {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= (x * x) / (4 * k * k)
    sum += term
  }
  return sum
}

interface Filter {
  /** Rows of the table per input sample. */
  readonly rows: number
  /** Taps on each side of the point in time that is computed. */
  readonly half: number
  /** `rows` + 1 rows of 2 * half taps: the last is for interpolation. */
  readonly taps: Float32Array
}

/**
 * The most rows of a filter that does not narrow the band. Between rows taps are interpolated in a straight line, whose
 * error is at most (pi / rows)^2 / 8: -119 dB for 1,024.
 */
const maximumRows = 1024

const design = (phases: number, decimation: number): Filter => {
  const lower = Math.min(1, phases / decimation)
  const cutoff = (lower * (1 + passband)) / 4
  const transition = 2 * Math.PI * (lower / 2) * (1 - passband)
  const half = Math.ceil((1 + (attenuation - 8) / (2.285 * transition)) / 2)
  const beta = 0.1102 * (attenuation - 8.7)
  const peak = bessel0(beta)
  // A narrower filter is longer and changes more slowly, so the table stays of one size.
  const rows = Math.min(phases, Math.ceil(maximumRows * lower))
  const taps = new Float32Array((rows + 1) * 2 * half)
  for (let row = 0; row <= rows; row++) {
    for (let tap = 0; tap < 2 * half; tap++) {
      const time = row / rows - (tap - half + 1)
      const edge = 1 - (time / half) ** 2
      const angle = 2 * Math.PI * cutoff * time
      const sinc = angle === 0 ? 1 : Math.sin(angle) / angle
      taps[row * 2 * half + tap] = edge < 0 ? 0 : (2 * cutoff * sinc * bessel0(beta * Math.sqrt(edge))) / peak
    }
  }
  return { rows, half, taps }
}

/** The sum of products of `width` samples of each, an even number. Two sums keep the processor from waiting on one. */
const dot = (a: Float32Array, aStart: number, b: Float32Array, bStart: number, width: number): number => {
  let even = 0
  let odd = 0
  for (let index = 0; index < width; index += 2) {
    even += (a[aStart + index] as number) * (b[bStart + index] as number)
    odd += (a[aStart + index + 1] as number) * (b[bStart + index + 1] as number)
  }
  return even + odd
}

const unchanged: Resampler = { push: (samples) => samples, flush: () => new Float32Array(0) }

/** In Hz: above every rate that audio is recorded at. */
export const maximumRate = 768_000

/** @throws RangeError for rates that are none; a caller that has them from outside checks them first. */
export const make = ({ from, to }: Rates): Resampler => {
  for (const rate of [from, to]) {
    if (!Number.isInteger(rate) || rate < 1 || rate > maximumRate) {
      throw new RangeError(`A sample rate is an integer from 1 to ${maximumRate} Hz, not ${rate}.`)
    }
  }
  if (from === to) return unchanged
  const divisor = greatestCommonDivisor(from, to)
  const step = from / divisor
  const phases = to / divisor
  const { half, rows, taps } = design(phases, step)
  const width = 2 * half

  // `window` holds the input from frame `start` on; before the first frame lies silence.
  let window: Float32Array = new Float32Array(half - 1)
  let start = 1 - half
  let received = 0
  let produced = 0

  /** All output whose last tap lies inside the window, `limit` frames of output at most. */
  const produce = (limit: number): Float32Array => {
    const end = start + window.length
    const ready = Math.min(limit, Math.max(produced, Math.ceil(((end - half) * phases) / step)))
    const output = new Float32Array(ready - produced)
    for (let index = 0; index < output.length; index++) {
      const position = (produced + index) * step
      const first = Math.floor(position / phases) - half + 1 - start
      const row = ((position % phases) * rows) / phases
      const lower = Math.floor(row)
      const sum = dot(taps, lower * width, window, first, width)
      const between = row - lower
      output[index] = between === 0 ? sum : sum + between * (dot(taps, (lower + 1) * width, window, first, width) - sum)
    }
    produced = ready
    const keep = Math.max(0, Math.floor((produced * step) / phases) - half + 1 - start)
    window = window.slice(keep)
    start += keep
    return output
  }

  return {
    push: (samples) => {
      window = concatSamples([window, samples])
      received += samples.length
      return produce(Number.POSITIVE_INFINITY)
    },
    flush: () => {
      window = concatSamples([window, new Float32Array(half)])
      return produce(Math.ceil((received * phases) / step))
    }
  }
}

/** A whole signal at once. */
export const resample = (samples: Float32Array, rates: Rates): Float32Array => {
  const resampler = make(rates)
  return concatSamples([resampler.push(samples), resampler.flush()])
}

/** The blocks of a stream, resampled as they pass. */
export const stream =
  (rates: Rates) =>
  <E, R>(blocks: Stream.Stream<Float32Array, E, R>): Stream.Stream<Float32Array, E, R> =>
    Stream.unwrap(
      Effect.sync(() => {
        const resampler = make(rates)
        return blocks.pipe(
          Stream.map(resampler.push),
          Stream.concat(Stream.sync(resampler.flush)),
          Stream.filter((block) => block.length > 0)
        )
      })
    )

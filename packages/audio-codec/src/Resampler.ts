/**
 * From one sample rate to another, by polyphase filters with a Kaiser-windowed sinc.
 *
 * There is no delay: output frame n is the signal at the time n / `to`. State is carried from block to block, so
 * that streamed output equals whole output bit for bit. A channel is resampled on its own.
 *
 * The filters pass up to 0.9 of the lower Nyquist frequency, and stop from there on by 110 dB, images of sampling
 * up by 120 dB. A large change of rate goes through stages.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { concatSamples } from "./internal/bytes.js"
import { kernel } from "./internal/kernel.js"
import { makeResampler } from "./internal/resampler.js"

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

export { maximumRate } from "./internal/polyphase.js"

/** @throws RangeError for rates that are none; a caller that has them from outside checks them first. */
export const make = (rates: Rates): Resampler => makeResampler(kernel, rates)

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

/**
 * From one sample rate to another, by polyphase filters with a Kaiser-windowed sinc.
 *
 * There is no delay: output frame n is the signal at the time n / `to`. State is carried from block to block, so
 * that streamed output equals whole output bit for bit. A channel is resampled on its own.
 *
 * The filters pass up to 0.9 of the lower Nyquist frequency (-0.1 dB there), and stop from that frequency itself on, by
 * 110 dB; images of sampling up by 120 dB. A large change of rate goes through stages. Between equal rates samples are
 * given back as they are.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { concatSamples } from "./internal/bytes.js"
import { kernel } from "./internal/kernel/kernel.js"
import { makeResampler, type Rates, type Resampler } from "./internal/resampling/resampler.js"

export { maximumRate } from "./internal/resampling/polyphase.js"
export type { Rates, Resampler } from "./internal/resampling/resampler.js"

/** @throws RangeError for a rate that is not an integer from 1 to 4,294,967,295. */
export const make = (rates: Rates): Resampler => makeResampler(kernel, rates)

/** A whole signal at once. */
export const resample = (samples: Float32Array, rates: Rates): Float32Array => {
  const resampler = make(rates)
  return concatSamples([resampler.push(samples), resampler.flush()])
}

/** The blocks of a stream, resampled as they pass. */
export const resampleStream =
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

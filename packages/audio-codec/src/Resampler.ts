/**
 * Changes the sample rate of one channel, by polyphase filters with a Kaiser-windowed sinc.
 *
 * - No delay: output frame n is the signal at the time n / `to`.
 * - Streamed output equals whole output, bit for bit.
 * - The filters pass up to 0.9 of the lower Nyquist frequency (-0.1 dB there). They stop by 110 dB from that frequency on,
 *   and stop the images of upsampling by 120 dB.
 * - A large change of rate takes several stages. If they reduce the rate, the last one makes up for what the others lose in the
 *   pass band.
 * - Between equal rates, samples are returned unchanged.
 */
import { dual } from "effect/Function"
import type * as Stream from "effect/Stream"
import { kernel } from "./internal/kernel/kernel.js"
import { throughOne } from "./internal/pcm/blocks.js"
import { makeResampler, type Rates, type Resampler, resampleWhole } from "./internal/resampling/resampler.js"

export { maximumRate, minimumRaisedRate } from "./internal/resampling/polyphase.js"
export type { Rates, Resampler } from "./internal/resampling/resampler.js"

/**
 * Makes a resampler for one channel of one recording.
 *
 * @throws RangeError if a rate is not an integer from 1 to 4,294,967,295, or if `from` is below 1,000 and below `to`: a header
 * may state any rate, and the output would take thousands of times the memory of the input.
 * @since 0.1.0
 * @category constructors
 */
export const unsafeMake = (rates: Rates): Resampler => makeResampler(kernel, rates)

/**
 * Resamples a whole signal.
 *
 * @throws RangeError as {@link unsafeMake} does.
 * @since 0.1.0
 * @category combinators
 */
export const resample: {
  (rates: Rates): (samples: Float32Array) => Float32Array
  (samples: Float32Array, rates: Rates): Float32Array
} = dual(2, (samples: Float32Array, rates: Rates): Float32Array => resampleWhole(kernel, samples, rates))

/**
 * Resamples a stream of blocks. It dies with the `RangeError` of {@link unsafeMake}.
 *
 * @since 0.1.0
 * @category combinators
 */
export const resampleStream: {
  (rates: Rates): <E, R>(blocks: Stream.Stream<Float32Array, E, R>) => Stream.Stream<Float32Array, E, R>
  <E, R>(blocks: Stream.Stream<Float32Array, E, R>, rates: Rates): Stream.Stream<Float32Array, E, R>
} = dual(
  2,
  <E, R>(blocks: Stream.Stream<Float32Array, E, R>, rates: Rates): Stream.Stream<Float32Array, E, R> =>
    throughOne(blocks, () => unsafeMake(rates))
)

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
 * Makes a resampler for one channel of one recording. Use it in code without Effect, or if blocks arrive by callbacks. For a stream, use
 * {@link resampleStream}; for a whole signal, {@link resample}.
 *
 * Throws a `RangeError` if a rate is not an integer from 1 to 4,294,967,295, or if `from` is below 1,000 and below `to`: a header
 * may state any rate, and the output would take thousands of times the memory of the input.
 *
 * @example
 * ```ts
 * import { Resampler } from "@effect-speech/audio-codec"
 *
 * const resampler = Resampler.unsafeMake({ from: 44_100, to: 8000 })
 * const blocks = [resampler.push(new Float32Array(44_100)), resampler.flush()]
 * console.log(blocks.reduce((sum, { length }) => sum + length, 0)) // 8000
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const unsafeMake = (rates: Rates): Resampler => makeResampler(kernel, rates)

/**
 * Resamples a whole signal of one channel. For n samples there are ceil(n * to / from). Between equal rates it returns `samples` itself.
 *
 * Throws a `RangeError` as {@link unsafeMake} does.
 *
 * @example
 * ```ts
 * import { Resampler } from "@effect-speech/audio-codec"
 *
 * const second = Float32Array.from({ length: 48_000 }, (_, index) => Math.sin((2 * Math.PI * 440 * index) / 48_000))
 * console.log(Resampler.resample(second, { from: 48_000, to: 16_000 }).length) // 16000
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const resample: {
  (rates: Rates): (samples: Float32Array) => Float32Array
  (samples: Float32Array, rates: Rates): Float32Array
} = dual(2, (samples: Float32Array, rates: Rates): Float32Array => resampleWhole(kernel, samples, rates))

/**
 * Resamples a stream of blocks of one channel, in constant memory. The output does not depend on the sizes of the blocks.
 *
 * Fails with the errors of `blocks`. It dies with the `RangeError` of {@link unsafeMake}.
 *
 * @example
 * ```ts
 * import { Channels, Pcm, type PcmStream, Resampler } from "@effect-speech/audio-codec"
 * import { Stream } from "effect"
 *
 * export const at16kHz = <E, R>(audio: PcmStream.PcmStream<E, R>) =>
 *   Pcm.decodeStream(audio).pipe(
 *     Stream.map(Channels.mixdown(audio.format.channels)),
 *     Resampler.resampleStream({ from: audio.format.sampleRate, to: 16_000 })
 *   )
 * ```
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

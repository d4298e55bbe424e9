import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import { yieldToEventLoop } from "@effect-speech/common/Cooperative"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/**
 * Mono samples, -1 to 1: whole, or a stream of blocks. For a short recording, a stream costs more than the rest of a call.
 *
 * @since 0.1.0
 * @category models
 */
export type Samples<E = never, R = never> = Float32Array | Stream.Stream<Float32Array, E, R>

/** In samples: a megabyte, 12 seconds of speech. Other requests wait while so much is processed. */
export const maximumWhole = 2 ** 18

/** Runs `use` on each block. */
export const forEachBlock = <E, R, E2, R2>(
  samples: Samples<E, R>,
  use: (block: Float32Array) => Effect.Effect<unknown, E2, R2>
): Effect.Effect<void, E | E2, R | R2> => {
  if (!(samples instanceof Float32Array)) return Stream.runForEach(samples, use)
  if (samples.length <= maximumWhole) return Effect.asVoid(use(samples))
  const blocks = Array.from({ length: Math.ceil(samples.length / maximumWhole) }, (_, index) =>
    samples.subarray(index * maximumWhole, (index + 1) * maximumWhole)
  )
  return Effect.forEach(blocks, (block) => Effect.zipRight(yieldToEventLoop, use(block)), { discard: true })
}

/** Shows each block to `see` before it is used. */
export const tapBlocks = <E, R>(samples: Samples<E, R>, see: (block: Float32Array) => void): Samples<E, R> => {
  if (!(samples instanceof Float32Array)) return Stream.tap(samples, (block) => Effect.sync(() => see(block)))
  see(samples)
  return samples
}

/** Changes the rate of samples of 16 bits. */
export const resample16 = (samples: Int16Array, rates: Resampler.Rates): Int16Array => {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  return encode16(Resampler.resample(Pcm.decode(bytes, "pcm16"), rates))
}

export const encode16 = (samples: Float32Array): Int16Array => new Int16Array(Pcm.encode(samples, "pcm16").bytes.buffer)

/** Changes the rate of samples. Other requests run between two blocks of a stream. */
export const resample = <E, R>(samples: Samples<E, R>, rates: Resampler.Rates): Samples<E, R> => {
  if (rates.from === rates.to) return samples
  return samples instanceof Float32Array
    ? Resampler.resample(samples, rates)
    : Resampler.resampleStream(rates)(Stream.tap(Stream.rechunk(samples, 1), () => yieldToEventLoop))
}

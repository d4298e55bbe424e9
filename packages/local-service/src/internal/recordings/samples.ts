import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import { yieldToEventLoop } from "@effect-speech/common/Cooperative"
import type { Samples } from "@effect-speech/engine/Samples"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** In samples: a megabyte, 12 seconds of speech. Other requests wait while so much is processed. */
export const maximumWhole = 2 ** 18

/** Parts of at most {@link maximumWhole} samples. */
const blocksOf = (samples: Float32Array): ReadonlyArray<Float32Array> =>
  Array.from({ length: Math.ceil(samples.length / maximumWhole) }, (_, index) =>
    samples.subarray(index * maximumWhole, (index + 1) * maximumWhole)
  )

/** Runs `use` on each block. */
export const forEachBlock = <E, R, E2, R2>(
  samples: Samples<E, R>,
  use: (block: Float32Array) => Effect.Effect<unknown, E2, R2>
): Effect.Effect<void, E | E2, R | R2> => {
  if (!(samples instanceof Float32Array)) return Stream.runForEach(samples, use)
  if (samples.length <= maximumWhole) return Effect.asVoid(use(samples))
  return Effect.forEach(blocksOf(samples), (block) => Effect.zipRight(yieldToEventLoop, use(block)), { discard: true })
}

/** Counts the samples while they are read. */
export const counted = <E, R>(
  samples: Samples<E, R>
): { readonly samples: Samples<E, R>; readonly count: () => number } => {
  if (samples instanceof Float32Array) return { samples, count: () => samples.length }
  let count = 0
  const add = (block: Float32Array) =>
    Effect.sync(() => {
      count += block.length
    })
  return {
    // A recogniser may read them twice.
    samples: Stream.suspend(() => {
      count = 0
      return Stream.tap(samples, add)
    }),
    count: () => count
  }
}

/** Changes the rate of samples of 16 bits. */
export const resample16 = (samples: Int16Array, rates: Resampler.Rates): Int16Array => {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  return encode16(Resampler.resample(Pcm.decode(bytes, "pcm16"), rates))
}

export const encode16 = (samples: Float32Array): Int16Array => new Int16Array(Pcm.encode(samples, "pcm16").bytes.buffer)

/** Changes the rate of samples. Other requests run between two blocks. */
export const resample = <E, R>(samples: Samples<E, R>, rates: Resampler.Rates): Samples<E, R> => {
  if (rates.from === rates.to) return samples
  if (samples instanceof Float32Array && samples.length <= maximumWhole) return Resampler.resample(samples, rates)
  const blocks = samples instanceof Float32Array ? Stream.fromIterable(blocksOf(samples)) : samples
  return Resampler.resampleStream(rates)(Stream.tap(Stream.rechunk(blocks, 1), () => yieldToEventLoop))
}

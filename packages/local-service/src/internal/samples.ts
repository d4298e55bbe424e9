import * as Resampler from "@effect-speech/audio-codec/Resampler"
import * as Stream from "effect/Stream"
import { yieldToEventLoop } from "./yieldToEventLoop.js"

/** Mono samples, -1 to 1: whole, or as a stream of blocks if they are too many for memory. */
export type Samples<E = never, R = never> = Float32Array | Stream.Stream<Float32Array, E, R>

export const concatSamples = (blocks: ReadonlyArray<Float32Array>, length: number): Float32Array => {
  const [first] = blocks
  if (first?.length === length) return first
  const whole = new Float32Array(length)
  let offset = 0
  for (const block of blocks) {
    whole.set(block, offset)
    offset += block.length
  }
  return whole
}

/** Changes the rate of samples. Other requests run between two blocks of a stream. */
export const resample = (samples: Samples, rates: Resampler.Rates): Samples =>
  samples instanceof Float32Array
    ? Resampler.resample(samples, rates)
    : Resampler.resampleStream(rates)(Stream.tap(Stream.rechunk(samples, 1), () => yieldToEventLoop))

import { blockSamples } from "../kernel/kernel.js"
import type { Kernel } from "../kernel/plainKernel.js"
import { makePolyphase, type Polyphase, type Sink } from "./polyphase.js"

/**
 * The two rates of a resampler.
 *
 * @example
 * ```ts
 * import { type Resampler, Telephony } from "@effect-speech/audio-codec"
 *
 * export const toTelephony = (from: number): Resampler.Rates => ({ from, to: Telephony.format.sampleRate })
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export interface Rates {
  /** The rate of the input, in Hz: an integer from 1 to 4,294,967,295. At least 1,000 if `to` is higher. */
  readonly from: number
  /** The rate of the output, in Hz: an integer from 1 to 4,294,967,295. */
  readonly to: number
}

/**
 * Changes the rate of one channel, block by block. `unsafeMake` makes one for each recording.
 *
 * @since 0.1.0
 * @category models
 */
export interface Resampler {
  /** Returns the output that these samples complete. Between equal rates it is `samples` itself. */
  readonly push: (samples: Float32Array) => Float32Array
  /**
   * Returns the rest, as if silence followed. Do not push after it. For n samples of input there are ceil(n * to / from)
   * samples of output.
   */
  readonly flush: () => Float32Array
}

/** Takes the kernel as an argument, so that a test can compare both. */
export const makeResampler = (kernel: Kernel, rates: Rates): Resampler => {
  const polyphase = makePolyphase(kernel, rates.from, rates.to)
  if (rates.from === rates.to) return { push: (samples) => samples, flush: () => new Float32Array(0) }

  const collect = (count: number, run: (sink: Sink) => void): Float32Array => {
    const output = new Float32Array(count)
    polyphase.begin()
    run(copyTo(kernel, output))
    polyphase.end()
    return output
  }
  return {
    push: (samples) =>
      collect(polyphase.completedBy(samples.length), (sink) => feedAll(kernel, polyphase, samples, sink)),
    flush: () => collect(polyphase.remaining(), polyphase.finish)
  }
}

/** The output of a resampler for a whole signal, in one array. */
export const resampleWhole = (kernel: Kernel, samples: Float32Array, rates: Rates): Float32Array => {
  const polyphase = makePolyphase(kernel, rates.from, rates.to)
  if (rates.from === rates.to) return samples
  const output = new Float32Array(Math.ceil((samples.length * rates.to) / rates.from))
  const sink = copyTo(kernel, output)
  polyphase.begin()
  feedAll(kernel, polyphase, samples, sink)
  polyphase.finish(sink)
  return output
}

const copyTo = ({ memory }: Kernel, output: Float32Array): Sink => {
  let filled = 0
  return (pointer, count) => {
    output.set(new Float32Array(memory, pointer, count), filled)
    filled += count
  }
}

const feedAll = ({ memory }: Kernel, polyphase: Polyphase, samples: Float32Array, sink: Sink): void => {
  for (let offset = 0; offset < samples.length; offset += blockSamples) {
    const block = samples.subarray(offset, offset + blockSamples)
    new Float32Array(memory, polyphase.input(), block.length).set(block)
    polyphase.feed(block.length, sink)
  }
}

import { blockSamples } from "../kernel/kernel.js"
import type { Kernel } from "../kernel/kernelInterface.js"
import { makePolyphase } from "./polyphase.js"

export interface Rates {
  /** The rate of the input, in Hz: an integer from 1 to 4,294,967,295. At least 1,000 if `to` is higher. */
  readonly from: number
  /** The rate of the output, in Hz: an integer from 1 to 4,294,967,295. */
  readonly to: number
}

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
export const makeResampler = (kernel: Kernel, { from, to }: Rates): Resampler => {
  const polyphase = makePolyphase(kernel, from, to)
  if (from === to) return { push: (samples) => samples, flush: () => new Float32Array(0) }
  const floats = new Float32Array(kernel.memory)

  const collect = (count: number, run: (sink: (pointer: number, count: number) => void) => void): Float32Array => {
    const output = new Float32Array(count)
    let filled = 0
    polyphase.begin()
    run((pointer, count) => {
      output.set(floats.subarray(pointer / 4, pointer / 4 + count), filled)
      filled += count
    })
    polyphase.end()
    return output
  }
  return {
    push: (samples) =>
      collect(polyphase.completedBy(samples.length), (sink) => {
        for (let offset = 0; offset < samples.length; offset += blockSamples) {
          const block = samples.subarray(offset, offset + blockSamples)
          floats.set(block, polyphase.input() / 4)
          polyphase.feed(block.length, sink)
        }
      }),
    flush: () => collect(polyphase.remaining(), polyphase.finish)
  }
}

import { concatSamples } from "../bytes.js"
import { blockSamples } from "../kernel/kernel.js"
import type { Kernel } from "../kernel/kernelInterface.js"
import { makePolyphase } from "./polyphase.js"

export interface Rates {
  /** Of the samples that go in, in Hz: an integer from 1 to 4,294,967,295. */
  readonly from: number
  /** Of the samples that come out, in Hz: an integer from 1 to 4,294,967,295. */
  readonly to: number
}

export interface Resampler {
  /** The output that is complete with these samples. */
  readonly push: (samples: Float32Array) => Float32Array
  /** The rest, as if silence followed; nothing may be pushed after it. In all, ceil(n * to / from) samples come out for n that went in. */
  readonly flush: () => Float32Array
}

/** A resampler on a kernel, so that both kernels can be held against each other. */
export const makeResampler = (kernel: Kernel, { from, to }: Rates): Resampler => {
  const polyphase = makePolyphase(kernel, from, to)
  if (from === to) return { push: (samples) => samples, flush: () => new Float32Array(0) }
  const floats = new Float32Array(kernel.memory)

  const collect = (run: (sink: (pointer: number, count: number) => void) => void): Float32Array => {
    const parts: Array<Float32Array> = []
    polyphase.begin()
    run((pointer, count) => parts.push(floats.slice(pointer / 4, pointer / 4 + count)))
    polyphase.end()
    return concatSamples(parts)
  }
  return {
    push: (samples) =>
      collect((sink) => {
        for (let offset = 0; offset < samples.length; offset += blockSamples) {
          const block = samples.subarray(offset, offset + blockSamples)
          floats.set(block, polyphase.input() / 4)
          polyphase.feed(block.length, sink)
        }
      }),
    flush: () => collect(polyphase.finish)
  }
}

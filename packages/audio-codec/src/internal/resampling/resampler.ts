import type { Rates, Resampler } from "../../Resampler.js"
import { concatSamples } from "../bytes.js"
import { blockSamples, type Kernel } from "../kernel/kernel.js"
import { makePolyphase } from "./polyphase.js"

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

// @ts-nocheck The peers have few types, and aren't installed where types are checked.

/** Each library in its fastest way to the same result. If it accepts several types, one that it does not copy first. */
import makeSpeex from "@echogarden/speex-resampler-wasm/simd"
import nodeWav from "node-wav"
import convert from "pcm-convert"

/** @typedef {import("../harness.js").Push} Push */

/** @type {(samples: Float32Array) => void} */
export const pcmConvert = (samples) => convert(samples, "float32", "int16")

/** @type {(file: Uint8Array) => unknown} */
export const decodeByNodeWav = (file) => nodeWav.decode(file)

const speexBlock = 8192

/** @type {(from: number, to: number, quality: number) => Promise<Push>} */
export const speex = async (from, to, quality) => {
  const module = await makeSpeex()
  const room = Math.ceil((speexBlock * to) / from) + 64
  const error = module._malloc(4)
  const state = module._speex_resampler_init(1, from, to, quality, error)
  const inputLength = module._malloc(4)
  const outputLength = module._malloc(4)
  const input = module._malloc(4 * speexBlock)
  const output = module._malloc(4 * room)
  return (samples) => {
    if (samples.length > speexBlock) throw new RangeError(`A block has at most ${speexBlock} samples.`)
    module.HEAPF32.set(samples, input / 4)
    module.HEAPU32[inputLength / 4] = samples.length
    module.HEAPU32[outputLength / 4] = room
    module._speex_resampler_process_float(state, 0, input, inputLength, output, outputLength)
    if (module.HEAPU32[inputLength / 4] !== samples.length) throw new Error("Speex left input behind.")
    return module.HEAPF32.slice(output / 4, output / 4 + module.HEAPU32[outputLength / 4])
  }
}

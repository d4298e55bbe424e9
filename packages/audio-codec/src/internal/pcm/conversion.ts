import type { Encoding } from "../../AudioFormat.js"
import { bytesRegion, encodedGroup, kernel } from "../kernel/kernel.js"
import { roundHalfToEven } from "../kernel/plainKernel.js"
import { decodedAlaw, decodedMulaw, encodeAlaw, encodeMulaw } from "./g711.js"

const makeConversion = () => {
  const bytes = new Uint8Array(kernel.memory)
  const floats = new Float32Array(kernel.memory)
  const inputBytes = bytes.subarray(bytesRegion)
  const view = new DataView(kernel.memory, bytesRegion)
  const inputDoubles = new Float64Array(kernel.memory, bytesRegion)

  const decodeTable = (table: Float32Array) => (_: number, output: number, count: number) => {
    const first = output / 4
    for (let index = 0; index < count; index++) floats[first + index] = table[inputBytes[index] as number] as number
  }

  const decoders: Record<Encoding, (input: number, output: number, count: number) => void> = {
    pcm8: kernel.decodePcm8,
    pcm16: kernel.decodePcm16,
    pcm24: kernel.decodePcm24,
    pcm32: kernel.decodePcm32,
    float32: (input, output, count) => bytes.copyWithin(output, input, input + 4 * count),
    float64: (_, output, count) => floats.set(inputDoubles.subarray(0, count), output / 4),
    alaw: decodeTable(decodedAlaw),
    mulaw: decodeTable(decodedMulaw)
  }

  const encodeInteger =
    (bits: number, write: (index: number, value: number) => void) =>
    (input: number, count: number): number => {
      const scale = 2 ** (bits - 1)
      let clipped = 0
      for (let index = 0; index < count; index++) {
        const rounded = roundHalfToEven((floats[input / 4 + index] as number) * scale)
        if (rounded > scale - 1 || rounded < -scale) clipped++
        write(index, Number.isNaN(rounded) ? 0 : Math.max(-scale, Math.min(scale - 1, rounded)))
      }
      return clipped
    }
  const unclipped =
    (write: (index: number, sample: number) => void) =>
    (input: number, count: number): number => {
      for (let index = 0; index < count; index++) write(index, floats[input / 4 + index] as number)
      return 0
    }

  const encoders: Record<Encoding, (input: number, count: number) => number> = {
    pcm8: encodeInteger(8, (index, value) => view.setUint8(index, value + 0x80)),
    pcm16: (input, count) => {
      floats.fill(0, input / 4 + count, input / 4 + count + encodedGroup)
      return kernel.encodePcm16(input, bytesRegion, count)
    },
    pcm24: encodeInteger(24, (index, value) => {
      view.setUint16(3 * index, value & 0xffff, true)
      view.setInt8(3 * index + 2, value >> 16)
    }),
    pcm32: encodeInteger(32, (index, value) => view.setInt32(4 * index, value, true)),
    float32: unclipped((index, sample) => view.setFloat32(4 * index, sample, true)),
    float64: unclipped((index, sample) => view.setFloat64(8 * index, sample, true)),
    alaw: encodeInteger(16, (index, value) => view.setUint8(index, encodeAlaw(value))),
    mulaw: encodeInteger(16, (index, value) => view.setUint8(index, encodeMulaw(value)))
  }

  return {
    bytes,
    floats,
    /** Decodes `count` samples to `output`, a pointer divisible by 4. */
    decode: (encoding: Encoding, output: number, count: number): void => decoders[encoding](bytesRegion, output, count),
    /** Encodes `count` samples at `input`. Returns the number of clamped samples. Overwrites the memory behind them. */
    encode: (encoding: Encoding, input: number, count: number): number => encoders[encoding](input, count)
  }
}

/** Converts bytes in `bytesRegion` to floats and back, in the memory of the kernel. */
export const conversion = /* @__PURE__ */ makeConversion()

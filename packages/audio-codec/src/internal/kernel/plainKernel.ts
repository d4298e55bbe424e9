/**
 * The hot loops, with their own memory. `kernel.wat` describes each, and how far conversions round up their counts.
 *
 * Pointers are in bytes and divisible by 4. Counts are in samples, frames or taps.
 */
export interface Kernel {
  readonly memory: ArrayBuffer
  readonly decodePcm8: (input: number, output: number, count: number) => void
  readonly decodePcm16: (input: number, output: number, count: number) => void
  readonly decodePcm24: (input: number, output: number, count: number) => void
  readonly decodePcm32: (input: number, output: number, count: number) => void
  readonly meanPcm16: (input: number, output: number, frames: number) => void
  readonly encodePcm16: (input: number, output: number, count: number) => number
  readonly mixdown: (input: number, output: number, frames: number, channels: number) => void
  readonly convolve: (
    taps: number,
    width: number,
    input: number,
    inputStride: number,
    output: number,
    outputStride: number,
    count: number
  ) => void
  readonly convolveBetween: (
    taps: number,
    width: number,
    rows: number,
    input: number,
    output: number,
    count: number,
    rest: number,
    step: number,
    phases: number
  ) => void
}

/** The hot loops in TypeScript, for a runtime without WebAssembly: five to ten times slower. */
export const makePlainKernel = (memorySize: number): Kernel => {
  const memory = new ArrayBuffer(memorySize)
  const bytes = new Uint8Array(memory)
  const int16 = new Int16Array(memory)
  const int32 = new Int32Array(memory)
  const floats = new Float32Array(memory)

  const convert = (output: number, count: number, sample: (index: number) => number) => {
    const first = output / 4
    for (let index = 0; index < count; index++) floats[first + index] = sample(index)
  }

  const sumOfProducts = (firstTap: number, first: number, width: number) => dotProduct(floats, firstTap, first, width)

  return {
    memory,

    decodePcm8: (input, output, count) => convert(output, count, (index) => (at(bytes, input + index) - 128) / 0x80),

    decodePcm16: (input, output, count) => convert(output, count, (index) => at(int16, input / 2 + index) / 0x8000),

    decodePcm24: (input, output, count) =>
      convert(output, count, (index) => {
        const first = input + 3 * index
        return ((at(bytes, first) << 8) | (at(bytes, first + 1) << 16) | (at(bytes, first + 2) << 24)) / 0x80000000
      }),

    decodePcm32: (input, output, count) => convert(output, count, (index) => at(int32, input / 4 + index) / 0x80000000),

    meanPcm16: (input, output, frames) =>
      convert(output, frames, (frame) => {
        const left = input / 2 + 2 * frame
        return (at(int16, left) + at(int16, left + 1)) / 0x10000
      }),

    encodePcm16: (input, output, count) => {
      let clipped = 0
      for (let index = 0; index < count; index++) {
        const rounded = roundHalfToEven(at(floats, input / 4 + index) * 0x8000)
        if (rounded > 0x7fff || rounded < -0x8000) clipped++
        int16[output / 2 + index] = Math.max(-0x8000, Math.min(0x7fff, rounded))
      }
      return clipped
    },

    mixdown: (input, output, frames, channels) =>
      convert(output, frames, (frame) => {
        let sum = -0
        for (let channel = 0; channel < channels; channel++) {
          sum = Math.fround(sum + at(floats, input / 4 + frame * channels + channel))
        }
        return sum / channels
      }),

    convolve: (taps, width, input, inputStride, output, outputStride, count) => {
      for (let index = 0; index < count; index++) {
        floats[(output + index * outputStride) / 4] = sumOfProducts(taps / 4, (input + index * inputStride) / 4, width)
      }
    },

    convolveBetween: (taps, width, rows, input, output, count, rest, step, phases) => {
      for (let index = 0; index < count; index++) {
        const time = rest + index * step
        const row = ((time % phases) * rows) / phases
        const lower = Math.floor(row)
        const firstTap = taps / 4 + lower * width
        const first = input / 4 + Math.floor(time / phases)
        const sum = sumOfProducts(firstTap, first, width)
        floats[output / 4 + index] = sum + (row - lower) * (sumOfProducts(firstTap + width, first, width) - sum)
      }
    }
  }
}

/** The sum of the products of `width` floats from `one` on, and as many from `other` on. */
const dotProduct = (floats: Float32Array, one: number, other: number, width: number): number => {
  // With two sums, the processor need not wait for one.
  let even = 0
  let odd = 0
  for (let index = 0; index < width; index += 2) {
    even += at(floats, one + index) * at(floats, other + index)
    odd += at(floats, one + index + 1) * at(floats, other + index + 1)
  }
  return even + odd
}

const at = (array: { readonly [index: number]: number }, index: number): number => array[index] as number

/** The last bit of a double of this size is worth 1, so adding it rounds to an integer, halves to even. */
const unitBits = 1.5 * 2 ** 52

export const roundHalfToEven = (x: number): number => {
  return x + unitBits - unitBits
}

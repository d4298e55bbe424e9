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

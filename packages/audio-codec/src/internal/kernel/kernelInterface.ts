/**
 * The hot loops, on a memory of their own. `kernel.wat` says what each does, and by how much the counts of
 * conversions are rounded up.
 *
 * Pointers are in bytes and divisible by 4; counts are in samples, frames or taps.
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
}

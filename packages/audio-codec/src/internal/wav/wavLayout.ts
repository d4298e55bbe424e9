/** Where a file has what says how long it is; offsets are in bytes from its start. */
export interface WavLayout {
  /** Whether numbers are little-endian: all but RIFX. */
  readonly little: boolean
  /** Of the content of the `ds64` chunk of an RF64. */
  readonly ds64: number | undefined
  /** Of the number of frames in the `fact` chunk. */
  readonly fact: number | undefined
  /** Of the first sample; the size of the data is in the 4 bytes before it. */
  readonly data: number
  /** The size of the data as the file has it, in bytes; infinite where it says that it does not know. */
  readonly declared: number
}

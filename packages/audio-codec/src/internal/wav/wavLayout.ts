/** The places where a WAV file states its rate and its sizes. Offsets are in bytes from the start of the file. */
export interface WavLayout {
  /** Whether numbers are little-endian, as in all files but RIFX. */
  readonly little: boolean
  /** The offset of the file itself: behind a tag that stands before it. */
  readonly riff: number
  /** The offset of the sample rate. */
  readonly rate: number
  /** The offset of the content of an RF64's `ds64` chunk. */
  readonly ds64: number | undefined
  /** The offset of the number of frames in the `fact` chunk. */
  readonly fact: number | undefined
  /** The offset of the first sample. The 4 bytes before it are the size of the data. */
  readonly data: number
  /** The declared size of the data, in bytes. Infinite if the file does not know it. */
  readonly declared: number
}

import type { AudioFormat, Encoding } from "../../AudioFormat.js"
import { bytesPerFrame, bytesPerSample } from "../../AudioFormat.js"

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

/** The size in a header that was written before the size was known. */
export const unknownSize = 0xffffffff

/** The `wFormatTag` of each encoding. */
const formatTags: Record<Encoding, number> = {
  pcm8: 1,
  pcm16: 1,
  pcm24: 1,
  pcm32: 1,
  float32: 3,
  float64: 3,
  alaw: 6,
  mulaw: 7
}

/**
 * The number of zero bytes after `dataLength` bytes of data: a RIFF chunk has an even length. Data of unknown length has none:
 * it lasts to the end of the file, so a reader would take the zero for a sample.
 */
export const padding = (dataLength: number | undefined): number => (dataLength ?? 0) % 2

/** The largest size that is not {@link unknownSize}. */
export const largestSize = unknownSize - 1

/** The length of a `ds64` chunk without a table. */
const ds64Length = 28

/**
 * Makes the bytes before the samples.
 *
 * PCM has the canonical 44 bytes. Every other encoding has 58: its format tag requires an extended `fmt ` chunk and a `fact`
 * chunk with the number of frames ("Multimedia Programming Interface and Data Specifications 1.0", IBM and Microsoft, 1991,
 * and Microsoft's "New Multimedia Data Types", 1994).
 *
 * If 32 bits do not hold the sizes, the file is an RF64. Its true sizes are in a `ds64` chunk of 36 more bytes (EBU Tech 3306,
 * 2009).
 *
 * {@link padding} makes the length of the data even. The RIFF size counts it, the data size does not.
 *
 * If the length is unknown, the `fact` chunk has 0 frames: ffprobe takes 0xFFFFFFFF for a duration of hours.
 */
export const wavHeader = (format: AudioFormat, dataLength: number | undefined): Uint8Array => {
  const { channels, encoding, sampleRate } = format
  const frame = bytesPerFrame(format)
  if (!Number.isInteger(channels) || channels < 1 || frame > 0xffff) {
    throw new RangeError(
      `The frames of a WAV file have 1 to 65535 bytes; ${channels} channels of ${encoding} do not fit.`
    )
  }
  if (!Number.isInteger(sampleRate) || sampleRate < 1 || sampleRate > 0xffffffff) {
    throw new RangeError(`The sample rate of a WAV file must be an integer from 1 to 4294967295 Hz, not ${sampleRate}.`)
  }
  const tag = formatTags[encoding]
  const extended = tag !== 1
  const plainLength = extended ? 58 : 44
  const riffSize = (length: number) => length - 8 + (dataLength ?? 0) + padding(dataLength)
  const large = riffSize(plainLength) > largestSize
  const length = plainLength + (large ? 8 + ds64Length : 0)
  const size32 = (size: number) => (dataLength === undefined || large ? unknownSize : size)
  const frames = (dataLength ?? 0) / frame

  const view = new DataView(new ArrayBuffer(length))
  let offset = 0
  const text = (name: string) => {
    for (const character of name) view.setUint8(offset++, character.charCodeAt(0))
  }
  const uint16 = (value: number) => {
    view.setUint16(offset, value, true)
    offset += 2
  }
  const uint32 = (value: number) => {
    view.setUint32(offset, value, true)
    offset += 4
  }
  const uint64 = (value: number) => {
    view.setBigUint64(offset, BigInt(value), true)
    offset += 8
  }

  text(large ? "RF64" : "RIFF")
  uint32(size32(riffSize(length)))
  text("WAVE")
  if (large) {
    text("ds64")
    uint32(ds64Length)
    uint64(riffSize(length))
    uint64(dataLength ?? 0)
    uint64(Math.floor(frames))
    uint32(0)
  }
  text("fmt ")
  uint32(extended ? 18 : 16)
  uint16(tag)
  uint16(channels)
  uint32(sampleRate)
  uint32(Math.min(sampleRate * frame, 0xffffffff))
  uint16(frame)
  uint16(bytesPerSample(encoding) * 8)
  if (extended) {
    uint16(0)
    text("fact")
    uint32(4)
    uint32(dataLength === undefined ? 0 : size32(frames))
  }
  text("data")
  uint32(size32(dataLength ?? 0))
  return new Uint8Array(view.buffer)
}

/** The sizes in a header, as bytes and the offsets to write them to. All sizes are in bytes. */
export const sizeFields = (
  format: AudioFormat,
  { data, ds64, fact, little, riff }: WavLayout,
  fileSize: number,
  dataLength: number
): ReadonlyArray<readonly [offset: number, bytes: Uint8Array]> => {
  const uint32 = (value: number) => {
    const view = new DataView(new ArrayBuffer(4))
    view.setUint32(0, ds64 === undefined ? value : unknownSize, little)
    return new Uint8Array(view.buffer)
  }
  const frames = dataLength / bytesPerFrame(format)
  const fields: Array<readonly [number, Uint8Array]> = [
    [riff + 4, uint32(fileSize - riff - 8)],
    [data - 4, uint32(dataLength)]
  ]
  if (fact !== undefined) fields.push([fact, uint32(frames)])
  if (ds64 !== undefined) {
    const sizes = [fileSize - riff - 8, dataLength, Math.floor(frames)]
    fields.push([ds64, new Uint8Array(BigUint64Array.from(sizes, BigInt).buffer)])
  }
  return fields
}

import type { AudioFormat } from "../AudioFormat.js"
import { bytesPerFrame, bytesPerSample } from "../AudioFormat.js"

const formatPcm = 1
const formatFloat = 3

/** The size that stands for "not known yet" in a header that is written before its data. */
export const unknownSize = 0xffffffff

const ascii = (view: DataView, offset: number, text: string): void => {
  for (let index = 0; index < text.length; index++) view.setUint8(offset + index, text.charCodeAt(index))
}

/**
 * The bytes before the samples. A length that the 32 bits of the sizes can't hold is written as unknown.
 *
 * PCM gets the canonical 44 bytes. Float gets 58: a format tag other than PCM asks for an extended `fmt ` chunk
 * and a `fact` chunk with the number of frames ("Multimedia Programming Interface and Data Specifications
 * 1.0", IBM and Microsoft, 1991, and Microsoft's "New Multimedia Data Types", 1994).
 *
 * The data is padded to an even length by `padding`, which the RIFF size counts and the data size does not.
 */
export const wavHeader = (format: AudioFormat, announced: number | undefined): Uint8Array => {
  const dataLength = announced !== undefined && announced < unknownSize - 58 ? announced : undefined
  const float = format.encoding === "float32" || format.encoding === "float64"
  const formatLength = float ? 18 : 16
  const length = float ? 58 : 44
  const view = new DataView(new ArrayBuffer(length))
  const frame = bytesPerFrame(format)

  ascii(view, 0, "RIFF")
  view.setUint32(4, dataLength === undefined ? unknownSize : length - 8 + dataLength + padding(dataLength), true)
  ascii(view, 8, "WAVE")

  ascii(view, 12, "fmt ")
  view.setUint32(16, formatLength, true)
  view.setUint16(20, float ? formatFloat : formatPcm, true)
  view.setUint16(22, format.channels, true)
  view.setUint32(24, format.sampleRate, true)
  view.setUint32(28, format.sampleRate * frame, true)
  view.setUint16(32, frame, true)
  view.setUint16(34, bytesPerSample(format.encoding) * 8, true)

  if (float) {
    ascii(view, 38, "fact")
    view.setUint32(42, 4, true)
    view.setUint32(46, dataLength === undefined ? unknownSize : dataLength / frame, true)
  }
  ascii(view, length - 8, "data")
  view.setUint32(length - 4, dataLength ?? unknownSize, true)
  return new Uint8Array(view.buffer)
}

/** A RIFF chunk has an even length: the number of zero bytes that follow `dataLength` bytes of data. */
export const padding = (dataLength: number): number => dataLength % 2

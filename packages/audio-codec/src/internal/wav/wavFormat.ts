import { AudioFormat, bytesPerFrame, type Encoding } from "../../AudioFormat.js"
import type { WavError } from "../../WavError.js"
import { wavError } from "./wavError.js"

/** The `wFormatTag` of a header whose format tag is in its GUID. */
const extensible = 0xfffe

/** Encodings by format tag, and by the number of bytes of a sample. */
const encodings: Record<number, Record<number, Encoding>> = {
  1: { 1: "pcm8", 2: "pcm16", 3: "pcm24", 4: "pcm32" },
  3: { 4: "float32", 8: "float64" },
  6: { 1: "alaw" },
  7: { 1: "mulaw" }
}

/** Names of codecs in WAV files, for errors (from `mmreg.h` in the Windows SDK). */
const codecs: Record<number, string> = {
  1: "PCM",
  2: "Microsoft ADPCM",
  3: "float",
  6: "A-law",
  7: "mu-law",
  17: "IMA ADPCM",
  49: "GSM 6.10",
  64: "G.721 ADPCM",
  69: "G.726 ADPCM",
  80: "MPEG audio",
  85: "MP3",
  255: "AAC"
}

/**
 * An extensible header has the real format tag at the beginning of its GUID, in 32 bits. In a RIFX, sox writes it in 16 bits,
 * and the rest as in a RIFF.
 */
const tagOf = (view: DataView, little: boolean): number => {
  const tag = view.getUint16(0, little)
  if (tag !== extensible || view.byteLength < 28) return tag
  return little ? view.getUint32(24, true) : view.getUint16(24) || view.getUint16(26)
}

/** Reads the content of a `fmt ` chunk, which stands at `offset` of the file. */
export const readFormat = (view: DataView, offset: number, little: boolean): AudioFormat | WavError => {
  const tag = tagOf(view, little)
  const channels = view.getUint16(2, little)
  const sampleRate = view.getUint32(4, little)
  const byteRate = view.getUint32(8, little)
  const frame = view.getUint16(12, little)
  const bits = view.getUint16(14, little)
  const supported = encodings[tag]
  if (supported === undefined) {
    const found = codecs[tag] ?? `format ${tag}`
    return wavError("Unsupported", { offset, expected: "PCM, float, A-law or mu-law", found })
  }
  if (channels === 0 || sampleRate === 0) {
    return wavError("Malformed", {
      offset: offset + 2,
      expected: "at least one channel and one sample per second",
      found: `${channels} ${channels === 1 ? "channel" : "channels"} at ${sampleRate} Hz`
    })
  }
  // Bits that do not fill their bytes are the upper ones of them, so the number of bytes decides.
  const encoding = supported[Math.ceil(bits / 8)]
  if (encoding === undefined) {
    const sizes = Object.keys(supported).map((bytes) => Number(bytes) * 8)
    const expected = `${codecs[tag]} of ${sizes.join(", ")} bits`
    return wavError("Unsupported", { offset: offset + 14, expected, found: `${bits}` })
  }
  const format = new AudioFormat({ sampleRate, channels, encoding }, { disableValidation: true })
  const size = bytesPerFrame(format)
  // Other readers do not use the size of a frame. If it alone is wrong, the byte rate confirms the size of the samples.
  return frame === size || byteRate === sampleRate * size
    ? format
    : wavError("Unsupported", { offset: offset + 12, expected: `frames of ${size} bytes`, found: `${frame}` })
}

import * as Effect from "effect/Effect"
import { characters, type ReadHeader } from "./header.js"

/** A frame of MPEG audio, layer III. */
export interface Frame {
  readonly sampleRate: number
  readonly channels: number
  /** In bits per second. */
  readonly bitrate: number
  /** How many samples of each channel it holds. */
  readonly samples: number
  readonly byteLength: number
  /** Where an encoder puts its Xing header, from the start of the frame: behind the side information. */
  readonly xing: number
}

/** ISO/IEC 11172-3 and 13818-3, in kbit/s: of MPEG 1, and of MPEG 2 and 2.5. */
const bitrates1 = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const bitrates2 = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
/** In Hz, of MPEG 1; MPEG 2 has the half of them, 2.5 the quarter. */
const sampleRates = [44100, 48000, 32000]
const divisors: Record<number, number> = { 3: 1, 2: 2, 0: 4 }

/** The frame whose 4 bytes of header are at `offset`: 11 bits that are set, and no value that is reserved. */
export const frameAt = (view: DataView, offset: number): Frame | undefined => {
  if (offset + 4 > view.byteLength) return undefined
  const header = view.getUint32(offset)
  const isLayer3 = header >>> 21 === 0x7ff && ((header >>> 17) & 3) === 1
  const divisor = divisors[(header >>> 19) & 3]
  const first = divisor === 1
  const kilobits = (first ? bitrates1 : bitrates2)[((header >>> 12) & 15) - 1]
  const baseRate = sampleRates[(header >>> 10) & 3]
  if (!isLayer3 || divisor === undefined || kilobits === undefined || baseRate === undefined) return undefined
  const sampleRate = baseRate / divisor
  const channels = ((header >>> 6) & 3) === 3 ? 1 : 2
  const samples = first ? 1152 : 576
  const sideInformation = first ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17
  return {
    sampleRate,
    channels,
    bitrate: kilobits * 1000,
    samples,
    byteLength: Math.floor(((samples / 8) * kilobits * 1000) / sampleRate) + ((header >>> 9) & 1),
    xing: 4 + sideInformation
  }
}

/** Enough for a few of the longest frames, of 1441 bytes. */
const windowLength = 8 * 1024

export const readMp3: ReadHeader = ({ byteLength, read }) =>
  Effect.gen(function* () {
    const start = tagLength(yield* read(0, 10))
    const window = yield* read(start, windowLength)
    const offset = firstFrame(window)
    const frame = frameAt(window, offset)
    if (frame === undefined) return {}
    const { channels, sampleRate } = frame
    const frames = countOfFrames(window, offset, frame)
    if (frames !== undefined)
      return { sampleRate, channels, durationMillis: ((frames * frame.samples) / sampleRate) * 1000 }
    const isReckoned = byteLength !== undefined && isOfOneBitrate(window, offset, frame)
    const durationMillis = isReckoned ? ((byteLength - start - offset) * 8000) / frame.bitrate : undefined
    return { sampleRate, channels, durationMillis }
  })

/** The ID3v2 tag in front, whose size is written in 7 bits of each byte, and does not count its own header. */
const tagLength = (view: DataView): number => {
  if (view.byteLength < 10 || characters(view, 0, 3) !== "ID3") return 0
  return [6, 7, 8, 9].reduce((size, at) => size * 128 + (view.getUint8(at) & 0x7f), 0) + 10
}

/** Bits may look like a header by chance, so another one is to follow, unless the end comes before. */
const firstFrame = (window: DataView): number => {
  for (let offset = 0; offset < window.byteLength; offset++) {
    const frame = frameAt(window, offset)
    const next = offset + (frame?.byteLength ?? 0)
    if (frame !== undefined && (next + 4 > window.byteLength || frameAt(window, next) !== undefined)) return offset
  }
  return window.byteLength
}

/** The number of frames that an encoder left in the first one, in a Xing, Info or VBRI header. */
const countOfFrames = (window: DataView, offset: number, frame: Frame): number | undefined => {
  const xing = offset + frame.xing
  if (["Xing", "Info"].includes(characters(window, xing, 4)) && xing + 12 <= window.byteLength) {
    return (window.getUint32(xing + 4) & 1) === 0 ? undefined : window.getUint32(xing + 8)
  }
  const vbri = offset + 4 + 32
  return characters(window, vbri, 4) === "VBRI" && vbri + 18 <= window.byteLength
    ? window.getUint32(vbri + 14)
    : undefined
}

const isOfOneBitrate = (window: DataView, offset: number, first: Frame): boolean => {
  let frame: Frame | undefined = first
  for (let at = offset; frame !== undefined; frame = frameAt(window, at)) {
    if (frame.bitrate !== first.bitrate) return false
    at += frame.byteLength
  }
  return true
}

import * as Effect from "effect/Effect"
import { characters, type ReadHeader } from "./recordingBytes.js"
import { type CheckStructure, damaged, truncated } from "./structure.js"

/** A frame of MPEG audio. */
interface Mp3Frame {
  readonly layer: number
  readonly sampleRate: number
  readonly channels: number
  /** In bits per second. */
  readonly bitrate: number
  /** Samples per channel. */
  readonly samples: number
  readonly byteLength: number
  /** Where an encoder puts its Xing header: behind the side information, in bytes from the start of the frame. */
  readonly xing: number
}

/** Bitrates by layer, in kbit/s (ISO/IEC 11172-3). */
const bitrates1: Record<number, ReadonlyArray<number>> = {
  1: [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
}
/** Those of MPEG 2 and 2.5 (ISO/IEC 13818-3). */
const lowBitrates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const bitrates2: Record<number, ReadonlyArray<number>> = {
  1: [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  2: lowBitrates,
  3: lowBitrates
}
/** In Hz, for MPEG 1. MPEG 2 has half of them, MPEG 2.5 a quarter. */
const sampleRates = [44100, 48000, 32000]
const divisors: Record<number, number> = { 3: 1, 2: 2, 0: 4 }

/** The frame whose header of 4 bytes is at `offset`: 11 bits that are set, and no reserved value. */
export const frameAt = (view: DataView, offset: number): Mp3Frame | undefined => {
  if (offset + 4 > view.byteLength) return undefined
  const header = view.getUint32(offset)
  const layer = 4 - ((header >>> 17) & 3)
  const divisor = divisors[(header >>> 19) & 3]
  const first = divisor === 1
  const kilobits = (first ? bitrates1 : bitrates2)[layer]?.[((header >>> 12) & 15) - 1]
  const baseRate = sampleRates[(header >>> 10) & 3]
  if (header >>> 21 !== 0x7ff || divisor === undefined || kilobits === undefined || baseRate === undefined) {
    return undefined
  }
  const sampleRate = baseRate / divisor
  const bitrate = kilobits * 1000
  const channels = ((header >>> 6) & 3) === 3 ? 1 : 2
  const samples = layer === 1 ? 384 : layer === 2 || first ? 1152 : 576
  const sideInformation = first ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17
  // Layer I counts its length in slots of 4 bytes.
  const slot = layer === 1 ? 4 : 1
  const slots = Math.floor(((samples / 8 / slot) * bitrate) / sampleRate) + ((header >>> 9) & 1)
  return { layer, sampleRate, channels, bitrate, samples, byteLength: slots * slot, xing: 4 + sideInformation }
}

/** Room for several of the longest frames. */
const windowLength = 8 * 1024

export const readMp3: ReadHeader = ({ byteLength, read }) =>
  Effect.gen(function* () {
    const start = tagLength(yield* read(0, 10))
    const window = yield* read(start, windowLength)
    const offset = firstFrame(window)
    const frame = frameAt(window, offset)
    if (frame === undefined) return {}
    const { channels, sampleRate } = frame
    const frames = xingFields(window, offset, frame).frames ?? vbriFrames(window, offset)
    if (frames !== undefined)
      return { sampleRate, channels, durationMillis: ((frames * frame.samples) / sampleRate) * 1000 }
    const isConstant = byteLength !== undefined && isOfOneBitrate(window, offset, frame)
    const durationMillis = isConstant ? ((byteLength - start - offset) * 8000) / frame.bitrate : undefined
    return { sampleRate, channels, durationMillis }
  })

/** The length of the ID3v2 tag before the first frame. Its size has 7 bits in each byte, without header and footer. */
const tagLength = (view: DataView): number => {
  if (view.byteLength < 10 || characters(view, 0, 3) !== "ID3") return 0
  const footer = (view.getUint8(5) & 0x10) === 0 ? 0 : 10
  return [6, 7, 8, 9].reduce((size, at) => size * 128 + (view.getUint8(at) & 0x7f), 0) + 10 + footer
}

/** Bits may look like a header by chance, so another frame must follow, unless the window ends first. */
const firstFrame = (window: DataView): number => {
  for (let offset = 0; offset < window.byteLength; offset++) {
    const frame = frameAt(window, offset)
    if (frame === undefined) continue
    const next = offset + frame.byteLength
    if (next + 4 > window.byteLength || frameAt(window, next)?.layer === frame.layer) return offset
  }
  return window.byteLength
}

/** What an encoder has left in a Xing or Info header: the number of frames, and of their bytes. */
const xingFields = (
  window: DataView,
  offset: number,
  frame: Mp3Frame
): { readonly frames?: number | undefined; readonly bytes?: number | undefined } => {
  const xing = offset + frame.xing
  if (!["Xing", "Info"].includes(characters(window, xing, 4)) || xing + 8 > window.byteLength) return {}
  const flags = window.getUint32(xing + 4)
  const field = (at: number) => (at + 4 > window.byteLength ? undefined : window.getUint32(at))
  return {
    frames: (flags & 1) === 0 ? undefined : field(xing + 8),
    bytes: (flags & 2) === 0 ? undefined : field(xing + 8 + (flags & 1) * 4)
  }
}

/** The number of frames in a VBRI header, which another encoder writes. */
const vbriFrames = (window: DataView, offset: number): number | undefined => {
  const vbri = offset + 4 + 32
  return characters(window, vbri, 4) === "VBRI" && vbri + 18 <= window.byteLength
    ? window.getUint32(vbri + 14)
    : undefined
}

const isOfOneBitrate = (window: DataView, offset: number, first: Mp3Frame): boolean => {
  let frame: Mp3Frame | undefined = first
  for (let at = offset; frame !== undefined; frame = frameAt(window, at)) {
    if (frame.bitrate !== first.bitrate) return false
    at += frame.byteLength
  }
  return true
}

/** Tags of several kinds, and padding, may follow the last frame. */
const trailer = /^(TAG|APETAGEX|LYRICS|ID3|\0)/

export const checkMp3: CheckStructure = ({ byteLength, read }) =>
  Effect.gen(function* () {
    let position = tagLength(yield* read(0, 10))
    let frames = 0
    let announcedEnd = 0
    while (position < byteLength) {
      const head = yield* read(position, 64)
      const frame = frameAt(head, 0)
      if (frame === undefined) {
        const isPadding = head.getUint8(0) === 0
        if (frames > 1 && trailer.test(characters(head, 0, 8)) && !(isPadding && position < announcedEnd)) break
        return yield* damaged("mp3")
      }
      if (frames === 0) announcedEnd = position + (xingFields(head, 0, frame).bytes ?? 0)
      if (Math.max(position + frame.byteLength, announcedEnd) > byteLength) return yield* truncated("mp3")
      position += frame.byteLength
      frames++
    }
    if (frames < 2) return yield* truncated("mp3")
  })

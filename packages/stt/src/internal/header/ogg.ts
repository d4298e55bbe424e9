import * as Effect from "effect/Effect"
import { bytesOf, characters, type Header, type ReadHeader, viewOf } from "./header.js"

/** Of a page, before its table of segments (RFC 3533, section 6). */
const pageHeader = 27

/** A page with all its 255 segments of 255 bytes. */
const longestPage = pageHeader + 255 + 255 * 255

export const readOgg: ReadHeader = ({ byteLength, read }) =>
  Effect.gen(function* () {
    const page = yield* read(0, 512)
    if (page.byteLength < pageHeader) return {}
    const codec = identify(viewOf(bytesOf(page).subarray(pageHeader + page.getUint8(26))))
    if (codec === undefined || byteLength === undefined) return codec?.header ?? {}
    const length = Math.min(byteLength, longestPage)
    const tail = yield* read(byteLength - length, length)
    const end = tail.byteLength < length ? undefined : lastPosition(tail, page.getUint32(14))
    return end === undefined
      ? codec.header
      : { ...codec.header, durationMillis: (Math.max(0, end - codec.skipped) / codec.clock) * 1000 }
  })

interface Codec {
  readonly header: Header
  /** What positions are counted in, in Hz. */
  readonly clock: number
  /** How much of the beginning is not to be heard, in units of the clock. */
  readonly skipped: number
}

/** By the first packet: of Opus (RFC 7845, section 5.1), Vorbis I (section 4.2.2) or Speex. */
const identify = (packet: DataView): Codec | undefined => {
  if (characters(packet, 0, 8) === "OpusHead" && packet.byteLength >= 16) {
    // Opus is decoded at 48 kHz whatever went in; the rate of what went in is told if known.
    const sampleRate = packet.getUint32(12, true) || 48000
    return { header: { sampleRate, channels: packet.getUint8(9) }, clock: 48000, skipped: packet.getUint16(10, true) }
  }
  if (characters(packet, 0, 7) === "\x01vorbis" && packet.byteLength >= 16) {
    return countedInSamples(packet.getUint32(12, true), packet.getUint8(11))
  }
  if (characters(packet, 0, 8) === "Speex   " && packet.byteLength >= 52) {
    return countedInSamples(packet.getUint32(36, true), packet.getUint32(48, true))
  }
  return undefined
}

const countedInSamples = (sampleRate: number, channels: number): Codec => ({
  header: { sampleRate, channels },
  clock: sampleRate,
  skipped: 0
})

/** The position that the last page of the stream ends at; of a page that ends inside a packet it is -1. */
const lastPosition = (tail: DataView, serial: number): number | undefined => {
  for (let offset = tail.byteLength - pageHeader; offset >= 0; offset--) {
    if (tail.getUint32(offset) === 0x4f676753 && tail.getUint32(offset + 14) === serial) {
      const position = tail.getBigInt64(offset + 6, true)
      if (position >= 0n) return Number(position)
    }
  }
  return undefined
}

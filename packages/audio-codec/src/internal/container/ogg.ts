import * as Effect from "effect/Effect"
import { viewOf } from "../bytes.js"
import { bytesOf, characters, type HeaderFields, type ReadHeader } from "./recordingBytes.js"
import { type CheckStructure, damaged, truncated } from "./structure.js"

/** The bytes of a page before its table of segments (RFC 3533, section 6). */
const pageHeader = 27

/** A page of 255 segments of 255 bytes. */
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
  readonly header: HeaderFields
  /** The unit of positions, in Hz. */
  readonly clock: number
  /** How much of the beginning a player leaves out, in units of the clock. */
  readonly skipped: number
}

/** Reads the first packet: of Opus (RFC 7845, section 5.1), Vorbis I (section 4.2.2) or Speex. */
const identify = (packet: DataView): Codec | undefined => {
  if (characters(packet, 0, 8) === "OpusHead" && packet.byteLength >= 16) {
    // A decoder gives 48 kHz, whatever the rate before encoding was; the header states that one, or 0.
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

/** The position at the end of the stream's last page. A page that ends inside a packet has -1. */
const lastPosition = (tail: DataView, serial: number): number | undefined => {
  for (let offset = tail.byteLength - pageHeader; offset >= 0; offset--) {
    if (tail.getUint32(offset) === 0x4f676753 && tail.getUint32(offset + 14) === serial) {
      const position = tail.getBigInt64(offset + 6, true)
      if (position >= 0n) return Number(position)
    }
  }
  return undefined
}

export const checkOgg: CheckStructure = ({ byteLength, read }) =>
  Effect.gen(function* () {
    let flags = 0
    let position = 0
    while (position < byteLength) {
      const head = yield* read(position, pageHeader + 255)
      if (characters(head, 0, 4) !== "OggS") return yield* damaged("ogg")
      const segments = head.byteLength < pageHeader ? 255 : head.getUint8(pageHeader - 1)
      const lengths = bytesOf(head).subarray(pageHeader, pageHeader + segments)
      const length = lengths.reduce((sum, segment) => sum + segment, pageHeader + segments)
      if (lengths.byteLength < segments || position + length > byteLength) return yield* truncated("ogg")
      flags = head.getUint8(5)
      position += length
    }
    const isLast = (flags & 4) !== 0
    if (!isLast) return yield* truncated("ogg")
  })

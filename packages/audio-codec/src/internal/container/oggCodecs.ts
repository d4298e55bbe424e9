import { characters, type HeaderFields } from "./recordingBytes.js"

/** The codec of a stream in Ogg. */
export interface OggCodec {
  readonly header: HeaderFields
  /** The unit of positions, in Hz. */
  readonly clock: number
  /** How much of the beginning a player leaves out, in units of the clock. */
  readonly skipped: number
  /** The number of packets before the audio, with the first one. */
  readonly headers: number
  /** Counts the units of the clock in a packet, from its first bytes. It is called with one packet after the other. */
  readonly counter: CountUnits | undefined
  /** The counter, if it needs the end of the last header. */
  readonly withHeaders: (end: Uint8Array) => CountUnits | undefined
}

export type CountUnits = (packet: Uint8Array) => number | undefined

/** Reads the first packet: of Opus (RFC 7845, section 5.1), Vorbis I (section 4.2.2), FLAC (RFC 9639, section 10.1), Speex. */
export const identify = (packet: DataView): OggCodec | undefined => {
  if (characters(packet, 0, 8) === "OpusHead" && packet.byteLength >= 16) {
    // A decoder gives 48 kHz, whatever the rate before encoding was; the header states that one, or 0.
    const header = { sampleRate: packet.getUint32(12, true) || 48000, channels: packet.getUint8(9) }
    return codecOf(header, 2, opusUnits, { clock: 48000, skipped: packet.getUint16(10, true) })
  }
  if (characters(packet, 0, 7) === "\x01vorbis" && packet.byteLength >= 16) {
    const header = { sampleRate: packet.getUint32(12, true), channels: packet.getUint8(11) }
    const codec = codecOf(header, 3, undefined)
    const sizes = packet.byteLength < 29 ? 0 : packet.getUint8(28)
    return { ...codec, withHeaders: (end) => vorbisUnits([2 ** (sizes & 15), 2 ** (sizes >>> 4)], end) }
  }
  if (characters(packet, 0, 8) === "Speex   " && packet.byteLength >= 52) {
    const header = { sampleRate: packet.getUint32(36, true), channels: packet.getUint32(48, true) }
    if (packet.byteLength < 80) return codecOf(header, 2, undefined)
    const samples = packet.getUint32(56, true) * packet.getUint32(64, true)
    return codecOf(header, 2 + packet.getUint32(68, true), () => samples)
  }
  // The number of further headers, which may be 0 for unknown; then the first bytes of a FLAC file.
  if (characters(packet, 0, 5) === "\x7fFLAC" && packet.byteLength >= 13 + 4 + 18) {
    const packed = packet.getUint32(13 + 4 + 10)
    const header = { sampleRate: packed >>> 12, channels: ((packed >>> 9) & 7) + 1 }
    const headers = packet.getUint16(7)
    return codecOf(header, 1 + headers, flacUnits)
  }
  return undefined
}

const codecOf = (
  header: { readonly sampleRate: number; readonly channels: number },
  headers: number,
  counter: CountUnits | undefined,
  { clock = header.sampleRate, skipped = 0 } = {}
): OggCodec => ({ header, clock, skipped, headers, counter, withHeaders: () => counter })

/** The duration of a packet of Opus at 48 kHz, from its configuration and its number of frames (RFC 6716, section 3.1). */
const opusUnits = ([first = 0, second = 0]: Uint8Array): number => {
  const config = first >>> 3
  const frame =
    config < 12 ? ([480, 960, 1920, 2880][config & 3] ?? 0) : config < 16 ? 480 << (config & 1) : 120 << (config & 3)
  const code = first & 3
  return frame * (code === 0 ? 1 : code === 3 ? second & 63 : 2)
}

/** The block size in the header of a FLAC frame (RFC 9639, section 9.1.1). Other packets are notes, without samples. */
const flacUnits = (frame: Uint8Array): number | undefined => {
  const [sync = 0, , sizes = 0, , coded = 0] = frame
  if (sync !== 255) return 0
  const code = sizes >>> 4
  if (code === 1) return 192
  if (code >= 2 && code <= 5) return 576 << (code - 2)
  if (code >= 8) return 256 << (code - 8)
  // The size follows the number of the frame, which is coded like a character of UTF-8.
  const at = 4 + (coded < 128 ? 1 : Math.clz32(~(coded << 24)))
  const [high = 0, low = 0] = frame.subarray(at)
  return code === 6 ? high + 1 : code === 7 ? high * 256 + low + 1 : undefined
}

/** The bits of a mode of Vorbis: its block size, two fields of 16 bits that are 0, and the number of its mapping. */
const modeBits = 1 + 16 + 16 + 8
const mostModes = 64

/**
 * Counts the samples in packets of Vorbis I: a quarter of the blocks of a packet and of the one before (section 4.3.8). The size
 * of a block is that of its mode. The modes stand at the end of the last header, so they are read from there (section 4.2.4).
 */
const vorbisUnits = (sizes: readonly [number, number], end: Uint8Array): CountUnits | undefined => {
  const modes = modesOf(end)
  if (modes === undefined) return undefined
  const bits = 32 - Math.clz32(modes.length - 1)
  let before: number | undefined
  return ([first = 0]) => {
    // The first bit is set in headers, which have no audio.
    if ((first & 1) !== 0) return 0
    const isLong = modes[(first >>> 1) & ((1 << bits) - 1)]
    if (isLong === undefined) return undefined
    const size = sizes[isLong]
    const samples = before === undefined ? 0 : (before + size) / 4
    before = size
    return samples
  }
}

/** Whether the blocks of each mode are short (0) or long (1). */
const modesOf = (end: Uint8Array): ReadonlyArray<0 | 1> | undefined => {
  const bit = (at: number): number => ((end[at >>> 3] ?? 0) >>> (at & 7)) & 1
  const number = (at: number, length: number): number => {
    let value = 0
    for (let index = length - 1; index >= 0; index--) value = value * 2 + bit(at + index)
    return value
  }
  // The last bit that is set is the framing bit.
  let last = end.byteLength * 8 - 1
  while (last >= 0 && bit(last) === 0) last--
  let found: ReadonlyArray<0 | 1> | undefined
  const modes: Array<0 | 1> = []
  for (let at = last - modeBits; at >= 6 && modes.length < mostModes; at -= modeBits) {
    if (number(at + 1, 32) !== 0 || number(at + 33, 8) > 63) break
    modes.unshift(bit(at) === 0 ? 0 : 1)
    // Before the modes stands their number, less 1.
    if (number(at - 6, 6) + 1 === modes.length) found = [...modes]
  }
  return found
}

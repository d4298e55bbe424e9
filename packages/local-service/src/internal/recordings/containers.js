// What the containers of a recording say of themselves in their structure. It is read without regard to what they
// declare beyond it: nothing here is allocated from a size in a file. JavaScript, because the decoder's thread uses it.
import { readSync } from "node:fs"

/** @typedef {"wav" | "mp3" | "m4a" | "flac" | "ogg" | "webm"} Container */
/** @typedef {{ readonly fd: number, readonly size: number }} File */

/** How many bytes {@link containerOf} looks at. */
export const headLength = 16

/** @param {Buffer} bytes @param {number} start @param {number} end */
const ascii = (bytes, start, end) => bytes.toString("latin1", start, end)

/**
 * The container, by its first bytes.
 *
 * @param {Buffer} head
 * @returns {Container | undefined}
 */
export const containerOf = (head) => {
  if (["RIFF", "RIFX", "RF64"].includes(ascii(head, 0, 4))) return "wav"
  if (ascii(head, 0, 4) === "fLaC") return "flac"
  if (ascii(head, 0, 4) === "OggS") return "ogg"
  if (ascii(head, 4, 8) === "ftyp") return "m4a"
  if (head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3) return "webm"
  if (ascii(head, 0, 3) === "ID3" || mp3FrameLength(head) !== undefined) return "mp3"
  return undefined
}

/** @param {File} file @param {number} position @param {number} length */
export const readAt = ({ fd, size }, position, length) => {
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - position)))
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, position))
}

/**
 * Where a box of ISO base media lies, and of what type it is.
 *
 * @typedef {{ readonly type: string, readonly start: number, readonly end: number }} Box
 */

/**
 * @param {File} file
 * @returns {Array<Box>}
 */
export const boxes = (file) => {
  const found = []
  for (let start = 0; start < file.size; ) {
    const head = readAt(file, start, 16)
    if (head.length < 8) throw new Error("it ends early")
    const short = head.readUInt32BE(0)
    if (short === 1 && head.length < 16) throw new Error("it ends early")
    const length = short === 0 ? file.size - start : short === 1 ? Number(head.readBigUInt64BE(8)) : short
    if (length < 8 || found.length === 65_536) throw new Error("its boxes are broken")
    if (start + length > file.size) throw new Error("it ends early")
    found.push({ type: ascii(head, 4, 8), start, end: start + length })
    start += length
  }
  return found
}

/** In kbit/s. */
const bitRates = {
  1: [
    [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
  ],
  2: [
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
  ]
}

/**
 * The length of an MPEG audio frame, by its header (ISO/IEC 11172-3, 2.4.1.3).
 *
 * @param {Buffer} head
 */
export const mp3FrameLength = (head) => {
  const [sync = 0, version = 0, rates = 0] = head
  if (sync !== 0xff || (version & 0xe0) !== 0xe0) return undefined
  const generation = (version >> 3) & 3
  const layer = 4 - ((version >> 1) & 3)
  const rate = [44_100, 48_000, 32_000][(rates >> 2) & 3]
  if (generation === 1 || layer === 4 || rate === undefined) return undefined
  const bits = bitRates[generation === 3 ? 1 : 2][layer - 1]?.[rates >> 4]
  if (bits === undefined || bits === 0) return undefined
  const sampleRate = rate / (generation === 3 ? 1 : generation === 2 ? 2 : 4)
  const padding = (rates >> 1) & 1
  if (layer === 1) return (Math.floor((12_000 * bits) / sampleRate) + padding) * 4
  const perFrame = layer === 3 && generation !== 3 ? 72_000 : 144_000
  return Math.floor((perFrame * bits) / sampleRate) + padding
}

/** @param {File} file */
const checkMp3 = (file) => {
  const tag = readAt(file, 0, 10)
  const tagged = ascii(tag, 0, 3) === "ID3" && tag.length === 10
  const tagLength = tagged ? 10 + tag.subarray(6).reduce((sum, byte) => sum * 128 + (byte & 127), 0) : 0
  let position = tagLength
  let frames = 0
  while (position < file.size) {
    const head = readAt(file, position, 8)
    const length = mp3FrameLength(head)
    if (length === undefined) {
      // Tags of several kinds, and padding, follow the last frame.
      if (frames > 1 && /^(TAG|APETAGEX|LYRICS|ID3|\0)/.test(ascii(head, 0, 8))) break
      throw new Error("its frames are broken")
    }
    if (position + length > file.size) throw new Error("it ends early")
    if (frames === 0) checkXing(file, position, length)
    position += length
    frames++
  }
  if (frames < 2) throw new Error("it ends early")
}

/**
 * An encoder's first frame tells how many bytes there are in all.
 *
 * @param {File} file @param {number} position @param {number} length
 */
const checkXing = (file, position, length) => {
  const frame = readAt(file, position, Math.min(length, 64))
  const at = Math.max(frame.indexOf("Xing"), frame.indexOf("Info"))
  if (at < 0 || at + 16 > frame.length) return
  const flags = frame.readUInt32BE(at + 4)
  if ((flags & 2) === 0) return
  const bytes = frame.readUInt32BE(at + 8 + (flags & 1) * 4)
  if (position + bytes > file.size) throw new Error("it ends early")
}

/** @param {File} file */
const checkOgg = (file) => {
  let last = 0
  let position = 0
  while (position < file.size) {
    const head = readAt(file, position, 27 + 255)
    if (ascii(head, 0, 4) !== "OggS") throw new Error("its pages are broken")
    const segments = head[26] ?? 0
    const length = 27 + segments + head.subarray(27, 27 + segments).reduce((sum, byte) => sum + byte, 0)
    if (head.length < 27 + segments || position + length > file.size) throw new Error("it ends early")
    last = head[5] ?? 0
    position += length
  }
  if ((last & 4) === 0) throw new Error("it ends early")
}

/** @param {Buffer} bytes @param {number} position */
const ebmlNumber = (bytes, position) => {
  const width = Math.clz32((bytes[position] ?? 0) << 24) + 1
  if (width > 8 || position + width > bytes.length) throw new Error("its elements are broken")
  let value = (bytes[position] ?? 0) & (0xff >> width)
  let unknown = value === 0xff >> width
  for (const byte of bytes.subarray(position + 1, position + width)) {
    value = value * 256 + byte
    unknown &&= byte === 255
  }
  return { width, value, unknown }
}

/** @param {File} file */
const checkWebm = (file) => {
  const size = ebmlNumber(readAt(file, 4, 8), 0)
  const start = 4 + size.width + size.value
  const segment = readAt(file, start, 12)
  if (segment.length < 5 || segment.readUInt32BE(0) !== 0x18538067) throw new Error("its elements are broken")
  const length = ebmlNumber(segment, 4)
  // A browser that records doesn't know the length when it begins.
  if (!length.unknown && start + 4 + length.width + length.value > file.size) throw new Error("it ends early")
}

/**
 * How many samples a channel has, where the file says so.
 *
 * @param {File} file
 */
export const flacSamples = (file) => {
  const head = readAt(file, 0, 26)
  if (head.length < 26) throw new Error("it ends early")
  return ((head[21] ?? 0) & 15) * 2 ** 32 + head.readUInt32BE(22)
}

/**
 * Throws for a file that is cut off or lost its structure, of which decoders give what there is.
 *
 * @param {Container} container
 * @param {File} file
 */
export const checkStructure = (container, file) => {
  if (container === "mp3") checkMp3(file)
  if (container === "ogg") checkOgg(file)
  if (container === "webm") checkWebm(file)
  if (container === "m4a") boxes(file)
}

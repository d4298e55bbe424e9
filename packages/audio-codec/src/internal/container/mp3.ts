import * as Effect from "effect/Effect"
import { characters, type ReadHeader, type RecordingViews } from "./recordingBytes.js"
import { type CheckStructure, damaged, truncated, type WholeRecording } from "./structure.js"
import { endWithoutTags, isTag, longestJunk } from "./tags.js"

/** A frame of MPEG audio. */
interface Mp3Frame {
  /** The bits of the version: 3 of MPEG 1, 2 of MPEG 2, 0 of MPEG 2.5. */
  readonly version: number
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
  const version = (header >>> 19) & 3
  const layer = 4 - ((header >>> 17) & 3)
  const divisor = divisors[version]
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
  return { version, layer, sampleRate, channels, bitrate, samples, byteLength: slots * slot, xing: 4 + sideInformation }
}

/** Frames that follow each other, as offsets in a window. */
interface Frames {
  readonly start: number
  /** Behind the last frame. It may lie behind the window. */
  readonly end: number
  readonly count: number
  /** Whether they reach the end of the window, or a tag. */
  readonly reachEnd: boolean
  readonly isOfOneBitrate: boolean
}

/** Frames of one stream have the same version, layer and rate. */
const isAlike = (one: Mp3Frame, other: Mp3Frame): boolean =>
  one.version === other.version && one.layer === other.layer && one.sampleRate === other.sampleRate

/** The frames from `start` on. */
const framesFrom = (window: DataView, start: number, first: Mp3Frame): Frames => {
  let end = start + first.byteLength
  let count = 1
  let isOfOneBitrate = true
  let frame = frameAt(window, end)
  while (frame !== undefined && isAlike(frame, first)) {
    isOfOneBitrate &&= frame.bitrate === first.bitrate
    end += frame.byteLength
    count++
    frame = frameAt(window, end)
  }
  const reachEnd = end + 4 > window.byteLength || isTag(new DataView(window.buffer, window.byteOffset + end))
  return { start, end, count, reachEnd, isOfOneBitrate }
}

interface Search {
  /** Whether the recording ends with the window, or may do so. */
  readonly isEnd: boolean
  /** Where to begin. Default: 0. */
  readonly from?: number
  /** A frame of the same stream. */
  readonly like?: Mp3Frame
  /** How many frames are needed. Default: 2. */
  readonly least?: number
}

/**
 * The first frames in a window. Bits may look like a header by chance, so another frame must follow, unless the recording ends
 * first.
 */
export const findFrames = (window: DataView, { from = 0, isEnd, least = 2, like }: Search): Frames | undefined => {
  for (let offset = from; offset + 4 <= window.byteLength; offset++) {
    const frame = window.getUint8(offset) === 255 ? frameAt(window, offset) : undefined
    if (frame === undefined || (like !== undefined && !isAlike(frame, like))) continue
    const frames = framesFrom(window, offset, frame)
    if (frames.count >= least || (isEnd && frames.reachEnd && frames.count >= least / 2)) return frames
  }
  return undefined
}

/** In bytes: room for several of the longest frames. */
const windowLength = 8 * 1024

/** How many windows between the first and the last must have the bitrate of both. */
const windowsBetween = 6

/** The first frames, from the first window, or if they are not there, as far as players look for them. */
const firstFrames = <E>({ byteLength, read }: RecordingViews<E>) =>
  Effect.gen(function* () {
    for (const length of [windowLength, longestJunk]) {
      const window = yield* read(0, length)
      const isEnd = byteLength === undefined || window.byteLength === byteLength
      const frames = findFrames(window, { isEnd })
      const frame = frames === undefined ? undefined : frameAt(window, frames.start)
      if (frames !== undefined && frame !== undefined) return { window, frames, frame }
      if (window.byteLength < length) return undefined
    }
    return undefined
  })

export const readMp3: ReadHeader = (recording) =>
  Effect.gen(function* () {
    const first = yield* firstFrames(recording)
    if (first === undefined) return {}
    const { frame, frames, window } = first
    const { channels, sampleRate } = frame
    const { before, byteLength, read } = recording
    const stated = statedFields(window, frames.start, frame)
    const statedMillis = stated.frames && ((stated.frames * frame.samples) / sampleRate) * 1000
    if (byteLength === undefined) return { sampleRate, channels, durationMillis: statedMillis }
    const whole = { before, byteLength, read }
    const end = yield* endWithoutTags(whole)
    const isOfRecording = statedMillis !== undefined && (yield* fits(whole, stated.bytes, { ...first, end }))
    const durationMillis = isOfRecording ? statedMillis : yield* millisOfOneBitrate(whole, { ...first, end })
    return { sampleRate, channels, durationMillis }
  })

interface Audio {
  readonly frame: Mp3Frame
  /** The first frames. */
  readonly frames: Frames
  /** Where the tags behind the audio begin, or else the end of the recording. */
  readonly end: number
}

/**
 * Whether a number of bytes that an encoder states is that of the recording, with the tags at its ends or without. If it is not,
 * the recording was cut or extended after it was encoded, and the number of frames is that of another one.
 */
const fits = <E>(
  { before, byteLength, read }: WholeRecording<E>,
  bytes: number | undefined,
  { end, frame, frames: { start } }: Audio
): Effect.Effect<boolean, E> => {
  if (bytes === undefined || bytes === 0) return Effect.succeed(true)
  const lengths = [end, byteLength].flatMap((to) => [to - start, to - start + before])
  // Encoders do not agree whether the frame of their header counts.
  if (lengths.some((length) => Math.abs(length - bytes) <= frame.byteLength)) return Effect.succeed(true)
  if (start + bytes > end) return Effect.succeed(false)
  return Effect.map(read(start + bytes, windowLength), (window) => {
    const isWhole = window.byteLength === Math.min(windowLength, byteLength - start - bytes)
    return isWhole && findFrames(window, { isEnd: true, like: frame }) === undefined
  })
}

/** The duration by the size, if windows all over the recording have frames of one bitrate. */
const millisOfOneBitrate = <E>(
  recording: WholeRecording<E>,
  { end, frame, frames }: Audio
): Effect.Effect<number | undefined, E> =>
  Effect.gen(function* () {
    const { read } = recording
    const last = frames.isOfOneBitrate ? yield* lastFrames(recording, { end, frame, frames }) : undefined
    if (last === undefined) return undefined
    const hasBitrate = (window: DataView, found: Frames | undefined): boolean =>
      found?.isOfOneBitrate === true && found.reachEnd && frameAt(window, found.start)?.bitrate === frame.bitrate
    if (frameAt(last.window, last.frames.start)?.bitrate !== frame.bitrate || !last.frames.isOfOneBitrate)
      return undefined
    const from = frames.start + windowLength
    const to = last.end - windowLength
    for (let number = 1; number <= windowsBetween && to - from > windowLength; number++) {
      const window = yield* read(
        Math.floor(from + ((to - from - windowLength) * number) / windowsBetween),
        windowLength
      )
      if (!hasBitrate(window, findFrames(window, { isEnd: false, like: frame, least: 3 }))) return undefined
    }
    return ((last.end - frames.start) * 8000) / frame.bitrate
  })

/** The last frames. Zeros, or something else that is no tag, may follow them. */
const lastFrames = <E>({ read }: WholeRecording<E>, { end, frame, frames: { start } }: Audio) =>
  Effect.gen(function* () {
    for (const longest of [windowLength, longestJunk]) {
      const length = Math.min(longest, end - start)
      const window = yield* read(end - length, length)
      if (window.byteLength < length) return undefined
      const frames = findFrames(window, { isEnd: true, like: frame })
      if (frames !== undefined) {
        const continues = findFrames(window, { from: frames.end, isEnd: false, like: frame }) !== undefined
        return continues ? undefined : { window, frames, end: Math.min(end, end - length + frames.end) }
      }
      if (length < longest) return undefined
    }
    return undefined
  })

/** What an encoder has stated: the number of frames, and of their bytes. 0 is unknown. */
interface Stated {
  readonly frames?: number | undefined
  readonly bytes?: number | undefined
}

const statedFields = (window: DataView, offset: number, frame: Mp3Frame): Stated => {
  const { bytes, frames } = xingFields(window, offset, frame) ?? vbriFields(window, offset) ?? {}
  return { frames: frames || undefined, bytes: bytes || undefined }
}

/** The Xing header, which is named Info if the bitrate is constant. */
const xingFields = (window: DataView, offset: number, frame: Mp3Frame): Stated | undefined => {
  const xing = offset + frame.xing
  if (!["Xing", "Info"].includes(characters(window, xing, 4)) || xing + 8 > window.byteLength) return undefined
  const flags = window.getUint32(xing + 4)
  const field = (at: number) => (at + 4 > window.byteLength ? undefined : window.getUint32(at))
  return {
    frames: (flags & 1) === 0 ? undefined : field(xing + 8),
    bytes: (flags & 2) === 0 ? undefined : field(xing + 8 + (flags & 1) * 4)
  }
}

/** The VBRI header, which another encoder writes. */
const vbriFields = (window: DataView, offset: number): Stated | undefined => {
  const vbri = offset + 4 + 32
  return characters(window, vbri, 4) === "VBRI" && vbri + 18 <= window.byteLength
    ? { bytes: window.getUint32(vbri + 10), frames: window.getUint32(vbri + 14) }
    : undefined
}

export const checkMp3: CheckStructure = (recording) =>
  Effect.gen(function* () {
    const { before, byteLength, read } = recording
    const first = yield* firstFrames(recording)
    if (first === undefined) return yield* byteLength === 0 ? truncated("mp3") : damaged("mp3")
    const stated = statedFields(first.window, first.frames.start, first.frame)
    const end = yield* endWithoutTags(recording)
    let position = first.frames.start
    let frames = 0
    // The number of frames is more reliable: encoders do not agree which tags count as bytes.
    const announcedEnd = stated.frames === undefined ? position + (stated.bytes ?? 0) : 0
    const isAnnounced = () => position < announcedEnd || frames < (stated.frames ?? 0)
    while (position < end) {
      const head = yield* read(position, 64)
      const frame = frameAt(head, 0)
      if (frame === undefined) {
        const isPadding = head.getUint8(0) === 0
        if (frames > 1 && (isTag(head) || (isPadding && !isAnnounced()))) break
        return yield* damaged("mp3")
      }
      // A program that cuts a frame does so before it writes its tags; a copy that ends early has no tags.
      if (position + frame.byteLength > end && end === byteLength) return yield* truncated("mp3")
      position += frame.byteLength
      frames++
    }
    const isShort = announcedEnd > byteLength + before || frames < (stated.frames ?? 0)
    if (frames < 2 || isShort) return yield* truncated("mp3")
  })

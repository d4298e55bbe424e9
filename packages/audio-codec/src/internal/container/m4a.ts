import * as Effect from "effect/Effect"
import type { ContainerError } from "../../ContainerError.js"
import { bytesOf, characters, type HeaderFields, type ReadHeader, type RecordingViews } from "./recordingBytes.js"
import { Box, damaged, truncated, type WholeRecording } from "./structure.js"
import { isWithinZeros } from "./tags.js"

/** The content of a box, by offsets in the recording. */
interface Content {
  readonly start: number
  readonly end: number
}

/** Reads the boxes of ISO/IEC 14496-12. The one with the samples may stand before or behind those that describe them. */
export const readM4a: ReadHeader = (recording) =>
  Effect.gen(function* () {
    const whole = { start: 0, end: recording.byteLength ?? Number.POSITIVE_INFINITY }
    const movie = yield* find(recording, whole, "moov")
    if (movie === undefined) return {}
    const isFragmented = (yield* find(recording, movie, "mvex")) !== undefined
    const ofMovie = duration(yield* content(recording, yield* find(recording, movie, "mvhd")))
    // The header of a movie does not count the samples in fragments.
    const durationMillis = isFragmented ? undefined : ofMovie
    let track = yield* find(recording, movie, "trak")
    while (track !== undefined) {
      const handler = yield* content(recording, yield* find(recording, track, "mdia", "hdlr"))
      if (characters(handler, 8, 4) === "soun") {
        const description = yield* find(recording, track, "mdia", "minf", "stbl", "stsd")
        const ofMedia = duration(yield* content(recording, yield* find(recording, track, "mdia", "mdhd")))
        return {
          ...format(yield* content(recording, description)),
          durationMillis: isFragmented ? undefined : (durationMillis ?? ofMedia)
        }
      }
      track = yield* find(recording, { start: track.end, end: movie.end }, "trak")
    }
    return { durationMillis }
  })

/** More boxes than this are damage. */
const maximumBoxes = 65_536

/** The boxes of a whole file, one after the other. */
export const readBoxes = <E>({
  byteLength,
  read
}: WholeRecording<E>): Effect.Effect<ReadonlyArray<Box>, ContainerError | E> =>
  Effect.gen(function* () {
    const boxes: Array<Box> = []
    for (let start = 0; start < byteLength; ) {
      const box = boxHeader(yield* read(start, 16), byteLength - start)
      // Behind the description and the samples nothing is played: tags, zeros, or free space that was cut.
      const isOutside = box === undefined || !isBox(box) || start + box.size > byteLength
      if (isOutside && isPlayable(boxes) && !(box !== undefined && playedBoxes.has(box.type))) {
        // Fragments may be missing. Without them, the description says where all samples are.
        const isFragmented = boxes.some(({ type }) => type === "moof")
        if (isFragmented && (yield* isWithinZeros({ read }, start))) return yield* truncated("m4a")
        break
      }
      if (box === undefined) return yield* truncated("m4a")
      if (!isBox(box) || boxes.length === maximumBoxes) return yield* damaged("m4a")
      const end = start + box.size
      if (end > byteLength) return yield* truncated("m4a")
      boxes.push(new Box({ type: box.type, startByte: start, endByte: end }))
      start = end
    }
    return boxes
  })

/** A box of size 0 goes up to the end, but it has a type: a file whose rest is zeros is damaged. */
const isBox = ({ headerLength, size, type }: BoxHeader): boolean => type !== "\0\0\0\0" && size >= headerLength

/** The boxes with samples, or with what describes them. */
const playedBoxes = new Set(["moov", "mdat", "moof", "mfra"])

const isPlayable = (boxes: ReadonlyArray<Box>): boolean =>
  ["moov", "mdat"].every((type) => boxes.some((box) => box.type === type))

interface BoxHeader {
  readonly type: string
  readonly headerLength: number
  readonly size: number
}

/** `available` is the number of bytes up to the end of what holds the box. */
const boxHeader = (view: DataView, available: number): BoxHeader | undefined => {
  if (view.byteLength < 8) return undefined
  const short = view.getUint32(0)
  const headerLength = short === 1 ? 16 : 8
  if (view.byteLength < headerLength) return undefined
  // After 1 the size follows in 64 bits; 0 means up to the end.
  const size = short === 1 ? Number(view.getBigUint64(8)) : short === 0 ? available : short
  return { type: characters(view, 4, 4), headerLength, size }
}

/** The first box of the first type, in it the first of the second, and so on. */
const find = <E>(
  { read }: RecordingViews<E>,
  parent: Content,
  ...path: ReadonlyArray<string>
): Effect.Effect<Content | undefined, E> =>
  Effect.gen(function* () {
    let { end, start } = parent
    for (const type of path) {
      let found = false
      while (!found) {
        const box = boxHeader(yield* read(start, 16), end - start)
        if (box === undefined || start + 8 > end || box.size < box.headerLength) return undefined
        found = box.type === type
        if (found) end = Math.min(end, start + box.size)
        start += found ? box.headerLength : box.size
      }
    }
    return { start, end }
  })

/** The first 1024 bytes of a box: no field that is read here lies behind them. */
const content = <E>({ read }: RecordingViews<E>, box: Content | undefined): Effect.Effect<DataView, E> =>
  box === undefined
    ? Effect.succeed(new DataView(new ArrayBuffer(0)))
    : read(box.start, Math.min(box.end - box.start, 1024))

/**
 * The duration of a movie, or of the media of a track: their headers are alike. That of the movie follows the edit list, so it
 * does not count the padding that the encoder put before the first sample. That of the media does count it.
 */
const duration = (header: DataView): number | undefined => {
  const long = header.byteLength >= 32 && header.getUint8(0) === 1
  if (header.byteLength < 20) return undefined
  const timescale = header.getUint32(long ? 20 : 12)
  const length = long ? Number(header.getBigUint64(24)) : header.getUint32(16)
  // All bits are set if it is unknown; it is 0 if the samples are in fragments.
  const known = length > 0 && length < (long ? 2 ** 64 : 2 ** 32 - 1)
  return known ? (length / timescale) * 1000 : undefined
}

/** The offset of the first entry of a sample description: behind version, flags and the number of entries. */
const entry = 8

const format = (description: DataView): HeaderFields =>
  description.byteLength < entry + 36
    ? {}
    : {
        sampleRate: description.getUint16(entry + 32),
        channels: channelsOfAac(description) ?? description.getUint16(entry + 24)
      }

/**
 * The channels in the AudioSpecificConfig (ISO/IEC 14496-3, section 1.6). The entry itself states 2 for AAC of any number of
 * channels, as ISO/IEC 14496-14 demands.
 */
const channelsOfAac = (description: DataView): number | undefined => {
  const bytes = bytesOf(description)
  // Its place depends on the version of the entry, so search for its name.
  let at = characters(description, 0, bytes.byteLength).indexOf("esds")
  if (at < 0) return undefined
  at += 8
  // Of each descriptor: its tag, and the length of the fields before the nested descriptor.
  for (const [tag, fields] of [
    [3, 3],
    [4, 13],
    [5, 0]
  ] as const) {
    if (bytes[at++] !== tag) return undefined
    // A length has 7 bits in each byte; the highest bit is 0 in the last one.
    while (((bytes[at++] ?? 0) & 0x80) !== 0);
    at += fields
  }
  const config = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
  const parametricStereo = config >>> 11 === 29
  const explicitRate = ((config >>> 7) & 15) === 15
  if (parametricStereo) return 2
  if (explicitRate) return undefined
  const configuration = (config >>> 3) & 15
  // 0 leaves the channels to another field; 7 is 7.1.
  return configuration === 0 ? undefined : configuration === 7 ? 8 : configuration
}

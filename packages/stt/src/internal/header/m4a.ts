import type { UploadFailed } from "@effect-speech/transport/Failure"
import * as Effect from "effect/Effect"
import { bytesOf, characters, type Header, type ReadHeader, type RecordingBytes } from "./header.js"

/** The content of a box, by offsets in the recording. */
interface Box {
  readonly start: number
  readonly end: number
}

/** The boxes of ISO/IEC 14496-12, of which the one with the samples may be before or behind what describes them. */
export const readM4a: ReadHeader = (recording) =>
  Effect.gen(function* () {
    const whole = { start: 0, end: recording.byteLength ?? Number.POSITIVE_INFINITY }
    const movie = yield* find(recording, whole, "moov")
    if (movie === undefined) return {}
    const durationMillis = duration(yield* content(recording, yield* find(recording, movie, "mvhd")))
    let track = yield* find(recording, movie, "trak")
    while (track !== undefined) {
      const handler = yield* content(recording, yield* find(recording, track, "mdia", "hdlr"))
      if (characters(handler, 8, 4) === "soun") {
        const description = yield* find(recording, track, "mdia", "minf", "stbl", "stsd")
        return { ...format(yield* content(recording, description)), durationMillis }
      }
      track = yield* find(recording, { start: track.end, end: movie.end }, "trak")
    }
    return { durationMillis }
  })

/** The first box of the first name, in it the first of the second, and so on. */
const find = (
  { read }: RecordingBytes,
  parent: Box,
  ...path: ReadonlyArray<string>
): Effect.Effect<Box | undefined, UploadFailed> =>
  Effect.gen(function* () {
    let { end, start } = parent
    for (const name of path) {
      let found = false
      while (!found) {
        const header = yield* read(start, 16)
        if (start + 8 > end || header.byteLength < 8) return undefined
        const short = header.getUint32(0)
        const headerLength = short === 1 ? 16 : 8
        if (header.byteLength < headerLength) return undefined
        // 1 has the size follow in 64 bits, 0 is up to the end.
        const size = short === 1 ? Number(header.getBigUint64(8)) : short === 0 ? end - start : short
        if (size < headerLength) return undefined
        found = characters(header, 4, 4) === name
        if (found) end = Math.min(end, start + size)
        start += found ? headerLength : size
      }
    }
    return { start, end }
  })

/** As much of a box as is of interest here. */
const content = ({ read }: RecordingBytes, box: Box | undefined) =>
  box === undefined
    ? Effect.succeed(new DataView(new ArrayBuffer(0)))
    : read(box.start, Math.min(box.end - box.start, 1024))

/** Of the movie: it minds the edit list, which leaves out what the encoder put before the first sample. */
const duration = (header: DataView): number | undefined => {
  const long = header.byteLength >= 32 && header.getUint8(0) === 1
  if (header.byteLength < 20) return undefined
  const timescale = header.getUint32(long ? 20 : 12)
  const length = long ? Number(header.getBigUint64(24)) : header.getUint32(16)
  // All bits set where it is not known, 0 where the samples are in fragments.
  const known = length > 0 && length < (long ? 2 ** 64 : 2 ** 32 - 1)
  return known ? (length / timescale) * 1000 : undefined
}

/** Where the first entry of a sample description begins: behind version, flags and the number of entries. */
const entry = 8

const format = (description: DataView): Header =>
  description.byteLength < entry + 36
    ? {}
    : {
        sampleRate: description.getUint16(entry + 32),
        channels: channelsOfAac(description) ?? description.getUint16(entry + 24)
      }

/**
 * The channels that the AudioSpecificConfig (ISO/IEC 14496-3, section 1.6) tells. The entry itself says 2 for AAC of
 * any number, as ISO/IEC 14496-14 wants it.
 */
const channelsOfAac = (description: DataView): number | undefined => {
  const bytes = bytesOf(description)
  // Where it is nested depends on the version of the entry, so its name is looked for.
  let at = characters(description, 0, bytes.byteLength).indexOf("esds")
  if (at < 0) return undefined
  at += 8
  // The fields of a descriptor, before the one that is nested in it.
  for (const [tag, fields] of [
    [3, 3],
    [4, 13],
    [5, 0]
  ] as const) {
    if (bytes[at++] !== tag) return undefined
    // A length is in 7 bits of each byte; the last one has no bit set above them.
    while (((bytes[at++] ?? 0) & 0x80) !== 0);
    at += fields
  }
  const config = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
  const parametricStereo = config >>> 11 === 29
  const explicitRate = ((config >>> 7) & 15) === 15
  if (parametricStereo) return 2
  if (explicitRate) return undefined
  const configuration = (config >>> 3) & 15
  // 0 has the channels described elsewhere; 7 is 7.1.
  return configuration === 0 ? undefined : configuration === 7 ? 8 : configuration
}

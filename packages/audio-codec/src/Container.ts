/**
 * The containers of recordings: which one a file is, what its header states, and whether the file is whole.
 *
 * Nothing is decoded, and nothing is allocated from a size that a file states.
 *
 * ```ts
 * const { durationMillis } = yield* Container.readHeader(Container.fromBytes(bytes, bytes.byteLength))
 * ```
 */
import * as Effect from "effect/Effect"
import type { ContainerError } from "./ContainerError.js"
import type { Container } from "./internal/container/containers.js"
import { readFlac } from "./internal/container/flac.js"
import { readBoxes, readM4a } from "./internal/container/m4a.js"
import { checkMp3, readMp3 } from "./internal/container/mp3.js"
import { checkOgg, readOgg } from "./internal/container/ogg.js"
import {
  bufferReads,
  bytesOf,
  type HeaderFields,
  limitReads,
  type ReadHeader,
  type RecordingBytes,
  startingWith,
  usualHeader
} from "./internal/container/recordingBytes.js"
import { sniff, sniffLength } from "./internal/container/sniff.js"
import type { Box, CheckStructure } from "./internal/container/structure.js"
import { readWav } from "./internal/container/wav.js"
import { checkWebm, readWebm } from "./internal/container/webm.js"

export { ContainerError } from "./ContainerError.js"
export { type Container, containers } from "./internal/container/containers.js"
export type { RecordingBytes } from "./internal/container/recordingBytes.js"
export { sniff, sniffLength } from "./internal/container/sniff.js"
export { type Box, displayName } from "./internal/container/structure.js"

/** The header of a recording. A field that the bytes do not state, or state as a value that cannot be, is `undefined`. */
export interface Header {
  readonly container: Container | undefined
  /** In Hz. For Opus, the rate of the audio before it was encoded; a decoder gives 48,000 Hz. */
  readonly sampleRate: number | undefined
  readonly channels: number | undefined
  readonly durationMillis: number | undefined
}

/** The structure of a recording that {@link checkStructure} has found whole. */
export interface Structure {
  /** The top-level boxes of an M4A file, in order; empty for other containers. */
  readonly boxes: ReadonlyArray<Box>
}

/**
 * Bytes in memory. If they are only the beginning of a recording, `byteLength` is the size of the whole, or `undefined` if
 * that is unknown.
 */
export const fromBytes = (bytes: Uint8Array, byteLength: number | undefined): RecordingBytes => ({
  byteLength,
  read: (offset, length) => Effect.succeed(bytes.subarray(offset, offset + length))
})

const readers: Record<Container, ReadHeader> = {
  wav: readWav,
  mp3: readMp3,
  m4a: readM4a,
  flac: readFlac,
  ogg: readOgg,
  webm: readWebm
}

/** No valid header needs more reads. A file made of endless empty boxes stops here. */
const maximumReads = 1000

/**
 * Reads the header of a recording, in a few reads of at most 128 KiB each. Bytes that make no sense are no failure.
 *
 * The duration is `undefined` if
 *
 * - the header does not state it: an M4A of fragments, a WebM that was streamed, an MP3 of changing bitrate without a
 *   Xing or VBRI header;
 * - it stands at the end of a recording whose end cannot be read, or whose size is unknown.
 */
export const readHeader = <E>(recording: RecordingBytes<E>): Effect.Effect<Header, E> =>
  Effect.suspend(() => {
    const views = limitReads(recording, maximumReads)
    return Effect.flatMap(views.read(0, usualHeader), (beginning) => {
      const container = sniff(bytesOf(beginning).subarray(0, sniffLength))
      const fields = container === undefined ? Effect.succeed({}) : readers[container](startingWith(beginning, views))
      return Effect.map(fields, ({ channels, durationMillis, sampleRate }: HeaderFields) => ({
        container,
        sampleRate: ifSound(sampleRate, (rate) => rate > 0),
        channels: ifSound(channels, (count) => count > 0 && Number.isSafeInteger(count)),
        durationMillis: ifSound(durationMillis, (millis) => millis >= 0)
      }))
    })
  })

const ifSound = (value: number | undefined, isSound: (value: number) => boolean): number | undefined =>
  value !== undefined && Number.isFinite(value) && isSound(value) ? value : undefined

const checks: Partial<Record<Container, CheckStructure>> = { mp3: checkMp3, ogg: checkOgg, webm: checkWebm }

/**
 * Follows the structure of a recording to its end: the frames of an MP3, the pages of an Ogg, the top-level boxes of an M4A,
 * the blocks of a WebM. Fails for a file that is cut off or damaged. A decoder would return a part of such a file without an
 * error. WAV and FLAC are not checked: their headers state the number of samples.
 *
 * @throws RangeError if the size of the recording is unknown.
 */
export const checkStructure = <E>(
  container: Container,
  recording: RecordingBytes<E>
): Effect.Effect<Structure, ContainerError | E> => {
  const { byteLength } = recording
  if (byteLength === undefined) throw new RangeError("The structure of a recording of unknown size can't be checked.")
  const whole = { ...bufferReads(recording), byteLength }
  if (container === "m4a") return Effect.map(readBoxes(whole), (boxes) => ({ boxes }))
  return Effect.as(checks[container]?.(whole) ?? Effect.void, { boxes: [] })
}

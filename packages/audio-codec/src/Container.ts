/**
 * The containers of recordings: which one a file is, what its header states, and whether the file is whole.
 *
 * Nothing is decoded, and nothing is allocated from a size that a file states.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import type { ContainerError } from "./ContainerError.js"
import type { Container } from "./internal/container/containers.js"
import { readFlac } from "./internal/container/flac.js"
import { readBoxes, readM4a } from "./internal/container/m4a.js"
import { checkMp3, readMp3 } from "./internal/container/mp3.js"
import { checkOgg, readOgg } from "./internal/container/ogg.js"
import {
  bufferReads,
  from,
  type HeaderFields,
  limitReads,
  type ReadHeader,
  type RecordingBytes,
  usualHeader
} from "./internal/container/recordingBytes.js"
import { containerOf, locate } from "./internal/container/sniff.js"
import { Box, type CheckStructure } from "./internal/container/structure.js"
import { endWithoutTags } from "./internal/container/tags.js"
import { readWav } from "./internal/container/wav.js"
import { checkWebm, readWebm } from "./internal/container/webm.js"

export { ContainerError } from "./ContainerError.js"
export { type Container, containers } from "./internal/container/containers.js"
export { fromBytes, type RecordingBytes } from "./internal/container/recordingBytes.js"
export { neededToSniff } from "./internal/container/sniff.js"
export { Box, displayName } from "./internal/container/structure.js"

/**
 * The header of a recording. A field that the bytes do not state, or state as a value that cannot be, is `undefined`.
 *
 * @since 0.1.0
 * @category models
 */
export class Header extends Data.Class<{
  /** `undefined` if it is none of the six. */
  readonly container: Container | undefined
  /** In Hz. For Opus, the rate of the audio before it was encoded; a decoder gives 48,000 Hz. */
  readonly sampleRate: number | undefined
  /** The number of channels. */
  readonly channels: number | undefined
  /** In milliseconds. */
  readonly durationMillis: number | undefined
}> {}

/**
 * The structure of a recording that {@link checkStructure} has found whole.
 *
 * @since 0.1.0
 * @category models
 */
export interface Structure {
  /** The offset of the first byte of the container, behind tags that stand before it. */
  readonly startByte: number
  /** The offset after its last byte, before tags that follow it. */
  readonly endByte: number
  /** The top-level boxes of an M4A file, in order; empty for other containers. */
  readonly boxes: ReadonlyArray<Box>
}

/**
 * The bytes of an open file of `byteLength` bytes, read by position. For a path, use `RecordingFile.open`, which also notices a file that
 * changes. Its `read` fails with a `PlatformError` if the file can't be read.
 *
 * @example
 * ```ts
 * import { FileSystem } from "@effect/platform"
 * import { Container } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const headerOf = (path: string) =>
 *   Effect.gen(function* () {
 *     const fs = yield* FileSystem.FileSystem
 *     const file = yield* fs.open(path)
 *     const { size } = yield* file.stat
 *     return yield* Container.readHeader(Container.fromFile(file, Number(size)))
 *   }).pipe(Effect.scoped)
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromFile = (file: FileSystem.File, byteLength: number): RecordingBytes<PlatformError> => ({
  byteLength,
  read: (offset, length) =>
    // `readAlloc` allocates the whole length, and the file may be shorter.
    Effect.zipRight(
      file.seek(FileSystem.Size(offset), "start"),
      file.readAlloc(FileSystem.Size(Math.min(length, byteLength - offset)))
    ).pipe(Effect.map(Option.getOrElse(() => new Uint8Array(0))))
})

const readers: Record<Container, ReadHeader> = {
  wav: readWav,
  mp3: readMp3,
  m4a: readM4a,
  flac: readFlac,
  ogg: readOgg,
  webm: readWebm
}

/**
 * What is read of a recording at most. No valid header needs more reads: a file made of endless empty boxes stops here. The bytes
 * are those of the beginning, of the end, and of a few places between, of a recording of any size.
 */
const limits = { reads: 1000, bytes: 256 * 1024 }

/**
 * The container of a recording, found behind tags of any length that stand before it; none for any other file. If you have the first
 * bytes, {@link sniff} is enough.
 *
 * Fails with the errors of reading `recording`.
 *
 * @example
 * ```ts
 * import { Container, RecordingFile } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const containerOf = (path: string) =>
 *   RecordingFile.open(path).pipe(Effect.flatMap(Container.detect), Effect.scoped)
 * ```
 *
 * @since 0.1.0
 * @category operations
 */
export const detect = <E>(recording: RecordingBytes<E>): Effect.Effect<Option.Option<Container>, E> =>
  Effect.suspend(() =>
    Effect.map(locate(limitReads(recording, limits)), ({ container }) => Option.fromNullable(container))
  )

/**
 * The container of a recording, from its beginning; none for any other file. Most need 12 bytes. Tags before the recording are
 * skipped as far as they are given; if a tag of ID3 is not given to its end, the recording is taken for an MP3.
 *
 * @example
 * ```ts
 * import { Container, Telephony, Wav } from "@effect-speech/audio-codec"
 * import { Option } from "effect"
 *
 * console.log(Option.getOrNull(Container.sniff(Wav.header(Telephony.format)))) // wav
 * ```
 *
 * @since 0.1.0
 * @category operations
 */
export const sniff = (beginning: Uint8Array): Option.Option<Container> => Option.fromNullable(containerOf(beginning))

/**
 * Reads the header of a recording, in at most 1,000 reads of 256 KiB together. Nothing is decoded. Bytes that make no sense are no failure:
 * a field that is not known is `undefined`.
 *
 * The duration of an MP3 counts the silence that its encoder put around the audio, too: up to three frames.
 *
 * The duration is `undefined` if
 *
 * - the header does not state it: an M4A of fragments, a WebM that was streamed, a FLAC of an unknown number of samples, an MP3
 *   of changing bitrate without a Xing or VBRI header;
 * - the recording contradicts it: an MP3 of changing bitrate that was cut or extended after its Xing header was written, a WebM
 *   whose first sample is later than 100 ms, several recordings that were put together;
 * - it stands at the end of a recording whose end cannot be read, or whose size is unknown.
 *
 * Fails with the errors of reading `recording`.
 *
 * @example
 * ```ts
 * import { Container, RecordingFile } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const durationOf = (path: string) =>
 *   RecordingFile.open(path).pipe(
 *     Effect.flatMap(Container.readHeader),
 *     Effect.map(({ durationMillis }) => durationMillis),
 *     Effect.scoped
 *   )
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const readHeader = <E>(recording: RecordingBytes<E>): Effect.Effect<Header, E> =>
  Effect.gen(function* () {
    const views = limitReads(recording, limits)
    yield* views.read(0, usualHeader)
    const { container, start } = yield* locate(views)
    const fields: HeaderFields = container === undefined ? {} : yield* readers[container](from(views, start))
    return new Header({
      container,
      sampleRate: ifValid(fields.sampleRate, (rate) => rate > 0),
      channels: ifValid(fields.channels, (count) => count > 0 && Number.isSafeInteger(count)),
      durationMillis: ifValid(fields.durationMillis, (millis) => millis >= 0)
    })
  })

const ifValid = (value: number | undefined, isValid: (value: number) => boolean): number | undefined =>
  value !== undefined && Number.isFinite(value) && isValid(value) ? value : undefined

const checks: Partial<Record<Container, CheckStructure>> = { mp3: checkMp3, ogg: checkOgg, webm: checkWebm }

/**
 * Follows the structure of a recording to its end: the frames of an MP3, the pages of an Ogg, the top-level boxes of an M4A,
 * the blocks of a WebM. Use it before you decode: a decoder would return a part of a file that is cut off, without an error. WAV and FLAC
 * are not checked: their headers state the number of samples.
 *
 * Only the structure is checked, not the audio in it: other bytes within a frame, a page or a block are not noticed, and no
 * checksum is computed. What players ignore is no damage: tags and zeros at both ends, something else before the first frame of
 * an MP3, an Ogg whose last page is not marked as the last.
 *
 * Fails with `ContainerError` if the recording is cut off or damaged, and with the errors of reading it. It dies with a `RangeError` if the
 * size of the recording is unknown.
 *
 * @example
 * ```ts
 * import { Container, RecordingFile } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * export const isWhole = (path: string) =>
 *   RecordingFile.open(path).pipe(
 *     Effect.flatMap(Container.checkStructure("mp3")),
 *     Effect.as(true),
 *     Effect.catchTag("ContainerError", () => Effect.succeed(false)),
 *     Effect.scoped
 *   )
 * ```
 *
 * @since 0.1.0
 * @category operations
 */
export const checkStructure: {
  (container: Container): <E>(recording: RecordingBytes<E>) => Effect.Effect<Structure, ContainerError | E>
  <E>(recording: RecordingBytes<E>, container: Container): Effect.Effect<Structure, ContainerError | E>
} = dual(2, <E>(recording: RecordingBytes<E>, container: Container): Effect.Effect<Structure, ContainerError | E> => {
  const { byteLength } = recording
  if (byteLength === undefined) {
    return Effect.die(new RangeError("The structure of a recording of unknown size can't be checked."))
  }
  return Effect.gen(function* () {
    const { start } = yield* locate(limitReads(recording, limits))
    const whole = { ...from(bufferReads(recording), start), byteLength: Math.max(0, byteLength - start) }
    const end = start + (yield* endWithoutTags(whole))
    if (container !== "m4a") {
      yield* checks[container]?.(whole) ?? Effect.void
      return { startByte: start, endByte: end, boxes: [] }
    }
    const boxes = yield* readBoxes(whole)
    return {
      startByte: start,
      endByte: end,
      boxes: boxes.map(
        ({ endByte, startByte, type }) => new Box({ type, startByte: start + startByte, endByte: start + endByte })
      )
    }
  })
})

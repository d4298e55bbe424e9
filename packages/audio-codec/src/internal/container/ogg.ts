import * as Effect from "effect/Effect"
import { viewOf } from "../bytes.js"
import { identify, type OggCodec } from "./oggCodecs.js"
import { bytesOf, characters, type ReadHeader, type RecordingViews } from "./recordingBytes.js"
import { type CheckStructure, damaged, truncated, type WholeRecording } from "./structure.js"
import { isTag, isWithinZeros } from "./tags.js"

/** A page (RFC 3533, section 6). */
interface Page {
  readonly start: number
  readonly end: number
  /** The offset of its content. */
  readonly content: number
  /** Whether it begins inside a packet. */
  readonly isContinued: boolean
  readonly isFirst: boolean
  readonly isLast: boolean
  /** The position at its end, or -1 if no packet ends in it. */
  readonly position: number
  readonly serial: number
  readonly number: number
  /** The lengths of the parts of its content: 255 if the packet continues in the next. */
  readonly segments: Uint8Array
}

/** The bytes of a page before its table of segments, and with the longest table. */
const pageHeader = 27
const longestPageHeader = pageHeader + 255

/** A page of 255 segments of 255 bytes. */
const longestPage = longestPageHeader + 255 * 255

/** The page at an offset of a view that begins at `from`. The content may lie behind the view, the table may not. */
const pageIn = (view: DataView, offset: number, from: number): Page | undefined => {
  if (offset + pageHeader > view.byteLength || view.getUint32(offset) !== 0x4f676753) return undefined
  const flags = view.getUint8(offset + 5)
  const table = offset + pageHeader
  const segments = bytesOf(view).subarray(table, table + view.getUint8(table - 1))
  if (segments.byteLength < view.getUint8(table - 1)) return undefined
  const start = from + offset
  const content = start + pageHeader + segments.byteLength
  return {
    start,
    content,
    end: segments.reduce((sum, length) => sum + length, content),
    isContinued: (flags & 1) !== 0,
    isFirst: (flags & 2) !== 0,
    isLast: (flags & 4) !== 0,
    position: Number(view.getBigInt64(offset + 6, true)),
    serial: view.getUint32(offset + 14),
    number: view.getUint32(offset + 18, true),
    segments
  }
}

/** In bytes: a recording of this size is read at once. */
const smallRecording = 128 * 1024

/** How many pages may stand before the audio. A picture in the comments takes many. */
const mostHeaderPages = 300

/** How many windows of a large recording are looked at, and their size in bytes. */
const windows = 6
const windowLength = 12 * 1024

export const readOgg: ReadHeader = (recording) =>
  Effect.gen(function* () {
    const { before, byteLength, read } = recording
    if (byteLength !== undefined && byteLength <= smallRecording) yield* read(0, byteLength)
    const stream = yield* findAudio(recording)
    if (stream === undefined || byteLength === undefined) return stream?.codec.header ?? {}
    const durationMillis = yield* millisOf({ before, byteLength, read }, stream)
    return { ...stream.codec.header, durationMillis }
  })

/** A stream of audio. Other streams, of video or of its index, may run beside it. */
interface AudioStream {
  readonly codec: OggCodec
  readonly serial: number
  /** The serials of all streams that begin together. */
  readonly serials: ReadonlySet<number>
  /** The offset behind the first pages of the streams. */
  readonly end: number
}

/** The first stream of a known codec. All streams begin before any of them has a second page. */
const findAudio = <E>({ read }: RecordingViews<E>): Effect.Effect<AudioStream | undefined, E> =>
  Effect.gen(function* () {
    const serials = new Set<number>()
    let found: { readonly codec: OggCodec; readonly serial: number } | undefined
    let end = 0
    while (serials.size < mostHeaderPages) {
      const view = yield* read(end, 512)
      const page = pageIn(view, 0, end)
      // The first page of a file may lack the flag.
      if (page === undefined || serials.has(page.serial) || !(page.isFirst || end === 0)) break
      serials.add(page.serial)
      const codec = identify(viewOf(bytesOf(view).subarray(page.content - end, page.end - end)))
      if (codec !== undefined) found ??= { codec, serial: page.serial }
      end = page.end
    }
    return found && { ...found, serials, end }
  })

/**
 * The duration of a stream: the last position, less the position at which its audio begins. That need not be 0 if it was cut
 * from a longer one. It is `undefined` if another stream follows, as in files that were put together.
 */
const millisOf = <E>(recording: WholeRecording<E>, stream: AudioStream): Effect.Effect<number | undefined, E> =>
  Effect.gen(function* () {
    const { codec, serial, serials } = stream
    const { byteLength, read } = recording
    const isSmall = byteLength <= smallRecording
    const length = Math.min(byteLength, isSmall ? smallRecording : longestPage)
    const tail = yield* read(byteLength - length, length)
    if (tail.byteLength < length) return undefined
    const seen = isSmall
      ? pagesOf(tail, 0)
      : [...(yield* pagesBetween(recording)), ...pagesOf(tail, byteLength - length)]
    const whole = seen.filter(({ end }) => end <= byteLength)
    const isForeign = (page: Page) =>
      page.start >= stream.end && (page.isFirst || (!isSmall && !serials.has(page.serial)))
    if (whole.some(isForeign)) return undefined
    const own = whole.filter((page) => page.serial === serial && page.position >= 0)
    const first = yield* firstAudio(recording, stream)
    const last = own.at(-1)
    if (last === undefined || first === undefined) return undefined
    if (!isOneStream([...(first.page === undefined ? [] : [first.page]), ...own], serials.size === 1)) return undefined
    const units = last.position - first.start - codec.skipped
    return (Math.max(0, units) / codec.clock) * 1000
  })

/** The pages in windows between the first and the last pages. */
const pagesBetween = <E>({ byteLength, read }: WholeRecording<E>): Effect.Effect<ReadonlyArray<Page>, E> =>
  Effect.map(
    Effect.forEach(Array.from({ length: windows }), (_, index) => {
      const start = Math.floor(((byteLength - longestPage) * (index + 0.5)) / windows)
      return Effect.map(read(start, windowLength), (view) => pagesOf(view, start))
    }),
    (pages) => pages.flat()
  )

/** The pages in a view that begins at `from`. Page by page, so that a page in the content of another is not one. */
const pagesOf = (view: DataView, from: number): ReadonlyArray<Page> => {
  const pages: Array<Page> = []
  for (let offset = 0; offset + pageHeader <= view.byteLength; ) {
    const isPage = view.getUint32(offset) === 0x4f676753 && view.getUint8(offset + 4) === 0
    const page = isPage ? pageIn(view, offset, from) : undefined
    if (page !== undefined) pages.push(page)
    offset = page !== undefined && page.end - from <= view.byteLength ? page.end - from : offset + 1
  }
  return pages
}

/**
 * Whether positions and numbers rise, as those of one stream do. Recordings of one serial that were put together begin again. If
 * nothing runs beside the stream, the numbers also account for the bytes between the pages.
 */
const isOneStream = (pages: ReadonlyArray<Page>, isAlone: boolean): boolean => {
  const longest = pages.reduce((length, { end, start }) => Math.max(length, end - start), 0)
  return pages.every((page, index) => {
    const last = pages[index - 1]
    if (last === undefined || page.start <= last.start) return true
    if (page.position < last.position || page.number < last.number) return false
    return (
      !isAlone || page.number <= last.number || page.start - last.start <= 2 * longest * (page.number - last.number)
    )
  })
}

/**
 * The position at which the audio begins: that of the first page with audio, less the audio in it. `undefined` if that is
 * unknown.
 */
const firstAudio = <E>(
  { byteLength, read }: WholeRecording<E>,
  { codec, end, serial }: AudioStream
): Effect.Effect<{ readonly start: number; readonly page?: Page } | undefined, E> =>
  Effect.gen(function* () {
    let headers = codec.headers - 1
    let count = codec.counter
    let units = 0
    let offset = end
    for (let pages = 0; pages < mostHeaderPages; pages++) {
      const page = pageIn(yield* read(offset, longestPageHeader), 0, offset)
      // Without audio there is nothing that a position could be compared with.
      if (page === undefined) return offset + pageHeader > byteLength ? { start: 0 } : undefined
      offset = page.end
      if (page.serial !== serial || page.end === page.content) continue
      if (headers > 0) {
        headers -= page.segments.filter((length) => length < 255).length
        if (headers <= 0) {
          const from = Math.max(page.content, page.end - 4096)
          count = codec.withHeaders(bytesOf(yield* read(from, page.end - from)))
        }
        continue
      }
      const content = yield* read(page.content, page.end - page.content)
      if (content.byteLength < page.end - page.content || count === undefined) return undefined
      let at = 0
      let unfinished = 0
      let begins = !page.isContinued
      for (const length of page.segments) {
        // An empty packet has no audio.
        if (begins && length > 0) {
          const inPacket = count(bytesOf(content).subarray(at))
          if (inPacket === undefined) return undefined
          units += inPacket
          unfinished = inPacket
        }
        begins = length < 255
        if (begins) unfinished = 0
        at += length
      }
      // The position does not count a packet that continues in the next page.
      if (page.position > 0) return { start: Math.max(0, page.position - units + unfinished), page }
    }
    return undefined
  })

export const checkOgg: CheckStructure = ({ byteLength, read }) =>
  Effect.gen(function* () {
    const open = new Set<number>()
    let position = 0
    while (position < byteLength) {
      const head = yield* read(position, longestPageHeader)
      if (characters(head, 0, 4) !== "OggS") {
        // What follows the last page is not played: tags, or the zeros of a block of the disk.
        const isTrailer = isTag(head) || bytesOf(head).every((byte) => byte === 0)
        if (open.size > 0 && position >= 16 && (yield* isWithinZeros({ read }, position)))
          return yield* truncated("ogg")
        if (position > 0 && (isTrailer || open.size === 0)) return
        return yield* damaged("ogg")
      }
      const page = pageIn(head, 0, position)
      if (page === undefined || page.end > byteLength) return yield* truncated("ogg")
      if (page.isLast) open.delete(page.serial)
      else open.add(page.serial)
      position = page.end
    }
  })

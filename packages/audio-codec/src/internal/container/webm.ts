import * as Effect from "effect/Effect"
import { bytesOf, type HeaderFields, type ReadHeader } from "./recordingBytes.js"
import { type CheckStructure, damaged, truncated } from "./structure.js"

/** Elements of Matroska (RFC 9559, section 5), by their ids. */
const segment = 0x18538067
const info = 0x1549a966
const timestampScale = 0x2ad7b1
const duration = 0x4489
const tracks = 0x1654ae6b
const trackEntry = 0xae
const audio = 0xe1
const samplingFrequency = 0xb5
const channelCount = 0x9f
const cluster = 0x1f43b675

/** The elements whose children are read, as if they followed. */
const entered = new Set([segment, info, tracks, trackEntry, audio])

/** Format and duration stand before the first cluster of samples, with no more than notes between. */
const longestHeader = 64 * 1024

export const readWebm: ReadHeader = ({ read }) =>
  Effect.map(read(0, longestHeader), (view) => {
    let audioTracks = 0
    let format: HeaderFields = {}
    let nanoseconds = 1_000_000
    let ticks: number | undefined
    for (const { content, id } of elements(view)) {
      if (id === timestampScale) nanoseconds = unsigned(content)
      if (id === duration) ticks = float(content)
      if (id === audio) audioTracks++
      // The format is that of the first audio track.
      if (audioTracks !== 1) continue
      if (id === audio) format = { sampleRate: 8000, channels: 1 }
      if (id === samplingFrequency) format = { ...format, sampleRate: float(content) }
      if (id === channelCount) format = { ...format, channels: unsigned(content) }
    }
    return { ...format, durationMillis: ticks === undefined ? undefined : (ticks * nanoseconds) / 1_000_000 }
  })

interface Element {
  readonly id: number
  readonly content: DataView
}

/** The elements before the first cluster. */
function* elements(view: DataView): Generator<Element> {
  let offset = 0
  while (true) {
    const id = numberAt(view, offset, 4)
    if (id === undefined || id.marked === cluster) return
    const size = numberAt(view, offset + id.byteLength)
    if (size === undefined) return
    offset += id.byteLength + size.byteLength
    const end = Math.min(view.byteLength, offset + size.value)
    yield { id: id.marked, content: new DataView(view.buffer, view.byteOffset + offset, end - offset) }
    if (!entered.has(id.marked)) offset = end
  }
}

/** A number that is as long as the zeros before its first bit say (RFC 8794, section 4), at most `longest` bytes. */
const numberAt = (view: DataView, offset: number, longest = 8) => {
  if (offset >= view.byteLength) return undefined
  const first = view.getUint8(offset)
  const byteLength = Math.clz32(first) - 23
  if (byteLength > longest || offset + byteLength > view.byteLength) return undefined
  const marker = 0x100 >> byteLength
  const rest = new DataView(view.buffer, view.byteOffset + offset + 1, byteLength - 1)
  const value = unsigned(rest, first - marker)
  return {
    byteLength,
    value,
    /** With the bit that marks the length, as ids are written. */
    marked: value + marker * 256 ** (byteLength - 1),
    /** All bits are set in the size of a recording that was streamed. */
    isUnknown: first === 2 * marker - 1 && bytesOf(rest).every((byte) => byte === 255)
  }
}

const unsigned = (view: DataView, high = 0): number => {
  let value = high
  for (let at = 0; at < view.byteLength; at++) value = value * 256 + view.getUint8(at)
  return value
}

const float = (view: DataView): number | undefined =>
  view.byteLength === 8 ? view.getFloat64(0) : view.byteLength === 4 ? view.getFloat32(0) : undefined

/** The longest id and size of an element, in bytes. */
const elementHeader = 12

export const checkWebm: CheckStructure = ({ byteLength, read }) =>
  Effect.gen(function* () {
    const beginning = numberAt(yield* read(4, 8), 0)
    let position = beginning === undefined ? 0 : 4 + beginning.byteLength + beginning.value
    let end: number | undefined
    while (position < (end ?? byteLength)) {
      const header = yield* read(position, elementHeader)
      const id = numberAt(header, 0, 4)
      const size = id === undefined ? undefined : numberAt(header, id.byteLength)
      if (id === undefined || size === undefined) {
        return yield* header.byteLength < elementHeader ? truncated("webm") : damaged("webm")
      }
      position += id.byteLength + size.byteLength
      // A browser that records does not know the sizes of the segment and its clusters when it begins.
      const mayBeUnknown = id.marked === segment || id.marked === cluster
      if (size.isUnknown && !mayBeUnknown) return yield* damaged("webm")
      if (!size.isUnknown && position + size.value > byteLength) return yield* truncated("webm")
      if (end === undefined) {
        if (id.marked !== segment) return yield* damaged("webm")
        end = size.isUnknown ? byteLength : position + size.value
      } else if (id.marked !== cluster) position += size.value
    }
    if (end === undefined) return yield* damaged("webm")
  })

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

const timestamp = 0xe7
const blockGroup = 0xa0
const block = 0xa1
const simpleBlock = 0xa3

/** The elements whose children are read, as if they followed. */
const entered = new Set([segment, info, tracks, trackEntry, audio, cluster, blockGroup])

/** The longest id and size of an element, in bytes. */
const elementHeader = 12

/** In bytes: the content of an element that is read. Others are skipped. */
const longestContent = 12

/** More elements than this before the first samples are damage. */
const mostElements = 400

/** A duration counts from the first sample, or from 0. Up to this many milliseconds there is no difference. */
const latestStart = 100

export const readWebm: ReadHeader = ({ byteLength, read }) =>
  Effect.gen(function* () {
    let audioTracks = 0
    let format: HeaderFields = {}
    let nanoseconds = 1_000_000
    let ticks: number | undefined
    let clusterTicks = 0
    let startTicks: number | undefined
    let end = Number.POSITIVE_INFINITY
    let offset = 0
    for (let elements = 0; elements < mostElements && startTicks === undefined && offset < end; elements++) {
      const view = yield* read(offset, elementHeader + longestContent)
      const element = elementIn(view)
      if (element === undefined) break
      const { header, id, size } = element
      const length = Math.min(view.byteLength - header, size.value, longestContent)
      const content = new DataView(view.buffer, view.byteOffset + header, length)
      offset += header + (entered.has(id) ? 0 : size.value)
      if (id === segment && !size.isUnknown) end = offset + size.value
      if (id === timestampScale) nanoseconds = unsigned(content)
      if (id === duration) ticks = float(content)
      if (id === timestamp) clusterTicks = unsigned(content)
      if (id === block || id === simpleBlock) startTicks = clusterTicks + blockTicks(content)
      if (id === audio) audioTracks++
      // The format is that of the first audio track.
      if (audioTracks !== 1) continue
      if (id === audio) format = { sampleRate: 8000, channels: 1 }
      if (id === samplingFrequency) format = { ...format, sampleRate: float(content) }
      if (id === channelCount) format = { ...format, channels: unsigned(content) }
    }
    const millis = (count: number) => (count * nanoseconds) / 1_000_000
    if (ticks === undefined || ticks === 0 || millis(startTicks ?? 0) > latestStart) return format
    const isCut = byteLength !== undefined && Number.isFinite(end) && end > byteLength
    if (isCut) return format
    // Another recording may follow the segment.
    const next = byteLength === undefined || end + 4 > byteLength ? undefined : yield* read(end, 4)
    const isAlone = next === undefined || (next.byteLength === 4 && next.getUint32(0) !== 0x1a45dfa3)
    return { ...format, durationMillis: isAlone ? millis(ticks) : undefined }
  })

/** The time of a block, from that of its cluster: behind the number of its track. */
const blockTicks = (content: DataView): number => {
  const track = numberAt(content, 0)
  return track === undefined || track.byteLength + 2 > content.byteLength ? 0 : content.getInt16(track.byteLength)
}

/** The id of the element that begins here, its size, and the length of both. */
const elementIn = (view: DataView) => {
  const id = numberAt(view, 0, 4)
  const size = id === undefined ? undefined : numberAt(view, id.byteLength)
  if (id === undefined || size === undefined) return undefined
  return { id: id.marked, size, header: id.byteLength + size.byteLength }
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

export const checkWebm: CheckStructure = ({ byteLength, read }) =>
  Effect.gen(function* () {
    const beginning = numberAt(yield* read(4, 8), 0)
    let position = beginning === undefined ? 0 : 4 + beginning.byteLength + beginning.value
    let end: number | undefined
    while (position < (end ?? byteLength)) {
      const view = yield* read(position, elementHeader)
      const element = elementIn(view)
      if (element === undefined) return yield* view.byteLength < elementHeader ? truncated("webm") : damaged("webm")
      const { header, id, size } = element
      position += header
      // A browser that records does not know the sizes of the segment and its clusters when it begins.
      const mayBeUnknown = id === segment || id === cluster
      if (size.isUnknown && !mayBeUnknown) return yield* damaged("webm")
      if (!size.isUnknown && position + size.value > byteLength) return yield* truncated("webm")
      if (end === undefined) {
        if (id !== segment) return yield* damaged("webm")
        end = size.isUnknown ? byteLength : position + size.value
      } else if (id !== cluster) position += size.value
    }
    if (end === undefined) return yield* damaged("webm")
  })

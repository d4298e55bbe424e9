import * as Effect from "effect/Effect"
import type { Header, ReadHeader } from "./header.js"

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

/** Those whose content is looked at; it is taken as if it followed them. */
const entered = new Set([segment, info, tracks, trackEntry, audio])

/** What describes a recording comes before its first cluster of samples, with no more than notes between. */
const longestHeader = 64 * 1024

export const readWebm: ReadHeader = ({ read }) =>
  Effect.map(read(0, longestHeader), (view) => {
    let audioTracks = 0
    let format: Header = {}
    let nanoseconds = 1_000_000
    let ticks: number | undefined
    for (const { content, id } of elements(view)) {
      if (id === timestampScale) nanoseconds = unsigned(content)
      if (id === duration) ticks = float(content)
      if (id === audio) audioTracks++
      // The first one counts.
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

/** Those before the first cluster. Ids and sizes are as long as the zeros before their first bit say (RFC 8794, section 4). */
function* elements(view: DataView): Generator<Element> {
  let offset = 0
  const number = (longest: number): DataView | undefined => {
    if (offset >= view.byteLength) return undefined
    const length = Math.clz32(view.getUint8(offset)) - 23
    if (length > longest || offset + length > view.byteLength) return undefined
    const bytes = new DataView(view.buffer, view.byteOffset + offset, length)
    offset += length
    return bytes
  }
  while (true) {
    const idBytes = number(4)
    const sizeBytes = number(8)
    if (idBytes === undefined || sizeBytes === undefined) return
    const id = unsigned(idBytes)
    if (id === cluster) return
    const size = unsigned(sizeBytes, 0x100 >> sizeBytes.byteLength)
    const end = Math.min(view.byteLength, offset + size)
    yield { id, content: new DataView(view.buffer, view.byteOffset + offset, end - offset) }
    if (!entered.has(id)) offset = end
  }
}

/** Without the bit that marks the length, which would cost the last bits of a long number. */
const unsigned = (view: DataView, marker = 0): number => {
  let value = 0
  for (let at = 0; at < view.byteLength; at++) value = value * 256 + view.getUint8(at) - (at === 0 ? marker : 0)
  return value
}

const float = (view: DataView): number | undefined =>
  view.byteLength === 8 ? view.getFloat64(0) : view.byteLength === 4 ? view.getFloat32(0) : undefined

/**
 * The metadata of an ONNX file, without the model in it: a file of a gigabyte costs two reads.
 *
 * The file is a message of protobuf, `ModelProto` of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto: fields, each a tag,
 * which is its number and its type, then its value.
 */
import type { RecordingBytes } from "@effect-speech/audio-codec/Container"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** The `metadata_props` of a model, by key. */
export type Metadata = ReadonlyMap<string, string>

/** What is wrong with a file, as it follows its name in a sentence. */
export class NotOnnx extends Data.TaggedError("NotOnnx")<{ readonly problem: string }> {}

const fieldNumbers = { irVersion: 1, graph: 7, metadata: 14, key: 1, value: 2 }

/** How a value is written, from the lower three bits of its tag. Types 3 and 4 are obsolete. */
const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 }

/** In bytes. Most of metadata fits. */
const blockSize = 16 * 1024

/** More than any model has: those of FunASR have some 10,000 numbers. A file made of tiny fields or of huge ones stops here. */
const limits = { fields: 20_000, metadataBytes: 4 * 1024 * 1024 }

/** A tag and a length have at most 10 bytes each. */
const longestHead = 20

interface Head {
  readonly number: number
  readonly type: number
  /** The bytes of the tag and of the length. */
  readonly headBytes: number
  /** The bytes after them. */
  readonly valueBytes: number
}

/** A varint: 7 bits a byte, the lowest first. `undefined`: the bytes end before it does. */
const varint = (bytes: Uint8Array, start: number): readonly [value: number, end: number] | undefined => {
  let value = 0
  for (let at = start; at < bytes.length && at < start + 10; at++) {
    const byte = bytes[at] as number
    value += (byte & 0x7f) * 2 ** (7 * (at - start))
    if (byte < 0x80) return [value, at + 1]
  }
  return undefined
}

/** The head of the field at the start. `undefined`: there is no field of protobuf. */
const headOf = (bytes: Uint8Array): Head | undefined => {
  const [tag, afterTag] = varint(bytes, 0) ?? [0, 0]
  const number = Math.floor(tag / 8)
  if (number === 0) return undefined
  const type = tag % 8
  const ofSize = (valueBytes: number) => ({ number, type, headBytes: afterTag, valueBytes })
  switch (type) {
    case wireTypes.fixed64:
      return ofSize(8)
    case wireTypes.fixed32:
      return ofSize(4)
    case wireTypes.varint: {
      const [, end] = varint(bytes, afterTag) ?? []
      return end === undefined ? undefined : ofSize(end - afterTag)
    }
    case wireTypes.bytes: {
      const [length, end] = varint(bytes, afterTag) ?? []
      return length === undefined || end === undefined
        ? undefined
        : { number, type, headBytes: end, valueBytes: length }
    }
    default:
      return undefined
  }
}

const decoder = new TextDecoder()

/** An entry of the metadata. `undefined`: it is damaged. */
const entryOf = (bytes: Uint8Array): readonly [key: string, value: string] | undefined => {
  const parts = { key: "", value: "" }
  for (let at = 0; at < bytes.length; ) {
    const head = headOf(bytes.subarray(at, at + longestHead))
    const end = head === undefined ? Number.POSITIVE_INFINITY : at + head.headBytes + head.valueBytes
    if (head === undefined || end > bytes.length) return undefined
    const text = () => decoder.decode(bytes.subarray(at + head.headBytes, end))
    if (head.type === wireTypes.bytes && head.number === fieldNumbers.key) parts.key = text()
    if (head.type === wireTypes.bytes && head.number === fieldNumbers.value) parts.value = text()
    at = end
  }
  return [parts.key, parts.value]
}

const lfsPointer = "version https://git-lfs.github.com/"

/** What a file is that was not downloaded as it is, by how it begins. */
export const otherFile = (text: string): string | undefined => {
  if (text.startsWith(lfsPointer)) {
    return "is a pointer of Git LFS, not the file itself; run git lfs pull where you cloned it"
  }
  return /^\s*<(!doctype|html|\?xml)/i.test(text)
    ? "is a web page, not a file of a model; download the file itself"
    : undefined
}

const notOnnx = (beginning: Uint8Array): NotOnnx =>
  new NotOnnx({
    problem: otherFile(decoder.decode(beginning.subarray(0, 100))) ?? "is not an ONNX file; download it again"
  })

const cutOff = new NotOnnx({ problem: "is cut off; download it again" })
const damaged = new NotOnnx({ problem: "is damaged; download it again" })

/** Reads the metadata, in blocks of 16 KiB, and skips the model. */
export const readMetadata = <E>({ byteLength = 0, read }: RecordingBytes<E>): Effect.Effect<Metadata, E | NotOnnx> =>
  Effect.gen(function* () {
    if (byteLength === 0) return yield* new NotOnnx({ problem: "is empty; download it again" })
    let block = yield* read(0, Math.min(blockSize, byteLength))
    const beginning = block
    let blockStart = 0
    const bytesAt = (offset: number, length: number) =>
      Effect.gen(function* () {
        const needed = Math.min(length, byteLength - offset)
        if (offset < blockStart || offset + needed > blockStart + block.length) {
          block = yield* read(offset, Math.min(Math.max(blockSize, needed), byteLength - offset))
          blockStart = offset
        }
        return block.subarray(offset - blockStart, offset - blockStart + needed)
      })

    const metadata = new Map<string, string>()
    let metadataBytes = 0
    let hasVersion = false
    let hasGraph = false
    let position = 0
    for (let field = 0; position < byteLength; field++) {
      const head = headOf(yield* bytesAt(position, longestHead))
      if (head?.number === fieldNumbers.irVersion && head.type === wireTypes.varint) hasVersion = true
      // Each writer begins with the version, or with another short field.
      if (!hasVersion && (head === undefined || field > 8)) return yield* notOnnx(beginning)
      if (head === undefined || field === limits.fields) return yield* damaged
      const start = position + head.headBytes
      position = start + head.valueBytes
      if (position > byteLength) return yield* hasVersion ? cutOff : notOnnx(beginning)
      if (head.number === fieldNumbers.graph && head.type === wireTypes.bytes) hasGraph = true
      if (head.number !== fieldNumbers.metadata || head.type !== wireTypes.bytes) continue
      metadataBytes += head.valueBytes
      if (metadataBytes > limits.metadataBytes) return yield* damaged
      const entry = entryOf(yield* bytesAt(start, head.valueBytes))
      if (entry === undefined) return yield* damaged
      metadata.set(...entry)
    }
    return hasGraph ? metadata : yield* hasVersion ? cutOff : notOnnx(beginning)
  })

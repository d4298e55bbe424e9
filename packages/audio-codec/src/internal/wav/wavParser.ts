import * as Either from "effect/Either"
import type { AudioFormat } from "../../AudioFormat.js"
import { bytesPerFrame, bytesPerSample } from "../../AudioFormat.js"
import type { WavError } from "../../WavError.js"
import { concatBytes, viewOf } from "../bytes.js"
import { characters } from "../container/recordingBytes.js"
import { tagLength } from "../container/tags.js"
import { makeFrames } from "../pcm/frames.js"
import { wavError } from "./wavError.js"
import { readFormat } from "./wavFormat.js"
import { unknownSize, type WavLayout } from "./wavHeader.js"

/**
 * Reads a WAV file from bytes that arrive in chunks. The result does not depend on where the chunks end. `makeDecoder` makes one for each
 * file.
 *
 * Fails with `WavError`: `push` and `end` return it if the bytes are not a WAV file that this module reads, and then each time.
 *
 * @since 0.1.0
 * @category models
 */
export interface Decoder {
  /**
   * Returns the frames that these bytes complete, in order; none before the samples begin and after they end. A frame that
   * was split comes alone. The others are views of `bytes`, unless the file is a big-endian RIFX. Returns a `WavError` if the bytes are
   * not those of a WAV file.
   */
  readonly push: (bytes: Uint8Array) => Either.Either<ReadonlyArray<Uint8Array>, WavError>
  /** The format, as soon as the samples begin. */
  readonly format: () => AudioFormat | undefined
  /** Whether the samples have ended. */
  readonly done: () => boolean
  /** Call it after the last byte. Returns the format, or a `WavError` that states what is missing. */
  readonly end: () => Either.Either<AudioFormat, WavError>
}

/** A decoder that also gives the layout of the file. */
interface WavParser extends Decoder {
  /** The layout, as soon as the data chunk begins. */
  readonly layout: () => WavLayout | undefined
  /** The number of bytes that it would not read. It continues behind them. */
  readonly skip: () => number
}

const none = new Uint8Array(0)

/** The characters are bytes of a file, which may be anything: all but ASCII is escaped, so that no terminal obeys it. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

type State =
  | { readonly at: "riff" }
  | { readonly at: "chunk" }
  | { readonly at: "format"; readonly size: number }
  | { readonly at: "sizes"; readonly size: number }
  | { readonly at: "skip"; left: number; readonly next: "chunk" | "riff" }
  | { readonly at: "data"; left: number }
  | { readonly at: "done" }

/** What is known of a file before its first byte. */
const beginning = {
  state: { at: "riff" } as State,
  /** The offset of the next field in the file. */
  offset: 0,
  little: true,
  /** Whether the size of the file is unknown, because its writer was cut off. */
  unfinished: false,
  riff: 0,
  fileEnd: Number.POSITIVE_INFINITY,
  largeDataSize: undefined as number | undefined,
  ds64: undefined as number | undefined,
  fact: undefined as number | undefined,
  rate: 0,
  format: undefined as AudioFormat | undefined,
  layout: undefined as WavLayout | undefined
}

/** What is known of a file so far. */
type Progress = typeof beginning

/** The bytes of the `fmt ` chunk that are read: WAVEFORMATEXTENSIBLE. The rest is skipped. */
const formatLimit = 40

/** The bytes of the `ds64` chunk that are read: the sizes of the file and of its data, and the number of frames. */
const sizesLength = 24

/** A chunk has an even length. */
const skipRest = (size: number, read: number): State => ({ at: "skip", left: size + (size % 2) - read, next: "chunk" })

/** The length of a field, or `undefined` if it is not complete yet. */
type FieldLength = number | WavError | undefined

const readRiff = (file: Progress, view: DataView): FieldLength => {
  if (view.byteLength < 12) return undefined
  const name = characters(view, 0, 4)
  // Programs for music put their tags before files of any kind.
  const tag = name.startsWith("ID3") ? tagLength(view) : 0
  if (tag > 0) {
    file.state = { at: "skip", left: tag, next: "riff" }
    return 0
  }
  const large = name === "RF64" || name === "BW64"
  const form = characters(view, 8, 4)
  if ((name !== "RIFF" && name !== "RIFX" && !large) || form !== "WAVE") {
    return wavError("NotWav", {
      offset: file.offset,
      expected: `${quoted("RIFF")}, ${quoted("RIFX")} or ${quoted("RF64")}, and ${quoted("WAVE")}`,
      found: `${quoted(name)} and ${quoted(form)}`
    })
  }
  file.little = name !== "RIFX"
  const size = view.getUint32(4, file.little)
  file.unfinished = !large && (size === 0 || size === unknownSize)
  file.riff = file.offset
  file.fileEnd = file.riff + size + 8
  file.state = { at: "chunk" }
  return 12
}

const readChunk = (file: Progress, view: DataView): FieldLength => {
  if (view.byteLength < 8) return undefined
  const { offset } = file
  const name = characters(view, 0, 4)
  const size = view.getUint32(4, file.little)
  if (name === "fmt ") {
    if (size < 16) {
      return wavError("Malformed", { offset: offset + 4, expected: "a fmt chunk of 16 bytes", found: `${size}` })
    }
    file.state = { at: "format", size }
  } else if (name === "ds64" && size >= sizesLength) {
    file.ds64 = offset + 8
    file.state = { at: "sizes", size }
  } else if (name === "data") {
    if (file.format === undefined) {
      return wavError("Malformed", { offset, expected: "a fmt chunk before the data", found: "none" })
    }
    // A recorder that was cut off leaves 0 as the size of the data, and 0 or the size of the header as that of the file.
    const begun = size === 0 && (file.unfinished || file.fileEnd <= offset + 8)
    const known = size === unknownSize ? file.largeDataSize : begun ? undefined : size
    const declared = known ?? Number.POSITIVE_INFINITY
    const { ds64, fact, little, rate, riff } = file
    file.layout = { little, riff, rate, ds64, fact, data: offset + 8, declared }
    file.state = { at: "data", left: declared }
  } else {
    if (name === "fact" && size >= 4) file.fact = offset + 8
    file.state = skipRest(size, 0)
  }
  return 8
}

const readFormatChunk = (file: Progress, view: DataView, size: number): FieldLength => {
  const length = Math.min(size, formatLimit)
  if (view.byteLength < length) return undefined
  const found = readFormat(new DataView(view.buffer, view.byteOffset, length), file.offset, file.little)
  if ("_tag" in found) return found
  file.format = found
  file.rate = file.offset + 4
  file.state = skipRest(size, length)
  return length
}

const readSizes = (file: Progress, view: DataView, size: number): FieldLength => {
  if (view.byteLength < sizesLength) return undefined
  const whole = view.getBigUint64(0, file.little)
  const data = view.getBigUint64(8, file.little)
  file.unfinished = whole === 0n || whole === 0xffffffffffffffffn
  file.largeDataSize = data === 0n && file.unfinished ? Number.POSITIVE_INFINITY : Number(data)
  file.state = skipRest(size, sizesLength)
  return sizesLength
}

/** Reads one field of the header. */
const readField = (file: Progress, view: DataView): FieldLength => {
  const { state } = file
  switch (state.at) {
    case "riff":
      return readRiff(file, view)
    case "chunk":
      return readChunk(file, view)
    case "format":
      return readFormatChunk(file, view, state.size)
    case "sizes":
      return readSizes(file, view, state.size)
    case "skip": {
      const taken = Math.min(state.left, view.byteLength)
      state.left -= taken
      if (state.left === 0) file.state = { at: state.next }
      return taken
    }
    default:
      return 0
  }
}

export const makeWavParser = (): WavParser => {
  const file = { ...beginning }
  let pending: Uint8Array = none
  let frames = makeFrames(1)
  let failure: WavError | undefined

  const readHeader = (chunk: Uint8Array): Either.Either<Uint8Array, WavError> => {
    let bytes = pending.byteLength === 0 ? chunk : concatBytes([pending, chunk])
    pending = none
    while (file.state.at !== "data" && file.state.at !== "done") {
      const before = file.state
      const taken = readField(file, viewOf(bytes))
      if (taken === undefined) {
        // A copy, because the producer may reuse its block, and `slice` of a Buffer would share it.
        pending = Uint8Array.from(bytes)
        return Either.right(none)
      }
      if (typeof taken !== "number") {
        failure = taken
        return Either.left(taken)
      }
      file.offset += taken
      bytes = bytes.subarray(taken)
      if (taken === 0 && file.state === before) return Either.right(none)
    }
    if (file.format !== undefined) frames = makeFrames(bytesPerFrame(file.format))
    return Either.right(bytes)
  }

  const push = (chunk: Uint8Array): Either.Either<ReadonlyArray<Uint8Array>, WavError> => {
    if (failure !== undefined) return Either.left(failure)
    return Either.map(file.state.at === "data" ? Either.right(chunk) : readHeader(chunk), (bytes) => {
      const { format, little, state } = file
      if (state.at !== "data" || format === undefined) return []
      const available = bytes.subarray(0, Math.min(state.left, bytes.byteLength))
      state.left -= available.byteLength
      if (state.left === 0) file.state = { at: "done" }
      const size = bytesPerSample(format.encoding)
      return little ? frames(available) : frames(available).map((part) => littleEndian(part, size))
    })
  }

  return {
    push,
    format: () => (file.layout === undefined ? undefined : file.format),
    layout: () => file.layout,
    skip: () => {
      if (file.state.at !== "skip") return 0
      const { left, next } = file.state
      file.offset += left
      file.state = { at: next }
      return left
    },
    done: () => file.state.at === "done",
    end: () => {
      if (failure !== undefined) return Either.left(failure)
      if (file.format !== undefined && file.layout !== undefined) return Either.right(file.format)
      const { offset } = file
      return Either.left(
        file.state.at === "riff"
          ? wavError("NotWav", { offset, expected: "a RIFF header of 12 bytes", found: `${pending.byteLength}` })
          : wavError("Malformed", { offset, expected: "a data chunk", found: "the end of the file" })
      )
    }
  }
}

/** A copy with the bytes of each sample in reverse order. */
const littleEndian = (bytes: Uint8Array, size: number): Uint8Array => {
  const swapped = new Uint8Array(bytes.byteLength)
  for (let first = 0; first < swapped.length; first += size) {
    for (let index = 0; index < size; index++) swapped[first + index] = bytes[first + size - 1 - index] as number
  }
  return swapped
}

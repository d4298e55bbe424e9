import * as Either from "effect/Either"
import type { AudioFormat, Encoding } from "../../AudioFormat.js"
import { bytesPerFrame, bytesPerSample } from "../../AudioFormat.js"
import type { WavError } from "../../WavError.js"
import { concatBytes, viewOf } from "../bytes.js"
import { tagLength } from "../container/tags.js"
import { makeFrames } from "../pcm/frames.js"
import { wavError } from "./wavError.js"
import { unknownSize } from "./wavHeader.js"
import type { WavLayout } from "./wavLayout.js"

/** Reads a WAV file from bytes that arrive in chunks. The result does not depend on where the chunks end. */
export interface Decoder {
  /**
   * Returns the frames that these bytes complete, in order; none before the samples begin and after they end. A frame that
   * was split comes alone. The others are views of `bytes`, unless the file is a big-endian RIFX.
   */
  readonly push: (bytes: Uint8Array) => Either.Either<ReadonlyArray<Uint8Array>, WavError>
  /** The format, as soon as the samples begin. */
  readonly format: () => AudioFormat | undefined
  /** Whether the samples have ended. */
  readonly done: () => boolean
  /** Call it after the last byte. Returns the format, or an error that states what is missing. */
  readonly end: () => Either.Either<AudioFormat, WavError>
}

/** A decoder that also gives the layout of the file. */
interface WavParser extends Decoder {
  /** The layout, as soon as the data chunk begins. */
  readonly layout: () => WavLayout | undefined
}

const none = new Uint8Array(0)

const extensible = 0xfffe

const pcmContainers: Record<number, Encoding> = { 1: "pcm8", 2: "pcm16", 3: "pcm24", 4: "pcm32" }
const floatContainers: Record<number, Encoding> = { 4: "float32", 8: "float64" }
const containers: Record<number, Record<number, Encoding>> = {
  1: pcmContainers,
  3: floatContainers,
  6: { 1: "alaw" },
  7: { 1: "mulaw" }
}

/** Names of codecs in WAV files, for errors (from `mmreg.h` in the Windows SDK). */
const codecs: Record<number, string> = {
  1: "PCM",
  2: "Microsoft ADPCM",
  3: "float",
  6: "A-law",
  7: "mu-law",
  17: "IMA ADPCM",
  49: "GSM 6.10",
  64: "G.721 ADPCM",
  69: "G.726 ADPCM",
  80: "MPEG audio",
  85: "MP3",
  255: "AAC"
}

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

/** The bytes of the `fmt ` chunk that are read: WAVEFORMATEXTENSIBLE. The rest is skipped. */
const formatLimit = 40

/** The bytes of the `ds64` chunk that are read: the sizes of the file and of its data, and the number of frames. */
const sizesLength = 24

export const makeWavParser = (): WavParser => {
  let state: State = { at: "riff" }
  let pending: Uint8Array = none
  let offset = 0
  let little = true
  /** Whether the size of the file is unknown, because its writer was cut off. */
  let unfinished = false
  let riff = 0
  let fileEnd = Number.POSITIVE_INFINITY
  let largeDataSize: number | undefined
  let ds64: number | undefined
  let fact: number | undefined
  let layout: WavLayout | undefined
  let format: AudioFormat | undefined
  let rate = 0
  let frames = makeFrames(1)
  let failure: WavError | undefined

  const chunkName = (view: DataView, at: number): string =>
    String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3))

  /**
   * An extensible header has the real format tag at the beginning of its GUID, in 32 bits. In a RIFX, sox writes it in 16 bits,
   * and the rest as in a RIFF.
   */
  const extendedTag = (view: DataView): number =>
    little ? view.getUint32(24, true) : view.getUint16(24) || view.getUint16(26)

  const readFormat = (view: DataView): AudioFormat | WavError => {
    const tag = view.getUint16(0, little)
    const bits = view.getUint16(14, little)
    const actual = tag === extensible && view.byteLength >= 28 ? extendedTag(view) : tag
    const channels = view.getUint16(2, little)
    const sampleRate = view.getUint32(4, little)
    const frame = view.getUint16(12, little)
    const supported = containers[actual]
    if (supported === undefined) {
      return wavError("Unsupported", {
        offset,
        expected: "PCM, float, A-law or mu-law",
        found: codecs[actual] ?? `format ${actual}`
      })
    }
    if (channels === 0 || sampleRate === 0) {
      return wavError("Malformed", {
        offset: offset + 2,
        expected: "at least one channel and one sample per second",
        found: `${channels} ${channels === 1 ? "channel" : "channels"} at ${sampleRate} Hz`
      })
    }
    // Bits that do not fill their bytes are the upper ones of them, so the number of bytes decides.
    const encoding = supported[Math.ceil(bits / 8)]
    if (encoding === undefined) {
      return wavError("Unsupported", {
        offset: offset + 14,
        expected: `${codecs[actual]} of ${Object.keys(supported)
          .map((bytes) => Number(bytes) * 8)
          .join(", ")} bits`,
        found: `${bits}`
      })
    }
    const found: AudioFormat = { sampleRate, channels, encoding }
    const size = bytesPerFrame(found)
    // Other readers do not use the size of a frame. If it alone is wrong, the byte rate confirms the size of the samples.
    if (frame !== size && view.getUint32(8, little) !== sampleRate * size) {
      return wavError("Unsupported", {
        offset: offset + 12,
        expected: `frames of ${size} bytes`,
        found: `${frame}`
      })
    }
    return found
  }

  /** Reads one field. Returns its length, or `undefined` if it is not complete yet. */
  const step = (bytes: Uint8Array): number | WavError | undefined => {
    const view = viewOf(bytes)
    switch (state.at) {
      case "riff": {
        if (bytes.byteLength < 12) return undefined
        const name = chunkName(view, 0)
        // Programs for music put their tags before files of any kind.
        const tag = name.startsWith("ID3") ? tagLength(view) : 0
        if (tag > 0) {
          state = { at: "skip", left: tag, next: "riff" }
          return 0
        }
        const large = name === "RF64" || name === "BW64"
        if ((name !== "RIFF" && name !== "RIFX" && !large) || chunkName(view, 8) !== "WAVE") {
          return wavError("NotWav", {
            offset,
            expected: `${quoted("RIFF")}, ${quoted("RIFX")} or ${quoted("RF64")}, and ${quoted("WAVE")}`,
            found: `${quoted(name)} and ${quoted(chunkName(view, 8))}`
          })
        }
        little = name !== "RIFX"
        const size = view.getUint32(4, little)
        unfinished = !large && (size === 0 || size === unknownSize)
        riff = offset
        fileEnd = riff + size + 8
        state = { at: "chunk" }
        return 12
      }
      case "chunk": {
        if (bytes.byteLength < 8) return undefined
        const name = chunkName(view, 0)
        const size = view.getUint32(4, little)
        if (name === "fmt ") {
          if (size < 16) {
            return wavError("Malformed", { offset: offset + 4, expected: "a fmt chunk of 16 bytes", found: `${size}` })
          }
          state = { at: "format", size }
        } else if (name === "ds64" && size >= sizesLength) {
          ds64 = offset + 8
          state = { at: "sizes", size }
        } else if (name === "data") {
          if (format === undefined) {
            return wavError("Malformed", { offset, expected: "a fmt chunk before the data", found: "none" })
          }
          // A recorder that was cut off leaves 0 as the size of the data, and 0 or the size of the header as that of the file.
          const begun = size === 0 && (unfinished || fileEnd <= offset + 8)
          const known = size === unknownSize ? largeDataSize : begun ? undefined : size
          const declared = known ?? Number.POSITIVE_INFINITY
          frames = makeFrames(bytesPerFrame(format))
          layout = { little, riff, rate, ds64, fact, data: offset + 8, declared }
          state = { at: "data", left: declared }
        } else {
          if (name === "fact" && size >= 4) fact = offset + 8
          state = { at: "skip", left: size + (size % 2), next: "chunk" }
        }
        return 8
      }
      case "format": {
        const length = Math.min(state.size, formatLimit)
        if (bytes.byteLength < length) return undefined
        const found = readFormat(viewOf(bytes.subarray(0, length)))
        if ("_tag" in found) return found
        format = found
        rate = offset + 4
        state = { at: "skip", left: state.size + (state.size % 2) - length, next: "chunk" }
        return length
      }
      case "sizes": {
        if (bytes.byteLength < sizesLength) return undefined
        const file = view.getBigUint64(0, little)
        const data = view.getBigUint64(8, little)
        unfinished = file === 0n || file === 0xffffffffffffffffn
        largeDataSize = data === 0n && unfinished ? Number.POSITIVE_INFINITY : Number(data)
        state = { at: "skip", left: state.size + (state.size % 2) - sizesLength, next: "chunk" }
        return sizesLength
      }
      case "skip": {
        const taken = Math.min(state.left, bytes.byteLength)
        state.left -= taken
        if (state.left === 0) state = { at: state.next }
        return taken
      }
      default:
        return 0
    }
  }

  const readHeader = (chunk: Uint8Array): Either.Either<Uint8Array, WavError> => {
    let bytes = pending.byteLength === 0 ? chunk : concatBytes([pending, chunk])
    pending = none
    while (state.at !== "data" && state.at !== "done") {
      const before: State = state
      const taken = step(bytes)
      if (taken === undefined) {
        // A copy, because the producer may reuse its block, and `slice` of a Buffer would share it.
        pending = Uint8Array.from(bytes)
        return Either.right(none)
      }
      if (typeof taken !== "number") {
        failure = taken
        return Either.left(taken)
      }
      offset += taken
      bytes = bytes.subarray(taken)
      if (taken === 0 && state === before) return Either.right(none)
    }
    return Either.right(bytes)
  }

  const push = (chunk: Uint8Array): Either.Either<ReadonlyArray<Uint8Array>, WavError> => {
    if (failure !== undefined) return Either.left(failure)
    return Either.map(state.at === "data" ? Either.right(chunk) : readHeader(chunk), (bytes) => {
      if (state.at !== "data" || format === undefined) return []
      const available = bytes.subarray(0, Math.min(state.left, bytes.byteLength))
      state.left -= available.byteLength
      if (state.left === 0) state = { at: "done" }
      const size = bytesPerSample(format.encoding)
      return little ? frames(available) : frames(available).map((part) => littleEndian(part, size))
    })
  }

  return {
    push,
    format: () => (layout === undefined ? undefined : format),
    layout: () => layout,
    done: () => state.at === "done",
    end: () => {
      if (failure !== undefined) return Either.left(failure)
      if (format !== undefined && layout !== undefined) return Either.right(format)
      return Either.left(
        state.at === "riff"
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

import * as Either from "effect/Either"
import type { AudioFormat, Encoding } from "../AudioFormat.js"
import { bytesPerFrame } from "../AudioFormat.js"
import { type WavError, wavError } from "../WavError.js"
import { concatBytes, viewOf } from "./bytes.js"
import { unknownSize } from "./wavHeader.js"

/**
 * A push parser: bytes go in as they come, samples come out, and the result does not depend on how the bytes
 * were split. It holds at most one unfinished header field and allocates nothing from a declared size.
 */
export interface WavParser {
  /** The whole frames that are complete with `chunk`; none before the data chunk begins and after it has ended. */
  readonly push: (chunk: Uint8Array) => Either.Either<Uint8Array, WavError>
  /** Known as soon as the data chunk begins. */
  readonly format: () => AudioFormat | undefined
  /** Whether the data chunk has ended, so that nothing more will come. */
  readonly done: () => boolean
  /** To be called after the last byte: the format, or what was missing. */
  readonly end: () => Either.Either<AudioFormat, WavError>
}

const none = new Uint8Array(0)

const extensible = 0xfffe

const encodings: Record<string, Encoding> = {
  "1/8": "pcm8",
  "1/16": "pcm16",
  "1/24": "pcm24",
  "1/32": "pcm32",
  "3/32": "float32",
  "3/64": "float64"
}

const chunkName = (view: DataView, offset: number): string =>
  String.fromCharCode(
    view.getUint8(offset),
    view.getUint8(offset + 1),
    view.getUint8(offset + 2),
    view.getUint8(offset + 3)
  )

const quoted = (text: string): string => JSON.stringify(text)

type State =
  | { readonly at: "riff" }
  | { readonly at: "chunk" }
  | { readonly at: "format"; readonly size: number }
  | { readonly at: "skip"; left: number }
  | { readonly at: "data"; left: number }
  | { readonly at: "done" }

/** How much of the `fmt ` chunk is read: the whole of WAVEFORMATEXTENSIBLE. What follows it is skipped. */
const formatLimit = 40

export const makeWavParser = (): WavParser => {
  let state: State = { at: "riff" }
  let pending: Uint8Array = none
  let offset = 0
  let streamed = false
  let format: AudioFormat | undefined
  let failure: WavError | undefined

  const readFormat = (view: DataView): AudioFormat | WavError => {
    const tag = view.getUint16(0, true)
    const bits = view.getUint16(14, true)
    // An extensible header keeps the real format tag in the first two bytes of its GUID.
    const actual = tag === extensible && view.byteLength >= 26 ? view.getUint16(24, true) : tag
    const encoding = encodings[`${actual}/${bits}`]
    const channels = view.getUint16(2, true)
    const sampleRate = view.getUint32(4, true)
    if (encoding === undefined) {
      return wavError("Unsupported", {
        offset,
        expected: "PCM of 8, 16, 24 or 32 bits, or float of 32 or 64",
        found: `format ${actual} with ${bits} bits`
      })
    }
    if (channels === 0 || sampleRate === 0) {
      return wavError("Malformed", {
        offset,
        expected: "at least one channel and one sample per second",
        found: `${channels} channels at ${sampleRate} Hz`
      })
    }
    const found: AudioFormat = { sampleRate, channels, encoding }
    const frame = view.getUint16(12, true)
    if (frame !== bytesPerFrame(found)) {
      return wavError("Unsupported", {
        offset: offset + 12,
        expected: `frames of ${bytesPerFrame(found)} bytes`,
        found: `${frame}`
      })
    }
    return found
  }

  /** Takes one field off the front of `bytes`, or `undefined` where it is not complete yet. */
  const step = (bytes: Uint8Array): number | WavError | undefined => {
    const view = viewOf(bytes)
    switch (state.at) {
      case "riff": {
        if (bytes.byteLength < 12) return undefined
        const name = chunkName(view, 0)
        if (name === "RIFX" || name === "RF64") {
          return wavError("Unsupported", { offset: 0, expected: quoted("RIFF"), found: quoted(name) })
        }
        if (name !== "RIFF" || chunkName(view, 8) !== "WAVE") {
          return wavError("NotWav", {
            offset: 0,
            expected: `${quoted("RIFF")} and ${quoted("WAVE")}`,
            found: `${quoted(name)} and ${quoted(chunkName(view, 8))}`
          })
        }
        const size = view.getUint32(4, true)
        streamed = size === 0 || size === unknownSize
        state = { at: "chunk" }
        return 12
      }
      case "chunk": {
        if (bytes.byteLength < 8) return undefined
        const name = chunkName(view, 0)
        const size = view.getUint32(4, true)
        if (name === "fmt ") {
          if (size < 16) {
            return wavError("Malformed", { offset: offset + 4, expected: "a fmt chunk of 16 bytes", found: `${size}` })
          }
          state = { at: "format", size }
        } else if (name === "data") {
          if (format === undefined) {
            return wavError("Malformed", { offset, expected: "a fmt chunk before the data", found: "none" })
          }
          // A recorder that was cut off leaves 0 in the file's size and in that of its data.
          const unknown = size === unknownSize || (size === 0 && streamed)
          state = { at: "data", left: unknown ? Number.POSITIVE_INFINITY : size }
        } else {
          state = { at: "skip", left: size + (size % 2) }
        }
        return 8
      }
      case "format": {
        const length = Math.min(state.size, formatLimit)
        if (bytes.byteLength < length) return undefined
        const found = readFormat(viewOf(bytes.subarray(0, length)))
        if ("_tag" in found) return found
        format = found
        state = { at: "skip", left: state.size + (state.size % 2) - length }
        return length
      }
      case "skip": {
        const taken = Math.min(state.left, bytes.byteLength)
        state.left -= taken
        if (state.left === 0) state = { at: "chunk" }
        return taken
      }
      default:
        return 0
    }
  }

  const push = (chunk: Uint8Array): Either.Either<Uint8Array, WavError> => {
    if (failure !== undefined) return Either.left(failure)
    let bytes = pending.byteLength === 0 ? chunk : concatBytes([pending, chunk])
    pending = none
    while (state.at !== "data" && state.at !== "done") {
      const before: State = state
      const taken = step(bytes)
      if (taken === undefined) {
        // A copy: the producer may use its block again, and the slice of a Buffer would share it.
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
    if (state.at === "done") return Either.right(none)
    const frame = format === undefined ? 1 : bytesPerFrame(format)
    const available = Math.min(state.left, bytes.byteLength)
    const whole = available - (available % frame)
    state.left -= whole
    offset += whole
    if (state.left < frame) state = { at: "done" }
    else pending = Uint8Array.from(bytes.subarray(whole))
    return Either.right(bytes.subarray(0, whole))
  }

  return {
    push,
    format: () => (state.at === "data" || state.at === "done" ? format : undefined),
    done: () => state.at === "done",
    end: () => {
      if (failure !== undefined) return Either.left(failure)
      if (format !== undefined && (state.at === "data" || state.at === "done")) return Either.right(format)
      return Either.left(
        state.at === "riff"
          ? wavError("NotWav", { offset, expected: "a RIFF header of 12 bytes", found: `${pending.byteLength}` })
          : wavError("Malformed", { offset, expected: "a data chunk", found: "the end of the file" })
      )
    }
  }
}

/**
 * Between raw bytes and `Float32Array` samples.
 *
 * The convention is ffmpeg's: an integer sample of n bits is divided by 2^(n-1) on the way in; on the way out
 * a sample is multiplied by it, rounded to the nearest integer with halves to even, and clamped. So int16 to
 * float and back is exact.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AudioFormat, Encoding } from "./AudioFormat.js"
import { bytesPerFrame, bytesPerSample } from "./AudioFormat.js"
import { concatBytes, concatSamples, viewOf } from "./internal/bytes.js"
import type { PcmStream } from "./PcmStream.js"

/** The encodings that this library writes. */
export type OutputEncoding = Extract<Encoding, "pcm16" | "float32">

const readers: Record<Encoding, (view: DataView, offset: number) => number> = {
  pcm8: (view, offset) => (view.getUint8(offset) - 128) / 0x80,
  pcm16: (view, offset) => view.getInt16(offset, true) / 0x8000,
  pcm24: (view, offset) => (view.getUint16(offset, true) + view.getInt8(offset + 2) * 0x10000) / 0x800000,
  pcm32: (view, offset) => view.getInt32(offset, true) / 0x80000000,
  float32: (view, offset) => view.getFloat32(offset, true),
  float64: (view, offset) => view.getFloat64(offset, true)
}

/** Whole samples of `bytes` as floats; a part of a sample at the end is left out. */
export const decode = (bytes: Uint8Array, encoding: Encoding): Float32Array => {
  const size = bytesPerSample(encoding)
  const samples = new Float32Array(Math.floor(bytes.byteLength / size))
  const read = readers[encoding]
  const view = viewOf(bytes)
  for (let index = 0; index < samples.length; index++) samples[index] = read(view, index * size)
  return samples
}

const roundHalfToEven = (x: number): number => {
  const rounded = Math.round(x)
  return rounded - x === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}

export interface Encoded {
  readonly bytes: Uint8Array
  /** How many samples lay outside the range of the encoding and were clamped; never for `float32`. */
  readonly clipped: number
}

/** Samples as bytes. NaN becomes 0 in `pcm16`. */
export const encode = (samples: Float32Array, encoding: OutputEncoding): Encoded => {
  const bytes = new Uint8Array(samples.length * bytesPerSample(encoding))
  const view = viewOf(bytes)
  if (encoding === "float32") {
    for (let index = 0; index < samples.length; index++) view.setFloat32(index * 4, samples[index] ?? 0, true)
    return { bytes, clipped: 0 }
  }
  let clipped = 0
  for (let index = 0; index < samples.length; index++) {
    const scaled = roundHalfToEven((samples[index] ?? 0) * 0x8000)
    if (scaled > 0x7fff || scaled < -0x8000) clipped++
    view.setInt16(index * 2, Math.max(-0x8000, Math.min(0x7fff, scaled)), true)
  }
  return { bytes, clipped }
}

/** Decodes bytes that arrive in pieces: a frame that is split between two of them is carried over. */
export interface Decoder {
  /** The whole frames that are complete with these bytes, interleaved. */
  readonly push: (bytes: Uint8Array) => Float32Array
}

export const makeDecoder = (format: AudioFormat): Decoder => {
  const frame = bytesPerFrame(format)
  let carried: Uint8Array = new Uint8Array(0)
  return {
    push: (bytes) => {
      const all = carried.byteLength === 0 ? bytes : concatBytes([carried, bytes])
      const whole = all.byteLength - (all.byteLength % frame)
      // A copy: the producer may use its block again, and the slice of a Buffer would share it.
      carried = Uint8Array.from(all.subarray(whole))
      return decode(all.subarray(0, whole), format.encoding)
    }
  }
}

/** The samples of a stream of bytes, whole frames at a time. */
export const samples = <E, R>(audio: PcmStream<E, R>): Stream.Stream<Float32Array, E, R> =>
  Stream.unwrap(
    Effect.sync(() => {
      const decoder = makeDecoder(audio.format)
      return Stream.filter(Stream.map(audio.stream, decoder.push), (block) => block.length > 0)
    })
  )

/** All samples of a stream of blocks as one array: memory grows with the audio. */
export const collectSamples = <E, R>(blocks: Stream.Stream<Float32Array, E, R>): Effect.Effect<Float32Array, E, R> =>
  Effect.map(Stream.runCollect(blocks), (chunk) => concatSamples(Array.from(chunk)))

/**
 * Converts raw bytes to `Float32Array` samples and back.
 *
 * The convention is ffmpeg's. Decoding divides an integer sample of n bits by 2^(n-1). Encoding multiplies by it, rounds to
 * the nearest integer, halves to even, and clamps. So 16 bits to float and back is exact. A-law and mu-law follow ITU-T
 * G.711, by way of 16 bits.
 *
 * The machine must be little-endian, as the bytes are.
 */
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { AudioFormat, Encoding } from "./AudioFormat.js"
import { bytesPerFrame, bytesPerSample } from "./AudioFormat.js"
import { concatSamples } from "./internal/bytes.js"
import { blockSamples, bytesRegion, samplesRegion } from "./internal/kernel/kernel.js"
import { startsWithData } from "./internal/pcm/blocks.js"
import { conversion } from "./internal/pcm/conversion.js"
import { makeFrames } from "./internal/pcm/frames.js"
import { make, type PcmStream } from "./internal/pcm/pcmStream.js"

/**
 * Decodes the whole samples of `bytes` into `target`, as many as fit. Returns their number. A loop that uses one array for
 * all blocks allocates no memory. Otherwise use {@link decode}.
 *
 * @example
 * ```ts
 * import { Pcm } from "@effect-speech/audio-codec"
 *
 * const samples = new Float32Array(4096)
 * const count = Pcm.decodeInto(new Uint8Array(320), "pcm16", samples)
 * console.log(samples.subarray(0, count).length) // 160
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const decodeInto: {
  (encoding: Encoding, target: Float32Array): (bytes: Uint8Array) => number
  (bytes: Uint8Array, encoding: Encoding, target: Float32Array): number
} = dual(3, (bytes: Uint8Array, encoding: Encoding, target: Float32Array): number => {
  const size = bytesPerSample(encoding)
  const length = Math.min(target.length, Math.floor(bytes.byteLength / size))
  if (encoding === "float32") {
    new Uint8Array(target.buffer, target.byteOffset).set(bytes.subarray(0, size * length))
    return length
  }
  for (let offset = 0; offset < length; offset += blockSamples) {
    const count = Math.min(blockSamples, length - offset)
    conversion.bytes.set(bytes.subarray(offset * size, (offset + count) * size), bytesRegion)
    conversion.decode(encoding, samplesRegion, count)
    target.set(conversion.floats.subarray(samplesRegion / 4, samplesRegion / 4 + count), offset)
  }
  return length
})

/**
 * The samples of `bytes` as floats. An incomplete sample at the end is dropped.
 *
 * @example
 * ```ts
 * import { Pcm } from "@effect-speech/audio-codec"
 *
 * const bytes = new Uint8Array(Int16Array.of(16_384, -32_768).buffer)
 * console.log(Pcm.decode(bytes, "pcm16")) // 0.5, -1
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const decode: {
  (encoding: Encoding): (bytes: Uint8Array) => Float32Array
  (bytes: Uint8Array, encoding: Encoding): Float32Array
} = dual(2, (bytes: Uint8Array, encoding: Encoding): Float32Array => {
  const samples = new Float32Array(Math.floor(bytes.byteLength / bytesPerSample(encoding)))
  decodeInto(bytes, encoding, samples)
  return samples
})

/**
 * Returns the next value of noise, in steps of the encoding. {@link triangularDither} makes one.
 *
 * @since 0.1.0
 * @category models
 */
export type Dither = () => number

/**
 * Makes triangular noise of -1 to 1 step. It makes the mean and the variance of the rounding error independent of the signal: a
 * quiet tone fades into hiss and does not become a buzz (Lipshitz, Wannamaker and Vanderkooy, "Quantization and Dither: A
 * Theoretical Survey", J. Audio Eng. Soc. 40, 1992). The same seed, a positive integer, gives the same noise. Default: 1.
 *
 * @example
 * ```ts
 * import { Pcm } from "@effect-speech/audio-codec"
 *
 * const quiet = new Float32Array(8000).fill(1 / 65_536)
 * const { bytes } = Pcm.encode(quiet, "pcm16", { dither: Pcm.triangularDither(7) })
 * console.log(bytes.some((byte) => byte !== 0)) // true
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const triangularDither = (seed = 1): Dither => {
  // Marsaglia, "Xorshift RNGs", J. Statistical Software 8, 2003; its two halves are two uniform values.
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return ((state & 0xffff) - (state >>> 16)) / 0x10000
  }
}

/**
 * Options of {@link encode}, {@link encodeInto} and {@link encodeStream}.
 *
 * @example
 * ```ts
 * import { Pcm } from "@effect-speech/audio-codec"
 *
 * const options: Pcm.EncodeOptions = { dither: Pcm.triangularDither() }
 * console.log(Pcm.encode(Float32Array.of(0.1), "pcm8", options).bytes.length) // 1
 * ```
 *
 * @since 0.1.0
 * @category options
 */
export interface EncodeOptions {
  /**
   * Noise to add before rounding to `pcm8` or `pcm16`. Default: none. Other encodings ignore it: their steps differ in size,
   * or are finer than a float's.
   */
  readonly dither?: Dither | undefined
}

const ditheredBits: Partial<Record<Encoding, number>> = { pcm8: 8, pcm16: 16 }

/**
 * Encodes samples into `target`, as many as fit. Returns the number of samples that were clamped, because they lay outside
 * the range of the encoding. NaN becomes silence in an integer encoding. Use {@link encode} unless a loop must not allocate memory.
 *
 * @example
 * ```ts
 * import { Pcm } from "@effect-speech/audio-codec"
 *
 * const packet = new Uint8Array(160)
 * const clipped = Pcm.encodeInto(new Float32Array(160).fill(2), "mulaw", packet)
 * console.log(clipped) // 160
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const encodeInto: {
  (encoding: Encoding, target: Uint8Array, options?: EncodeOptions): (samples: Float32Array) => number
  (samples: Float32Array, encoding: Encoding, target: Uint8Array, options?: EncodeOptions): number
} = dual(
  startsWithData,
  (samples: Float32Array, encoding: Encoding, target: Uint8Array, { dither }: EncodeOptions = {}): number => {
    const size = bytesPerSample(encoding)
    const length = Math.min(samples.length, Math.floor(target.byteLength / size))
    if (encoding === "float32") {
      target.set(new Uint8Array(samples.buffer, samples.byteOffset, size * length))
      return 0
    }
    const bits = dither === undefined ? undefined : ditheredBits[encoding]
    let clipped = 0
    for (let offset = 0; offset < length; offset += blockSamples) {
      const count = Math.min(blockSamples, length - offset)
      const first = samplesRegion / 4
      conversion.floats.set(samples.subarray(offset, offset + count), first)
      if (dither !== undefined && bits !== undefined) {
        for (let index = first; index < first + count; index++) {
          conversion.floats[index] = (conversion.floats[index] as number) + dither() / 2 ** (bits - 1)
        }
      }
      clipped += conversion.encode(encoding, samplesRegion, count)
      target.set(conversion.bytes.subarray(bytesRegion, bytesRegion + count * size), offset * size)
    }
    return clipped
  }
)

/**
 * What {@link encode} returns.
 *
 * @since 0.1.0
 * @category models
 */
export interface Encoded {
  /** The samples in their encoding. */
  readonly bytes: Uint8Array
  /** The number of samples that were clamped, dither included. Always 0 for floats. */
  readonly clipped: number
}

/**
 * Encodes samples, and counts those that were clamped. NaN becomes silence in an integer encoding.
 *
 * @example
 * ```ts
 * import { Pcm } from "@effect-speech/audio-codec"
 *
 * const { bytes, clipped } = Pcm.encode(Float32Array.of(0.5, -1, 1.5), "pcm16")
 * console.log(bytes.byteLength, clipped) // 6 1
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const encode: {
  (encoding: Encoding, options?: EncodeOptions): (samples: Float32Array) => Encoded
  (samples: Float32Array, encoding: Encoding, options?: EncodeOptions): Encoded
} = dual(startsWithData, (samples: Float32Array, encoding: Encoding, options?: EncodeOptions): Encoded => {
  const bytes = new Uint8Array(samples.length * bytesPerSample(encoding))
  return { bytes, clipped: encodeInto(samples, encoding, bytes, options) }
})

/**
 * Decodes bytes that arrive in chunks, which may end anywhere. {@link makeDecoder} makes one for each recording.
 *
 * @since 0.1.0
 * @category models
 */
export interface Decoder {
  /** Returns the frames that these bytes complete, interleaved. */
  readonly push: (bytes: Uint8Array) => Float32Array
}

/**
 * Makes a decoder for one recording. Use it in code without Effect. For a stream, use {@link decodeStream}.
 *
 * @example
 * ```ts
 * import { Pcm, Telephony } from "@effect-speech/audio-codec"
 *
 * const decoder = Pcm.makeDecoder(Telephony.format)
 * console.log(decoder.push(Uint8Array.of(0)).length) // 0
 * console.log(decoder.push(Uint8Array.of(64, 0, 64)).length) // 2
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeDecoder = (format: AudioFormat): Decoder => {
  const frames = makeFrames(bytesPerFrame(format))
  return { push: (bytes) => concatSamples(frames(bytes).map((part) => decode(part, format.encoding))) }
}

/**
 * Decodes a stream of bytes to interleaved samples, in whole frames. An incomplete frame at the end is dropped.
 *
 * Fails with the errors of `audio`.
 *
 * @example
 * ```ts
 * import { Channels, Pcm, type PcmStream } from "@effect-speech/audio-codec"
 * import { Stream } from "effect"
 *
 * export const mono = <E, R>(audio: PcmStream.PcmStream<E, R>) =>
 *   Pcm.decodeStream(audio).pipe(Stream.map(Channels.mixdown(audio.format.channels)))
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const decodeStream = <E, R>(audio: PcmStream<E, R>): Stream.Stream<Float32Array, E, R> =>
  Stream.unwrap(
    Effect.sync(() => {
      const decoder = makeDecoder(audio.format)
      return Stream.filter(Stream.map(audio.stream, decoder.push), (block) => block.length > 0)
    })
  )

/**
 * Audio that is encoded as it streams, with the number of samples that were clamped.
 *
 * @since 0.1.0
 * @category models
 */
export interface EncodedStream<out E = never, out R = never> extends PcmStream<E, R> {
  /** The number of samples that were clamped so far, in the last run of the stream. */
  readonly clipped: Effect.Effect<number>
}

/**
 * Encodes a stream of interleaved samples. The length of the result is unknown.
 *
 * Fails with the errors of `blocks`.
 *
 * @example
 * ```ts
 * import { Pcm, type PcmStream } from "@effect-speech/audio-codec"
 *
 * export const asAlaw = <E, R>(audio: PcmStream.PcmStream<E, R>): PcmStream.PcmStream<E, R> =>
 *   Pcm.decodeStream(audio).pipe(Pcm.encodeStream({ ...audio.format, encoding: "alaw" }))
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const encodeStream: {
  (
    format: AudioFormat,
    options?: EncodeOptions
  ): <E, R>(blocks: Stream.Stream<Float32Array, E, R>) => EncodedStream<E, R>
  <E, R>(blocks: Stream.Stream<Float32Array, E, R>, format: AudioFormat, options?: EncodeOptions): EncodedStream<E, R>
} = dual(
  (args) => !Predicate.hasProperty(args[0], "sampleRate"),
  <E, R>(
    blocks: Stream.Stream<Float32Array, E, R>,
    format: AudioFormat,
    options?: EncodeOptions
  ): EncodedStream<E, R> => {
    let clipped = 0
    const encoded = Stream.suspend(() => {
      clipped = 0
      return Stream.map(blocks, (block) => {
        const encoded = encode(block, format.encoding, options)
        clipped += encoded.clipped
        return encoded.bytes
      })
    })
    return Object.assign(make(format, encoded), { clipped: Effect.sync(() => clipped) })
  }
)

/**
 * Collects all samples into one array, so memory grows with the audio.
 *
 * Fails with the errors of `blocks`.
 *
 * @example
 * ```ts
 * import { Pcm, PcmStream, Silence, Telephony } from "@effect-speech/audio-codec"
 * import { Effect } from "effect"
 *
 * const audio = PcmStream.silence(Telephony.format, "1 second")
 * const samples = Effect.runSync(Pcm.collectSamples(Pcm.decodeStream(audio)))
 * console.log(Silence.pauses(samples, audio.format.sampleRate).length) // 1
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const collectSamples = <E, R>(blocks: Stream.Stream<Float32Array, E, R>): Effect.Effect<Float32Array, E, R> =>
  Effect.map(Stream.runCollect(blocks), (chunk) => concatSamples(Array.from(chunk)))

/**
 * The format of raw audio: sample rate, channels and encoding.
 */
import { dual } from "effect/Function"
import * as Schema from "effect/Schema"

/**
 * The encoding of one sample.
 *
 * @since 0.1.0
 * @category schemas
 */
export type Encoding = typeof Encoding.Type

/**
 * The encodings of a sample, little-endian: a Schema, which also checks a setting or an argument.
 *
 * | encoding  | bytes | range of a sample |
 * | --------- | ----- | ----------------- |
 * | `pcm8`    | 1     | 0 to 255, silence is 128 |
 * | `pcm16`   | 2     | -32,768 to 32,767 |
 * | `pcm24`   | 3     | -8,388,608 to 8,388,607 |
 * | `pcm32`   | 4     | -2,147,483,648 to 2,147,483,647 |
 * | `float32` | 4     | -1 to 1; larger values are kept |
 * | `float64` | 8     | -1 to 1; larger values are kept |
 * | `alaw`    | 1     | ITU-T G.711 A-law for telephony: 13 bits in 8 |
 * | `mulaw`   | 1     | ITU-T G.711 mu-law for telephony: 14 bits in 8 |
 *
 * Use `pcm16` for files and for the service, `float32` to compute, and `alaw` or `mulaw` for a phone line.
 *
 * @example
 * ```ts
 * import { AudioFormat } from "@effect-speech/audio-codec"
 * import { Schema } from "effect"
 *
 * const isEncoding = Schema.is(AudioFormat.Encoding)
 * console.log(isEncoding("mulaw"), isEncoding("mp3")) // true false
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const Encoding: Schema.Literal<["pcm8", "pcm16", "pcm24", "pcm32", "float32", "float64", "alaw", "mulaw"]> =
  Schema.Literal("pcm8", "pcm16", "pcm24", "pcm32", "float32", "float64", "alaw", "mulaw")

/**
 * The format of raw audio: a Schema, and the type of its values. Where a function takes a format, a literal will do:
 * `{ sampleRate: 8000, channels: 1, encoding: "pcm16" }`. What the library gives can be compared with `Equal`.
 *
 * The constructor throws a `ParseError` if a field is out of its range. A literal is not checked before it is used.
 *
 * @example
 * ```ts
 * import { AudioFormat } from "@effect-speech/audio-codec"
 * import { Equal } from "effect"
 *
 * const format = new AudioFormat.AudioFormat({ sampleRate: 48_000, channels: 2, encoding: "pcm16" })
 * const other = new AudioFormat.AudioFormat({ ...format, channels: 1 })
 * console.log(Equal.equals(format, other)) // false
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class AudioFormat extends Schema.Class<AudioFormat>("@effect-speech/audio-codec/AudioFormat")({
  /** Frames per second, in Hz: a whole number from 1 to 4,294,967,295, as in a WAV file. */
  sampleRate: Schema.Int.pipe(Schema.between(1, 0xffffffff)),
  /** Samples per frame, from 1 to 65,535. The samples of a frame are interleaved. */
  channels: Schema.Int.pipe(Schema.between(1, 0xffff)),
  /** The encoding of one sample. */
  encoding: Encoding
}) {}

const sampleBytes: Record<Encoding, number> = {
  pcm8: 1,
  pcm16: 2,
  pcm24: 3,
  pcm32: 4,
  float32: 4,
  float64: 8,
  alaw: 1,
  mulaw: 1
}

/**
 * The size of one sample, in bytes.
 *
 * @example
 * ```ts
 * import { AudioFormat } from "@effect-speech/audio-codec"
 *
 * console.log(AudioFormat.bytesPerSample("pcm24")) // 3
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const bytesPerSample = (encoding: Encoding): number => sampleBytes[encoding]

/**
 * The size of one frame, in bytes. A frame is one sample of each channel.
 *
 * @example
 * ```ts
 * import { AudioFormat } from "@effect-speech/audio-codec"
 *
 * console.log(AudioFormat.bytesPerFrame({ sampleRate: 48_000, channels: 2, encoding: "pcm16" })) // 4
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const bytesPerFrame = (format: AudioFormat): number => sampleBytes[format.encoding] * format.channels

/**
 * The duration of `byteLength` bytes, in milliseconds. A part of a frame counts as that part.
 *
 * @example
 * ```ts
 * import { AudioFormat, Telephony } from "@effect-speech/audio-codec"
 *
 * console.log(AudioFormat.durationMillis(Telephony.format, 16_000)) // 1000
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const durationMillis: {
  (byteLength: number): (format: AudioFormat) => number
  (format: AudioFormat, byteLength: number): number
} = dual(
  2,
  (format: AudioFormat, byteLength: number): number => (byteLength / bytesPerFrame(format) / format.sampleRate) * 1000
)

/**
 * The format as text, such as `24000 Hz, 1 channel, float32`. Use it in messages and logs.
 *
 * @example
 * ```ts
 * import { AudioFormat, Telephony } from "@effect-speech/audio-codec"
 *
 * console.log(AudioFormat.describe(Telephony.format)) // 8000 Hz, 1 channel, pcm16
 * ```
 *
 * @since 0.1.0
 * @category getters
 */
export const describe = (format: AudioFormat): string =>
  `${format.sampleRate} Hz, ${format.channels} ${format.channels === 1 ? "channel" : "channels"}, ${format.encoding}`

import { type Pipeable, Prototype } from "effect/Pipeable"
import type * as Stream from "effect/Stream"
import type { AudioFormat } from "../../AudioFormat.js"
import { asValue } from "./audioFormat.js"

/** Where the length is kept. Not enumerable, so that a spread with another stream does not take it along. */
const announced: unique symbol = Symbol.for("@effect-speech/audio-codec/PcmStream/byteLength") as never

/**
 * Audio: a format, and its bytes as a `Stream`. Make it with `PcmStream.make`, and change it with the functions of `PcmStream`:
 * a copy with another `stream` is no `PcmStream`, because its length would be that of the old one.
 *
 * `E` is the errors of the stream, `R` what it requires.
 *
 * @example
 * ```ts
 * import { AudioFormat, type PcmStream } from "@effect-speech/audio-codec"
 * import { Effect, Stream } from "effect"
 *
 * export const durationOf = <E, R>({ format, stream }: PcmStream.PcmStream<E, R>) =>
 *   Stream.runFold(stream, 0, (sum, chunk) => sum + chunk.byteLength).pipe(
 *     Effect.map((byteLength) => AudioFormat.durationMillis(format, byteLength))
 *   )
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export class PcmStream<out E = never, out R = never> implements Pipeable {
  /** The format of the bytes. */
  readonly format: AudioFormat
  /** Raw samples in `format`. A chunk may end anywhere, even inside a sample. It does not change after it was emitted. */
  readonly stream: Stream.Stream<Uint8Array, E, R>

  constructor(format: AudioFormat, stream: Stream.Stream<Uint8Array, E, R>, byteLength: number | undefined) {
    this.format = asValue(format)
    this.stream = stream
    Object.defineProperty(this, announced, { value: byteLength })
  }

  // TypeScript drops the accessors of a class from the type of a spread, as a spread drops them.
  /** The exact number of bytes in the stream. `undefined` if it is not known before the end. */
  get byteLength(): number | undefined {
    return (this as { readonly [announced]?: number })[announced]
  }

  /** Passes the audio through functions, as the `pipe` of `Effect` does. */
  get pipe(): Pipeable["pipe"] {
    return Prototype.pipe
  }
}

/**
 * Options of {@link make}.
 *
 * @since 0.1.0
 * @category options
 */
export interface MakeOptions {
  /** The exact number of bytes in the stream. Default: unknown. */
  readonly byteLength?: number | undefined
}

/**
 * Makes audio from a format and a stream of its bytes. Chunks may have any size. For bytes in memory, use `fromBytes`.
 *
 * State `byteLength` if you know it: a WAV file then has its true header from the start. If it is wrong, `Wav.writeFile` and
 * `Wav.encodeStream` fail with a `WavError` of reason `LengthMismatch`.
 *
 * @example
 * ```ts
 * import { PcmStream, telephony } from "@effect-speech/audio-codec"
 * import type { Stream } from "effect"
 *
 * // Bytes of a phone line.
 * export const fromLine = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
 *   telephony(PcmStream.make({ sampleRate: 8000, channels: 1, encoding: "mulaw" }, bytes))
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <E = never, R = never>(
  format: AudioFormat,
  stream: Stream.Stream<Uint8Array, E, R>,
  options: MakeOptions = {}
): PcmStream<E, R> => new PcmStream(format, stream, options.byteLength)

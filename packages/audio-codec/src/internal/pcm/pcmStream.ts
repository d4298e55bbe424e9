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
 * @since 0.1.0
 * @category models
 */
export class PcmStream<out E = never, out R = never> implements Pipeable {
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

  get pipe(): Pipeable["pipe"] {
    return Prototype.pipe
  }
}

/**
 * What {@link make} takes besides.
 *
 * @since 0.1.0
 * @category options
 */
export interface MakeOptions {
  /** The exact number of bytes in the stream. Default: unknown. */
  readonly byteLength?: number | undefined
}

/**
 * Makes audio from a format and its bytes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <E = never, R = never>(
  format: AudioFormat,
  stream: Stream.Stream<Uint8Array, E, R>,
  options: MakeOptions = {}
): PcmStream<E, R> => new PcmStream(format, stream, options.byteLength)

import type * as Stream from "effect/Stream"
import type { AudioFormat } from "../../AudioFormat.js"

export interface PcmStream<out E = never, out R = never> {
  readonly format: AudioFormat
  /** The exact number of bytes in the stream, if it is known before the end. */
  readonly byteLength?: number | undefined
  /** Raw samples in `format`. A chunk may end anywhere, even inside a sample. It does not change after it was emitted. */
  readonly stream: Stream.Stream<Uint8Array, E, R>
}

/**
 * Audio as every module takes and gives it: a format, and its bytes as a `Stream`.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AudioFormat } from "./AudioFormat.js"
import { concatBytes } from "./internal/bytes.js"

export interface PcmStream<out E = never, out R = never> {
  readonly format: AudioFormat
  /** The exact number of bytes in the stream, if it is known before the end. */
  readonly byteLength?: number | undefined
  /** Raw samples in `format`. A chunk may end anywhere, even inside a sample. It does not change after it was emitted. */
  readonly stream: Stream.Stream<Uint8Array, E, R>
}

/** Audio in memory. */
export const fromBytes = (format: AudioFormat, bytes: Uint8Array): PcmStream => ({
  format,
  byteLength: bytes.byteLength,
  stream: Stream.make(bytes)
})

/** Collects all bytes into one array, so memory grows with the audio. */
export const collect = <E, R>(audio: PcmStream<E, R>): Effect.Effect<Uint8Array, E, R> =>
  Effect.map(Stream.runCollect(audio.stream), (chunks) => concatBytes(Chunk.toReadonlyArray(chunks)))

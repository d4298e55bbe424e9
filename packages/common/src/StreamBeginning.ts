/** The beginning of a stream of bytes, which decides what is done with all of it. */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { concat } from "./TypedArrays.js"

/**
 * A stream whose beginning was read, as {@link read} returns it.
 *
 * @since 0.1.0
 * @category models
 */
export interface StreamBeginning<out E, out R> {
  /** The bytes that were read: as many as were needed, and the rest of their block. Fewer if the stream has fewer. */
  readonly beginning: Uint8Array
  /** `true`: the stream has ended, so the beginning is all of it. `false`: more may follow, or nothing. */
  readonly isWhole: boolean
  /** All of it, again from the start. It can run once. */
  readonly whole: Stream.Stream<Uint8Array, E, R>
}

/**
 * Reads the beginning of a stream from its pull (`Stream.toPull`). `needed` is the number of bytes to read at least; it may depend on
 * those that were read. A source may reuse its blocks: the beginning is a copy, unless it came at once.
 *
 * Fails with the errors of the stream.
 *
 * @example
 * ```ts
 * import { StreamBeginning } from "@effect-speech/common"
 * import { Effect, Stream } from "effect"
 *
 * const stream = Stream.make(Uint8Array.of(1, 2), Uint8Array.of(3))
 * const program = Stream.toPull(stream).pipe(
 *   Effect.flatMap((pull) => StreamBeginning.read(pull, () => 2)),
 *   Effect.scoped
 * )
 * console.log(Effect.runSync(program).beginning) // 1, 2
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const read = <E, R>(
  pull: Effect.Effect<Chunk.Chunk<Uint8Array>, Option.Option<E>, R>,
  needed: (beginning: Uint8Array) => number
): Effect.Effect<StreamBeginning<E, R>, E, R> =>
  Effect.gen(function* () {
    const parts: Array<Uint8Array> = []
    let copied = 0
    let filled = 0
    let length = needed(new Uint8Array(0))
    let isWhole = false
    let others = Chunk.empty<Uint8Array>()
    while (filled < length && !isWhole) {
      if (Chunk.isEmpty(others)) {
        for (; copied < parts.length; copied++) parts[copied] = new Uint8Array(parts[copied] as Uint8Array)
        const next = yield* Effect.catchAll(Effect.asSome(pull), (end) =>
          Option.isNone(end) ? Effect.succeedNone : Effect.fail(end.value)
        )
        isWhole = Option.isNone(next)
        others = Option.getOrElse(next, () => others)
      }
      while (filled < length && Chunk.isNonEmpty(others)) {
        const part = Chunk.headNonEmpty(others)
        others = Chunk.tailNonEmpty(others)
        filled += part.byteLength
        parts.push(part)
      }
      if (filled >= length) length = needed(concat(parts, Uint8Array))
    }
    const beginning = concat(parts, Uint8Array)
    const rest = Stream.concat(Stream.fromChunk(others), Stream.repeatEffectChunkOption(pull))
    return { beginning, isWhole, whole: Stream.concat(Stream.make(beginning), isWhole ? Stream.empty : rest) }
  })

/**
 * Cuts the recording of a request into pieces that a model can hear.
 */
import * as Quiet from "@effect-speech/audio-codec/Quiet"
import { yieldToEventLoop } from "@effect-speech/common/Cooperative"
import { concat } from "@effect-speech/common/TypedArrays"
import type { Samples } from "@effect-speech/engine"
import type * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** What all recognisers hear, in Hz. */
export const sampleRate = 16_000

/** A piece with its first sample, counted from the beginning of the recording. */
export type Piece = Pick<Quiet.Piece, "startSample" | "samples">

/** In samples: 4 seconds. After each block, other requests run. */
const blockLength = 2 ** 16

const smallBlocksOf = <E, R>(samples: Stream.Stream<Float32Array, E, R>): Stream.Stream<Float32Array, E, R> =>
  Stream.suspend(() => {
    let sinceYield = 0
    return samples.pipe(
      Stream.mapConcat(function* (block) {
        for (let at = 0; at < block.length; at += blockLength) yield block.subarray(at, at + blockLength)
      }),
      Stream.rechunk(1),
      Stream.tap((block) => {
        sinceYield += block.length
        if (sinceYield < blockLength) return Effect.void
        sinceYield = 0
        return yieldToEventLoop
      })
    )
  })

/** The first blocks, until they exceed a number of samples, and whether they are all. */
const beginningOf = <E, R>(
  pull: Effect.Effect<Chunk.Chunk<Float32Array>, Option.Option<E>, R>,
  most: number
): Effect.Effect<{ readonly blocks: ReadonlyArray<Float32Array>; readonly isAll: boolean }, E, R> =>
  Effect.gen(function* () {
    const blocks: Array<Float32Array> = []
    let length = 0
    const next = Effect.catchAll(pull, (error) =>
      Option.isNone(error) ? Effect.succeed(undefined) : Effect.fail(error.value)
    )
    while (length <= most) {
      const chunk = yield* next
      if (chunk === undefined) return { blocks, isAll: true }
      for (const block of chunk) {
        blocks.push(block)
        length += block.length
      }
    }
    return { blocks, isAll: false }
  })

/**
 * A recording at {@link sampleRate}, whole if it is short enough. Otherwise its pieces, in order, which end in its pauses. To look for
 * pauses takes time, and a stream too: a short recording needs neither.
 */
export const cut = <E, R>(
  samples: Samples<E, R>,
  longestMillis: number
): Effect.Effect<Float32Array | Stream.Stream<Piece, E, R>, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const longest = (longestMillis * sampleRate) / 1000
    if (samples instanceof Float32Array && samples.length <= longest) return samples
    const whole: Stream.Stream<Float32Array, E, R> = samples instanceof Float32Array ? Stream.make(samples) : samples
    const pull = yield* Stream.toPull(whole)
    const { blocks, isAll } = yield* beginningOf(pull, longest)
    if (isAll) return concat([...blocks], Float32Array)
    const rest = Stream.repeatEffectChunkOption(pull)
    const all = smallBlocksOf(Stream.concat(Stream.fromIterable(blocks), rest))
    return Quiet.cutStream(all, sampleRate, { maximum: longestMillis })
  })

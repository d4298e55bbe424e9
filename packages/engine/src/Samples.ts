/**
 * The audio that engines take and return.
 */
import type * as Stream from "effect/Stream"

/**
 * Mono samples, -1 to 1: whole, or a stream of blocks. For a short recording, a stream costs more than the rest of a call.
 *
 * @example
 * ```ts
 * import type { Samples } from "@effect-speech/engine"
 * import { Stream } from "effect"
 *
 * export const whole: Samples = new Float32Array(16_000)
 * export const inBlocks: Samples = Stream.make(new Float32Array(8000), new Float32Array(8000))
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type Samples<E = never, R = never> = Float32Array | Stream.Stream<Float32Array, E, R>

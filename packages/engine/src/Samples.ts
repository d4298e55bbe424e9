/**
 * The audio that engines take and return.
 */
import type * as Stream from "effect/Stream"

/**
 * Mono samples, -1 to 1: whole, or a stream of blocks. For a short recording, a stream costs more than the rest of a call.
 *
 * @since 0.1.0
 * @category models
 */
export type Samples<E = never, R = never> = Float32Array | Stream.Stream<Float32Array, E, R>

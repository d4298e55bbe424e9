/**
 * A clock that never jumps, for deadlines, intervals and elapsed times: someone may set the wall clock meanwhile.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/**
 * Whole milliseconds since some moment.
 *
 * @since 0.1.0
 * @category combinators
 */
export const unsafeMillis = (clock: Clock.Clock): number => Math.round(Number(clock.unsafeCurrentTimeNanos()) / 1e6)

/**
 * Whole milliseconds since some moment.
 *
 * @since 0.1.0
 * @category constants
 */
export const millis: Effect.Effect<number> = Effect.map(Effect.clock, unsafeMillis)

/**
 * A clock that never jumps, for deadlines, intervals and elapsed times: someone may set the wall clock meanwhile.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/**
 * Whole milliseconds of a clock since some moment, for code that has the clock at hand. In an effect, use {@link millis}.
 *
 * @since 0.1.0
 * @category combinators
 */
export const unsafeMillis = (clock: Clock.Clock): number => Math.round(Number(clock.unsafeCurrentTimeNanos()) / 1e6)

/**
 * Whole milliseconds since some moment, of the clock of the fiber. The difference of two is the time between them, also if someone sets the
 * wall clock meanwhile.
 *
 * @example
 * ```ts
 * import { MonotonicClock } from "@effect-speech/common"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const began = yield* MonotonicClock.millis
 *   yield* Effect.sleep("20 millis")
 *   return (yield* MonotonicClock.millis) - began
 * })
 *
 * Effect.runPromise(program).then((elapsed) => console.log(elapsed >= 19)) // true
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const millis: Effect.Effect<number> = Effect.map(Effect.clock, unsafeMillis)

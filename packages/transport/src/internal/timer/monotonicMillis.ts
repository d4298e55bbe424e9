import type * as Clock from "effect/Clock"

/**
 * Whole milliseconds since some moment. Deadlines and elapsed times need it: someone may set the wall clock while a call
 * runs.
 */
export const monotonicMillis = (clock: Clock.Clock): number => Math.round(Number(clock.unsafeCurrentTimeNanos()) / 1e6)

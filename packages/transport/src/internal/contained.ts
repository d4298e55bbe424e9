import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

/**
 * The exit of an effect, as a success, whatever happens. Effect logs a fiber that fails before it tells its observers, and a
 * logger that throws would leave them without the exit. So a fiber of ours that runs code of a caller never fails itself.
 */
export const contained = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Exit.Exit<A, E>, never, R> =>
  Effect.uninterruptible(Effect.exit(Effect.interruptible(effect)))

/** Runs code of a caller that only watches: its failures and defects are dropped. */
export const unnoticed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  Effect.catchAllCause(Effect.asVoid(effect), () => Effect.void)

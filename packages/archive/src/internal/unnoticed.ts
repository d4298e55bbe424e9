import * as Effect from "effect/Effect"

/** Writes to the log of the caller. A logger that throws changes nothing: no file is lost, and no heartbeat ends, by it. */
export const unnoticed = <R>(log: Effect.Effect<void, never, R>): Effect.Effect<void, never, R> =>
  Effect.catchAllCause(log, () => Effect.void)

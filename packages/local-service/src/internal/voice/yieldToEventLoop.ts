import * as Effect from "effect/Effect"

/** Lets what has come in from the network have its turn: `Effect.yieldNow` gives way to other fibers alone. */
export const giveWay: Effect.Effect<void> = Effect.async((resume) => {
  setImmediate(() => resume(Effect.void))
})

// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/**
 * How to call an operation of a client, a promise or an effect: each in its cheapest way.
 *
 * @template A
 * @typedef {object} Operation
 * @property {() => Promise<A>} once
 * @property {(concurrency: number, mayGoOn: () => boolean) => Promise<unknown>} repeat Repeats the call, many at a time, as
 *   long as `mayGoOn` allows.
 * @property {() => Promise<void>} close
 */

/**
 * @template A
 * @param {() => Promise<A>} call
 * @param {(value: A) => void} check
 * @param {() => Promise<void>} [close] Default: there is nothing to close.
 * @returns {Operation<A>}
 */
export const ofPromise = (call, check, close = async () => {}) => ({
  once: call,
  repeat: (concurrency, mayGoOn) => {
    const worker = async () => {
      while (mayGoOn()) check(await call())
    }
    return Promise.all(Array.from({ length: concurrency }, worker))
  },
  close
})

/**
 * @template A, R
 * @param {import("effect/Layer").Layer<R, unknown>} layer
 * @param {import("effect/Effect").Effect<A, unknown, R>} call
 * @param {(value: A) => void} check
 * @returns {Promise<Operation<A>>}
 */
export const ofEffect = async (layer, call, check) => {
  // Only here: a client without Effect must not load it.
  const Effect = await import("effect/Effect")
  const Either = await import("effect/Either")
  const ManagedRuntime = await import("effect/ManagedRuntime")
  const runtime = ManagedRuntime.make(layer)
  return {
    once: async () => {
      const outcome = await runtime.runPromise(Effect.either(call))
      if (Either.isLeft(outcome)) throw outcome.left
      return outcome.right
    },
    repeat: (concurrency, mayGoOn) => {
      const worker = Effect.whileLoop({ while: mayGoOn, body: () => call, step: check })
      return runtime.runPromise(
        Effect.withTracerEnabled(
          Effect.forEach(Array(concurrency), () => worker, { concurrency, discard: true }),
          false
        )
      )
    },
    close: () => runtime.dispose()
  }
}

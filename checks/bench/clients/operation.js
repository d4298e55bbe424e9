/**
 * How an operation of a client is called, be it a promise or an effect: each in the way of its own that costs least.
 *
 * @template A
 * @typedef {object} Operation
 * @property {() => Promise<A>} once
 * @property {(concurrency: number, goesOn: () => boolean) => Promise<unknown>} repeatedly Calls, so many at a time, until
 *   it is told that it is enough.
 * @property {() => Promise<void>} close
 */

/** @template A @param {() => Promise<A>} call @param {(value: A) => void} check @returns {Operation<A>} */
export const ofPromise = (call, check) => ({
  once: call,
  repeatedly: (concurrency, goesOn) => {
    const worker = async () => {
      while (goesOn()) check(await call())
    }
    return Promise.all(Array.from({ length: concurrency }, worker))
  },
  close: async () => {}
})

/**
 * @template A, R
 * @param {import("effect/Layer").Layer<R, unknown>} layer
 * @param {import("effect/Effect").Effect<A, unknown, R>} call
 * @param {(value: A) => void} check
 * @param {{ readonly tracing?: boolean }} [options]
 * @returns {Promise<Operation<A>>}
 */
export const ofEffect = async (layer, call, check, { tracing = false } = {}) => {
  const [Effect, Either, ManagedRuntime] = await Promise.all([
    import("effect/Effect"),
    import("effect/Either"),
    import("effect/ManagedRuntime")
  ])
  const runtime = ManagedRuntime.make(layer)
  return {
    once: async () => {
      const told = await runtime.runPromise(Effect.either(call))
      if (Either.isLeft(told)) throw told.left
      return told.right
    },
    repeatedly: (concurrency, goesOn) => {
      const worker = Effect.whileLoop({ while: goesOn, body: () => call, step: check })
      return runtime.runPromise(
        Effect.withTracerEnabled(
          Effect.forEach(Array(concurrency), () => worker, { concurrency, discard: true }),
          tracing
        )
      )
    },
    close: () => runtime.dispose()
  }
}

import { afterEach, expect, it, vi } from "@effect/vitest"
import { cooperatively, type Steps } from "@effect-speech/common/Cooperative"
import * as Effect from "effect/Effect"

afterEach(() => {
  vi.useRealTimers()
})

/** Computes until a condition holds, at most ten seconds. Returns whether it holds. */
function* until(condition: () => boolean): Steps<boolean> {
  for (const end = performance.now() + 10_000; !condition() && performance.now() < end; ) yield
  return condition()
}

it("timers run during a computation, which returns its result", async () => {
  let isOver = false
  setTimeout(() => (isOver = true), 1)
  expect(await Effect.runPromise(cooperatively(until(() => isOver)))).toBe(true)
})

it("two computations share a turn of the event loop, and neither waits for the end of the other", async () => {
  let hasEnded = false
  function* short(): Steps<void> {
    yield
    hasEnded = true
  }
  const long = cooperatively(until(() => hasEnded))
  const [sawTheEnd] = await Effect.runPromise(Effect.all([long, cooperatively(short())], { concurrency: 2 }))
  expect(sawTheEnd).toBe(true)
})

it("a computation continues under the fake timers of a test", async () => {
  vi.useFakeTimers()
  expect(await Effect.runPromise(cooperatively(fixed()))).toBe(50)
})

/** Takes 50 steps of a millisecond. */
function* fixed(): Steps<number> {
  let steps = 0
  for (; steps < 50; steps++) {
    for (let index = 0; index < 1_000_000; index++) Math.sqrt(index)
    yield
  }
  return steps
}

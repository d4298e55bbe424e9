import { afterEach, expect, it, vi } from "@effect/vitest"
import { cooperatively, type Steps } from "@effect-speech/common/Cooperative"
import * as Effect from "effect/Effect"

afterEach(() => {
  vi.useRealTimers()
})

/** Takes 100 ms of a core. Returns how often it was asked for its next step. */
function* busy(): Steps<number> {
  let steps = 0
  for (const end = performance.now() + 100; performance.now() < end; steps++) yield
  return steps
}

it("timers run during a computation, which returns its result", async () => {
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  expect(await Effect.runPromise(cooperatively(busy()))).toBeGreaterThan(0)
  clearInterval(timer)
  expect(ticks).toBeGreaterThan(0)
})

it("two computations share a turn of the event loop, and neither waits for the end of the other", async () => {
  const ended: Array<string> = []
  const run = (name: string, steps: Steps<unknown>) =>
    Effect.map(cooperatively(steps), () => {
      ended.push(name)
    })
  function* short(): Steps<void> {
    yield
  }
  await Effect.runPromise(Effect.all([run("long", busy()), run("short", short())], { concurrency: 2 }))
  expect(ended).toEqual(["short", "long"])
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

import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { inOrder } from "../src/internal/inOrder.js"

/** Runs items that take as many milliseconds as they say. A negative one fails. Records what started and ended. */
const scripted = () => {
  const log: Array<string> = []
  const run = (item: number) =>
    Effect.sync(() => log.push(`start ${item}`)).pipe(
      Effect.zipRight(Effect.sleep(Math.abs(item))),
      Effect.zipRight(Effect.sync(() => log.push(`end ${item}`))),
      Effect.zipRight(item < 0 ? Effect.fail(`failed ${item}`) : Effect.succeed(item)),
      Effect.onInterrupt(() => Effect.sync(() => log.push(`interrupted ${item}`)))
    )
  return { log, run }
}

const ended = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

describe("pieces that run in parallel", () => {
  it.effect("give their results in order, whichever ends first", () =>
    Effect.gen(function* () {
      const { log, run } = scripted()
      const results = Stream.make(30, 10, 24, 5).pipe(inOrder(run, { concurrency: 2, ahead: 4 }), Stream.runCollect)
      expect(Chunk.toReadonlyArray(yield* ended(results))).toEqual([30, 10, 24, 5])
      expect(log.join()).toBe("start 30,start 10,end 10,start 24,end 30,start 5,end 24,end 5")
    })
  )

  it.effect("start only as many ahead of the reader as they may", () =>
    Effect.gen(function* () {
      const { log, run } = scripted()
      const gate = yield* Deferred.make<void>()
      const results = Stream.range(1, 9).pipe(
        inOrder(run, { concurrency: 2, ahead: 3 }),
        Stream.tap(() => Deferred.await(gate)),
        Stream.runCollect
      )
      const fiber = yield* Effect.fork(results)
      yield* TestClock.adjust("1 second")
      expect(log.filter((line) => line.startsWith("start"))).toHaveLength(4)
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("1 second")
      expect(Chunk.size(yield* Fiber.join(fiber))).toBe(9)
    })
  )

  it.effect("end those that run after a failure, start no other, and then fail", () =>
    Effect.gen(function* () {
      const { log, run } = scripted()
      const given: Array<number> = []
      const results = Stream.make(30, -10, 40, 50, 60).pipe(
        inOrder(run, { concurrency: 3, ahead: 6 }),
        Stream.runForEach((result) => Effect.sync(() => given.push(result)))
      )
      expect(yield* Effect.flip(ended(results))).toBe("failed -10")
      expect(given).toEqual([30])
      expect(log).toEqual(["start 30", "start -10", "start 40", "end -10", "end 30", "end 40"])
    })
  )

  it.effect("end before a failure of the source is given", () =>
    Effect.gen(function* () {
      const { log, run } = scripted()
      const given: Array<number> = []
      const results = Stream.make(20, 10).pipe(
        Stream.concat(Stream.fail("the source failed")),
        inOrder(run, { concurrency: 3, ahead: 6 }),
        Stream.runForEach((result) => Effect.sync(() => given.push(result)))
      )
      expect(yield* Effect.flip(ended(results))).toBe("the source failed")
      expect(given).toEqual([20, 10])
      expect(log.filter((line) => line.startsWith("interrupted"))).toEqual([])
    })
  )

  it.effect("are interrupted if the reader is", () =>
    Effect.gen(function* () {
      const { log, run } = scripted()
      const fiber = yield* Stream.make(20, 10, 5).pipe(
        inOrder(run, { concurrency: 2, ahead: 2 }),
        Stream.runDrain,
        Effect.fork
      )
      yield* TestClock.adjust("1 millis")
      yield* Fiber.interrupt(fiber)
      expect(log.toSorted()).toEqual(["interrupted 10", "interrupted 20", "start 10", "start 20"])
    })
  )
})

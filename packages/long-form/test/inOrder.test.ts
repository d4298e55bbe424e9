import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { type InOrderOptions, inOrder } from "../src/internal/inOrder.js"

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

/** Runs items to their end: what was given, how it ended, and what happened meanwhile. */
const ended = (items: Stream.Stream<number, string>, options: InOrderOptions) =>
  Effect.gen(function* () {
    const { log, run } = scripted()
    const given: Array<number> = []
    const fiber = yield* inOrder(
      run,
      options
    )(items).pipe(
      Stream.runForEach((result) => Effect.sync(() => given.push(result))),
      Effect.either,
      Effect.fork
    )
    yield* TestClock.adjust("1 hour")
    return { given, log, end: yield* Fiber.join(fiber) }
  })

describe("pieces that run in parallel", () => {
  it.effect("give their results in order, whichever ends first", () =>
    Effect.gen(function* () {
      const { given, log } = yield* ended(Stream.make(30, 10, 24, 5), { concurrency: 2, ahead: 4 })
      expect(given).toEqual([30, 10, 24, 5])
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
        Stream.runCount
      )
      const fiber = yield* Effect.fork(results)
      yield* TestClock.adjust("1 second")
      expect(log.filter((line) => line.startsWith("start"))).toHaveLength(4)
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toBe(9)
    })
  )

  it.effect("end those that run after a failure, start no other, and then fail", () =>
    Effect.gen(function* () {
      const { end, given, log } = yield* ended(Stream.make(30, -10, 40, 50, 60), { concurrency: 3, ahead: 6 })
      expect([end, given]).toEqual([Either.left("failed -10"), [30]])
      expect(log).toEqual(["start 30", "start -10", "start 40", "end -10", "end 30", "end 40"])
    })
  )

  it.effect("end before a failure of the source is given", () =>
    Effect.gen(function* () {
      const items = Stream.concat(Stream.make(20, 10), Stream.fail("the source failed"))
      const { end, given, log } = yield* ended(items, { concurrency: 3, ahead: 6 })
      expect([end, given]).toEqual([Either.left("the source failed"), [20, 10]])
      expect(log).toEqual(["start 20", "start 10", "end 10", "end 20"])
    })
  )

  it.effect("are interrupted if the reader is", () =>
    Effect.gen(function* () {
      const { log, run } = scripted()
      const results = inOrder(run, { concurrency: 2, ahead: 2 })(Stream.make(20, 10, 5))
      const fiber = yield* Effect.fork(Stream.runDrain(results))
      yield* TestClock.adjust("1 millis")
      yield* Fiber.interrupt(fiber)
      expect(log.toSorted()).toEqual(["interrupted 10", "interrupted 20", "start 10", "start 20"])
    })
  )
})

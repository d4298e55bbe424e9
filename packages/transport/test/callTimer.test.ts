import { describe, expect, it } from "@effect/vitest"
import type { Failure } from "@effect-speech/transport"
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { CallTimer, DeadlineMonitor, outOfScope } from "../src/internal/call/callTimer.js"

const deadlines = { uploadIdle: 10, answer: 40, downloadIdle: 20, total: 100 }

const exceeded = (phase: Failure.DeadlineExceeded["phase"], limitMillis: number) => ({
  _tag: "DeadlineExceeded",
  phase,
  limitMillis
})

/** A timer of a call that begins now, and what it was told to stop. */
const begun = (given = deadlines) =>
  Effect.map(Effect.clock, (clock) => {
    const timer = new CallTimer(clock, given)
    let stopped = 0
    return {
      timer,
      stopped: () => stopped,
      /** Waits until it is told to go on, with what has come. */
      waiting: Effect.gen(function* () {
        let goOn = (_: string): void => undefined
        const fiber = yield* Effect.fork(
          Effect.either(
            timer.wait<string>((resume) => {
              goOn = (word) => resume(Effect.succeed(word))
              return Effect.sync(() => void stopped++)
            })
          )
        )
        yield* Effect.yieldNow()
        return { fiber, goOn: (word: string) => goOn(word) }
      })
    }
  })

describe("what a call waits for", () => {
  it.effect.each([
    { phase: "upload", limit: 10 },
    { phase: "answer", limit: 40 },
    { phase: "download", limit: 20 }
  ] as const)("in the phase $phase is given up after $limit ms, and not before", ({ limit, phase }) =>
    Effect.gen(function* () {
      const { stopped, waiting, timer } = yield* begun()
      timer.begin()
      timer.reach(phase)
      const { fiber } = yield* waiting
      expect(timer.check(0)).toBe(limit)
      expect(timer.check(limit - 1)).toBe(limit)
      expect(stopped()).toBe(0)
      expect(timer.check(limit)).toBe(Number.POSITIVE_INFINITY)
      expect(yield* Fiber.join(fiber)).toMatchObject({ left: exceeded(phase, limit) })
      expect(stopped()).toBe(1)
    })
  )

  it.effect("is given up when all time is up, which is what is told even where a phase has passed too", () =>
    Effect.gen(function* () {
      const { stopped, waiting, timer } = yield* begun({ ...deadlines, downloadIdle: 200, uploadIdle: 100 })
      timer.reach("download")
      const { fiber } = yield* waiting
      expect(timer.check(99)).toBe(100)
      expect(timer.check(100)).toBe(Number.POSITIVE_INFINITY)
      expect(yield* Fiber.join(fiber)).toMatchObject({ left: exceeded("total", 100) })
      expect(stopped()).toBe(1)

      const { waiting: again, timer: other } = yield* begun({ ...deadlines, uploadIdle: 100 })
      const { fiber: both } = yield* again
      other.check(100)
      expect(yield* Fiber.join(both)).toMatchObject({ left: exceeded("total", 100) })
    })
  )

  it.effect("is not begun once all time is up", () =>
    Effect.gen(function* () {
      const { timer } = yield* begun()
      let begins = 0
      const wait = timer.wait<void>((resume) => {
        begins++
        resume(Effect.void)
        return Effect.void
      })
      yield* TestClock.adjust(99)
      expect(timer.left).toBe(1)
      yield* wait
      yield* TestClock.adjust(1)
      expect(yield* Effect.flip(wait)).toEqual(exceeded("total", 100))
      expect(begins).toBe(1)
    })
  )

  it.effect("is no longer timed nor stopped once it has come", () =>
    Effect.gen(function* () {
      const { stopped, waiting, timer } = yield* begun()
      const { fiber, goOn } = yield* waiting
      goOn("come")
      expect(timer.check(50)).toBe(100)
      timer.end()
      expect(yield* Fiber.join(fiber)).toMatchObject({ right: "come" })
      expect(stopped()).toBe(0)
      expect(timer.check(99)).toBe(100)
      expect(timer.check(100)).toBe(Number.POSITIVE_INFINITY)
    })
  )

  it.effect("is no longer timed once it was interrupted, and is stopped", () =>
    Effect.gen(function* () {
      const { stopped, waiting, timer } = yield* begun()
      const { fiber } = yield* waiting
      yield* Fiber.interrupt(fiber)
      expect(stopped()).toBe(1)
      expect(timer.check(50)).toBe(100)
    })
  )

  it.effect("is given up once, whatever else comes", () =>
    Effect.gen(function* () {
      const { stopped, waiting, timer } = yield* begun()
      const { fiber, goOn } = yield* waiting
      timer.check(10)
      expect(timer.check(20)).toBe(100)
      goOn("late")
      timer.end()
      expect(yield* Fiber.join(fiber)).toMatchObject({ left: exceeded("upload", 10) })
      expect(stopped()).toBe(1)
    })
  )

  it.effect("is timed from when it is waited for, or from the last step of its phase", () =>
    Effect.gen(function* () {
      const { waiting, timer } = yield* begun()
      timer.begin()
      yield* TestClock.adjust(7)
      yield* waiting
      expect(timer.check(7)).toBe(17)
      yield* TestClock.adjust(5)
      timer.reach("upload")
      expect(timer.check(12)).toBe(22)
      yield* TestClock.adjust(5)
      timer.begin()
      expect(timer.check(17)).toBe(27)
    })
  )

  it.effect("is the answer still, whatever else is sent once it has begun, until another attempt begins", () =>
    Effect.gen(function* () {
      const { waiting, timer } = yield* begun()
      timer.reach("answer")
      timer.reach("upload")
      timer.reach("download")
      yield* waiting
      yield* TestClock.adjust(5)
      timer.reach("upload")
      timer.reach("answer")
      expect(timer.check(5)).toBe(20)
      timer.reach("download")
      expect(timer.check(5)).toBe(25)
      timer.sent = "all"
      timer.begin()
      expect(timer.sent).toBe("nothing")
      expect(timer.check(5)).toBe(15)
      timer.reach("answer")
      expect(timer.check(5)).toBe(45)
      timer.reach("upload")
      expect(timer.check(5)).toBe(15)
    })
  )

  it.effect("dies at the end of its call, if it is waited for by then", () =>
    Effect.gen(function* () {
      const { stopped, waiting, timer } = yield* begun()
      timer.end()
      const { fiber } = yield* waiting
      timer.end()
      expect(yield* Fiber.await(fiber)).toEqual(yield* Effect.exit(outOfScope))
      expect(stopped()).toBe(1)
    })
  )
})

describe("what is run until a deadline", () => {
  it.effect("gives what comes of it, or its failure", () =>
    Effect.gen(function* () {
      const { timer } = yield* begun()
      const lost: Failure.Failure = { _tag: "ConnectionFailed", reason: "cut", code: undefined }
      expect(yield* timer.run(Effect.succeed(1))).toBe(1)
      expect(yield* Effect.flip(timer.run(Effect.fail(lost)))).toEqual(lost)
    })
  )

  it.effect("is interrupted then, and not waited for", () =>
    Effect.gen(function* () {
      const { timer } = yield* begun()
      const interrupted = yield* Deferred.make<void>()
      const stubborn = Effect.never.pipe(
        Effect.onInterrupt(() => Effect.zipRight(Deferred.succeed(interrupted, undefined), Effect.never))
      )
      // As what is run where nothing may be interrupted.
      const fiber = yield* Effect.fork(Effect.uninterruptible(Effect.flip(timer.run(stubborn))))
      yield* Effect.yieldNow()
      timer.check(10)
      expect(yield* Fiber.join(fiber)).toEqual(exceeded("upload", 10))
      yield* Deferred.await(interrupted)
    })
  )
})

describe("the watchdog", () => {
  /** A clock that keeps how long it was told to sleep, and how many sleep still. */
  const counted = (clock: Clock.Clock) => {
    const sleeps: Array<number> = []
    let asleep = 0
    const counting: Clock.Clock = {
      ...clock,
      unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
      sleep: (duration) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            sleeps.push(Duration.toMillis(duration))
            asleep++
          }),
          () => clock.sleep(duration),
          () => Effect.sync(() => asleep--)
        )
    }
    return { asleep: () => asleep, sleeps, counting }
  }

  const watched = (given = deadlines) =>
    Effect.map(Effect.clock, (clock) => {
      const { asleep, counting, sleeps } = counted(clock)
      const dog = new DeadlineMonitor(counting, given)
      return {
        dog,
        asleep,
        sleeps,
        add: (timer: CallTimer) => Effect.withClock(dog.add(timer), counting)
      }
    })

  it.effect("sleeps until the next deadline, and no longer than the shortest of all", () =>
    Effect.gen(function* () {
      const { add, dog, sleeps } = yield* watched()
      const { waiting, timer } = yield* begun()
      timer.reach("answer")
      const { fiber } = yield* waiting
      yield* add(timer)
      yield* TestClock.adjust(35)
      expect(sleeps.filter((millis) => millis > 0)).toEqual([10, 10, 10, 10])
      yield* TestClock.adjust(4)
      expect(fiber.unsafePoll()).toBe(null)
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toMatchObject({ left: exceeded("answer", 40) })
      dog.remove(timer)
    })
  )

  it.effect("watches all calls in one fiber, which ends with the last of them and begins with the next", () =>
    Effect.gen(function* () {
      const { add, asleep, dog, sleeps } = yield* watched()
      const [one, other] = [yield* begun(), yield* begun()]
      const [first, second] = [yield* one.waiting, yield* other.waiting]
      yield* add(one.timer)
      yield* add(other.timer)
      yield* TestClock.adjust(5)
      expect(sleeps).toEqual([10])
      dog.remove(one.timer)
      yield* TestClock.adjust(5)
      expect(yield* Fiber.join(second.fiber)).toMatchObject({ left: exceeded("upload", 10) })
      expect(first.fiber.unsafePoll()).toBe(null)
      dog.remove(other.timer)
      yield* Effect.yieldNow()
      expect(asleep()).toBe(0)

      yield* add(one.timer)
      yield* TestClock.adjust(0)
      expect(yield* Fiber.join(first.fiber)).toMatchObject({ left: exceeded("upload", 10) })
      dog.remove(one.timer)
    })
  )

  it.effect("lets go of a call that it never watched, as of one that ended before it began", () =>
    Effect.gen(function* () {
      const { dog } = yield* watched()
      const { timer } = yield* begun()
      expect(() => dog.remove(timer)).not.toThrow()
    })
  )

  it.effect("sleeps a day at most, since timers overflow", () =>
    Effect.gen(function* () {
      const year = 365 * 24 * 60 * 60 * 1000
      const { add, dog, sleeps } = yield* watched({ uploadIdle: year, answer: year, downloadIdle: year, total: year })
      const { timer } = yield* begun({ uploadIdle: year, answer: year, downloadIdle: year, total: year })
      yield* add(timer)
      yield* Effect.yieldNow()
      expect(sleeps).toEqual([24 * 60 * 60 * 1000])
      dog.remove(timer)
    })
  )

  it.effect("lets what came while the process was busy be seen before it looks", () =>
    Effect.gen(function* () {
      const { add, dog } = yield* watched()
      const { waiting, timer } = yield* begun()
      const { fiber, goOn } = yield* waiting
      yield* add(timer)
      // It has slept to the end; the answer came meanwhile, and is seen in the next turn of the event loop.
      yield* TestClock.adjust(9)
      yield* Effect.fork(
        Effect.delay(
          Effect.sync(() => goOn("come")),
          1
        )
      )
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toMatchObject({ right: "come" })
      dog.remove(timer)
    })
  )

  it.effect("is interrupted though what begins it can't be", () =>
    Effect.gen(function* () {
      const { add, asleep, dog } = yield* watched()
      const { timer } = yield* begun()
      yield* Effect.uninterruptible(add(timer))
      yield* Effect.yieldNow()
      expect(asleep()).toBe(1)
      dog.remove(timer)
      yield* Effect.yieldNow()
      expect(asleep()).toBe(0)
    })
  )
})

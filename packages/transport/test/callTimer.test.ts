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

/** The timer of a call that begins now, and how often its work was stopped. */
const begin = (given = deadlines) =>
  Effect.map(Effect.clock, (clock) => {
    const timer = new CallTimer(clock, given)
    let stopped = 0
    return {
      timer,
      stopped: () => stopped,
      /** Starts a wait, which ends with `resume`. */
      wait: Effect.gen(function* () {
        let resumeWait = (_: string): void => undefined
        const started = timer.wait<string>((resume) => {
          resumeWait = (value) => resume(Effect.succeed(value))
          return Effect.sync(() => void stopped++)
        })
        const fiber = yield* Effect.fork(Effect.either(started))
        yield* Effect.yieldNow()
        return { fiber, resume: (value: string) => resumeWait(value) }
      })
    }
  })

describe("a wait of a call", () => {
  const early = { ...deadlines, uploadIdle: 100, downloadIdle: 200 }

  it.effect.each([
    { phase: "upload", limit: 10, given: deadlines, expected: exceeded("upload", 10) },
    { phase: "answer", limit: 40, given: deadlines, expected: exceeded("answer", 40) },
    { phase: "download", limit: 20, given: deadlines, expected: exceeded("download", 20) },
    { phase: "download", limit: 100, given: early, expected: exceeded("total", 100) },
    { phase: "upload", limit: 100, given: early, expected: exceeded("total", 100) }
  ] as const)("in the phase $phase fails after $limit ms with $expected", ({ expected, given, limit, phase }) =>
    Effect.gen(function* () {
      const { stopped, timer, wait } = yield* begin(given)
      timer.begin()
      timer.reach(phase)
      const { fiber } = yield* wait
      expect([timer.check(0), timer.check(limit - 1), stopped()]).toEqual([limit, limit, 0])
      expect(timer.check(limit)).toBe(Number.POSITIVE_INFINITY)
      expect(yield* Fiber.join(fiber)).toMatchObject({ left: expected })
      expect(stopped()).toBe(1)
    })
  )

  it.effect("does not start after the total deadline", () =>
    Effect.gen(function* () {
      const { timer } = yield* begin()
      let starts = 0
      const wait = timer.wait<void>((resume) => {
        starts++
        resume(Effect.void)
        return Effect.void
      })
      yield* TestClock.adjust(99)
      expect(timer.left).toBe(1)
      yield* wait
      yield* TestClock.adjust(1)
      expect(yield* Effect.flip(wait)).toEqual(exceeded("total", 100))
      expect(starts).toBe(1)
    })
  )

  it.effect("that has resumed is neither timed nor stopped", () =>
    Effect.gen(function* () {
      const { stopped, timer, wait } = yield* begin()
      const { fiber, resume } = yield* wait
      resume("data")
      expect(timer.check(50)).toBe(100)
      timer.end()
      expect(yield* Fiber.join(fiber)).toMatchObject({ right: "data" })
      expect([timer.check(99), timer.check(100), stopped()]).toEqual([100, Number.POSITIVE_INFINITY, 0])
    })
  )

  it.effect("that is interrupted is stopped, and not timed any more", () =>
    Effect.gen(function* () {
      const { stopped, timer, wait } = yield* begin()
      yield* Fiber.interrupt((yield* wait).fiber)
      expect([stopped(), timer.check(50)]).toEqual([1, 100])
    })
  )

  it.effect("fails only once", () =>
    Effect.gen(function* () {
      const { stopped, timer, wait } = yield* begin()
      const { fiber, resume } = yield* wait
      timer.check(10)
      expect(timer.check(20)).toBe(100)
      resume("late")
      timer.end()
      expect(yield* Fiber.join(fiber)).toMatchObject({ left: exceeded("upload", 10) })
      expect(stopped()).toBe(1)
    })
  )

  it.effect("is timed from its start, or from the latest progress of its phase", () =>
    Effect.gen(function* () {
      const { timer, wait } = yield* begin()
      timer.begin()
      yield* TestClock.adjust(7)
      yield* wait
      expect(timer.check(7)).toBe(17)
      yield* TestClock.adjust(5)
      timer.reach("upload")
      expect(timer.check(12)).toBe(22)
      yield* TestClock.adjust(5)
      timer.begin()
      expect(timer.check(17)).toBe(27)
    })
  )

  it.effect("stays in the download phase until the next attempt, even if the upload goes on", () =>
    Effect.gen(function* () {
      const { timer, wait } = yield* begin()
      for (const phase of ["answer", "upload", "download"] as const) timer.reach(phase)
      yield* wait
      yield* TestClock.adjust(5)
      timer.sent = "all"
      const deadlineAfter = (phase: "upload" | "answer" | "download") => {
        timer.reach(phase)
        return timer.check(5)
      }
      expect([deadlineAfter("upload"), deadlineAfter("answer"), deadlineAfter("download")]).toEqual([20, 20, 25])
      timer.begin()
      expect([timer.sent, timer.check(5)]).toEqual(["nothing", 15])
      expect([deadlineAfter("answer"), deadlineAfter("upload")]).toEqual([45, 15])
    })
  )

  it.effect("dies at the end of its call", () =>
    Effect.gen(function* () {
      const { stopped, timer, wait } = yield* begin()
      timer.end()
      const { fiber } = yield* wait
      timer.end()
      expect(yield* Fiber.await(fiber)).toEqual(yield* Effect.exit(outOfScope))
      expect(stopped()).toBe(1)
    })
  )
})

describe("an effect that is run until a deadline", () => {
  it.effect("returns its result or its failure", () =>
    Effect.gen(function* () {
      const { timer } = yield* begin()
      const lost: Failure.Failure = { _tag: "ConnectionFailed", reason: "cut", code: undefined }
      expect(yield* timer.run(Effect.succeed(1))).toBe(1)
      expect(yield* Effect.flip(timer.run(Effect.fail(lost)))).toEqual(lost)
    })
  )

  it.effect("is interrupted by it, without a wait for its end", () =>
    Effect.gen(function* () {
      const { timer } = yield* begin()
      const interrupted = yield* Deferred.make<void>()
      const stubborn = Effect.never.pipe(
        Effect.onInterrupt(() => Effect.zipRight(Deferred.succeed(interrupted, undefined), Effect.never))
      )
      // The caller may be uninterruptible.
      const fiber = yield* Effect.fork(Effect.uninterruptible(Effect.flip(timer.run(stubborn))))
      yield* Effect.yieldNow()
      timer.check(10)
      expect(yield* Fiber.join(fiber)).toEqual(exceeded("upload", 10))
      yield* Deferred.await(interrupted)
    })
  )
})

describe("the monitor", () => {
  /** A clock that records its sleeps, and counts those that still last. */
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

  const monitored = (given = deadlines) =>
    Effect.map(Effect.clock, (clock) => {
      const { asleep, counting, sleeps } = counted(clock)
      const monitor = new DeadlineMonitor(counting, given)
      return {
        monitor,
        asleep,
        sleeps,
        add: (timer: CallTimer) => Effect.withClock(monitor.add(timer), counting)
      }
    })

  it.effect("sleeps until the next deadline, at most for the shortest of all", () =>
    Effect.gen(function* () {
      const { add, monitor, sleeps } = yield* monitored()
      const { timer, wait } = yield* begin()
      timer.reach("answer")
      const { fiber } = yield* wait
      yield* add(timer)
      yield* TestClock.adjust(35)
      expect(sleeps.filter((millis) => millis > 0)).toEqual([10, 10, 10, 10])
      yield* TestClock.adjust(4)
      expect(fiber.unsafePoll()).toBe(null)
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toMatchObject({ left: exceeded("answer", 40) })
      monitor.remove(timer)
    })
  )

  it.effect("checks all calls in one fiber, which ends with the last call and starts with the next", () =>
    Effect.gen(function* () {
      const { add, asleep, monitor, sleeps } = yield* monitored()
      const [one, other] = [yield* begin(), yield* begin()]
      const [first, second] = [yield* one.wait, yield* other.wait]
      yield* add(one.timer)
      yield* add(other.timer)
      yield* TestClock.adjust(5)
      expect(sleeps).toEqual([10])
      monitor.remove(one.timer)
      yield* TestClock.adjust(5)
      expect(yield* Fiber.join(second.fiber)).toMatchObject({ left: exceeded("upload", 10) })
      expect(first.fiber.unsafePoll()).toBe(null)
      monitor.remove(other.timer)
      yield* Effect.yieldNow()
      expect(asleep()).toBe(0)

      yield* add(one.timer)
      yield* TestClock.adjust(0)
      expect(yield* Fiber.join(first.fiber)).toMatchObject({ left: exceeded("upload", 10) })
      monitor.remove(one.timer)
    })
  )

  it.effect("accepts the removal of a call that it does not know", () =>
    Effect.gen(function* () {
      const { monitor } = yield* monitored()
      const { timer } = yield* begin()
      expect(() => monitor.remove(timer)).not.toThrow()
    })
  )

  it.effect("sleeps for a day at most, because timers overflow", () =>
    Effect.gen(function* () {
      const year = 365 * 24 * 60 * 60 * 1000
      const { add, monitor, sleeps } = yield* monitored({
        uploadIdle: year,
        answer: year,
        downloadIdle: year,
        total: year
      })
      const { timer } = yield* begin({ uploadIdle: year, answer: year, downloadIdle: year, total: year })
      yield* add(timer)
      yield* Effect.yieldNow()
      expect(sleeps).toEqual([24 * 60 * 60 * 1000])
      monitor.remove(timer)
    })
  )

  it.effect("lets data that arrived while the process was busy be processed before it checks", () =>
    Effect.gen(function* () {
      const { add, monitor } = yield* monitored()
      const { timer, wait } = yield* begin()
      const { fiber, resume } = yield* wait
      yield* add(timer)
      // The sleep ends at the same time as the data arrives, one turn of the event loop later.
      yield* TestClock.adjust(9)
      yield* Effect.fork(
        Effect.delay(
          Effect.sync(() => resume("data")),
          1
        )
      )
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toMatchObject({ right: "data" })
      monitor.remove(timer)
    })
  )

  it.effect("is interrupted even if an uninterruptible fiber started it", () =>
    Effect.gen(function* () {
      const { add, asleep, monitor } = yield* monitored()
      const { timer } = yield* begin()
      yield* Effect.uninterruptible(add(timer))
      yield* Effect.yieldNow()
      expect(asleep()).toBe(1)
      monitor.remove(timer)
      yield* Effect.yieldNow()
      expect(asleep()).toBe(0)
    })
  )
})

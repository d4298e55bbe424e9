import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import type * as Failure from "@effect-speech/transport/unstable/Failure"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { CallTimer, DeadlineMonitor } from "../src/internal/timer/callTimer.js"

const deadlines = { uploadIdle: 10, answer: 40, downloadIdle: 20, total: 100 }

const exceeded = (phase: Failure.DeadlineExceeded["phase"], limitMillis: number) => ({
  _tag: "DeadlineExceeded",
  phase,
  limitMillis
})

/** The timer of a call that begins now. */
const begin = (given = deadlines) =>
  Effect.map(Effect.clock, (clock) => {
    const timer = new CallTimer(clock, given)
    timer.begin()
    return {
      timer,
      /** Starts a wait, which ends with `resume`. */
      wait: Effect.gen(function* () {
        let resumeWait = (_: string): void => undefined
        const started = timer.wait<string>((resume) => {
          resumeWait = (value) => resume(Effect.succeed(value))
          return Effect.void
        })
        const fiber = yield* Effect.fork(Effect.either(started))
        yield* Effect.yieldNow()
        return { fiber, resume: (value: string) => resumeWait(value) }
      })
    }
  })

describe("a wait of a call", () => {
  it.effect("stays in the download phase until the next attempt, even if the upload goes on", () =>
    Effect.gen(function* () {
      const { timer, wait } = yield* begin()
      for (const phase of ["answer", "download", "upload", "answer"] as const) timer.reach(phase)
      const { fiber } = yield* wait
      timer.check(20)
      expect(yield* Fiber.join(fiber)).toMatchObject({ left: exceeded("download", 20) })
      timer.begin()
      const next = yield* wait
      timer.check(10)
      expect(yield* Fiber.join(next.fiber)).toMatchObject({ left: exceeded("upload", 10) })
    })
  )

  it.effect("ends at a deadline with the others, even if an earlier one is resumed again meanwhile", () =>
    Effect.gen(function* () {
      const { timer, wait } = yield* begin()
      const first = yield* wait
      first.resume("head")
      expect(yield* Fiber.join(first.fiber)).toMatchObject({ right: "head" })
      const [second, third] = [yield* wait, yield* wait]
      first.resume("the connection was lost")
      timer.check(10)
      for (const { fiber } of [second, third])
        expect(yield* Fiber.join(fiber)).toMatchObject({ left: exceeded("upload", 10) })
    })
  )
})

describe("a wait that has nothing to stop", () => {
  it.effect("can be interrupted, and the next one still has its whole time", () =>
    Effect.gen(function* () {
      const { timer } = yield* begin()
      const endless = timer.wait<string>(() => undefined)
      const abandoned = yield* Effect.fork(endless)
      yield* TestClock.adjust(9)
      yield* Fiber.interrupt(abandoned)
      const next = yield* Effect.fork(Effect.either(endless))
      yield* TestClock.adjust(9)
      timer.check(18)
      expect(next.unsafePoll()).toBeNull()
      timer.check(19)
      expect(yield* Fiber.join(next)).toMatchObject({ left: exceeded("upload", 10) })
    })
  )
})

describe("the monitor", () => {
  const nextTurn = Effect.promise(() => setImmediate())

  /** A monitor whose clock records its sleeps, and counts those that still last. */
  const monitored = () =>
    Effect.map(Effect.clock, (clock) => {
      const sleeps: Array<number> = []
      let asleep = 0
      const counting: Clock.Clock = {
        ...clock,
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
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
      const monitor = new DeadlineMonitor(counting)
      return { asleep: () => asleep, monitor, sleeps }
    })

  it.effect("runs in one fiber, which ends a turn after the last call and starts again with the next", () =>
    Effect.gen(function* () {
      const { asleep, monitor } = yield* monitored()
      const [one, other] = [yield* begin(), yield* begin()]
      // `open` of a transport adds its call in an uninterruptible region.
      yield* Effect.uninterruptible(Effect.sync(() => monitor.add(one.timer)))
      monitor.add(other.timer)
      yield* Effect.yieldNow()
      expect(asleep()).toBe(1)
      for (const { timer } of [one, other]) monitor.remove(timer)
      // A call that starts in the same turn keeps the fiber.
      monitor.add(one.timer)
      yield* nextTurn
      expect(asleep()).toBe(1)
      monitor.remove(one.timer)
      yield* nextTurn
      expect(asleep()).toBe(0)

      const { fiber } = yield* other.wait
      monitor.add(other.timer)
      yield* TestClock.adjust(10)
      expect(yield* Fiber.join(fiber)).toMatchObject({ left: exceeded("upload", 10) })
      monitor.remove(other.timer)
    })
  )

  it.effect("sleeps for a day at most, because timers overflow", () =>
    Effect.gen(function* () {
      const year = 365 * 24 * 60 * 60 * 1000
      const long = { uploadIdle: year, answer: year, downloadIdle: year, total: year }
      const { monitor, sleeps } = yield* monitored()
      const { timer } = yield* begin(long)
      monitor.add(timer)
      yield* Effect.yieldNow()
      expect(sleeps).toEqual([24 * 60 * 60 * 1000])
      monitor.remove(timer)
    })
  )

  it.effect("lets data that arrived while the process was busy be processed before it checks", () =>
    Effect.gen(function* () {
      const { monitor } = yield* monitored()
      const { timer, wait } = yield* begin()
      const { fiber, resume } = yield* wait
      monitor.add(timer)
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
})

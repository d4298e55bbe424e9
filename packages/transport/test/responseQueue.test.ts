import type * as Undici from "@effect/platform-node/Undici"
import { describe, expect, it } from "@effect/vitest"
import type { Failure } from "@effect-speech/transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { CallTimer } from "../src/internal/call/callTimer.js"
import { makeResponseQueue } from "../src/internal/http/responseQueue.js"
import { deadlines } from "./scriptedTransport.js"

const kibibytes = (count: number) => new Uint8Array(count * 1024)

/** A connection that records its pauses and resumptions. */
const connection = () => {
  const signals: Array<string> = []
  const controller = { pause: () => signals.push("pause"), resume: () => signals.push("resume") }
  return { signals, controller: controller as unknown as Undici.Dispatcher.DispatchController }
}
const { controller } = connection()

const queueWith = (TimerOf: typeof CallTimer = CallTimer) =>
  Effect.map(Effect.clock, (clock) => {
    const timer = new TimerOf(clock, { ...deadlines, total: 60_000 })
    return { queue: makeResponseQueue(timer), timer }
  })

const lost: Failure.Failure = { _tag: "ConnectionFailed", reason: "cut", code: undefined }

describe("the queue of a response", () => {
  it.effect("pauses its connection above 256 KiB, and resumes it at half of that", () =>
    Effect.gen(function* () {
      const { queue } = yield* queueWith()
      const { controller, signals } = connection()
      for (const count of [128, 64, 64]) queue.add(kibibytes(count), controller)
      expect(signals).toEqual([])
      queue.add(kibibytes(64), controller)
      expect(signals).toEqual(["pause"])
      yield* queue.pull
      expect(signals).toEqual(["pause"])
      yield* queue.pull
      expect(signals).toEqual(["pause", "resume"])
      yield* queue.pull
      queue.add(kibibytes(192), controller)
      expect(signals).toEqual(["pause", "resume"])
      queue.add(Uint8Array.of(1), controller)
      expect(signals).toEqual(["pause", "resume", "pause"])
    })
  )

  it.effect("ends with the first end or failure", () =>
    Effect.gen(function* () {
      const { queue: whole } = yield* queueWith()
      whole.add(Uint8Array.of(1), controller)
      whole.end()
      whole.end(lost)
      expect([yield* whole.pull, yield* whole.pull, yield* whole.pull]).toEqual([
        Uint8Array.of(1),
        undefined,
        undefined
      ])

      const { queue: cut } = yield* queueWith()
      cut.add(Uint8Array.of(1), controller)
      cut.end(lost)
      cut.end()
      expect(yield* cut.pull).toEqual(Uint8Array.of(1))
      expect(yield* Effect.flip(cut.pull)).toEqual(lost)
    })
  )

  it.effect("wakes a reader that waits, or that is about to wait", () =>
    Effect.gen(function* () {
      const { queue } = yield* queueWith()
      const waiting = yield* Effect.fork(queue.pull)
      yield* Effect.yieldNow()
      queue.add(Uint8Array.of(1), controller)
      expect(yield* Fiber.join(waiting)).toEqual(Uint8Array.of(1))

      const meanwhile: Array<() => void> = []
      class Late extends CallTimer {
        override wait<A>(start: Parameters<typeof CallTimer.prototype.wait<A>>[0]) {
          meanwhile.shift()?.()
          return super.wait(start)
        }
      }
      const { queue: late } = yield* queueWith(Late)
      meanwhile.push(
        () => late.add(Uint8Array.of(2), controller),
        () => late.end()
      )
      expect([yield* late.pull, yield* late.pull]).toEqual([Uint8Array.of(2), undefined])
    })
  )

  it.effect("fails a reader after the download deadline and after the total deadline", () =>
    Effect.gen(function* () {
      const { queue, timer } = yield* queueWith()
      timer.reach("download")
      const waiting = yield* Effect.fork(Effect.flip(queue.pull))
      yield* Effect.yieldNow()
      yield* TestClock.adjust(deadlines.downloadIdle)
      timer.check(deadlines.downloadIdle)
      const paused = { _tag: "DeadlineExceeded", phase: "download", limitMillis: deadlines.downloadIdle }
      expect(yield* Fiber.join(waiting)).toEqual(paused)

      queue.add(Uint8Array.of(1), controller)
      yield* TestClock.adjust(60_000 - deadlines.downloadIdle)
      expect(yield* Effect.flip(queue.pull)).toEqual({ _tag: "DeadlineExceeded", phase: "total", limitMillis: 60_000 })
    })
  )

  it.effect("can't be read after the end of its call", () =>
    Effect.gen(function* () {
      const { queue } = yield* queueWith()
      queue.add(Uint8Array.of(1), controller)
      queue.close()
      queue.add(Uint8Array.of(2), controller)
      yield* TestClock.adjust("1 hour")
      const exit = yield* Effect.exit(queue.pull)
      expect(String(Exit.isFailure(exit) && Cause.squash(exit.cause))).toContain("inside the scope of its call")
    })
  )
})

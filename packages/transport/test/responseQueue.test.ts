import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeResponseQueue } from "../src/internal/http/responseQueue.js"
import { CallTimer } from "../src/internal/timer/callTimer.js"
import { deadlines } from "./scriptedTransport.js"

/** A connection that records its pauses and resumptions. */
const connection = () => {
  const signals: Array<string> = []
  const controller = { pause: () => signals.push("pause"), resume: () => signals.push("resume") }
  return { signals, controller }
}

describe("the queue of a response", () => {
  it.effect("pauses its connection above 256 KiB, and resumes it at half of that", () =>
    Effect.gen(function* () {
      const queue = makeResponseQueue(new CallTimer(yield* Effect.clock, deadlines))
      const { controller, signals } = connection()
      const add = (...kibibytes: ReadonlyArray<number>) => {
        for (const count of kibibytes) queue.add(new Uint8Array(count * 1024), controller)
      }
      add(128, 64, 64)
      expect(signals).toEqual([])
      add(64)
      expect(signals).toEqual(["pause"])
      yield* queue.pull
      expect(signals).toEqual(["pause"])
      yield* queue.pull
      expect(signals).toEqual(["pause", "resume"])
      yield* queue.pull
      add(192)
      expect(signals).toEqual(["pause", "resume"])
      add(1)
      expect(signals).toEqual(["pause", "resume", "pause"])
    })
  )

  it.effect("wakes a reader that is about to wait, and drops chunks after its end", () =>
    Effect.gen(function* () {
      const meanwhile: Array<() => void> = []
      class LateTimer extends CallTimer {
        override wait<A, E = never>(start: Parameters<typeof CallTimer.prototype.wait<A, E>>[0]) {
          meanwhile.shift()?.()
          return super.wait(start)
        }
      }
      const queue = makeResponseQueue(new LateTimer(yield* Effect.clock, deadlines))
      const add = () => queue.add(Uint8Array.of(1), connection().controller)
      meanwhile.push(add)
      expect(yield* queue.pull).toEqual(Uint8Array.of(1))
      queue.close()
      add()
      expect(String(yield* Effect.exit(queue.pull))).toContain("inside the scope of its call")
    })
  )

  it.effect("lets its timer forget an interrupted reader when the next one waits", () =>
    Effect.gen(function* () {
      const waiting = new Set<object>()
      class CountingTimer extends CallTimer {
        override wait<A, E = never>(start: Parameters<typeof CallTimer.prototype.wait<A, E>>[0]) {
          return super.wait<A, E>((resume) => {
            waiting.add(resume)
            return start((outcome) => {
              waiting.delete(resume)
              resume(outcome)
            })
          })
        }
      }
      const { pull } = makeResponseQueue(new CountingTimer(yield* Effect.clock, deadlines))
      for (let reader = 0; reader < 3; reader++) {
        const reading = yield* Effect.fork(pull)
        yield* Effect.yieldNow()
        expect(waiting.size).toBe(1)
        yield* Fiber.interrupt(reading)
      }
    })
  )
})

import type * as Undici from "@effect/platform-node/Undici"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CallTimer } from "../src/internal/call/callTimer.js"
import { makeResponseQueue } from "../src/internal/http/responseQueue.js"
import { deadlines } from "./scriptedTransport.js"

it.effect("the queue of a response pauses its connection above 256 KiB, and resumes it at half of that", () =>
  Effect.gen(function* () {
    const queue = makeResponseQueue(new CallTimer(yield* Effect.clock, deadlines))
    const signals: Array<string> = []
    const controller = { pause: () => signals.push("pause"), resume: () => signals.push("resume") }
    const add = (...kibibytes: ReadonlyArray<number>) => {
      for (const count of kibibytes) {
        queue.add(new Uint8Array(count * 1024), controller as unknown as Undici.Dispatcher.DispatchController)
      }
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

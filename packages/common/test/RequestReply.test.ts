import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { requestReply } from "../src/RequestReply.js"

const threadOf = (source: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new Worker(source, { eval: true })),
    (thread) => Effect.promise(() => thread.terminate())
  )

const onMessage = (statement: string) =>
  `require("node:worker_threads").parentPort.once("message", () => { ${statement} })`

const failureOf = (thread: Worker) => Effect.flip(requestReply(thread, "work")).pipe(Effect.timeout("10 seconds"))

describe("a request to a thread", () => {
  it.scopedLive("fails if the thread ends, or has ended before", () =>
    Effect.gen(function* () {
      const thread = yield* threadOf(onMessage("process.exit()"))
      const ended = once(thread, "exit")
      expect(yield* failureOf(thread)).toBe("its thread ended")
      yield* Effect.promise(() => ended)
      expect(yield* failureOf(thread)).toBe("its thread ended")
    })
  )

  it.scopedLive("fails with what the thread throws", () =>
    Effect.gen(function* () {
      expect(yield* failureOf(yield* threadOf(onMessage('throw new Error("The disk is full.")')))).toBe(
        "The disk is full."
      )
      expect(yield* failureOf(yield* threadOf(onMessage('throw "no error"')))).toBe("no error")
    })
  )
})

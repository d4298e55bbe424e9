import { fileURLToPath } from "node:url"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { openDecoder } from "../src/internal/decoder.js"

const task = {
  path: fileURLToPath(new URL("recordings/cat.mp3", import.meta.url)),
  container: "mp3",
  start: 0,
  end: 1000,
  boxes: [],
  announcedSamples: 0,
  maximumSamples: Number.MAX_SAFE_INTEGER
} as const

it.scoped("a thread that sends nothing for 30 seconds is stuck", () =>
  Effect.gen(function* () {
    const pulling = yield* Effect.fork(Effect.flip(Effect.flatten(openDecoder(task))))
    yield* TestClock.adjust("30 seconds")
    expect(yield* Fiber.join(pulling)).toBe("its decoder got stuck")
  })
)

it.scoped("a thread that ends with an error says so, and the program goes on", () =>
  Effect.gen(function* () {
    const pull = yield* openDecoder({ ...task, path: "/nowhere/call.mp3" })
    expect(yield* Effect.flip(pull)).toBe("its decoder broke down")
  })
)

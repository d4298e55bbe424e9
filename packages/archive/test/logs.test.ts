import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { settle } from "../src/internal/file/failure.js"
import { settings } from "./support/stores.js"

const job = {
  settings,
  file: { run: "run", seq: 1, path: "a.wav", size: 1, modifiedMillis: 0, callId: "id", attempts: 1 }
}

const throwing = Logger.replace(
  Logger.defaultLogger,
  Logger.make(() => {
    throw new Error("the disk is full")
  })
)

it.effect("a defect in a call holds its file, even if the logger throws", () =>
  Effect.gen(function* () {
    expect(yield* settle(job, () => Effect.die("a defect"))).toMatchObject({ _tag: "Held", billing: "unknown" })
  }).pipe(Effect.provide(throwing))
)

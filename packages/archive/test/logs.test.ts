import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { settle } from "../src/internal/worker/settlement.js"

const throwing = Logger.replace(
  Logger.defaultLogger,
  Logger.make(() => {
    throw new Error("the disk is full")
  })
)

it.effect("a defect in a call holds its file, even if the logger throws", () =>
  Effect.gen(function* () {
    expect(yield* settle(Effect.die("a defect"), "hold")).toMatchObject({ _tag: "Held", billing: "unknown" })
  }).pipe(Effect.provide(throwing))
)

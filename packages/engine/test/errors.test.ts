import { expect, it } from "@effect/vitest"
import { RecogniserFailed, VoiceFailed } from "@effect-speech/engine"
import * as Effect from "effect/Effect"

it.effect("an error of an engine passes through structuredClone, also if it failed within a span", () =>
  Effect.gen(function* () {
    for (const Failed of [RecogniserFailed, VoiceFailed]) {
      const failed = new Failed({ reason: "Overloaded", message: "Too many requests wait.", retryAfterMillis: 500 })
      const error = yield* Effect.fail(failed).pipe(Effect.withSpan("engine"), Effect.flip)
      expect(structuredClone(error).message).toBe("Too many requests wait.")
      expect(error).toMatchObject({ reason: "Overloaded", retryAfterMillis: 500 })
    }
  })
)

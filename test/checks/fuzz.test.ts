import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { tryLaw } from "../../checks/fuzz/law.js"
import { topics } from "../../checks/fuzz/topics.js"

describe("with random input", () => {
  it.scopedLive.each(Object.keys(topics))(
    "the laws of %s hold",
    (name) =>
      Effect.gen(function* () {
        for (const [sentence, law] of Object.entries(yield* topics[name] ?? Effect.die(name))) {
          const { failure } = yield* Effect.promise(() => tryLaw(law, 1))
          expect(failure, sentence).toBeUndefined()
        }
      }),
    60_000
  )
})

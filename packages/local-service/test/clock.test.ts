import { fileURLToPath } from "node:url"
import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"

layer(LocalService.layer())("under a TestClock", (it) => {
  it.effect("teaching a recording does not depend on the clock", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      const path = fileURLToPath(new URL("../../audio-decoder/test/recordings/cat.mp3", import.meta.url))
      const teaching = yield* Effect.fork(service.teach({ path, text: "He has a bad cat." }))
      for (let times = 0; times < 10; times++) {
        yield* TestClock.adjust("1 minute")
        yield* Effect.promise(() => new Promise((next) => setTimeout(next, 5)))
      }
      expect(yield* Effect.exit(Fiber.join(teaching))).toMatchObject({ _tag: "Success" })
    })
  )
})

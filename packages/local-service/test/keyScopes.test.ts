import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

layer(LocalService.layer())("the scopes of a key", (it) => {
  it.effect("do not change if one of the new ones does not exist", () =>
    Effect.gen(function* () {
      const { accounts } = yield* LocalService
      const before = yield* accounts.keys
      const unknown = "tts:sing" as "tts:synth"
      const change = accounts.setScopes(before.active?.id ?? "", ["tts:synth", unknown])
      const failure = Cause.squash(yield* Effect.flip(Effect.sandbox(change)))
      expect(failure).toBeInstanceOf(TypeError)
      expect(String(failure)).toMatch(/^TypeError: scopes\.1 must be one of/)
      expect(yield* accounts.keys).toEqual(before)
    })
  )
})

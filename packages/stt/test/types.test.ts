import { expectTypeOf, it } from "@effect/vitest"
import type { SttError, SttForbidden } from "@effect-speech/stt"
import * as Effect from "effect/Effect"

it("a handler of a category gets the errors of that category, and leaves the others", () => {
  const handled = (self: Effect.Effect<string, SttError>) =>
    self.pipe(
      Effect.catchIf(
        (error) => error.category === "account",
        (error) => {
          expectTypeOf(error._tag).toEqualTypeOf<
            "SttInvalidApiKey" | "SttUnauthorized" | "SttCreditExhausted" | "SttForbidden"
          >()
          return Effect.succeed("")
        }
      )
    )
  type Left = Effect.Effect.Error<ReturnType<typeof handled>>
  expectTypeOf<Left>().toEqualTypeOf<Exclude<SttError, { readonly category: "account" }>>()
  expectTypeOf<Extract<Left, SttForbidden>>().toEqualTypeOf<never>()
})

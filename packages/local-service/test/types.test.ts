import type { ServeError } from "@effect/platform/HttpServerError"
import { expectTypeOf, it } from "@effect/vitest"
import { LocalService, type LocalServiceError } from "@effect-speech/local-service"
import type * as Layer from "effect/Layer"

it("the layer requires nothing, and fails only because of its options", () => {
  expectTypeOf(LocalService.layer).returns.toEqualTypeOf<Layer.Layer<LocalService, ServeError | LocalServiceError>>()
})

import type { ServeError } from "@effect/platform/HttpServerError"
import { expectTypeOf, it } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import type * as Layer from "effect/Layer"

it("the layer needs nothing, and fails only where a port can't be had", () => {
  expectTypeOf(LocalService.layer).returns.toEqualTypeOf<Layer.Layer<LocalService, ServeError>>()
})

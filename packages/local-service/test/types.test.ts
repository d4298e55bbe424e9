import type { ServeError } from "@effect/platform/HttpServerError"
import { expectTypeOf, it } from "@effect/vitest"
import { LocalService, type LocalServiceError } from "@effect-speech/local-service"
import type * as Layer from "effect/Layer"

it("the layer needs nothing, and fails only by its options: a port, a data directory or recordings that it can't have, or a value", () => {
  expectTypeOf(LocalService.layer).returns.toEqualTypeOf<Layer.Layer<LocalService, ServeError | LocalServiceError>>()
})

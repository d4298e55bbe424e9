import type { ServeError } from "@effect/platform/HttpServerError"
import { expectTypeOf, it } from "@effect/vitest"
import { LocalService, type LocalServiceError } from "@effect-speech/local-service"
import type * as Layer from "effect/Layer"

it("the layer needs nothing, and fails only where a port, the data directory or recordings can't be had", () => {
  expectTypeOf(LocalService.layer).returns.toEqualTypeOf<Layer.Layer<LocalService, ServeError | LocalServiceError>>()
})

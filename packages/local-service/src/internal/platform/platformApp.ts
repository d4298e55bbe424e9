import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { type Problem, type ProblemToResponse, recoverDefects } from "../http/problems.js"
import type { PlatformOptions } from "./platformRoutes.js"

export const platformProblemToResponse: ProblemToResponse = ({ headers, message, status }) =>
  HttpServerResponse.unsafeJson({ error: message }, { status, headers })

/** The platform: the account API, its OpenAPI document and a page. The first request loads it, so that the start does not wait. */
export const platformApp = (service: PlatformOptions): HttpApp.Default => {
  let routes: HttpApp.Default<Problem> | undefined
  return Effect.promise(() => import("./platformRoutes.js")).pipe(
    Effect.flatMap(({ platformRoutes }) => {
      routes ??= platformRoutes(service)
      return routes
    }),
    recoverDefects,
    Effect.catchAll((problem) => Effect.succeed(platformProblemToResponse(problem, {})))
  )
}

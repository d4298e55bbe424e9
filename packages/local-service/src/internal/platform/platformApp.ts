import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { AccountsService } from "../../Accounts.js"
import type { FaultsService } from "../../Faults.js"
import type { JournalEntry } from "../../Journal.js"
import { type Problem, type ProblemToResponse, recoverDefects } from "../http/problems.js"
import type { IdsAndClockOptions } from "../state/idsAndClock.js"
import type { ServiceDescription } from "./openApiParts.js"

export const platformProblemToResponse: ProblemToResponse = ({ headers, message, status }) =>
  HttpServerResponse.unsafeJson({ error: message }, { status, headers })

/** The parts of the service's handle that the platform uses. */
export interface PlatformOptions extends ServiceDescription {
  readonly adminToken: Redacted.Redacted
  readonly accounts: AccountsService
  readonly faults: FaultsService
  readonly requests: Effect.Effect<ReadonlyArray<JournalEntry>>
  readonly reset: (options: IdsAndClockOptions) => Effect.Effect<void>
}

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

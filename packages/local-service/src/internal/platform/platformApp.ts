import { timingSafeEqual } from "node:crypto"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { AccountsService, KeyNotActive } from "../../Accounts.js"
import type { FaultsService } from "../../Faults.js"
import type { JournalEntry } from "../../Journal.js"
import {
  describeParseError,
  type Problem,
  type ProblemToResponse,
  recoverDefects,
  requestPath
} from "../http/problems.js"
import { readJsonBody } from "../http/requestBodies.js"
import type { IdsAndClockOptions } from "../state/idsAndClock.js"
import type { Described } from "./openApiParts.js"
import { page } from "./page.js"
import { AccountChanges, FaultList, NewKey, Reset, Scopes } from "./platformRequests.js"

const answer = (status: number, body: unknown) => HttpServerResponse.unsafeJson(body, { status })

export const platformProblemToResponse: ProblemToResponse = ({ headers, message, status }) =>
  HttpServerResponse.unsafeJson({ error: message }, { status, headers })

const bodyLimit = 1024 * 1024

const readBody = <A, I>(schema: Schema.Schema<A, I>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const body = yield* readJsonBody(request, { maximumBytes: bodyLimit, idleMillis: 60_000 })
    return yield* Effect.mapError(
      Schema.decodeUnknown(schema, { onExcessProperty: "error" })(body),
      (error): Problem => ({ status: 400, message: describeParseError(error) })
    )
  })

const notActive = ({ known, message }: KeyNotActive): Problem => ({ status: known ? 409 : 404, message })

/** What the platform has in its hand: a part of the service's handle. */
export interface PlatformOptions extends Described {
  readonly adminToken: Redacted.Redacted
  readonly accounts: AccountsService
  readonly faults: FaultsService
  readonly requests: Effect.Effect<ReadonlyArray<JournalEntry>>
  readonly reset: (options: IdsAndClockOptions) => Effect.Effect<void>
}

/** The account platform and the controls: their API is our own, since the contract names what it does and not how. */
export const platformApp = (service: PlatformOptions) => {
  const { accounts, adminToken, faults } = service
  const keyId = Effect.map(HttpRouter.params, ({ id = "" }) => id)
  const listFaults = Effect.map(faults.list, (list) => answer(200, list))

  // Nobody waits at the start for what few ask for.
  const document = Effect.map(
    Effect.promise(() => import("./openApi.js")),
    ({ openApi }) => answer(200, openApi(service))
  )

  const routes = [
    route("GET", "/", Effect.succeed(HttpServerResponse.html(page(service)))),
    route("GET", "/openapi.json", document),
    route(
      "GET",
      "/platform/api/account",
      Effect.map(accounts.account, (account) => answer(200, account))
    ),
    route(
      "PATCH",
      "/platform/api/account",
      Effect.gen(function* () {
        return answer(200, yield* accounts.setAccount(yield* readBody(AccountChanges)))
      })
    ),
    route(
      "GET",
      "/platform/api/keys",
      Effect.map(accounts.keys, (keys) => answer(200, keys))
    ),
    route(
      "POST",
      "/platform/api/keys",
      Effect.gen(function* () {
        const { confirm = false, name } = yield* readBody(NewKey)
        const { key, record } = yield* Effect.mapError(
          accounts.createKey({ name, creator: "platform", confirm }),
          ({ message }): Problem => ({ status: 409, message })
        )
        return answer(201, { ...record, key: Redacted.value(key) })
      })
    ),
    route(
      "POST",
      "/platform/api/keys/:id/revoke",
      Effect.gen(function* () {
        yield* Effect.mapError(accounts.revokeKey(yield* keyId), notActive)
        return answer(200, yield* accounts.keys)
      })
    ),
    route(
      "PATCH",
      "/platform/api/keys/:id",
      Effect.gen(function* () {
        const { scopes } = yield* readBody(Scopes)
        return answer(200, yield* Effect.mapError(accounts.setScopes(yield* keyId, scopes), notActive))
      })
    ),
    route(
      "GET",
      "/platform/api/usage",
      Effect.map(accounts.usage, (usage) => answer(200, usage))
    ),
    route("GET", "/platform/api/faults", listFaults),
    route(
      "PUT",
      "/platform/api/faults",
      Effect.gen(function* () {
        yield* faults.set(yield* readBody(FaultList))
        return yield* listFaults
      })
    ),
    route(
      "GET",
      "/platform/api/requests",
      Effect.map(service.requests, (requests) => answer(200, requests))
    ),
    route(
      "POST",
      "/platform/api/reset",
      Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
        yield* service.reset(hasBody ? yield* readBody(Reset) : {})
        return HttpServerResponse.empty({ status: 204 })
      })
    )
  ]

  return HttpRouter.fromIterable(routes).pipe(
    HttpRouter.use((handle) =>
      Effect.gen(function* () {
        // What decides is the route that was found: a target can be read as more than one path.
        const { route } = yield* HttpRouter.RouteContext
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        return open.includes(route.path) || isAdmin(headers["x-admin-token"], adminToken)
          ? yield* handle
          : yield* Effect.fail<Problem>({ status: 401, message: "X-Admin-Token is missing or wrong" })
      })
    ),
    recoverDefects,
    Effect.catchTag("RouteNotFound", ({ request }) => Effect.fail(notFound(routes, request))),
    Effect.catchAll((problem) => Effect.succeed(platformProblemToResponse(problem, {})))
  )
}

const route = <E, R>(
  method: HttpMethod,
  path: `/${string}`,
  handle: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => HttpRouter.makeRoute(method, path, handle)

/** The paths that anybody may read. */
const open: ReadonlyArray<string> = ["/", "/openapi.json"]

const isAdmin = (given: string | undefined, adminToken: Redacted.Redacted): boolean => {
  const token = Buffer.from(Redacted.value(adminToken))
  const offered = Buffer.from(given ?? "")
  return offered.length === token.length && timingSafeEqual(offered, token)
}

/** 405 where other methods are taken. */
const notFound = (
  routes: ReadonlyArray<{ readonly method: string; readonly path: string }>,
  request: HttpServerRequest.HttpServerRequest
): Problem => {
  const path = requestPath(request)
  const allowed = routes
    .filter((each) => new RegExp(`^${each.path.replaceAll(".", "\\.").replace(":id", "[^/]+")}$`).test(path))
    .map(({ method }) => method)
  // A path that can't be decoded is found for no method, also for one that it would take.
  return allowed.length === 0 || allowed.includes(request.method)
    ? { status: 404, message: "nothing is here; /openapi.json says what is" }
    : { status: 405, message: `${path} takes ${allowed.join(", ")}`, headers: { Allow: allowed.join(", ") } }
}

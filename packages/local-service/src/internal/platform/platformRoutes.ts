import { timingSafeEqual } from "node:crypto"
import * as HttpApi from "@effect/platform/HttpApi"
import type { HttpApiEndpoint } from "@effect/platform/HttpApiEndpoint"
import type { HttpApiGroup } from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { AccountsService, KeyNotActive } from "../../Accounts.js"
import type { FaultsService } from "../../Faults.js"
import type { JournalEntry } from "../../Journal.js"
import type { ReproducibleOptions } from "../../LocalServiceOptions.js"
import { AdminToken, PlatformApi } from "../../PlatformApi.js"
import { BodyOptional } from "../bodyOptional.js"
import { badRequest, describeParseError, methodNotAllowed, type Problem, requestPath } from "../http/problems.js"
import { readJsonBody } from "../http/requestBodies.js"
import type { ServiceDescription } from "./openApiParts.js"
import { page } from "./page.js"

/** The parts of the service's handle that the platform uses. */
export interface PlatformOptions extends ServiceDescription {
  readonly adminToken: Redacted.Redacted
  readonly accounts: AccountsService
  readonly faults: FaultsService
  readonly requests: Effect.Effect<ReadonlyArray<JournalEntry>>
  readonly reset: (options: ReproducibleOptions) => Effect.Effect<void>
}

type Endpoint =
  typeof PlatformApi extends HttpApi.HttpApi<string, infer Group, infer _E, infer _R>
    ? HttpApiGroup.Endpoints<Group>
    : never

/** A handler for each endpoint. It returns the declared success, or a response of its own. */
type Handlers = {
  readonly [Each in Endpoint as HttpApiEndpoint.Name<Each>]: (
    request: Omit<HttpApiEndpoint.Request<Each>, "request">
  ) => Effect.Effect<HttpApiEndpoint.Success<Each> | HttpServerResponse.HttpServerResponse, Problem>
}

const makeHandlers = (service: PlatformOptions): Handlers => {
  const { accounts, faults } = service
  return {
    page: () => Effect.succeed(HttpServerResponse.html(page(service))),
    openApi: () =>
      Effect.map(
        Effect.promise(() => import("./openApi.js")),
        ({ openApi }) => openApi(service)
      ),
    account: () => accounts.account,
    changeAccount: ({ payload }) => accounts.setAccount(payload),
    keys: () => accounts.keys,
    createKey: ({ payload: { confirm = false, name } }) =>
      Effect.mapBoth(accounts.createKey({ name, creator: "platform", confirm }), {
        onFailure: ({ message }) => ({ status: 409, message }),
        onSuccess: ({ key, record }) => ({ ...record, key })
      }),
    revokeKey: ({ path }) => Effect.zipRight(Effect.mapError(accounts.revokeKey(path.id), keyProblem), accounts.keys),
    changeKey: ({ path, payload }) => Effect.mapError(accounts.setScopes(path.id, payload.scopes), keyProblem),
    usage: () => accounts.usage,
    faults: () => faults.list,
    setFaults: ({ payload }) => Effect.zipRight(faults.set(payload), faults.list),
    requests: () => service.requests,
    reset: ({ payload }) => service.reset(payload),
    events: () => notYet,
    about: () => notYet,
    speech: () => notYet,
    transcripts: () => notYet,
    recordings: () => notYet,
    signIn: () => notYet,
    signOut: () => notYet,
    file: () => notYet
  }
}

/** The routes of the console are declared, and follow. */
const notYet = Effect.fail<Problem>({ status: 404, message: "the console is not here yet" })

const keyProblem = ({ known, message }: KeyNotActive): Problem => ({ status: known ? 409 : 404, message })

/**
 * The routes of `PlatformApi`. They are not made by HttpApiBuilder, which reads bodies without limits, accepts unknown
 * fields, and has error responses of its own.
 */
export const platformRoutes = (service: PlatformOptions) => {
  const handlers = makeHandlers(service)
  const routes: Array<HttpRouter.Route<Problem>> = []
  HttpApi.reflect(PlatformApi, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, mergedAnnotations, middleware }) => {
      const handle: (request: never) => Effect.Effect<unknown, Problem> = handlers[endpoint.name as keyof Handlers]
      const authorize = (middleware as ReadonlySet<unknown>).has(AdminToken)
        ? checkToken(service.adminToken)
        : Effect.void
      const readPayload = Option.match(endpoint.payloadSchema, {
        onNone: () => Effect.void,
        onSome: (schema) => readBody(schema, Context.get(mergedAnnotations, BodyOptional))
      })
      const toResponse = encodeSuccess(endpoint.successSchema)
      routes.push(
        HttpRouter.makeRoute(
          endpoint.method,
          endpoint.path,
          Effect.gen(function* () {
            yield* authorize
            const request = { path: yield* HttpRouter.params, payload: yield* readPayload }
            return yield* toResponse(yield* handle(request as never))
          })
        )
      )
    }
  })
  return Effect.catchTag(HttpRouter.fromIterable(routes), "RouteNotFound", ({ request }) =>
    Effect.fail(notFound(routes, request))
  )
}

const checkToken = (adminToken: Redacted.Redacted) =>
  Effect.gen(function* () {
    const { key } = AdminToken.security.adminToken
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const expected = Buffer.from(Redacted.value(adminToken))
    const given = Buffer.from(headers[key.toLowerCase()] ?? "")
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      return yield* Effect.fail<Problem>({ status: 401, message: `${key} is missing or wrong` })
    }
  })

const bodyLimits = { maximumBytes: 1024 * 1024, idleMillis: 60_000 }

const readBody = <A>(schema: Schema.Schema<A, unknown>, optional: boolean) => {
  const decode = Schema.decodeUnknown(schema, { onExcessProperty: "error" })
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { "content-length": length = 0, "transfer-encoding": encoding } = request.headers
    const isAbsent = optional && encoding === undefined && Number(length) === 0
    const body = isAbsent ? {} : yield* readJsonBody(request, bodyLimits)
    return yield* Effect.mapError(decode(body), (error) => badRequest(describeParseError(error)))
  })
}

const encodeSuccess = <A>(schema: Schema.Schema<A, unknown>) => {
  const status = HttpApiSchema.getStatusSuccess(schema)
  const encode = Schema.encodeUnknown(schema)
  return (value: unknown): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    if (HttpServerResponse.isServerResponse(value)) return Effect.succeed(value)
    if (HttpApiSchema.isVoid(schema.ast)) return Effect.succeed(HttpServerResponse.empty({ status }))
    return Effect.map(Effect.orDie(encode(value)), (body) => HttpServerResponse.unsafeJson(body, { status }))
  }
}

/** 405 if the path has other methods, else 404. */
const notFound = (
  routes: ReadonlyArray<{ readonly method: string; readonly path: string }>,
  request: HttpServerRequest.HttpServerRequest
): Problem => {
  const path = requestPath(request)
  const allowed = routes
    .filter((each) => new RegExp(`^${each.path.replaceAll(".", "\\.").replace(":id", "[^/]+")}$`).test(path))
    .map(({ method }) => method)
  // The router finds no route for a path that can't be decoded, even if the method is allowed.
  return allowed.length === 0 || allowed.includes(request.method)
    ? { status: 404, message: "nothing is here; /openapi.json lists all paths" }
    : methodNotAllowed(path, allowed)
}

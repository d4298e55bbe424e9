import * as HttpApi from "@effect/platform/HttpApi"
import type { HttpApiEndpoint } from "@effect/platform/HttpApiEndpoint"
import type { HttpApiGroup } from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { withoutLink } from "@effect-speech/common/ErrorPage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { AccountsService, LocalServiceKeyNotActive } from "../../Accounts.js"
import type { FaultsService } from "../../Faults.js"
import type { JournalEntry } from "../../Journal.js"
import type { ReproducibleOptions } from "../../LocalServiceOptions.js"
import type { Model } from "../../Models.js"
import { AdminToken, PlatformApi } from "../../PlatformApi.js"
import { authorize, cookieName, signIn, signOut } from "../console/browser.js"
import type { Calls } from "../console/calls.js"
import { eventsResponse } from "../console/events.js"
import { consoleFile, consolePage } from "../console/files.js"
import { audioResponse, detailsOf, findRequest } from "../console/requestDetails.js"
import type { Sessions } from "../console/sessions.js"
import { badRequest, describeParseError, methodNotAllowed, type Problem, requestPath } from "../http/problems.js"
import { readJsonBody } from "../http/requestBodies.js"
import type { Changes } from "../journal/changes.js"
import type { JournalService, RequestCount } from "../journal/journal.js"
import { BodyOptional } from "./bodyOptional.js"
import { metricsText, metricsType } from "./metrics.js"
import { readinessOf } from "./models.js"
import type { ServiceDescription } from "./openApiParts.js"

/** The parts of the service's handle that the platform uses. */
export interface PlatformOptions extends ServiceDescription {
  readonly sessions: Sessions
  readonly accounts: AccountsService
  readonly faults: FaultsService
  readonly requests: Effect.Effect<ReadonlyArray<JournalEntry>>
  readonly counts: Effect.Effect<ReadonlyArray<RequestCount>>
  readonly journal: Pick<JournalService, "find" | "empty">
  /** The models at this moment. */
  readonly models: Effect.Effect<ReadonlyArray<Model>>
  readonly reset: (options: ReproducibleOptions) => Effect.Effect<void>
  readonly changes: Changes
  /** Loads the clients, with which the console calls both operations. */
  readonly calls: Effect.Effect<Calls>
}

type Endpoint =
  typeof PlatformApi extends HttpApi.HttpApi<string, infer Group, infer _E, infer _R>
    ? HttpApiGroup.Endpoints<Group>
    : never

/** A handler for each endpoint. It returns the declared success, or a response of its own. */
type Handlers = {
  readonly [Each in Endpoint as HttpApiEndpoint.Name<Each>]: (
    request: Omit<HttpApiEndpoint.Request<Each>, "request">
  ) => Effect.Effect<
    HttpApiEndpoint.Success<Each> | HttpServerResponse.HttpServerResponse,
    Problem,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >
}

const makeHandlers = (service: PlatformOptions): Handlers => {
  const { accounts, calls, changes, counts, faults, journal, models, sessions } = service
  return {
    health: () => Effect.succeed(HttpServerResponse.unsafeJson({ status: "ok" }, notStored)),
    ready: () =>
      Effect.map(models, (all) => {
        const readiness = readinessOf(all)
        return HttpServerResponse.unsafeJson(readiness, { status: readiness.ready ? 200 : 503, ...notStored })
      }),
    metrics: () =>
      Effect.map(Effect.all({ counts, usage: accounts.usage, models }), (read) =>
        HttpServerResponse.text(metricsText(read), { contentType: metricsType, ...notStored })
      ),
    page: () => consolePage(service),
    file: ({ path }) => consoleFile(path.file),
    signIn: ({ payload }) => signIn(sessions, payload),
    signOut: () => signOut(sessions),
    openApi: () =>
      Effect.gen(function* () {
        const { openApi } = yield* Effect.promise(() => import("./openApi.js"))
        return openApi(service, cookieName(yield* HttpServerRequest.HttpServerRequest))
      }),
    account: () => accounts.account,
    changeAccount: ({ payload }) => accounts.setAccount(payload),
    keys: () => accounts.keys,
    createKey: ({ payload: { confirm = false, name } }) =>
      Effect.mapBoth(accounts.createKey({ name, creator: "platform", confirm }), {
        onFailure: ({ message }) => ({ status: 409, message: withoutLink(message) }),
        onSuccess: ({ key, record }) => ({ ...record, key })
      }),
    revokeKey: ({ path }) => Effect.zipRight(Effect.mapError(accounts.revokeKey(path.id), keyProblem), accounts.keys),
    changeKey: ({ path, payload }) => Effect.mapError(accounts.setScopes(path.id, payload.scopes), keyProblem),
    usage: () => accounts.usage,
    faults: () => faults.list,
    setFaults: ({ payload }) => Effect.zipRight(faults.set(payload), faults.list),
    faultReport: () => faults.report,
    requests: () => service.requests,
    clearRequests: () => journal.empty,
    request: ({ path }) => Effect.flatMap(findRequest(journal, path.number), detailsOf),
    requestAudio: ({ path }) => Effect.flatMap(findRequest(journal, path.number), audioResponse),
    replayRequest: ({ path }) =>
      Effect.flatMap(Effect.all([calls, findRequest(journal, path.number)]), ([{ replay }, found]) => replay(found)),
    reset: ({ payload }) => service.reset(payload),
    events: () => eventsResponse(changes, sessions),
    models: () => models,
    about: () => Effect.map(calls, ({ about }) => about),
    speech: ({ payload }) => Effect.flatMap(calls, ({ speech }) => speech(payload)),
    transcripts: ({ urlParams }) => Effect.flatMap(calls, ({ transcript }) => transcript(urlParams)),
    recordings: ({ urlParams }) => Effect.flatMap(calls, ({ teach }) => teach(urlParams)),
    waveforms: () => Effect.flatMap(calls, ({ waveform }) => waveform)
  }
}

const notStored = { headers: { "Cache-Control": "no-store" } }

const keyProblem = ({ known, message }: LocalServiceKeyNotActive): Problem => ({
  status: known ? 409 : 404,
  message: withoutLink(message)
})

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
      const handle: (request: never) => ReturnType<Handlers[keyof Handlers]> = handlers[endpoint.name as keyof Handlers]
      const authorized = (middleware as ReadonlySet<unknown>).has(AdminToken)
        ? authorize(service.sessions)
        : Effect.void
      const readPayload = Option.match(endpoint.payloadSchema, {
        onNone: () => Effect.void,
        // The handler reads a body of bytes itself.
        onSome: (schema) =>
          HttpApiSchema.getEncoding(schema.ast).kind === "Json"
            ? readBody(schema, Context.get(mergedAnnotations, BodyOptional))
            : Effect.void
      })
      const readUrlParams = Option.match(endpoint.urlParamsSchema, { onNone: () => Effect.void, onSome: readQuery })
      const readPath = Option.match(endpoint.pathSchema, { onNone: () => Effect.void, onSome: readParams })
      const toResponse = encodeSuccess(endpoint.successSchema)
      routes.push(
        HttpRouter.makeRoute(
          endpoint.method,
          endpoint.path,
          Effect.gen(function* () {
            yield* authorized
            const request = {
              path: yield* readPath,
              urlParams: yield* readUrlParams,
              payload: yield* readPayload
            }
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

const readQuery = <A>(schema: Schema.Schema<A, unknown>) => {
  const decode = Schema.decodeUnknown(schema, { onExcessProperty: "error" })
  return Effect.gen(function* () {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const query = Object.fromEntries(new URL(url, "http://localhost").searchParams)
    return yield* Effect.mapError(decode(query), (error) => badRequest(describeParseError(error)))
  })
}

/** A path whose parameters can't be decoded names nothing. */
const readParams = <A>(schema: Schema.Schema<A, unknown>) => {
  const decode = Schema.decodeUnknown(schema)
  return Effect.flatMap(HttpRouter.params, (params) =>
    Effect.mapError(decode(params), (): Problem => ({ status: 404, message: nothingHere }))
  )
}

const nothingHere = "nothing is here; /openapi.json lists all paths"

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
    .filter((each) => new RegExp(`^${each.path.replaceAll(".", "\\.").replace(/:\w+/, "[^/]+")}$`).test(path))
    .map(({ method }) => method)
  // The router finds no route for a path that can't be decoded, even if the method is allowed.
  return allowed.length === 0 || allowed.includes(request.method)
    ? { status: 404, message: nothingHere }
    : methodNotAllowed(path, allowed)
}

import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import type { OperationName } from "../../OperationName.js"
import { Faults } from "../faults/faults.js"
import { injectFault } from "../faults/injectFault.js"
import { type Problem, type ProblemToResponse, recoverDefects, routingProblem } from "../http/problems.js"
import { monotonicMillis } from "../realTime.js"
import { IdsAndClock } from "../state/idsAndClock.js"
import { Journal, type OpenEntry } from "../state/journal.js"

export interface Operation<R> {
  readonly name: OperationName
  readonly path: string
  /** The request's id, if the operation has one before its response. */
  readonly idOf?: (headers: Readonly<IncomingHttpHeaders>) => string
  /** Authorises the request, does the work and returns a response that bills itself. */
  readonly work: (
    request: HttpServerRequest.HttpServerRequest,
    entry: OpenEntry
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, Problem, R>
  readonly problemToResponse: ProblemToResponse
  /** Longest time without a byte of a request body that is discarded, in milliseconds. */
  readonly bodyIdleMillis: number
}

/** Handles one request of an operation: routes it, writes it to the journal, and runs the work or a fault. */
export const operationHandler = <R>({ problemToResponse, bodyIdleMillis, idOf, name, path, work }: Operation<R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const respondTo = (problem: Problem) => problemToResponse(problem, request.headers)
    const wrongRoute = routingProblem(request, path)
    if (wrongRoute !== undefined) return respondTo(wrongRoute)

    const { now } = yield* IdsAndClock
    const startedAt = monotonicMillis()
    const entry = yield* (yield* Journal).begin({ operation: name, at: now() })
    entry.id = idOf?.(request.headers) ?? null
    yield* markIfAbandoned(entry, NodeHttpServerRequest.toServerResponse(request))

    const fault = yield* (yield* Faults).next(name)
    if (fault !== undefined) entry.outcome = "faulted"

    const worked = work(request, entry).pipe(
      recoverDefects,
      Effect.catchAll((problem) => Effect.succeed(respondTo(problem)))
    )
    const response = yield* fault === undefined
      ? worked
      : injectFault(fault, { request, respondTo, bodyIdleMillis }, worked)

    entry.status = response.status
    entry.millis = Math.round(monotonicMillis() - startedAt)
    if (fault === undefined) entry.outcome = "answered"
    return response
  })

/** If the scope closes before the whole response is written, the entry's outcome becomes `abandoned`. */
const markIfAbandoned = (entry: OpenEntry, nodeResponse: ServerResponse) =>
  Effect.suspend(() => {
    let isCutOff = false
    // Must be the first listener: a later one ends the response of a disconnected client, as if it were whole.
    nodeResponse.prependOnceListener("close", () => {
      isCutOff = !nodeResponse.writableEnded
    })
    return Effect.addFinalizer(() =>
      Effect.sync(() => {
        const isWhole = entry.outcome !== "underWay" && !isCutOff && nodeResponse.writableEnded
        if (!isWhole && entry.outcome !== "faulted") entry.outcome = "abandoned"
      })
    )
  })

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { retryAfterMillis } from "@effect-speech/transport/unstable/RetryAfter"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { OperationName } from "../../OperationName.js"
import type { Hold } from "../account/accounts.js"
import { Faults, type ObservedRequest } from "../faults/faults.js"
import { type BodyObserver, injectFault } from "../faults/injectFault.js"
import type { IdentityReader } from "../faults/observations.js"
import { wasClosedHere } from "../http/closedConnections.js"
import { type Problem, type ProblemToResponse, recoverDefects, routingProblem } from "../http/problems.js"
import { isFromForeignPage } from "../http/webPages.js"
import type { KeptBody } from "../journal/details.js"
import type { OpenEntry } from "../journal/entry.js"
import { Journal, type JournalService } from "../journal/journal.js"
import { monotonicMillis, wallMillis } from "../realTime.js"
import { billOnLastByte } from "./billOnLastByte.js"
import { IdsAndClock } from "./idsAndClock.js"
import { observeResponse } from "./observeResponse.js"

export interface ServedOperation<R> {
  readonly name: OperationName
  readonly path: string
  /** The ids of a request, if the operation has them before its response. */
  readonly idsOf?: (headers: Readonly<IncomingHttpHeaders>) => Pick<OpenEntry, "id" | "parent">
  /** Authorises the request, does the work and returns a response with the credit to debit for it. */
  readonly work: (request: HttpServerRequest.HttpServerRequest, entry: OpenEntry) => Effect.Effect<Worked, Problem, R>
  readonly problemToResponse: ProblemToResponse
  /** Reads the fields of a request for the journal from its body. It is used if a fault is the response. */
  readonly readFields: (
    headers: Readonly<IncomingHttpHeaders>,
    entry: OpenEntry,
    journal: JournalService
  ) => FieldsReader
  /** The id that the headers of a request have. `null`: none. `undefined`: an id is in the body, if there is one. */
  readonly sentId: (headers: Readonly<IncomingHttpHeaders>) => string | null | undefined
  /** Reads what attempts of one call have in common from the body of a request. It is used while faults are set. */
  readonly readIdentity: (headers: Readonly<IncomingHttpHeaders>) => IdentityReader
  /** Longest time without a byte of a request body that is discarded, in milliseconds. */
  readonly bodyIdleMillis: number
}

export interface Worked {
  readonly response: HttpServerResponse.HttpServerResponse
  /** `undefined`: the call costs nothing. */
  readonly hold: Hold | undefined
}

/** Reads a body that is not worked on, chunk by chunk. */
export interface FieldsReader {
  /** Wait for the result, if there is one, before you write more. */
  readonly write: (chunk: Uint8Array) => Promise<void> | undefined
  readonly end: () => Promise<ReadBody>
}

/** What was read of a body. */
export interface ReadBody {
  /** `undefined` if the body can't be read. */
  readonly fields: Readonly<Record<string, unknown>> | undefined
  readonly body: KeptBody | undefined
}

/** Handles one request of an operation: routes it, refuses that of a foreign web page, writes it to the journal, and runs the work or a fault. */
export const operationHandler = <R>({
  problemToResponse,
  bodyIdleMillis,
  idsOf,
  name,
  path,
  readFields,
  readIdentity,
  sentId,
  work
}: ServedOperation<R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const respondTo = (problem: Problem) => problemToResponse(problem, request.headers)
    const wrongRoute = routingProblem(request, path)
    if (wrongRoute !== undefined) return respondTo(wrongRoute)

    // Before the journal and the faults: any page of the web can send requests here, and they would change both.
    if (isFromForeignPage(request.headers)) return respondTo(foreignPage)

    const { now } = yield* IdsAndClock
    const startedAt = monotonicMillis()
    const journal = yield* Journal
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    const entry = journal.begin({ operation: name, at: now(), incoming })
    Object.assign(entry, idsOf?.(request.headers))
    const observed = (yield* Faults).arrived(entry)
    yield* markEnd(entry, journal, NodeHttpServerRequest.toServerResponse(request), observed)
    if (observed !== undefined) {
      observed.identified({ id: sentId(request.headers) })
      observeBody(incoming, readIdentity(request.headers), observed)
    }

    const fault = observed?.fault
    if (fault !== undefined) {
      entry.outcome = "faulted"
      entry.fault = observed?.faultNumber
      journal.keepDetails(entry, { fault })
    }

    let done: Worked | undefined
    const worked = work(request, entry).pipe(
      Effect.map((result) => {
        done = result
        return result.response
      }),
      recoverDefects,
      Effect.catchAll((problem) => {
        noteRefusal(entry, problem)
        return Effect.succeed(respondTo(problem))
      })
    )
    const response = yield* fault === undefined
      ? worked
      : injectFault(
          fault,
          {
            request,
            respondTo,
            bodyIdleMillis,
            observer: observerOf(readFields(request.headers, entry, journal), entry, journal)
          },
          worked
        )

    observed?.responded(response.status, retryAfterMillis(response.headers["retry-after"], wallMillis()) ?? null)
    entry.status = response.status
    entry.millis = Math.round(monotonicMillis() - startedAt)
    if (fault === undefined) entry.outcome = "answered"
    const observer = observeResponse(entry, journal, { operation: name, response, worked: done?.response })
    journal.publish(entry)
    yield* billOnLastByte(request, response, done?.hold, observer)
    return response
  })

const refusals = {
  UnknownKey: "unknownKey",
  AccountNotActive: "accountNotActive",
  MissingScope: "missingScope",
  NoCredit: "noCredit"
} as const

/** The response of a synthesis does not say why a call was refused. The journal does. */
const noteRefusal = (entry: OpenEntry, { refusal }: Problem): void => {
  if (refusal === undefined) return
  entry.refusal = refusals[refusal._tag]
  entry.refusedKeyId = refusal.keyId
}

const foreignPage: Problem = {
  status: 401,
  message: "a web page of another origin can't call this service; call it from a server, which keeps the key"
}

/**
 * Reads the identity of a request while its body is read. A listener that is added by `prependListener` does not start to read, unlike
 * one that is added by `on`, and does not change how the body is read.
 */
const observeBody = (incoming: IncomingMessage, { end, write }: IdentityReader, { identified }: ObservedRequest) => {
  incoming.prependListener("data", write)
  incoming.prependOnceListener("end", () => {
    void end().then((identity) => {
      if (identity !== undefined) identified(identity)
    })
  })
}

/** Keeps a body that is discarded. */
const observerOf = (
  fields: FieldsReader,
  entry: OpenEntry,
  { keepDetails, keepRequest }: JournalService
): BodyObserver => ({
  onChunk: fields.write,
  onEnd: Effect.map(Effect.promise(fields.end), ({ body, fields }) => {
    if (fields !== undefined) keepRequest(entry, fields)
    keepDetails(entry, { body })
  })
})

/**
 * Ends the entry when the scope closes. If that is before the whole response is written, the outcome becomes `abandoned`.
 */
const markEnd = (
  entry: OpenEntry,
  journal: JournalService,
  nodeResponse: ServerResponse,
  observed: ObservedRequest | undefined
) =>
  Effect.flatMap(Effect.scope, (scope) => {
    let isCutOff = false
    // Must be the first listener: a later one ends the response of a disconnected client, as if it were whole.
    nodeResponse.prependOnceListener("close", () => {
      isCutOff = !nodeResponse.writableEnded
    })
    // `Effect.addFinalizer` would also restore fiber refs, at a tenth of the cost of a call.
    return Scope.addFinalizer(
      scope,
      Effect.sync(() => {
        const isWhole = entry.outcome !== "underWay" && !isCutOff && nodeResponse.writableEnded
        observed?.ended(isWhole)
        if (!isWhole && entry.outcome !== "faulted") entry.outcome = "abandoned"
        if (isCutOff && !wasClosedHere(nodeResponse.req.socket)) entry.clientLeft = true
        // Says of a request without a response that it has ended.
        entry.sentBytes ??= 0
        journal.end(entry)
      })
    )
  })

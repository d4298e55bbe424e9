import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import * as Headers from "@effect/platform/Headers"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Fault } from "../../Faults.js"
import type { OperationName } from "../../OperationName.js"
import { Faults } from "../faults/faults.js"
import { type AnswerProblem, misrouted, type Problem, recoverDefects, tooSlow } from "../http/requests.js"
import { Stamps } from "../state/idsAndClock.js"
import { Journal, type OpenEntry } from "../state/journal.js"

export interface Operation {
  readonly name: OperationName
  readonly path: string
  readonly answerProblem: AnswerProblem
  /** The id of a request, where it has one before its answer. */
  readonly idOf?: (headers: Readonly<IncomingHttpHeaders>) => string
  /** How long nothing may come of a body that nobody reads, in milliseconds. */
  readonly bodyIdleMillis: number
}

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** What both operations do around their work: they are at one path, are written down, and fail where that is asked for. */
export const operation = <R>(
  { answerProblem, bodyIdleMillis, idOf, name, path }: Operation,
  work: (request: Request, entry: OpenEntry) => Effect.Effect<Response, Problem, R>
) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const answer = (problem: Problem) => answerProblem(problem, request.headers)
    const elsewhere = misrouted(request, path)
    if (elsewhere !== undefined) return answer(elsewhere)

    const { now } = yield* Stamps
    const arrived = performance.now()
    const entry = yield* (yield* Journal).begin({ operation: name, at: now() })
    entry.id = idOf?.(request.headers) ?? null
    const nodeResponse = NodeHttpServerRequest.toServerResponse(request)
    let isCutOff = false
    // Before all others: what ends the work for a client that has gone ends its response too, as if that were whole.
    nodeResponse.prependOnceListener("close", () => {
      isCutOff = !nodeResponse.writableEnded
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (entry.outcome === "underWay" || isCutOff || !nodeResponse.writableEnded) {
          entry.outcome = entry.outcome === "faulted" ? "faulted" : "abandoned"
        }
      })
    )
    const fault = yield* (yield* Faults).next(name)
    if (fault !== undefined) entry.outcome = "faulted"

    const response = yield* work(request, entry).pipe(
      recoverDefects((message): Problem => ({ status: 500, message })),
      Effect.catchAll((problem) => Effect.succeed(answer(problem))),
      (answered) => (fault === undefined ? answered : failing(answered, fault, { answer, bodyIdleMillis, request }))
    )
    entry.status = response.status
    entry.millis = Math.round(performance.now() - arrived)
    if (fault === undefined) entry.outcome = "answered"
    return response
  })

interface Around {
  readonly answer: (problem: Problem) => Response
  readonly bodyIdleMillis: number
  readonly request: Request
}

/** The work with a failure that was asked for in its place, or done to its answer. */
const failing = <E, R>(
  answered: Effect.Effect<Response, E, R>,
  fault: Fault,
  { answer, bodyIdleMillis, request }: Around
) =>
  Effect.gen(function* () {
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    const nodeResponse = NodeHttpServerRequest.toServerResponse(request)
    if (fault.reset === "request") return yield* resetConnection(incoming)

    const inPlace =
      fault.reset !== undefined ||
      fault.malformedHeader !== undefined ||
      fault.status !== undefined ||
      fault.body !== undefined
    if (inPlace && !(yield* discardBody(incoming, bodyIdleMillis))) return answer(tooSlow(bodyIdleMillis))
    const { body, message = "this failure was asked for", status = 200 } = fault
    const response = !inPlace
      ? yield* answered
      : body === undefined
        ? answer({ status, message })
        : HttpServerResponse.text(body, { status })

    yield* Effect.sleep(fault.delayMillis ?? 0)
    if (fault.reset === "answer") return yield* resetConnection(incoming)
    if (fault.malformedHeader !== undefined) {
      incoming.socket.end(`HTTP/1.1 ${status} OK\r\nX-Request-Id\r\nContent-Length: 0\r\n\r\n`)
      return yield* Effect.never
    }
    return withHeaders(cutOff(response, fault, nodeResponse), fault.headers ?? {})
  })

/** Nothing can be answered any more, and nothing is. */
const resetConnection = (incoming: IncomingMessage): Effect.Effect<never> =>
  Effect.zipRight(
    Effect.sync(() => incoming.socket.resetAndDestroy()),
    Effect.never
  )

/** Whether the body came to its end. */
const discardBody = (incoming: IncomingMessage, idleMillis: number): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    if (incoming.readableEnded) return resume(Effect.succeed(true))
    const idle = setTimeout(() => resume(Effect.succeed(false)), idleMillis)
    incoming.on("data", () => idle.refresh())
    incoming.once("end", () => {
      clearTimeout(idle)
      resume(Effect.succeed(true))
    })
    return Effect.sync(() => clearTimeout(idle))
  })

const withHeaders = (response: Response, headers: Readonly<Record<string, string | null>>): Response => {
  const left = Object.entries(headers).reduce<Response["headers"]>(
    (changed, [name, value]) => (value === null ? Headers.remove(changed, name) : Headers.set(changed, name, value)),
    response.headers
  )
  // Its constructor would set the type and the length of the body again, over what was asked for.
  return Object.assign(Object.create(Object.getPrototypeOf(response)), response, { headers: left })
}

/** An answer that announces its whole body and sends a part of it. */
const cutOff = (response: Response, { stallAtByte, truncateAtByte }: Fault, nodeResponse: ServerResponse): Response => {
  const limit = Math.min(stallAtByte ?? Number.POSITIVE_INFINITY, truncateAtByte ?? Number.POSITIVE_INFINITY)
  const { body } = response
  if (limit === Number.POSITIVE_INFINITY || (body._tag !== "Uint8Array" && body._tag !== "Stream")) return response
  const whole = body._tag === "Stream" ? body.stream : Stream.make(body.body)
  let left = limit
  // What follows is not asked for: its last byte is what costs.
  const part = whole.pipe(
    Stream.rechunk(1),
    Stream.map((bytes) => {
      const taken = bytes.subarray(0, left)
      left -= taken.length
      return taken
    }),
    Stream.takeUntil(() => left === 0)
  )
  const end = limit === truncateAtByte ? endConnection(nodeResponse) : stall(nodeResponse)
  return HttpServerResponse.stream(Stream.concat(limit === 0 ? Stream.empty : part, Stream.fromEffect(end)), {
    status: response.status,
    headers: response.headers,
    contentType: body.contentType,
    contentLength: body.contentLength
  })
}

/** Also where nothing of the body is sent, the head is. */
const stall = (nodeResponse: ServerResponse): Effect.Effect<never> =>
  Effect.zipRight(
    Effect.sync(() => nodeResponse.flushHeaders()),
    Effect.never
  )

const endConnection = (nodeResponse: ServerResponse): Effect.Effect<never> =>
  Effect.async(() => {
    nodeResponse.flushHeaders()
    // What was written before has then gone out.
    setImmediate(() => nodeResponse.socket?.write("", () => nodeResponse.socket?.destroy()))
  })

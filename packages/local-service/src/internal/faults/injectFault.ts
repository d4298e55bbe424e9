import type { IncomingMessage, ServerResponse } from "node:http"
import * as Headers from "@effect/platform/Headers"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Fault } from "../../Faults.js"
import { closesHere } from "../http/closedConnections.js"
import type { Problem } from "../http/problems.js"
import { bodyTimeoutProblem } from "../http/requestBodies.js"
import { clearTimeout, setImmediate, setTimeout } from "../realTime.js"

type Response = HttpServerResponse.HttpServerResponse

export interface FaultedRequest {
  readonly request: HttpServerRequest.HttpServerRequest
  /** The operation's own response to a problem. */
  readonly respondTo: (problem: Problem) => Response
  /** Longest time without a byte of a request body that is discarded, in milliseconds. */
  readonly bodyIdleMillis: number
  /** Sees the body of a request that is answered without the work. */
  readonly observer: BodyObserver
}

/** Sees a body that is discarded. */
export interface BodyObserver {
  /** No chunk follows before the result, if there is one. */
  readonly onChunk: (chunk: Uint8Array) => Promise<void> | undefined
  /** Runs after the whole body. */
  readonly onEnd: Effect.Effect<void>
}

/** Applies a fault: its own response instead of the work, or a change to the response of the work. */
export const injectFault = <E, R>(
  fault: Fault,
  { bodyIdleMillis, observer, request, respondTo }: FaultedRequest,
  work: Effect.Effect<Response, E, R>
) =>
  Effect.gen(function* () {
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    if (fault.reset === "request") return yield* resetConnection(incoming)

    const skipsWork =
      fault.reset !== undefined ||
      fault.malformedHeader !== undefined ||
      fault.status !== undefined ||
      fault.body !== undefined
    if (skipsWork) {
      if (!(yield* discardBody(incoming, bodyIdleMillis, observer)))
        return respondTo(bodyTimeoutProblem(bodyIdleMillis))
      yield* observer.onEnd
    }
    const response = skipsWork ? injectedResponse(fault, respondTo) : yield* work

    yield* Effect.sleep(fault.delayMillis ?? 0)
    if (fault.reset === "answer") return yield* resetConnection(incoming)
    if (fault.malformedHeader !== undefined) return yield* sendMalformedHeader(incoming, fault)
    const nodeResponse = NodeHttpServerRequest.toServerResponse(request)
    return withHeaders(withCutOffBody(response, fault, nodeResponse), fault.headers ?? {})
  })

const injectedResponse = (
  { body, message = "this failure is an injected fault", status = 200 }: Fault,
  respondTo: FaultedRequest["respondTo"]
): Response => (body === undefined ? respondTo({ status, message }) : HttpServerResponse.text(body, { status }))

/** Never ends, because no response can follow. */
export const resetConnection = (incoming: IncomingMessage): Effect.Effect<never> =>
  Effect.zipRight(
    Effect.sync(() => {
      closesHere(incoming.socket)
      incoming.socket.resetAndDestroy()
    }),
    Effect.never
  )

/** Never ends, because it writes the whole response itself. */
const sendMalformedHeader = (incoming: IncomingMessage, { status = 200 }: Fault): Effect.Effect<never> =>
  Effect.zipRight(
    Effect.sync(() => {
      closesHere(incoming.socket)
      incoming.socket.end(`HTTP/1.1 ${status} OK\r\nX-Request-Id\r\nContent-Length: 0\r\n\r\n`)
    }),
    Effect.never
  )

/** Returns whether the body ended: `false` if no byte arrived for `idleMillis`. */
const discardBody = (
  incoming: IncomingMessage,
  idleMillis: number,
  { onChunk }: BodyObserver
): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    if (incoming.readableEnded) return resume(Effect.succeed(true))
    const idle = setTimeout(() => resume(Effect.succeed(false)), idleMillis)
    incoming.on("data", (chunk) => {
      idle.refresh()
      const read = onChunk(chunk)
      if (read === undefined) return
      incoming.pause()
      void read.then(() => {
        idle.refresh()
        incoming.resume()
      })
    })
    incoming.once("end", () => {
      clearTimeout(idle)
      resume(Effect.succeed(true))
    })
    return Effect.sync(() => clearTimeout(idle))
  })

const withHeaders = (response: Response, changes: Readonly<Record<string, string | null>>): Response => {
  const headers = Object.entries(changes).reduce<Response["headers"]>(
    (changed, [name, value]) => (value === null ? Headers.remove(changed, name) : Headers.set(changed, name, value)),
    response.headers
  )
  // The constructor would overwrite changed Content-Type and Content-Length headers with those of the body.
  return Object.assign(Object.create(Object.getPrototypeOf(response)), response, { headers })
}

/** A response that announces its whole body and sends only the first part. */
const withCutOffBody = (
  response: Response,
  { stallAtByte = Number.POSITIVE_INFINITY, truncateAtByte = Number.POSITIVE_INFINITY }: Fault,
  nodeResponse: ServerResponse
): Response => {
  const limit = Math.min(stallAtByte, truncateAtByte)
  const { body } = response
  if (limit === Number.POSITIVE_INFINITY || (body._tag !== "Uint8Array" && body._tag !== "Stream")) return response
  // There is nothing to cut off.
  if (limit >= (body.contentLength ?? Number.POSITIVE_INFINITY)) return response
  const whole = body._tag === "Stream" ? body.stream : Stream.make(body.body)
  let remaining = limit
  // Pulls nothing beyond the limit: the last byte of the body would bill the call.
  const firstPart = whole.pipe(
    Stream.rechunk(1),
    Stream.map((bytes) => {
      const sent = bytes.subarray(0, remaining)
      remaining -= sent.length
      return sent
    }),
    Stream.takeUntil(() => remaining === 0)
  )
  const ending = limit === truncateAtByte ? closeConnection(nodeResponse) : stall(nodeResponse)
  return HttpServerResponse.stream(Stream.concat(limit === 0 ? Stream.empty : firstPart, Stream.fromEffect(ending)), {
    status: response.status,
    headers: response.headers,
    contentType: body.contentType,
    contentLength: body.contentLength
  })
}

/** Flushes the headers, because a stall at byte 0 sends them too, and then sends nothing. */
const stall = (nodeResponse: ServerResponse): Effect.Effect<never> =>
  Effect.zipRight(
    Effect.sync(() => nodeResponse.flushHeaders()),
    Effect.never
  )

export const closeConnection = (nodeResponse: ServerResponse): Effect.Effect<never> =>
  Effect.async(() => {
    closesHere(nodeResponse.req.socket)
    nodeResponse.flushHeaders()
    // Closes the socket after all earlier bytes are written.
    setImmediate(() => nodeResponse.socket?.write("", () => nodeResponse.socket?.destroy()))
  })

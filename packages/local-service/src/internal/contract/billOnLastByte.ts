import type { ServerResponse } from "node:http"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Hold } from "../account/accounts.js"
import { closesHere } from "../http/closedConnections.js"
import type { ResponseObserver } from "./observeResponse.js"

/**
 * Sends a response, and debits `hold` after the second-to-last byte of its body and before its last. A client that has the
 * whole body has paid for it. A client that stops earlier pays nothing, unless the connection has buffered the rest. Without a hold, each
 * byte is sent as it comes. `observer` sees the bytes of a stream, and how many bytes were handed to the connection.
 *
 * It writes to Node's response: a Stream of a body that is whole costs more than the rest of a short call.
 */
export const billOnLastByte = (
  request: HttpServerRequest.HttpServerRequest,
  { body, headers, status }: HttpServerResponse.HttpServerResponse,
  hold: Hold | undefined,
  observer: ResponseObserver
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const nodeResponse = NodeHttpServerRequest.toServerResponse(request)
    // That of the request: a response to a pipelined one has none before its turn.
    const { socket } = NodeHttpServerRequest.toIncomingMessage(request)
    nodeResponse.writeHead(status, headers)
    // A stream may wait for its first byte.
    if (hold === undefined && body._tag === "Stream") nodeResponse.flushHeaders()
    let remaining = body.contentLength ?? 0
    let sentBytes = 0
    const send = (bytes: Uint8Array): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (!nodeResponse.destroyed) sentBytes += bytes.length
        return writeBytes(nodeResponse, bytes)
      })
    const write = (bytes: Uint8Array): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (bytes.length === 0) return Effect.void
        if (hold === undefined) return send(bytes)
        remaining -= bytes.length
        if (remaining > 0) return send(bytes)
        return send(bytes.subarray(0, -1)).pipe(
          Effect.zipRight(hold.debit(() => socket.destroyed)),
          Effect.zipRight(Effect.sync(() => observer.debited(hold.credits))),
          Effect.zipRight(send(bytes.subarray(-1)))
        )
      })
    const writeObserved = (bytes: Uint8Array): Effect.Effect<void> =>
      Effect.suspend(() => {
        const observed = observer.write(bytes)
        return observed === undefined
          ? write(bytes)
          : Effect.zipRight(
              write(bytes),
              Effect.promise(() => observed)
            )
      })
    const written =
      body._tag === "Uint8Array"
        ? write(body.body)
        : body._tag === "Stream"
          ? Stream.runForEach(Stream.orDie(body.stream), writeObserved)
          : Effect.void
    const end = Effect.sync(() => nodeResponse.end())
    return Effect.ensuring(
      written,
      Effect.sync(() => observer.ended(sentBytes))
    ).pipe(
      Effect.zipRight(end),
      Effect.onError((cause) =>
        Cause.isInterruptedOnly(cause)
          ? end
          : Effect.logError("The local service failed", cause).pipe(
              Effect.zipRight(closeConnection(nodeResponse)),
              Effect.zipRight(end)
            )
      )
    )
  })

/** Writes bytes, and waits if as many as the connection holds are still to be sent. */
const writeBytes = (response: ServerResponse, bytes: Uint8Array): Effect.Effect<void> =>
  Effect.suspend(() =>
    bytes.length === 0 || response.write(bytes)
      ? Effect.void
      : Effect.async((resume) => {
          const onDrain = () => resume(Effect.void)
          response.once("drain", onDrain)
          return Effect.sync(() => response.off("drain", onDrain))
        })
  )

/** Otherwise the client would wait for the rest of the body. */
const closeConnection = (response: ServerResponse): Effect.Effect<void> =>
  Effect.async((resume) => {
    closesHere(response.req.socket)
    response.once("close", () => resume(Effect.void)).destroy()
  })

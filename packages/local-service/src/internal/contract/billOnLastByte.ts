import type { ServerResponse } from "node:http"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Hold } from "../account/accounts.js"

/**
 * Sends a response, and debits `hold` after the second-to-last byte of its body and before its last. A client that has the
 * whole body has paid for it. A client that stops earlier pays nothing. Without a hold, each byte is sent as it comes.
 *
 * It writes to Node's response: a Stream of a body that is whole costs more than the rest of a short call.
 */
export const billOnLastByte = (
  request: HttpServerRequest.HttpServerRequest,
  { body, headers, status }: HttpServerResponse.HttpServerResponse,
  hold: Hold | undefined
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const nodeResponse = NodeHttpServerRequest.toServerResponse(request)
    // That of the request: a response to a pipelined one has none before its turn.
    const { socket } = NodeHttpServerRequest.toIncomingMessage(request)
    nodeResponse.writeHead(status, headers)
    // A stream may wait for its first byte.
    if (hold === undefined && body._tag === "Stream") nodeResponse.flushHeaders()
    let remaining = body.contentLength ?? 0
    const write = (bytes: Uint8Array): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (bytes.length === 0) return Effect.void
        if (hold === undefined) return writeBytes(nodeResponse, bytes)
        remaining -= bytes.length
        if (remaining > 0) return writeBytes(nodeResponse, bytes)
        return writeBytes(nodeResponse, bytes.subarray(0, -1)).pipe(
          Effect.zipRight(hold.debit(() => socket.destroyed)),
          Effect.zipRight(writeBytes(nodeResponse, bytes.subarray(-1)))
        )
      })
    const written =
      body._tag === "Uint8Array"
        ? write(body.body)
        : body._tag === "Stream"
          ? Stream.runForEach(Stream.orDie(body.stream), write)
          : Effect.void
    const end = Effect.sync(() => nodeResponse.end())
    return Effect.zipRight(written, end).pipe(
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
    response.once("close", () => resume(Effect.void)).destroy()
  })

import type { ServerResponse } from "node:http"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Hold } from "../state/accounts.js"

/**
 * A response body of `byteLength` bytes that debits `hold` after its second-to-last byte and before its last. A client
 * that has the whole body has paid for it. A client that stops earlier pays nothing.
 */
export const billOnLastByte = (
  request: HttpServerRequest.HttpServerRequest,
  body: Stream.Stream<Uint8Array>,
  byteLength: number,
  hold: Hold
): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => {
    let remaining = byteLength
    return Stream.rechunk(body, 1).pipe(
      Stream.filter((bytes) => bytes.length > 0),
      Stream.flatMap((bytes) => {
        remaining -= bytes.length
        if (remaining > 0) return Stream.make(bytes)
        return Stream.concat(
          Stream.make(bytes.subarray(0, -1)),
          Stream.fromEffect(Effect.as(hold.debit, bytes.subarray(-1)))
        )
      }),
      Stream.onError((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.void
          : Effect.zipRight(
              Effect.logError("The local service failed", cause),
              closeConnection(NodeHttpServerRequest.toServerResponse(request))
            )
      )
    )
  })

/** Otherwise the client would wait for the rest of the body. */
const closeConnection = (response: ServerResponse): Effect.Effect<void> =>
  Effect.async((resume) => {
    response.once("close", () => resume(Effect.void)).destroy()
  })

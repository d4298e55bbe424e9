import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { requestPath } from "../http/problems.js"
import type { Offers } from "../options.js"

/** The document is at the address that it describes. */
const here = { sttBaseUrl: "/", ttsBaseUrl: "/" }

/**
 * An operation that has `GET /openapi.json` too, so that a client finds its models, or its languages and voices, by the address that it
 * has. Our choice: the contract has no list. The first request loads what writes the document.
 */
export const withDocument = <E, R>(
  operation: HttpApp.Default<E, R>,
  path: string,
  offers: Offers
): HttpApp.Default<E, R> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const isRead = request.method === "GET" || request.method === "HEAD"
    if (!isRead || requestPath(request) !== "/openapi.json") return operation
    return Effect.map(
      Effect.promise(() => import("./openApi.js")),
      ({ operationDocument }) => HttpServerResponse.unsafeJson(operationDocument({ ...here, ...offers }, path))
    )
  })

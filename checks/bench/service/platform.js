// Plain JavaScript: no compiler adds to the CPU time that is measured.
/**
 * The server that the local service is built on, with the same response: `node platform.js FILE`, as bare.js. What it costs,
 * the service can't save.
 */
import { createServer } from "node:http"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import { serveStored } from "./stored.js"

await serveStored(async ({ bytes, headers }) => {
  const app = Effect.gen(function* () {
    const request = NodeHttpServerRequest.toIncomingMessage(yield* HttpServerRequest.HttpServerRequest)
    yield* Effect.async((resume) => {
      request.resume().once("end", () => resume(Effect.void))
    })
    return HttpServerResponse.uint8Array(bytes, { headers, contentType: headers["content-type"] })
  })
  return createServer(await Effect.runPromise(NodeHttpServer.makeHandler(app)))
})

// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** A file as each HttpClient layer sends it fastest: of the bodies of HttpBody that work there, in memory that does not grow. */
import { createReadStream, openAsBlob, statSync } from "node:fs"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { httpClients } from "./layers.js"

const contentType = "application/octet-stream"

/** @param {string} path */
const read = (path) => createReadStream(path, { highWaterMark: 256 * 1024 })

/** @type {Record<keyof typeof httpClients, (path: string) => Promise<HttpBody.HttpBody>>} */
const bodies = {
  "NodeHttpClient.layerUndici": async (path) =>
    HttpBody.raw(read(path), { contentType, contentLength: statSync(path).size }),
  "NodeHttpClient.layer": async (path) =>
    HttpBody.stream(
      NodeStream.fromReadable(
        () => read(path),
        (error) => error
      ),
      contentType,
      statSync(path).size
    ),
  "FetchHttpClient.layer": async (path) => HttpBody.raw(await openAsBlob(path), { contentType })
}

/** @param {string} url @param {keyof typeof httpClients} layer */
export const upload = (url, layer) => {
  const runtime = ManagedRuntime.make(httpClients[layer])
  /** @param {HttpBody.HttpBody} body */
  const send = (body) =>
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const request = HttpClientRequest.setBody(HttpClientRequest.post(`${url}/api/transcribe`), body)
      const response = yield* client.execute(request)
      return /** @type {{ readonly text: string }} */ (yield* response.json).text
    })
  // For a redirect, fetch would keep a copy of the body.
  const options = /** @type {RequestInit} */ ({ redirect: "error" })
  return async (/** @type {string} */ path) =>
    runtime.runPromise(Effect.provideService(send(await bodies[layer](path)), FetchHttpClient.RequestInit, options))
}

// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/** Uploads in Bun and Deno. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { FileSystem } from "@effect/platform/FileSystem"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { uploaders } from "../clients/index.js"
import { measureUpload } from "../upload/measure.js"

const { Bun, Deno } = /** @type {any} */ (globalThis)

/** How a bare HttpClient can send a file. @type {Record<string, (path: string, fs: FileSystem) => HttpBody.HttpBody>} */
const bodies = {
  "HttpBody.stream(fs.stream(path, { chunkSize: 1024 * 1024 }))": (path, fs) =>
    HttpBody.stream(fs.stream(path, { chunkSize: 1024 * 1024 })),
  "HttpBody.raw(Bun.file(path).stream())": (path) => HttpBody.raw(Bun.file(path).stream()),
  "HttpBody.raw(Bun.file(path))": (path) => HttpBody.raw(Bun.file(path)),
  "HttpBody.raw(Deno.openSync(path).readable)": (path) => HttpBody.raw(Deno.openSync(path).readable)
}

/** @param {string} url @param {NonNullable<typeof bodies[string]>} bodyOf */
const uploadBare = (url, bodyOf) => {
  const runtime = ManagedRuntime.make(Layer.merge(FetchHttpClient.layer, NodeFileSystem.layer))
  const call = (/** @type {string} */ path) =>
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const body = bodyOf(path, yield* FileSystem)
      const request = HttpClientRequest.setBody(HttpClientRequest.post(`${url}/api/transcribe`), body)
      const response = yield* client.execute(request)
      return /** @type {{ readonly text: string }} */ (yield* response.json).text
    })
  // Without these options a runtime may keep a copy of the body, for a redirect, or refuse a stream.
  const options = /** @type {RequestInit} */ ({ redirect: "error", duplex: "half" })
  return (/** @type {string} */ path) =>
    runtime.runPromise(Effect.provideService(call(path), FetchHttpClient.RequestInit, options))
}

/**
 * Uploads a file by a client of the part `upload`, or by a bare HttpClient with one of the bodies.
 *
 * @param {string} name
 * @param {string} url
 * @param {string} path
 * @param {string} smallPath
 */
export const measure = async (name, url, path, smallPath) => {
  const bodyOf = bodies[name]
  const upload = bodyOf === undefined ? await uploaders[name]?.start(url) : uploadBare(url, bodyOf)
  if (upload === undefined) throw new RangeError(`There is no ${name}.`)
  return measureUpload(upload, path, smallPath)
}

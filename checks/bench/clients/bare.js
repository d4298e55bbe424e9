// Plain JavaScript: no compiler adds to the CPU time and memory that are measured.
/**
 * The least that a program with Effect's HttpClient does: it sends the key and the body, checks the status, and decodes the
 * response. It makes no request id, checks no audio, and has no deadline.
 */
import { readFile } from "node:fs/promises"
import { FileSystem } from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { transcriptionForm } from "effect-speech-test-support/plainHttp"
import * as Contract from "../contract.js"
import { httpClients } from "./layers.js"
import { ofEffect } from "./operation.js"

const { key, lang, outputFormat, recording, text } = Contract

/** @typedef {keyof typeof httpClients} LayerName */

/** @param {string} url @param {LayerName} layer */
export const speak = async (url, layer) => {
  const apiKey = Redacted.make(key)
  const decodeHeaders = HttpClientResponse.schemaHeaders(
    Schema.Struct({
      "x-sample-rate": Schema.NumberFromString.pipe(Schema.int()),
      "x-encoding": Schema.Literal("pcm16", "float32"),
      "x-audio-duration-ms": Schema.NumberFromString,
      "x-request-id": Schema.String
    })
  )
  const request = Effect.sync(() =>
    HttpClientRequest.post(`${url}/tts/bytes`).pipe(
      HttpClientRequest.setHeader("X-API-Key", Redacted.value(apiKey)),
      HttpClientRequest.bodyUnsafeJson({ text, lang, output_format: outputFormat })
    )
  )
  const call = Effect.flatMap(HttpClient.HttpClient, (client) =>
    Effect.flatMap(Effect.flatMap(request, client.execute), (response) =>
      Effect.zipRight(
        Effect.zipRight(HttpClientResponse.filterStatusOk(response), decodeHeaders(response)),
        response.arrayBuffer
      )
    )
  )
  return ofEffect(httpClients[layer], call, Contract.checkAudio)
}

/** @param {string} url @param {LayerName} layer @param {{ readonly file?: boolean }} [options] */
export const transcribe = async (url, layer, { file = false } = {}) => {
  const apiKey = Redacted.make(key)
  const decode = HttpClientResponse.schemaBodyJson(Schema.Struct({ text: Schema.String }))
  const path = file ? Contract.recordingFile() : undefined
  const audio = path === undefined ? Effect.succeed(recording) : Effect.promise(() => readFile(path))
  const request = Effect.map(audio, (bytes) => {
    // By hand, because `NodeHttpClient.layerUndici` cannot send a `FormData`.
    const { body, contentType } = transcriptionForm(bytes)
    return HttpClientRequest.post(`${url}/api/transcribe`).pipe(
      HttpClientRequest.setHeader("X-Api-Key", Redacted.value(apiKey)),
      HttpClientRequest.bodyUint8Array(
        Buffer.concat(body.map((part) => (typeof part === "string" ? Buffer.from(part) : part))),
        contentType
      )
    )
  })
  const call = Effect.flatMap(HttpClient.HttpClient, (client) =>
    Effect.flatMap(Effect.flatMap(request, client.execute), (response) =>
      Effect.zipRight(
        HttpClientResponse.filterStatusOk(response),
        Effect.map(decode(response), (body) => body.text)
      )
    )
  )
  return ofEffect(httpClients[layer], call, Contract.checkTranscript)
}

/** Only reads a file as the `Stream` that Effect makes of it: what that costs by itself. */
export const upload = () => {
  const runtime = ManagedRuntime.make(NodeFileSystem.layer)
  const call = (/** @type {string} */ path) =>
    Effect.gen(function* () {
      const stream = (yield* FileSystem).stream(path)
      const received = yield* Stream.runFold(stream, 0, (length, { byteLength }) => length + byteLength)
      return JSON.stringify({ declared: null, received })
    })
  return (/** @type {string} */ path) => runtime.runPromise(call(path))
}

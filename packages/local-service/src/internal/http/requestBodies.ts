import type { IncomingMessage } from "node:http"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import { clearTimeout, setTimeout } from "../realTime.js"
import { badRequest, type Problem, quote } from "./problems.js"

export interface BodyLimits {
  /** The largest body, in bytes. */
  readonly maximumBytes: number
  /** The longest time without a byte of the body, in milliseconds. */
  readonly idleMillis: number
}

/** 415 if a body has a Content-Encoding: this service decodes none. */
export const contentEncodingProblem = (incoming: IncomingMessage): Problem | undefined => {
  const encoding = incoming.headers["content-encoding"] ?? "identity"
  return encoding.toLowerCase() === "identity"
    ? undefined
    : { status: 415, message: `the Content-Encoding ${quote(encoding)} is not supported; send the body without it` }
}

export const bodyTimeoutProblem = (idleMillis: number): Problem => ({
  status: 408,
  message: `no byte of the body arrived for ${idleMillis / 1000} seconds`,
  headers: { Connection: "close" }
})

/** Reads and parses a JSON body. Fails with 400, 408, 413 or 415. `onBytes` runs before the body is parsed. */
export const readJsonBody = (
  request: HttpServerRequest.HttpServerRequest,
  limits: BodyLimits,
  onBytes: (bytes: Uint8Array) => void = () => undefined
): Effect.Effect<unknown, Problem> => {
  const incoming = NodeHttpServerRequest.toIncomingMessage(request)
  if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")) {
    return Effect.fail({ status: 415, message: "the body must be application/json" })
  }
  const encoded = contentEncodingProblem(incoming)
  if (encoded !== undefined) return Effect.fail(encoded)
  return Effect.flatMap(readBytes(incoming, limits), (bytes) => {
    onBytes(bytes)
    return parseJson(bytes)
  })
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parseJson = (bytes: Uint8Array): Effect.Effect<unknown, Problem> =>
  Effect.try({
    try: () => JSON.parse(utf8.decode(bytes)),
    catch: () => badRequest("the body is not JSON in UTF-8")
  })

/** Uses the events of Node: a Stream with a timeout for each chunk costs more than the rest of reading a request. */
const readBytes = (
  incoming: IncomingMessage,
  { idleMillis, maximumBytes }: BodyLimits
): Effect.Effect<Buffer, Problem> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    let length = 0
    const onData = (chunk: Buffer) => {
      idle.refresh()
      length += chunk.length
      if (length <= maximumBytes) chunks.push(chunk)
      else finish(Effect.fail({ status: 413, message: `the body is larger than ${maximumBytes} bytes` }))
    }
    const onEnd = () => finish(Effect.succeed(Buffer.concat(chunks)))
    const onClose = () => finish(Effect.fail(badRequest("the body ended early")))
    const stop = () => {
      clearTimeout(idle)
      // The rest of the body is discarded. Otherwise the connection could not be used again.
      incoming.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose).resume()
    }
    const finish = (result: Effect.Effect<Buffer, Problem>) => {
      stop()
      resume(result)
    }
    const idle = setTimeout(() => finish(Effect.fail(bodyTimeoutProblem(idleMillis))), idleMillis)
    incoming.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose)
    return Effect.sync(stop)
  })

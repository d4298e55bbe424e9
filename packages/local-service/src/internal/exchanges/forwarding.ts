import type { IncomingMessage } from "node:http"
import * as Headers from "@effect/platform/Headers"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as SttContract from "@effect-speech/stt/SttContract"
import * as BaseUrl from "@effect-speech/transport/unstable/BaseUrl"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { OperationName } from "../../OperationName.js"
import type { RequestBody } from "./requestBody.js"

/** Of one connection, so they are not sent on (RFC 9110, 7.6.1). */
const ofTheConnection = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
]

/**
 * Left out or replaced on the way to the other service. Only a body without an encoding can be searched for the key.
 * The credentials of the client are for this service.
 */
const replaced = [
  "host",
  "content-length",
  "expect",
  "accept-encoding",
  "authorization",
  "cookie",
  SttContract.apiKeyHeader.toLowerCase()
]

const endToEnd = (
  headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>,
  without: ReadonlyArray<string> = []
): Record<string, string> => {
  const named = String(headers.connection ?? "")
    .toLowerCase()
    .split(/\s*,\s*/)
  const dropped = new Set([...ofTheConnection, ...named, ...without])
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || dropped.has(name) ? [] : [[name, typeof value === "string" ? value : value.join(", ")]]
    )
  )
}

const paths = { transcribe: SttContract.path, synthesize: TtsContract.path }

/** Where a request goes: without a query. No operation has one, and it is no part of the identity of a request. */
export const addressOf = (base: URL, operation: OperationName): URL => BaseUrl.resolve(base, paths[operation])

/** A request for the other service: the same body by the byte, and the key of that service. */
export const forwardedRequest = (
  { headers }: IncomingMessage,
  body: RequestBody,
  { apiKey, url }: { readonly url: URL; readonly apiKey: Redacted.Redacted }
): HttpClientRequest.HttpClientRequest => {
  const pull = Effect.flatMap(
    Effect.tryPromise({ try: body.pull, catch: Option.some }),
    (chunk): Effect.Effect<Uint8Array, Option.Option<unknown>> =>
      chunk === undefined ? Effect.fail(Option.none()) : Effect.succeed(chunk)
  )
  const length = headers["content-length"]
  const stream = HttpBody.stream(
    Stream.repeatEffectOption(pull),
    headers["content-type"],
    length === undefined ? undefined : Number(length)
  )
  return HttpClientRequest.post(url).pipe(
    HttpClientRequest.setHeaders({
      ...endToEnd(headers, replaced),
      "accept-encoding": "identity",
      [SttContract.apiKeyHeader.toLowerCase()]: Redacted.value(apiKey)
    }),
    HttpClientRequest.setBody(stream)
  )
}

/** The response of the other service, with its own headers, and `body` in place of its stream. */
export const relayed = (
  { headers, status }: HttpClientResponse.HttpClientResponse,
  body: Stream.Stream<Uint8Array>
): HttpServerResponse.HttpServerResponse => {
  const length = headers["content-length"]
  const contentLength = length === undefined ? undefined : Number(length)
  return withHeaders(HttpServerResponse.stream(body, { status, contentLength }), endToEnd(headers))
}

/** A response with exactly these headers: the constructors add a `Content-Type`. */
export const withHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse =>
  Object.assign(Object.create(Object.getPrototypeOf(response)), response, { headers: Headers.fromInput(headers) })

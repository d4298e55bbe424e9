/**
 * The HTTP API of the platform, as one declaration. The service builds its routes, its 405 responses and its part of
 * `/openapi.json` from it. `HttpApiClient.make(PlatformApi, …)` builds a typed client. The API is our choice: the contract
 * says what the platform does, but not how.
 */

import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import { documented, withoutLink } from "@effect-speech/common/ErrorPage"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { Account, AccountChanges, Key, KeyScope, Keys, Usage } from "./Accounts.js"
import { Fault, FaultRecord, FaultReport } from "./Faults.js"
import {
  About,
  CallFailed,
  RecordingQuery,
  Replayed,
  RequestDetails,
  SignIn,
  SpeechFields,
  Transcript,
  TranscriptQuery,
  Waveform
} from "./internal/console/messages.js"
import { sessionCookie } from "./internal/console/sessionCookie.js"
import { BodyOptional } from "./internal/platform/bodyOptional.js"
import { mustBe } from "./internal/validation.js"
import { JournalEntry } from "./Journal.js"
import { Model, Readiness } from "./Models.js"

/**
 * The platform refused a request of a typed client, or failed. The message is that of the response.
 *
 * @example
 * ```ts
 * import { FetchHttpClient, HttpApiClient } from "@effect/platform"
 * import { PlatformApi } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * // Without the admin token, the platform refuses the request.
 * export const isRefused = HttpApiClient.make(PlatformApi, { baseUrl: "http://127.0.0.1:7802" }).pipe(
 *   Effect.flatMap((platform) => platform.account()),
 *   Effect.as(false),
 *   Effect.catchTag("LocalServicePlatformRequestFailed", ({ status }) => Effect.succeed(status === 401)),
 *   Effect.provide(FetchHttpClient.layer)
 * )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServicePlatformRequestFailed extends documented(
  Data.TaggedError("LocalServicePlatformRequestFailed")
)<{
  /** The HTTP status: 400, 401, 404, 409, 413, 415 or 500. For others, such as 408, the client fails with its `ResponseError`. */
  readonly status: number
  /** The reason, as the platform states it. */
  readonly message: string
}> {}

/** The response `{"error": message}` with a status. */
const failure = (status: number, description?: string) =>
  Schema.transform(Schema.Struct({ error: Schema.String }), Schema.instanceOf(LocalServicePlatformRequestFailed), {
    strict: true,
    decode: ({ error }) => new LocalServicePlatformRequestFailed({ status, message: error }),
    encode: ({ message }) => ({ error: withoutLink(message) })
  }).annotations(HttpApiSchema.annotations({ status, ...(description === undefined ? {} : { description }) }))

/**
 * The header `X-Admin-Token`, or a session of the console. Every path below `/platform/api` requires one of them. A typed client sends the header
 * by `transformClient`.
 *
 * A request without it fails with `LocalServicePlatformRequestFailed`, of the status 401.
 *
 * @example
 * ```ts
 * import { HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
 * import { LocalService, PlatformApi } from "@effect-speech/local-service"
 * import { Effect, Redacted } from "effect"
 *
 * export const makeClient = Effect.flatMap(LocalService, ({ adminToken, platformUrl }) =>
 *   HttpApiClient.make(PlatformApi, {
 *     baseUrl: platformUrl,
 *     transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("X-Admin-Token", Redacted.value(adminToken)))
 *   })
 * )
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class AdminToken extends HttpApiMiddleware.Tag<AdminToken>()("@effect-speech/local-service/AdminToken", {
  failure: failure(401, "X-Admin-Token is missing or wrong, and there is no session of the console."),
  security: {
    adminToken: HttpApiSecurity.apiKey({ key: "X-Admin-Token" }).pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "The service prints it at the start. Our choice.")
    ),
    session: HttpApiSecurity.apiKey({ key: sessionCookie("PORT"), in: "cookie" }).pipe(
      HttpApiSecurity.annotate(
        OpenApi.Description,
        "The cookie of the console. The request must also have `Sec-Fetch-Site: same-origin`, or the own origin as `Origin`. Our choice."
      )
    )
  }
}) {}

const optionalBody = OpenApi.annotations({
  transform: (operation) => ({ ...operation, requestBody: { ...operation.requestBody, required: false } })
}).pipe(Context.add(BodyOptional, true))

const summary = (text: string) => OpenApi.annotations({ summary: text })

type Transform = Parameters<typeof OpenApi.Transform.of>[0]

/** Describes the headers of a response with one of these statuses. */
const responseHeaders = (
  statuses: number | ReadonlyArray<number>,
  headers: Readonly<Record<string, { readonly type: string }>>,
  transform: Transform = (operation) => operation
) =>
  OpenApi.annotations({
    transform: (given) => {
      const operation = transform(given)
      const described = Record.map(headers, (schema) => ({ required: true, schema }))
      const responses = Arr.ensure(statuses).map((status) => [
        status,
        { ...operation.responses[status], headers: described }
      ])
      return { ...operation, responses: { ...operation.responses, ...Object.fromEntries(responses) } }
    }
  })

/** Describes a response whose bytes are audio or video, or those of any file. */
const mediaRanges: Transform = (operation) => {
  const { content, ...described } = operation.responses[200]
  const schema = content["application/octet-stream"]
  const media = { "audio/*": schema, "video/*": schema, ...content }
  return { ...operation, responses: { ...operation.responses, 200: { ...described, content: media } } }
}

const text = { type: "string" }
const notStored = { "Cache-Control": text }

const fileHeaders = {
  "Cache-Control": text,
  "Content-Security-Policy": text,
  "Referrer-Policy": text,
  "X-Content-Type-Options": text
}

const audioHeaders = {
  ...notStored,
  "Content-Disposition": text,
  "Content-Security-Policy": text,
  "X-Content-Type-Options": text
}

/**
 * A call of the console failed: `speech` or `transcripts` of a typed client. `tag` and `message` are those of the error that a program gets from
 * `@effect-speech/tts` or `@effect-speech/stt`.
 *
 * @example
 * ```ts
 * import type { LocalServiceConsoleCallFailed } from "@effect-speech/local-service"
 *
 * export const lineOf = ({ message, requestId, tag }: LocalServiceConsoleCallFailed): string =>
 *   `${tag}: ${message}${requestId === null ? "" : ` (request ${requestId})`}`
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class LocalServiceConsoleCallFailed extends documented(Data.TaggedError("LocalServiceConsoleCallFailed"))<
  typeof CallFailed.Type
> {}

const callFailed = Schema.transform(CallFailed, Schema.instanceOf(LocalServiceConsoleCallFailed), {
  strict: true,
  decode: (failed) => new LocalServiceConsoleCallFailed(failed),
  encode: ({ message, requestId, tag }) => ({ tag, message, requestId })
}).annotations(
  HttpApiSchema.annotations({ status: 422, description: "The call failed, with this error of the client." })
)

/**
 * The body of a message, as bytes. The compiler would declare a `Uint8Array` in a form that only TypeScript 5.7 and newer read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Bytes extends Uint8Array {}

const bytes = (contentType: string): Schema.Schema<Bytes> => HttpApiSchema.Uint8Array({ contentType })

const recording = bytes("application/octet-stream")

const noKey = failure(404, "No key has this id.")
const keyRevoked = failure(409, "The key of this id is revoked.")
const KeyId = Schema.Struct({ id: Schema.String.annotations({ description: "The id of the key." }) })

const noRequest = failure(404, "The journal has no request of this number.")
const RequestNumber = Schema.Struct({
  number: Schema.compose(Schema.String.pipe(Schema.pattern(/^[1-9]\d{0,14}$/)), Schema.NumberFromString).annotations({
    description: "The number of a request."
  })
})

const NewKey = Schema.Struct({
  name: Schema.NonEmptyString.pipe(
    Schema.maxLength(100, { message: () => "must be at most 100 characters" }),
    // SQLite ends a text at a NUL and can't store half of a surrogate pair.
    Schema.pattern(/^[^\p{Cc}\p{Surrogate}]*$/u, { message: () => "must hold no control characters" })
  ),
  /** Must be true if a key is active, which the new key then revokes. Default: false. */
  confirm: Schema.optional(Schema.Boolean)
})

const CreatedKey = Schema.Struct({ ...Key.fields, key: Schema.Redacted(Schema.String) }).annotations({
  description: "The new key. It is shown only here."
})

const Reset = Schema.Struct({
  /** Seed of the ids: the same seed gives the same ids in the same order. Default: the option `seed`. */
  seed: Schema.optional(Schema.Int),
  /** Fixed clock. Default: the option `fixedTime`. */
  fixedTime: Schema.optional(
    Schema.Date.annotations({
      ...mustBe("a date and time of ISO 8601"),
      jsonSchema: { type: "string", format: "date-time" }
    })
  )
})

/** `GET /<name>` */
const read = <Name extends string, A, I>(name: Name, success: Schema.Schema<A, I>, text: string) =>
  HttpApiEndpoint.get(name, `/${name}`).addSuccess(success).annotateContext(summary(text))

/** `POST /<name>` with a recording as its body. */
const sendRecording = <Name extends string>(name: Name, text: string) =>
  HttpApiEndpoint.post(name, `/${name}`).setPayload(recording).annotateContext(summary(text))

const platform = HttpApiGroup.make("platform", { topLevel: true })
  .add(read("account", Account, "The account"))
  .add(
    HttpApiEndpoint.patch("changeAccount", "/account")
      .setPayload(AccountChanges)
      .addSuccess(Account)
      .annotateContext(summary("Change the state or the credit"))
  )
  .add(read("keys", Keys, "The active key and the revoked ones"))
  .add(
    HttpApiEndpoint.post("createKey", "/keys")
      .setPayload(NewKey)
      .addSuccess(CreatedKey, { status: 201 })
      .addError(failure(409, "A key is active, and `confirm` is not true."))
      .annotateContext(summary("Create a key and revoke the active one"))
  )
  .add(
    HttpApiEndpoint.post("revokeKey", "/keys/:id/revoke")
      .setPath(KeyId)
      .addSuccess(Keys)
      .addError(noKey)
      .addError(keyRevoked)
      .annotateContext(summary("Revoke a key"))
  )
  .add(
    HttpApiEndpoint.patch("changeKey", "/keys/:id")
      .setPath(KeyId)
      .setPayload(Schema.Struct({ scopes: Schema.Array(KeyScope) }))
      .addSuccess(Key)
      .addError(noKey)
      .addError(keyRevoked)
      .annotateContext(summary("Replace the scopes of a key"))
  )
  .add(read("usage", Schema.Array(Usage), "The usage by day and operation, latest day first"))
  .add(read("faults", Schema.Array(FaultRecord), "The faults, and how often each has happened"))
  .add(
    HttpApiEndpoint.put("setFaults", "/faults")
      .setPayload(Schema.Array(Fault))
      .addSuccess(Schema.Array(FaultRecord))
      .annotateContext(summary("Replace all faults"))
  )
  .add(
    HttpApiEndpoint.get("faultReport", "/faults/report")
      .addSuccess(FaultReport)
      .annotateContext(summary("Which request met which fault, and what its client did next"))
  )
  .add(read("requests", Schema.Array(JournalEntry), "The latest thousand requests of both operations, oldest first"))
  .add(
    HttpApiEndpoint.del("clearRequests", "/requests").annotateContext(
      summary("Remove all requests from the journal. Their numbers go on")
    )
  )
  .add(
    HttpApiEndpoint.get("request", "/requests/:number")
      .setPath(RequestNumber)
      .addSuccess(RequestDetails)
      .addError(noRequest)
      .annotateContext(summary("A request of the journal, with its headers and bodies"))
  )
  .add(
    HttpApiEndpoint.get("requestAudio", "/requests/:number/audio")
      .setPath(RequestNumber)
      .addSuccess(
        bytes("application/octet-stream").annotations({
          description:
            "What was spoken, as audio/wav, or the file that was uploaded, with its media type if it is one of audio or video."
        })
      )
      .addError(failure(404, "The journal has no request of this number, or its audio is not kept."))
      .annotateContext(responseHeaders(200, audioHeaders, mediaRanges))
      .annotateContext(summary("The audio of a request"))
  )
  .add(
    HttpApiEndpoint.post("replayRequest", "/requests/:number/replay")
      .setPath(RequestNumber)
      .addSuccess(Replayed)
      .addError(noRequest)
      .addError(failure(409, "The request can't be sent as it was received."))
      .annotateContext(
        summary("Send a request again as an operation of the account, without a key. It goes on after the response")
      )
  )
  .add(
    HttpApiEndpoint.post("reset", "/reset")
      .setPayload(Reset)
      .annotateContext(optionalBody)
      .annotateContext(summary("Restore the state of the start"))
  )
  .add(
    HttpApiEndpoint.get("events", "/events")
      .addSuccess(
        HttpApiSchema.Text({ contentType: "text/event-stream" }).annotations({
          description:
            '`event: request` has an entry of the journal as its data, when a request begins, is read, is answered, and ends. `event: changed` has `{"what": "account"}`, `keys`, `faults` or `journal`.'
        })
      )
      .annotateContext(responseHeaders(200, notStored))
      .annotateContext(summary("What happens, as server-sent events"))
  )
  .add(read("about", About, "What the service offers"))
  .add(read("models", Schema.Array(Model), "The models at this moment: with what the service recognises and speaks"))
  .add(
    HttpApiEndpoint.post("speech", "/speech")
      .setPayload(SpeechFields)
      .addSuccess(bytes("audio/wav").annotations({ description: "A WAV file." }))
      .addError(callFailed)
      .annotateContext(responseHeaders(200, { "X-Request-Id": text, "X-Took-Millis": { type: "integer" } }))
      .annotateContext(summary("Synthesize a text as an operation of the account, without a key"))
  )
  .add(
    sendRecording("transcripts", "Transcribe the recording in the body as an operation of the account, without a key")
      .setUrlParams(TranscriptQuery)
      .addSuccess(Transcript)
      .addError(callFailed)
  )
  .add(
    sendRecording("recordings", "Teach the recogniser the recording in the body")
      .setUrlParams(RecordingQuery)
      .addError(failure(409, "The recogniser can't be taught."))
  )
  .add(sendRecording("waveforms", "The waveform of the recording in the body, of at most 5 hours").addSuccess(Waveform))
  .prefix("/platform/api")
  .middlewareEndpoints(AdminToken)
  // Endpoints from here on have neither the prefix nor the token.
  .add(
    HttpApiEndpoint.post("signIn", "/console/session")
      .setPayload(SignIn)
      .addError(
        failure(401, "The code or the token is wrong, the code was used, or the request is from another origin.")
      )
      .annotateContext(responseHeaders(204, { "Set-Cookie": text }))
      .annotateContext(summary("Sign a browser in at the console"))
  )
  .add(
    HttpApiEndpoint.del("signOut", "/console/session")
      .addError(failure(401, "The request is from another origin."))
      .annotateContext(responseHeaders(204, { "Set-Cookie": text }))
      .annotateContext(summary("End the session of the console"))
  )
  .add(
    HttpApiEndpoint.get("page", "/")
      .addSuccess(HttpApiSchema.Text({ contentType: "text/html" }).annotations({ description: "An HTML page." }))
      .annotateContext(responseHeaders(200, fileHeaders))
      .annotateContext(summary("The console"))
  )
  .add(
    HttpApiEndpoint.get("file", "/console/:file")
      .setPath(Schema.Struct({ file: Schema.String.annotations({ description: "The name of the file." }) }))
      .addSuccess(bytes("application/octet-stream").annotations({ description: "The file, with its own media type." }))
      .addError(failure(404, "The console has no file of this name."))
      .annotateContext(responseHeaders(200, fileHeaders))
      .annotateContext(summary("A file of the console"))
  )
  .add(
    HttpApiEndpoint.get("health", "/health")
      .addSuccess(Schema.Struct({ status: Schema.Literal("ok") }))
      .annotateContext(responseHeaders(200, notStored))
      .annotateContext(summary("Whether the service runs"))
  )
  .add(
    HttpApiEndpoint.get("ready", "/ready")
      .addSuccess(Readiness.annotations({ description: "Every model works, or loads with its next request." }))
      .addSuccess(Readiness.annotations({ description: "Every model of an operation is restarting or refused." }), {
        status: 503
      })
      .annotateContext(responseHeaders([200, 503], notStored))
      .annotateContext(summary("Whether the service can work at this moment"))
  )
  .add(
    HttpApiEndpoint.get("metrics", "/metrics")
      .addSuccess(
        HttpApiSchema.Text({ contentType: "text/plain" }).annotations({
          description: "Text format 0.0.4 of Prometheus."
        })
      )
      .annotateContext(responseHeaders(200, notStored))
      .annotateContext(summary("Counters and gauges for Prometheus"))
  )
  .add(
    HttpApiEndpoint.get("openApi", "/openapi.json")
      .addSuccess(Schema.Struct({ openapi: Schema.String }, { key: Schema.String, value: Schema.Unknown }))
      .annotateContext(summary("This document"))
  )

/**
 * The HTTP API of the platform, as one declaration. `HttpApiClient.make` builds a typed client from it. Inside the program that runs the
 * service, `accounts`, `faults` and `requests` of the service do the same without HTTP.
 *
 * Each request of a client fails with `LocalServicePlatformRequestFailed` if the platform refuses it or fails, and with the errors of its
 * `HttpClient`. `speech` and `transcripts` fail with `LocalServiceConsoleCallFailed` if the call fails.
 *
 * @example
 * ```ts
 * import { HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
 * import { PlatformApi } from "@effect-speech/local-service"
 * import { Effect } from "effect"
 *
 * export const spendAll = (baseUrl: string, adminToken: string) =>
 *   Effect.gen(function* () {
 *     const platform = yield* HttpApiClient.make(PlatformApi, {
 *       baseUrl,
 *       transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("X-Admin-Token", adminToken))
 *     })
 *     return yield* platform.changeAccount({ payload: { credits: 0 } })
 *   })
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export class PlatformApi extends HttpApi.make("platform")
  .addError(failure(400))
  .addError(failure(413))
  .addError(failure(415))
  .addError(failure(500))
  .add(platform) {}

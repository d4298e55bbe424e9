import { createReadStream } from "node:fs"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as ApiKey from "@effect-speech/transport/ApiKey"
import * as Contract from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { badRequest, type Problem } from "../http/problems.js"
import { contentEncodingProblem } from "../http/requestBodies.js"
import { Journal } from "../journal/journal.js"
import { makeDigest } from "./contents.js"
import { inlineBody, type KeptResponse } from "./exchangeFile.js"
import { type ExchangeIndex, findBody, type IndexedExchange, readExchange, readIndex } from "./exchangeIndex.js"
import type { ExchangeCall, Exchanges } from "./exchanges.js"
import { identityOf, type RequestFacts } from "./identity.js"
import { type DescribedRequest, describeMissing, nearestTo } from "./nearest.js"
import { BodyFailed, makeRequestBody } from "./requestBody.js"
import { isProblem, makeRequestReader } from "./requestReader.js"

export interface ReplayOptions {
  readonly folder: string
  /** The longest time without a byte of a request body, in milliseconds. */
  readonly bodyIdleMillis: number
}

/** Responds with the exchanges of a folder. */
export const makeReplay = (options: ReplayOptions) =>
  Effect.map(
    readIndex(options.folder),
    (index): Exchanges => ({
      work: (call) => replay(call, index, options),
      reset: Effect.sync(() => {
        for (const exchange of index.values()) exchange.made = 0
      })
    })
  )

const replay = (call: ExchangeCall, index: ExchangeIndex, options: ReplayOptions) =>
  Effect.gen(function* () {
    const { entry, operation, request, unknownKey } = call
    const key = request.headers[Contract.header.apiKey.toLowerCase()] ?? ""
    if (ApiKey.problemWith(Redacted.make(key)) !== undefined) return yield* Effect.fail(unknownKey)
    entry.keyId = "replay"

    const { filename, journalFields, ...facts } = yield* readFacts(call, options)
    ;(yield* Journal).keepRequest(entry, journalFields)
    const exchange = index.get(identityOf({ operation, ...facts }))
    if (exchange === undefined) {
      return yield* Effect.fail(yield* missing({ operation, ...facts, filename }, index, options.folder))
    }
    const response = yield* nextResponse(exchange, options.folder)
    if ("json" in response.body) entry.id = callIdIn(response.body.json) ?? entry.id
    return { response: yield* toResponse(response, exchange, options.folder, entry.id), hold: undefined }
  })

const readFacts = ({ operation, request }: ExchangeCall, { bodyIdleMillis }: ReplayOptions) =>
  Effect.gen(function* () {
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    const encoded = contentEncodingProblem(incoming)
    if (encoded !== undefined) return yield* Effect.fail(encoded)
    const digest = makeDigest()
    const reader = makeRequestReader(operation, incoming.headers, { write: async (chunk) => digest.add(chunk) })
    const body = makeRequestBody(incoming, reader, bodyIdleMillis)
    yield* Effect.tryPromise({
      try: async () => {
        while ((await body.pull()) !== undefined);
      },
      catch: problemOf
    })
    const read = yield* Effect.promise(() => body.whenRead)
    if (isProblem(read)) return yield* Effect.fail(read)
    const { audio, fields, journalFields } = read
    return { fields, journalFields, audio: audio && digest.facts(), filename: audio?.filename }
  })

const problemOf = (error: unknown): Problem => {
  if (error instanceof BodyFailed) return error.problem
  throw error
}

/** The response of each call is the next one. After the last comes the first again, so a second run of a test is like the first. */
const nextResponse = (exchange: IndexedExchange, folder: string): Effect.Effect<KeptResponse> => {
  const number = exchange.made++
  return Effect.map(Effect.orDie(readExchange(folder, exchange.name)), ({ responses: [first, ...more] }) => {
    const responses = [first, ...more]
    return responses[number % responses.length] ?? first
  })
}

/** These depend on how the body is sent now. */
const ofTheConnection = ["content-length", "transfer-encoding", "connection", "keep-alive"]

const toResponse = (kept: KeptResponse, { name }: IndexedExchange, folder: string, requestId: string | null) =>
  Effect.gen(function* () {
    const { body, echoesRequestId, status } = kept
    const headers = Object.entries(kept.headers).filter(([each]) => !ofTheConnection.includes(each))
    if (echoesRequestId === true && requestId !== null)
      headers.push([Contract.header.requestId.toLowerCase(), requestId])
    const init = { status, headers: Object.fromEntries(headers), contentType: kept.headers["content-type"] }
    const text = inlineBody(body)
    if (text !== undefined) return HttpServerResponse.uint8Array(new TextEncoder().encode(text), init)
    const file = yield* Effect.orDie(findBody(folder, name, kept))
    const bytes = "file" in body ? body.bytes : 0
    const stream = NodeStream.fromReadable<unknown, Uint8Array>(
      () => createReadStream(file?.path ?? "", { start: file?.offset, end: (file?.offset ?? 0) + bytes - 1 }),
      (error) => error
    )
    return HttpServerResponse.stream(stream, { ...init, contentLength: bytes })
  })

/** The id of a transcription, if the body has one. */
const callIdIn = (json: unknown): string | undefined =>
  Predicate.isRecord(json) && typeof json.call_id === "string" ? json.call_id : undefined

/** The response to a request that the folder does not hold. Reads the whole fields of the nearest. */
const missing = (
  request: RequestFacts & Pick<DescribedRequest, "filename">,
  index: ExchangeIndex,
  folder: string
): Effect.Effect<Problem> =>
  Effect.gen(function* () {
    const { operation } = request
    const nearest = nearestTo(request, index)
    if (nearest === undefined) return badRequest(describeMissing(operation, folder, request, undefined))
    const { request: recorded } = yield* Effect.orDie(readExchange(folder, nearest.name))
    const described = { ...recorded, name: nearest.name, filename: recorded.audio?.filename }
    return badRequest(describeMissing(operation, folder, request, described))
  })

import { createReadStream } from "node:fs"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { withoutLink } from "@effect-speech/common/ErrorPage"
import * as ApiKey from "@effect-speech/transport/ApiKey"
import * as Contract from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { LocalServiceExchangesUnusable } from "../../LocalServiceError.js"
import type { Worked } from "../contract/operation.js"
import { badRequest, type Problem } from "../http/problems.js"
import { contentEncodingProblem } from "../http/requestBodies.js"
import { Journal } from "../journal/journal.js"
import { makeUploadKeeper } from "../journal/keepUpload.js"
import { type FilePart, makeDigest } from "./contents.js"
import { callIdOf, inlineBody, type KeptResponse } from "./exchangeFile.js"
import { type ExchangeIndex, type IndexedExchange, readIndex } from "./exchangeIndex.js"
import { type ExchangeReader, makeExchangeReader } from "./exchangeReader.js"
import { type Counter, type ExchangeCall, type Exchanges, makeCounter } from "./exchanges.js"
import { withHeaders } from "./forwarding.js"
import { identityOf, type RequestContent } from "./identity.js"
import { requestIdHeader } from "./keptResponse.js"
import { type DescribedRequest, describeMissing, nearestTo } from "./nearest.js"
import { BodyFailed, makeRequestBody } from "./requestBody.js"
import { isProblem, makeRequestReader } from "./requestReader.js"

export interface ReplayOptions {
  readonly folder: string
  /** The longest time without a byte of a request body, in milliseconds. */
  readonly bodyIdleMillis: number
}

interface Replay extends ReplayOptions, Pick<Counter, "add" | "addDamaged"> {
  readonly reader: ExchangeReader
}

/** Responds with the exchanges of a folder. */
export const makeReplay = (options: ReplayOptions) =>
  Effect.map(readIndex(options.folder), (index): Exchanges => {
    const { add, addDamaged, counts } = makeCounter()
    const reader = makeExchangeReader(options.folder)
    return {
      work: (call) => replay(call, index, { ...options, reader, add, addDamaged }),
      counts,
      reset: Effect.sync(() => {
        for (const exchange of index.values()) exchange.made = 0
      })
    }
  })

const replay = (call: ExchangeCall, index: ExchangeIndex, options: Replay) =>
  Effect.gen(function* () {
    const { entry, operation, request, unknownKey } = call
    const key = request.headers[Contract.header.apiKey.toLowerCase()] ?? ""
    if (ApiKey.problemWith(Redacted.make(key)) !== undefined) return yield* Effect.fail(unknownKey)
    entry.keyId = "replay"

    const { body, filename, journalFields, ...facts } = yield* readFacts(call, options)
    const { keepDetails, keepRequest } = yield* Journal
    keepRequest(entry, journalFields)
    keepDetails(entry, { body })
    const exchange = index.get(identityOf({ operation, ...facts }))
    if (exchange === undefined) {
      yield* options.add("missing")
      return yield* Effect.fail(yield* missing({ operation, ...facts, filename }, index, options))
    }
    return yield* fromFolder(call, exchange, options.reader).pipe(
      Effect.tapBoth({ onFailure: ({ path }) => options.addDamaged(path), onSuccess: () => options.add("replayed") }),
      Effect.catchTag("LocalServiceExchangesUnusable", damaged)
    )
  })

/** The next response of an exchange. */
const fromFolder = (
  call: ExchangeCall,
  exchange: IndexedExchange,
  reader: ExchangeReader
): Effect.Effect<Worked, LocalServiceExchangesUnusable> =>
  Effect.gen(function* () {
    const { entry, operation } = call
    const response = yield* nextResponse(exchange, reader)
    const sentId = idOf(call)
    entry.id = callIdOf(operation, response.body) ?? response.headers[requestIdHeader] ?? entry.id
    return { response: yield* toResponse(response, exchange, reader, sentId), hold: undefined }
  })

/** A file was removed or changed since the start. */
const damaged = ({ message }: LocalServiceExchangesUnusable): Effect.Effect<never, Problem> =>
  Effect.zipRight(
    Effect.logError(message),
    Effect.fail<Problem>({ status: 500, message: withoutLink(message).replace(/\.$/, "") })
  )

const readFacts = ({ entry, operation, request }: ExchangeCall, { bodyIdleMillis }: ReplayOptions) =>
  Effect.gen(function* () {
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    const encoded = contentEncodingProblem(incoming)
    if (encoded !== undefined) return yield* Effect.fail(encoded)
    const digest = makeDigest()
    const keeper = makeUploadKeeper(entry, yield* Journal)
    const reader = makeRequestReader(operation, incoming.headers, { write: async (chunk) => digest.add(chunk) }, keeper)
    const incomingBody = makeRequestBody(incoming, reader, bodyIdleMillis)
    yield* Effect.tryPromise({
      try: async () => {
        while ((await incomingBody.pull()) !== undefined);
      },
      catch: problemOf
    })
    const read = yield* Effect.promise(() => incomingBody.whenRead)
    if (isProblem(read)) return yield* Effect.fail(read)
    const { audio, body, fields, journalFields } = read
    return { body, fields, journalFields, audio: audio && digest.facts(), filename: audio?.filename }
  })

const problemOf = (error: unknown): Problem => {
  if (error instanceof BodyFailed) return error.problem
  throw error
}

/** The response of each call is the next one. After the last comes the first again, so a second run of a test is like the first. */
const nextResponse = (
  exchange: IndexedExchange,
  reader: ExchangeReader
): Effect.Effect<KeptResponse, LocalServiceExchangesUnusable> => {
  const number = exchange.made++
  return Effect.map(reader.exchange(exchange.name), ({ responses: [first, ...more] }) => {
    const responses = [first, ...more]
    return responses[number % responses.length] ?? first
  })
}

/** These depend on how the body is sent now. */
const ofTheConnection = ["content-length", "transfer-encoding", "connection", "keep-alive"]

const toResponse = (
  kept: KeptResponse,
  { name }: IndexedExchange,
  reader: ExchangeReader,
  requestId: string | undefined
) =>
  Effect.gen(function* () {
    const { body, echoesRequestId, status } = kept
    const bytes = new TextEncoder().encode(inlineBody(body))
    const response =
      "file" in body
        ? HttpServerResponse.stream(fileStream(yield* reader.body(name, body)), { status })
        : HttpServerResponse.uint8Array(bytes, { status })
    const length = String("file" in body ? body.bytes : bytes.length)
    const headers = Object.entries(kept.headers).filter(([each]) => !ofTheConnection.includes(each))
    return withHeaders(response, {
      ...Object.fromEntries(headers),
      ...(echoesRequestId === true && requestId !== undefined && { [requestIdHeader]: requestId }),
      ...(status !== 204 && status !== 304 && { "content-length": length })
    })
  })

const fileStream = ({ end, path, start }: FilePart) =>
  NodeStream.fromReadable<unknown, Uint8Array>(
    () => createReadStream(path, { start, end: end - 1 }),
    (error) => error
  )

/** The request id that a response returns: that of the client. The service makes one for a synthesis without a valid one. */
const idOf = ({ entry, operation, request }: ExchangeCall): string | undefined =>
  operation === "synthesize" ? (entry.id ?? undefined) : request.headers[requestIdHeader]

/** The response to a request that the folder does not hold. Reads the whole fields of the nearest. */
const missing = (
  request: RequestContent & Pick<DescribedRequest, "filename">,
  index: ExchangeIndex,
  { folder, reader }: Replay
): Effect.Effect<Problem, Problem> =>
  Effect.gen(function* () {
    const { operation } = request
    const nearest = nearestTo(request, index)
    if (nearest === undefined) return badRequest(describeMissing(operation, folder, request, undefined))
    const { request: recorded } = yield* Effect.catchAll(reader.exchange(nearest.name), damaged)
    const described = { ...recorded, name: nearest.name, filename: recorded.audio?.filename }
    return badRequest(describeMissing(operation, folder, request, described))
  })

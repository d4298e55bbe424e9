import { existsSync } from "node:fs"
import { join } from "node:path"
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientError } from "@effect/platform/HttpClientError"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { withoutLink } from "@effect-speech/common/ErrorPage"
import { codeOrName } from "@effect-speech/common/SystemCode"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as BaseUrl from "@effect-speech/transport/unstable/BaseUrl"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { LocalServiceExchangesUnusable } from "../../LocalServiceError.js"
import type { RecordOptions } from "../../LocalServiceOptions.js"
import type { OperationName } from "../../OperationName.js"
import { closeConnection, resetConnection } from "../faults/injectFault.js"
import { badRequest, type Problem } from "../http/problems.js"
import type { OpenEntry } from "../journal/entry.js"
import { Journal, type JournalService } from "../journal/journal.js"
import { makeUploadKeeper } from "../journal/keepUpload.js"
import { monotonicMillis } from "../realTime.js"
import { type ExchangeStore, makeExchangeStore } from "./exchangeStore.js"
import { type Counter, type ExchangeCall, type Exchanges, makeCounter } from "./exchanges.js"
import { addressOf, forwardedRequest, relayed } from "./forwarding.js"
import { keepExchange, secretsOf } from "./keepExchange.js"
import { requestIdHeader, wavOf } from "./keptResponse.js"
import { makeFolder } from "./makeFolder.js"
import { removeAbandonedParts } from "./parts.js"
import { makeRequestBody, type RequestBody } from "./requestBody.js"
import { isProblem, makeRequestReader, type RequestReader } from "./requestReader.js"
import { audioFolder, makeSpool, type Spool, type SpoolOptions } from "./spool.js"
import { removeUnusedAudio } from "./unusedAudio.js"

export interface RecorderOptions extends RecordOptions {
  /** The longest time without a byte of a request body, in milliseconds. */
  readonly bodyIdleMillis: number
}

const variables = { transcribe: "SPEECH_STT_BASE_URL", synthesize: "SPEECH_TTS_BASE_URL" }

/** Sends requests to another service, and keeps the exchanges in a folder until the scope closes. */
export const makeRecorder = (options: RecorderOptions) =>
  Effect.gen(function* () {
    const { apiKey, folder } = options
    yield* Effect.tryPromise({
      try: async () => {
        await makeFolder(join(folder, audioFolder))
        await removeAbandonedParts([folder, join(folder, audioFolder)])
      },
      catch: (error) =>
        new LocalServiceExchangesUnusable({
          path: folder,
          message: `${folder} can't be made or written (${codeOrName(error)}); give a folder that you can write to.`
        })
    })
    const store = yield* Effect.acquireRelease(
      Effect.sync(() => makeExchangeStore(folder)),
      ({ end }) =>
        Effect.tryPromise(() => end().then(() => removeUnusedAudio(folder))).pipe(
          Effect.catchAll((error) =>
            Effect.logWarning(
              `${folder} may hold responses or audio of earlier recordings: ${reasonOf(error.error, folder)}`
            )
          )
        )
    )
    const client = Context.get(yield* Layer.build(NodeTransport.layer), HttpClient.HttpClient).pipe(
      HttpClient.withTracerDisabledWhen(() => true),
      HttpClient.withScope
    )
    const addresses = { transcribe: baseOf(options.sttBaseUrl), synthesize: baseOf(options.ttsBaseUrl) }
    const { add, counts } = makeCounter()
    return {
      work: (call) =>
        record(call, { ...options, addresses, client, store, add, spool: { folder, secrets: secretsOf(apiKey) } }),
      counts,
      reset: Effect.void
    } satisfies Exchanges
  })

/** Why the end of a recording did not remove what is not used. */
const reasonOf = (error: unknown, folder: string): string => {
  if (error instanceof LocalServiceExchangesUnusable) return withoutLink(error.message)
  const code = codeOrName(error)
  return code === "ENOENT" && !existsSync(folder)
    ? "it was moved or removed."
    : `it can't be read or written (${code}).`
}

const baseOf = (url: string | undefined): URL | undefined =>
  url === undefined ? undefined : Either.getOrUndefined(BaseUrl.check(url))

interface Recorder extends RecorderOptions {
  readonly addresses: Readonly<Record<OperationName, URL | undefined>>
  readonly client: HttpClient.HttpClient.With<HttpClientError, Scope.Scope>
  readonly store: ExchangeStore
  readonly add: Counter["add"]
  readonly spool: SpoolOptions
}

const record = (call: ExchangeCall, recorder: Recorder) =>
  Effect.gen(function* () {
    const { authorize, entry, operation, request } = call
    const { add } = recorder
    entry.keyId = (yield* authorize).keyId
    const base = recorder.addresses[operation]
    if (base === undefined) {
      const message = `no service is named that could ${operation}; set ${variables[operation]}, and start the recording again`
      return yield* Effect.fail(badRequest(message))
    }
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    const nodeResponse = NodeHttpServerRequest.toServerResponse(request)
    const upload = yield* scopedSpool(recorder.spool)
    const journal = yield* Journal
    const reader = makeRequestReader(operation, incoming.headers, upload, makeUploadKeeper(entry, journal))
    const body = makeRequestBody(incoming, keepingFields(reader, entry, journal), recorder.bodyIdleMillis)

    const lost = (error: unknown) => Effect.zipRight(add("notKept"), warnCut(base, error))
    entry.billing = "notKnown"
    const startedAt = monotonicMillis()
    const sent = forwardedRequest(incoming, body, {
      url: addressOf(base, operation),
      apiKey: recorder.apiKey
    })
    const response = yield* Effect.catchAll(recorder.client.execute(sent), (error): Effect.Effect<never, Problem> => {
      const problem = body.problem()
      return problem === undefined ? Effect.zipRight(lost(error), resetConnection(incoming)) : Effect.fail(problem)
    })
    const millis = Math.round(monotonicMillis() - startedAt)
    // The id of the service, if the client sent none.
    if (operation === "synthesize") entry.id = response.headers[requestIdHeader] ?? entry.id
    const wav = wavOf(operation, response)
    const received = yield* scopedSpool({ ...recorder.spool, headerLength: wav?.headerLength })
    const keep = Effect.flatMap(
      keepExchange({ call, body, upload, response, received, wav, millis, ...recorder }),
      (isKept) => add(isKept ? "kept" : "notKept")
      // What is in the folder must count.
    ).pipe(Effect.uninterruptible)
    const cut = (error: unknown) => Stream.fromEffect(Effect.zipRight(lost(error), closeConnection(nodeResponse)))
    return {
      response: relayed(response, Stream.catchAll(observed(response, received, body, keep), cut)),
      hold: undefined
    }
  })

const scopedSpool = (options: SpoolOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => makeSpool(options)),
    ({ discard }) => Effect.promise(() => discard().catch(() => undefined))
  )

/** Shows the fields and the body of a request in the journal, as soon as they are read. */
const keepingFields = (reader: RequestReader, entry: OpenEntry, journal: JournalService): RequestReader => ({
  write: reader.write,
  end: async () => {
    const read = await reader.end()
    if (!isProblem(read)) {
      journal.keepRequest(entry, read.journalFields)
      journal.keepDetails(entry, { body: read.body })
    }
    return read
  }
})

const warnCut = (base: URL, error: unknown) =>
  Effect.logWarning(
    `The connection to ${base.origin} failed (${codeOrName(error)}). That of the client was cut too, and nothing is kept.`
  )

/** In milliseconds, that the end of a response waits for the rest of its request. A service may refuse one before it has read it. */
const restMillis = 250

/**
 * The body of a response. `keep` runs when it is whole, before its last bytes are sent: who has it finds the exchange in the folder.
 * If the request is still being sent by then, `keep` runs after them.
 */
const observed = (
  response: HttpClientResponse.HttpClientResponse,
  received: Spool,
  body: RequestBody,
  keep: Effect.Effect<void>
) => {
  const announced = Number(response.headers["content-length"] ?? Number.NaN)
  let length = 0
  let isKept = false
  const keepOnce = Effect.suspend(() => {
    if (isKept) return Effect.void
    isKept = true
    return keep
  })
  const keepIfRead = Effect.flatMap(
    Effect.promise(() => body.readRest(restMillis)),
    (isRead) => (isRead ? keepOnce : Effect.void)
  )
  return response.stream.pipe(
    Stream.mapEffect((chunk) =>
      Effect.suspend(() => {
        length += chunk.length
        const written = Effect.promise(() => received.write(chunk))
        return Effect.as(length === announced ? Effect.zipRight(written, keepIfRead) : written, chunk)
      })
    ),
    Stream.concat(Stream.execute(keepOnce))
  )
}

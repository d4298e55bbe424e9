import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Container from "@effect-speech/audio-codec/Container"
import { codeOrName } from "@effect-speech/common/SystemCode"
import * as ApiKey from "@effect-speech/transport/ApiKey"
import * as TtsContract from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { isDiskFull } from "../isDiskFull.js"
import { callIdOf, type ExchangeFile, inlineBody } from "./exchangeFile.js"
import { type Exchange, type ExchangeStore, NotKept } from "./exchangeStore.js"
import type { ExchangeCall } from "./exchanges.js"
import { canonicalJson } from "./identity.js"
import { bodyOf, headersOf, type WavOutput } from "./keptResponse.js"
import type { RequestBody } from "./requestBody.js"
import { isProblem } from "./requestReader.js"
import { audioFolder, type Spool, type Spooled } from "./spool.js"

/** An exchange whose response has come whole. */
export interface ReceivedExchange {
  readonly call: ExchangeCall
  readonly body: RequestBody
  /** The recording of the request. */
  readonly upload: Spool
  readonly response: HttpClientResponse.HttpClientResponse
  /** The body of the response. */
  readonly received: Spool
  readonly wav: WavOutput | undefined
  readonly millis: number
  readonly store: ExchangeStore
  /** The key of the other service. */
  readonly apiKey: Redacted.Redacted
}

/** Keeps an exchange, or logs why it can't. Returns whether it is kept. */
export const keepExchange = (received: ReceivedExchange): Effect.Effect<boolean> =>
  Effect.tryPromise({ try: () => keep(received), catch: reasonOf }).pipe(
    Effect.as(true),
    Effect.catchAll((reason) =>
      Effect.as(
        Effect.logWarning(
          `The response ${received.response.status} to ${received.call.operation} was not kept: ${reason}.`
        ),
        false
      )
    ),
    // A client that leaves with the whole response has had its exchange.
    Effect.uninterruptible
  )

const reasonOf = (error: unknown): string =>
  error instanceof NotKept
    ? error.message
    : isDiskFull(error)
      ? "the disk is full; free some space"
      : codeOrName(error) === "ENOENT"
        ? "the folder was moved or removed; end this recording, and start it again"
        : `its files can't be written (${codeOrName(error)})`

const keep = async ({ apiKey, body, call, millis, received, response, store, upload, wav }: ReceivedExchange) => {
  const { entry, operation, request } = call
  const encoding = response.headers["content-encoding"] ?? "identity"
  // Nobody can see whether an encoded body holds the key.
  if (encoding !== "identity")
    throw new NotKept(`its body has the content encoding ${encoding}, which was not requested`)
  const read = await wholeRequest(body)
  if (isProblem(read)) throw new NotKept(`its request can't be read (${read.message})`)
  const recording = await spooled(upload)
  const responseBody = await spooled(received)
  const { audio, fields } = read
  const kept: Exchange = {
    operation,
    request: { fields, ...(audio && { audio: audioOf(recording, audio.filename) }) },
    response: {
      status: response.status,
      ...headersOf(response.headers, request.headers[TtsContract.header.requestId.toLowerCase()]),
      millis,
      body: bodyOf(responseBody, wav)
    }
  }
  if ([recording, responseBody].some(({ hasSecret }) => hasSecret) || holdsKey(kept, call, apiKey)) {
    throw new NotKept("it holds the API key")
  }
  entry.id = callIdOf(operation, kept.response.body) ?? entry.id
  if (kept.request.audio !== undefined) await upload.keep(nameIn(kept.request.audio.file))
  if ("file" in kept.response.body)
    await received.keep(nameIn(kept.response.body.file), wav?.header(responseBody.bytes))
  await store.keep(kept)
}

/** In milliseconds. A service may respond before it has the whole request. */
const longestRest = 5000

/** Reads the rest of the request, which the other service did not want to have. */
const wholeRequest = async (body: RequestBody) => {
  if (await body.readRest(longestRest)) return await body.whenRead
  throw new NotKept("the service responded before it had the whole request, and the rest did not come")
}

const spooled = async (spool: Spool): Promise<Spooled> => {
  const result = await spool.end()
  if (result.failure !== undefined) throw result.failure
  return result
}

const audioOf = (
  { beginning, bytes, sha256 }: Spooled,
  filename: string | undefined
): NonNullable<ExchangeFile["request"]["audio"]> => ({
  bytes,
  file: `${audioFolder}/${sha256}.${Option.getOrElse(Container.sniff(beginning), () => "bin")}`,
  ...(filename !== undefined && { filename }),
  sha256
})

const nameIn = (path: string): string => path.slice(audioFolder.length + 1)

/** Whether a text of the exchange has the key, also encoded. The spools have searched the bodies only for its bytes. */
const holdsKey = ({ request, response }: Exchange, call: ExchangeCall, apiKey: Redacted.Redacted): boolean => {
  const { audio, fields } = request
  const texts = [
    canonicalJson({ fields, name: audio?.filename, headers: response.headers }),
    inlineBody(response.body) ?? ""
  ]
  const own = Redacted.make(call.request.headers[TtsContract.header.apiKey.toLowerCase()] ?? "")
  return [apiKey, own].some(
    (key) => Redacted.value(key) !== "" && texts.some((text) => ApiKey.withoutKey(text, key) !== text)
  )
}

/** In characters. A shorter part of a key may be a part of any audio. */
const shortestSecret = 8

/** What no file may hold: the key, and the part that is secret. */
export const secretsOf = (key: Redacted.Redacted): ReadonlyArray<Uint8Array> => {
  const value = Redacted.value(key)
  return [value, value.slice(value.indexOf(".") + 1)]
    .filter(({ length }) => length >= shortestSecret)
    .map((text) => new TextEncoder().encode(text))
}

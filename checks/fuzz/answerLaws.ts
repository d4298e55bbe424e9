import { inspect } from "node:util"
import { AudioSource, SttError } from "@effect-speech/stt"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import { type Speech, TtsError } from "@effect-speech/tts"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { chunk, faultyServer, onRequest, settle } from "effect-speech-test-support/faultyServer"
import { type HttpClientName, httpClients } from "effect-speech-test-support/httpClients"
import { damaged } from "../../packages/audio-codec/test/damaged.js"
import { cutAt } from "../../packages/audio-codec/test/wavArbitrary.js"
import { anyString, bytesUpTo, json, oddNumber, pieceSizes, weighted } from "./arbitraries.js"
import { law, runnerOf, type Topic } from "./law.js"

const secret = "topsecret+7f3c/0f3e"
const key = `prefix.${secret}`
const sentId = "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"

/** Ways in which a service quotes the key. */
const quotes = FastCheck.constantFrom(
  key,
  secret,
  encodeURIComponent(key),
  encodeURIComponent(secret).toLowerCase(),
  `Bearer ${key}, again ${secret}`,
  `\u0007${secret}`
)

/** Where a body ends: where the headers say, with the connection, or somewhere else. */
type Framing = "length" | "chunked" | "close" | "cut" | "longer" | "cut in chunks"
const wholeFramings: ReadonlyArray<Framing> = ["length", "chunked", "close"]

interface Answer {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Buffer
  readonly framing: Framing
  readonly sizes: ReadonlyArray<number>
}

/** Whether the response is complete by the rules of HTTP. */
const isWhole = ({ framing, headers }: Answer): boolean =>
  wholeFramings.includes(framing) && headers.every(([, value]) => /^(?! )[\x20-\x7e]*(?<! )$/.test(value))

/** The body up to its announced length. */
const bodyOf = ({ body, framing }: Pick<Answer, "body" | "framing">): Buffer =>
  framing === "longer" ? body.subarray(0, Math.max(0, body.length - 3)) : body

const bytesOf = ({ body, framing, headers, sizes, status }: Answer): ReadonlyArray<Uint8Array> => {
  const hasBody = status !== 204 && status !== 304
  const frame = {
    length: hasBody ? `content-length: ${body.length}\r\n` : "",
    chunked: hasBody ? "transfer-encoding: chunked\r\n" : "",
    "cut in chunks": "transfer-encoding: chunked\r\n",
    close: "connection: close\r\n",
    cut: `content-length: ${body.length + 7}\r\n`,
    longer: `content-length: ${bodyOf({ body, framing }).length}\r\n`
  }[framing]
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  const head = Buffer.from(`HTTP/1.1 ${status} Scripted\r\n${lines}${frame}\r\n`, "latin1")
  if (!hasBody) return [head]
  const pieces = cutAt(body, body.length > 5000 ? [1000] : sizes)
  if (!framing.includes("chunk")) return [head, ...pieces]
  return [head, ...pieces.map(chunk), Buffer.from(framing === "chunked" ? "0\r\n\r\n" : "5\r\nab")]
}

/** Any value of a header, without the characters that end it. */
const anyHeader = weighted(
  [3, FastCheck.string({ maxLength: 20 }).map((text) => text.replace(/[^\x20-\x7e]/g, ""))],
  [1, anyString.map((text) => text.replace(/[\r\n\0]/g, "").replace(/[^\0-\xff]/g, "\xff"))],
  [1, quotes.map((text) => text.replace(/[^\x20-\x7e]/g, ""))]
)

/** What every response has, with a body of its own. */
const envelope = {
  status: weighted(
    [6, FastCheck.constant(200)],
    [3, FastCheck.constantFrom(400, 401, 402, 403, 429, 500, 502, 503, 301, 307, 204, 206, 304)],
    [1, FastCheck.integer({ min: 200, max: 599 })]
  ),
  extra: FastCheck.array(
    FastCheck.tuple(
      FastCheck.constantFrom("retry-after", "location", "server", "set-cookie", "x-other", "www-authenticate", "date"),
      anyHeader
    ),
    { maxLength: 3 }
  ),
  framing: weighted<Framing>(
    [4, FastCheck.constantFrom(...wholeFramings)],
    [1, FastCheck.constantFrom<Array<Framing>>("cut", "longer", "cut in chunks")]
  ),
  sizes: pieceSizes
}

const words = weighted([4, anyString], [1, quotes])
const maybe = <A>(arbitrary: FastCheck.Arbitrary<A>) => FastCheck.option(arbitrary, { nil: undefined })
const asJson = (value: unknown) => Buffer.from(JSON.stringify(value))

const auxInfo = FastCheck.record({
  request_time: FastCheck.oneof(oddNumber, words),
  confidence: oddNumber,
  segments_meta: FastCheck.array(FastCheck.record({ confidence: oddNumber, [secret]: words }))
})
/** The JSON of the contract, and JSON that is not. */
const success = FastCheck.record(
  { status: FastCheck.constant("success"), text: words, call_id: words, aux_info: maybe(auxInfo) },
  { requiredKeys: ["status", "text", "call_id"] }
)
const oddAnswer = FastCheck.record(
  {
    // The second kind can't become a string.
    status: FastCheck.oneof(FastCheck.constantFrom("success", "error"), FastCheck.constant({ toString: null })),
    ...{ text: FastCheck.oneof(words, json), call_id: FastCheck.oneof(words, json) },
    ...{ error: FastCheck.oneof(words, json), message: FastCheck.oneof(words, json), aux_info: json }
  },
  { requiredKeys: [] }
)

const jsonWords = [...'{ } [ " , : null 1e999 \\ud800 \\u0000 \xef\xbb\xbf \xff'.split(" "), "[".repeat(3000)]
const deepAnswer = FastCheck.oneof(FastCheck.nat(200), FastCheck.nat(40_000)).map((levels) => {
  const aux = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
  return Buffer.from(`{"status":"success","text":"a","call_id":"b","aux_info":${aux}}`)
})

const transcription = FastCheck.record({
  ...envelope,
  body: weighted<{ readonly bytes: Buffer; readonly isValid: boolean }>(
    [4, success.map((answer) => ({ bytes: asJson(answer), isValid: true }))],
    [
      6,
      weighted(
        [3, oddAnswer.map(asJson)],
        [3, damaged(success.map(asJson), jsonWords)],
        [1, json.map(asJson)],
        [1, deepAnswer],
        [1, bytesUpTo(60)]
      ).map((bytes) => ({ bytes, isValid: false }))
    ]
  )
}).map(({ body: { bytes: body, isValid }, extra: headers, ...rest }) => {
  const answer: Answer = { ...rest, headers, body }
  return { answer, isValid: isValid && rest.status === 200 && isWhole(answer) }
})

/** A header that a client accepts, or one that it does not. */
const header = (good: ReadonlyArray<string | undefined>, bad: ReadonlyArray<string | undefined>) =>
  weighted(
    [9, FastCheck.constantFrom(...good).map((value) => ({ value, isValid: true }))],
    [1, FastCheck.constantFrom(...bad).map((value) => ({ value, isValid: false }))]
  )

const synthesis = FastCheck.record({
  ...envelope,
  rate: header(
    ["8000", "16000", "24000", "44100", "48000"],
    [undefined, ..."1 500 7999 48001 -8000 8000.5 8e3 0x10 NaN Infinity 0 1000000".split(" "), "", "8000, 8000"]
  ),
  encoding: header(["pcm16", "float32"], ["PCM16", "", undefined, "mulaw", "pcm16, pcm16", "__proto__"]),
  type: header(
    ["application/octet-stream", undefined, "audio/pcm", "audio/L16; rate=8000", "application/jsonish"],
    ["application/json", "text/html; charset=utf-8", "application/problem+json", "image/png", "VIDEO/mp4"]
  ),
  compression: header([undefined, "identity", "IDENTITY"], ["gzip", "br", "x"]),
  /** Announced minus real duration, in milliseconds, or a header that is no number. */
  duration: weighted<number | string | undefined>(
    [8, FastCheck.constantFrom(0, 0.4, -0.4, undefined)],
    [2, FastCheck.constantFrom(-3, 50, -50, 1e6, 1e300, "", "-1", "1e3", "1,5", "NaN", "one", ".5", "1.")]
  ),
  requestId: maybe(anyHeader),
  body: weighted(
    [6, FastCheck.integer({ min: 1, max: 300 }).map((samples) => Buffer.alloc(samples * 4))],
    [2, bytesUpTo(600)],
    [1, words.map((error) => asJson({ error }))]
  )
}).map(({ compression, duration, encoding, extra, rate, requestId, type, ...rest }) => {
  const body = bodyOf(rest)
  const frame = encoding.value === "float32" ? 4 : 2
  const lasts = (body.length / frame / (rate.isValid ? Number(rate.value) : 8000)) * 1000
  const named: ReadonlyArray<readonly [string, string | undefined]> = [
    ["x-sample-rate", rate.value],
    ["x-encoding", encoding.value],
    ["content-type", type.value],
    ["content-encoding", compression.value],
    ["x-audio-duration-ms", typeof duration === "number" ? String(Math.max(0, lasts + duration)) : duration],
    ["x-request-id", requestId]
  ]
  const headers = [...named, ...extra].filter((each): each is [string, string] => each[1] !== undefined)
  const answer: Answer = { ...rest, headers }
  const hasHeaders = [rate, encoding, type, compression].every(({ isValid }) => isValid)
  const isTimed = duration === undefined || (typeof duration === "number" && Math.abs(duration) < 1)
  const isAudio = body.length > 0 && body.every((byte) => byte === 0) && body.length % 4 === 0
  return {
    answer,
    format: `${rate.value}:${encoding.value}`,
    isValid: rest.status === 200 && isWhole(answer) && hasHeaders && isTimed && isAudio
  }
})

const isSttError = Schema.is(SttError)
const isTtsError = Schema.is(TtsError)

/** Fails if a result, or an error printed in any way, contains the key. */
const checkNoKey = (result: unknown) => {
  const shown = inspect(result, { depth: 30, showHidden: true, maxStringLength: null }) + JSON.stringify(result)
  for (const form of [secret, encodeURIComponent(secret), encodeURIComponent(secret).toLowerCase()]) {
    if (shown.includes(form)) throw new Error(`the key is in ${shown.slice(0, 2000)}`)
  }
}

const over = weighted<HttpClientName>(
  [5, FastCheck.constant("recommended")],
  [1, FastCheck.constantFrom<Array<HttpClientName>>("undici", "node", "fetch")]
)

export const answerLaws: Topic = Effect.gen(function* () {
  let answer: Answer | undefined
  const server = yield* faultyServer(
    onRequest((socket, elsewhere) => {
      if (answer === undefined) return
      const { framing } = answer
      socket.setNoDelay(true)
      const pieces = bytesOf(answer)
      for (const piece of pieces.slice(0, -1)) socket.write(piece)
      settle(pieces.at(-1) ?? "")(socket, elsewhere)
      if (framing !== "length" && framing !== "chunked") socket.end()
    })
  )
  // The deadline is far above the time of any response here.
  const options = {
    ...{ apiKey: Redacted.make(key), baseUrl: `http://${server.host}`, retries: 0 },
    deadlines: { total: "25 seconds" }
  } as const
  const clients = yield* Effect.all(
    Record.map(httpClients, (httpClient) =>
      Effect.gen(function* () {
        const run = yield* runnerOf<Effect.Effect.Context<ReturnType<typeof SpeechToText.make<never>>>, never>(
          httpClient
        )
        return yield* Effect.promise(() =>
          run(Effect.all({ stt: SpeechToText.make(options), tts: TextToSpeech.make(options) }))
        )
      })
    )
  )
  const audio = AudioSource.fromBytes(Uint8Array.of(82, 73, 70, 70))

  /** The result, or undefined for an error of the client. A valid response over the recommended layer gives a result. */
  const resultOf = async <A, E>(call: Effect.Effect<A, E>, isError: (error: E) => boolean, isValid: boolean) => {
    const outcome = await Effect.runPromise(Effect.either(Effect.mapError(call, Cause.originalError)))
    checkNoKey(Either.merge(outcome))
    if (Either.isRight(outcome)) return outcome.right
    if (isValid || !isError(outcome.left)) throw new Error(inspect(outcome.left))
    return undefined
  }

  return {
    "any response gives its transcript or a described error, a valid one its transcript, and none the key": law(
      30,
      FastCheck.asyncProperty(transcription, over, async (given, layer) => {
        answer = given.answer
        const call = clients[layer].stt.transcribe({ audio, model: "m", transactionId: sentId })
        const result = await resultOf(call, isSttError, given.isValid && layer === "recommended")
        if (result === undefined) return
        const { status, text } = JSON.parse(new TextDecoder().decode(bodyOf(answer)))
        const isRead = text === result.text || result.text.includes("<redacted>")
        if (answer.status !== 200 || status !== "success" || !isRead) throw new Error(`${text} became ${result.text}`)
      })
    ),

    "any response gives its speech or a described error, a valid one its speech, and none the key": law(
      30,
      FastCheck.asyncProperty(synthesis, over, FastCheck.boolean(), async (given, layer, isStreamed) => {
        answer = given.answer
        const request = { text: "a", requestId: sentId }
        const { tts } = clients[layer]
        const streamed = Effect.scoped(
          Effect.flatMap(tts.stream(request), ({ stream, ...about }) =>
            Effect.map(Stream.runCollect(stream), (parts) => ({ ...about, bytes: Buffer.concat([...parts]) }))
          )
        )
        const whole = Effect.map(tts.synthesize(request), ({ stream: _, ...about }) => about)
        const call: Effect.Effect<Pick<Speech, "bytes" | "format">, TtsError> = isStreamed ? streamed : whole
        const result = await resultOf(call, isTtsError, given.isValid && layer === "recommended")
        if (result === undefined) return
        const { bytes, format } = result
        if (answer.status !== 200 || `${format.sampleRate}:${format.encoding}` !== given.format) {
          throw new Error(inspect(format))
        }
        if (isWhole(answer) && !answer.body.equals(bytes)) throw new Error("the audio differs")
      })
    )
  }
})

import { inspect } from "node:util"
import { AudioSource, SttError } from "@effect-speech/stt"
import { make as makeStt } from "@effect-speech/stt/SpeechToText"
import type * as NodeTransport from "@effect-speech/transport/node"
import { type Speech, TtsError } from "@effect-speech/tts"
import { make as makeTts } from "@effect-speech/tts/TextToSpeech"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { chunk, faultyServer, onRequest, settle } from "effect-speech-test-support/faultyServer"
import { httpClients } from "effect-speech-test-support/httpClients"
import { cutAt } from "../../packages/audio-codec/test/wavArbitrary.js"
import { anyString, bytesUpTo, damaged, json, oddNumber, pieceSizes, weighted } from "./arbitraries.js"
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
const framings = ["length", "chunked", "close", "cut", "longer", "cut in chunks"] as const

interface Answer {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Buffer
  readonly framing: (typeof framings)[number]
  readonly sizes: ReadonlyArray<number>
}

/** Whether the response is complete by the rules of HTTP, so that its outcome is known. */
const isWhole = ({ framing, headers }: Answer): boolean =>
  ["length", "chunked", "close"].includes(framing) &&
  headers.every(([, value]) => /^(?! )[\x20-\x7e]*(?<! )$/.test(value))

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
  if (!framing.endsWith("chunked") && !framing.endsWith("chunks")) return [head, ...pieces]
  const end = framing === "chunked" ? ["0\r\n\r\n"] : ["5\r\nab"]
  return [head, ...pieces.map(chunk), ...end.map((text) => Buffer.from(text))]
}

/** Any value of a header, without the characters that end it. */
const anyHeader = weighted(
  [3, FastCheck.string({ maxLength: 20 }).map((text) => text.replace(/[^\x20-\x7e]/g, ""))],
  [1, anyString.map((text) => text.replace(/[\r\n\0]/g, "").replace(/[^\0-\xff]/g, "\xff"))],
  [1, quotes.map((text) => text.replace(/[^\x20-\x7e]/g, ""))]
)

const extraHeaders = FastCheck.array(
  FastCheck.tuple(
    FastCheck.constantFrom("retry-after", "location", "server", "set-cookie", "x-other", "www-authenticate", "date"),
    anyHeader
  ),
  { maxLength: 3 }
)

const status = weighted(
  [6, FastCheck.constant(200)],
  [3, FastCheck.constantFrom(400, 401, 402, 403, 429, 500, 502, 503, 301, 307, 204, 206, 304)],
  [1, FastCheck.integer({ min: 200, max: 599 })]
)

const framing: FastCheck.Arbitrary<Answer["framing"]> = weighted(
  [3, FastCheck.constantFrom<Answer["framing"][]>("length", "chunked", "close")],
  [1, FastCheck.constantFrom<Answer["framing"][]>(...framings)]
)

const words = weighted([4, anyString], [1, quotes])
const mostlyWords = FastCheck.oneof({ weight: 12, arbitrary: words }, { weight: 1, arbitrary: json })
const maybe = (arbitrary: FastCheck.Arbitrary<unknown>) => FastCheck.option(arbitrary, { nil: undefined })

const answerObject = FastCheck.record(
  {
    status: FastCheck.oneof(
      { weight: 10, arbitrary: FastCheck.constantFrom("success", "success", "error") },
      { weight: 1, arbitrary: json },
      // These cannot become a string.
      { weight: 1, arbitrary: FastCheck.constantFrom({ toString: null, valueOf: null }, [{ toString: null }]) }
    ),
    text: mostlyWords,
    call_id: mostlyWords,
    error: maybe(mostlyWords),
    message: maybe(mostlyWords),
    aux_info: maybe(
      FastCheck.oneof(
        json,
        FastCheck.record({
          request_time: FastCheck.oneof(oddNumber, words),
          confidence: oddNumber,
          segments_meta: FastCheck.array(
            FastCheck.record({ confidence: FastCheck.oneof(oddNumber, json), [secret]: words })
          )
        })
      )
    )
  },
  { requiredKeys: ["status", "text", "call_id"] }
).map((answer) => Buffer.from(JSON.stringify(answer)))

const jsonWords = [...'{ } [ " , : null 1e999 \\ud800 \\u0000 \xef\xbb\xbf \xff'.split(" "), "[".repeat(3000)]
const deepAnswer = FastCheck.oneof(FastCheck.nat(200), FastCheck.nat(40_000)).map((levels) => {
  const aux = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
  return Buffer.from(`{"status":"success","text":"a","call_id":"b","aux_info":${aux}}`)
})
const bodyOfJson = weighted<Buffer>(
  [6, answerObject],
  [2, damaged(answerObject, jsonWords)],
  [1, json.map((value) => Buffer.from(JSON.stringify(value)))],
  [1, deepAnswer],
  [1, bytesUpTo(60)]
)

const transcriptionAnswer: FastCheck.Arbitrary<Answer> = FastCheck.record({
  status,
  headers: extraHeaders,
  body: bodyOfJson,
  framing,
  sizes: pieceSizes
})

const sttTags: Readonly<Record<number, string>> = {
  400: "SttBadRequest",
  401: "SttUnauthorized",
  402: "SttCreditExhausted",
  403: "SttForbidden",
  500: "SttServerError",
  503: "SttUnavailable"
}
const ttsTags: Readonly<Record<number, string>> = {
  400: "TtsBadRequest",
  401: "TtsUnauthorized",
  500: "TtsServerError",
  502: "TtsBackendFailed"
}

/** The limit that the README of stt names. */
const maximumLevels = 100

/** How many objects and arrays are inside each other. */
const levelsOf = (json: string): number => {
  let [level, most] = [0, 0]
  for (const bracket of json.replace(/"(?:[^"\\]|\\.)*"/gs, "").match(/[[\]{}]/g) ?? []) {
    level += /[[{]/.test(bracket) ? 1 : -1
    most = Math.max(most, level)
  }
  return most
}

/** The expected tag. `undefined` for a transcript. */
const expectedTag = (answer: Answer): string | undefined => {
  if (answer.status !== 200) return sttTags[answer.status] ?? "SttUnexpectedStatus"
  const text = new TextDecoder().decode(bodyOf(answer))
  try {
    const { call_id, error, message, status: outcome, text: transcript } = JSON.parse(text)
    if (levelsOf(text) > maximumLevels) return "SttInvalidResponse"
    const isWord = (value: unknown) => typeof value === "string"
    const mayBeWord = (value: unknown) => value === undefined || value === null || isWord(value)
    if (outcome === "success" && isWord(transcript) && isWord(call_id)) return undefined
    if (outcome === "error" && [call_id, error, message].every(mayBeWord)) return "SttTranscriptionFailed"
  } catch {
    // The body is no JSON object.
  }
  return "SttInvalidResponse"
}

/** The value of a header, and whether it is valid. */
interface HeaderValue {
  readonly value: string | undefined
  readonly isSound: boolean
}
const sound = (...values: ReadonlyArray<string | undefined>) =>
  FastCheck.constantFrom(...values.map((value): HeaderValue => ({ value, isSound: true })))
const unsound = (...values: ReadonlyArray<string | undefined>) =>
  FastCheck.constantFrom(...values.map((value): HeaderValue => ({ value, isSound: false })))
const mostlySound = (good: FastCheck.Arbitrary<HeaderValue>, bad: FastCheck.Arbitrary<HeaderValue>) =>
  FastCheck.oneof({ weight: 7, arbitrary: good }, { weight: 1, arbitrary: bad })

const badNumbers = [
  undefined,
  "",
  "1",
  "500",
  "7999",
  "48001",
  "999999",
  "-8000",
  "8000.5",
  "8e3",
  "0x10",
  "NaN",
  "Infinity",
  "8000, 8000",
  "0",
  "1000000"
]

const contentTypes = mostlySound(
  sound("application/octet-stream", undefined, "audio/pcm", "audio/L16; rate=8000", "application/jsonish"),
  unsound("application/json", "text/html; charset=utf-8", "application/problem+json", "image/png", "VIDEO/mp4")
)

const synthesisAnswer = FastCheck.record({
  status,
  rate: mostlySound(sound("8000", "16000", "24000", "44100", "48000"), unsound(...badNumbers)),
  encoding: mostlySound(
    sound("pcm16", "float32"),
    unsound("PCM16", "", undefined, "mulaw", "pcm16, pcm16", "__proto__")
  ),
  type: contentTypes,
  compression: mostlySound(sound(undefined, "identity", "IDENTITY"), unsound("gzip", "br", "x")),
  /** Announced minus real duration, in milliseconds. Or a header that is no number. */
  duration: weighted<number | string | undefined>(
    [8, FastCheck.constantFrom(0, 0.4, -0.4)],
    [4, FastCheck.constantFrom(1.5, -1.5, 1.2, -1.2, -3, 50, -50, 1e6, 1e300)],
    [2, FastCheck.constantFrom(undefined, "", "-1", "1e3", "1,5", "NaN", "one", ".5", "1.")]
  ),
  requestId: maybe(anyHeader) as FastCheck.Arbitrary<string | undefined>,
  extra: extraHeaders,
  body: weighted(
    [6, FastCheck.nat(300).map((samples) => Buffer.alloc(samples * 4))],
    [2, bytesUpTo(600)],
    [1, answerObject],
    [1, words.map((error) => Buffer.from(JSON.stringify({ error })))]
  ),
  framing,
  sizes: pieceSizes
}).map(({ body: sent, compression, duration, encoding, extra, rate, requestId, type, ...answer }) => {
  const body = bodyOf({ ...answer, body: sent })
  const frame = encoding.value === "float32" ? 4 : 2
  const lasts = (body.length / frame / (rate.isSound ? Number(rate.value) : 8000)) * 1000
  const stated = typeof duration === "number" ? lasts + duration : undefined
  const isStated = stated !== undefined && stated >= 0 && !String(stated).includes("e")
  const headers: ReadonlyArray<readonly [string, string | undefined]> = [
    ["x-sample-rate", rate.value],
    ["x-encoding", encoding.value],
    ["content-type", type.value],
    ["content-encoding", compression.value],
    ["x-audio-duration-ms", typeof duration === "number" ? String(stated) : duration],
    ["x-request-id", requestId],
    ...extra
  ]
  const usable = rate.isSound && encoding.isSound && type.isSound && (compression.isSound || isStated)
  const off = isStated ? Math.abs(stated - lasts) : 0
  const isSound = frame === 2 || [...floatsIn(body)].every(Number.isFinite)
  const isAudio = body.length > 0 && body.length % frame === 0 && isSound && off <= 1 + 1000 / Number(rate.value)
  return {
    answer: {
      ...answer,
      body: sent,
      headers: headers.filter((header): header is [string, string] => header[1] !== undefined)
    },
    expected: !usable ? "TtsInvalidResponse" : isAudio ? undefined : "TtsCorruptAudio",
    format: `${rate.value}:${encoding.value}`
  }
})

function* floatsIn(bytes: Buffer): Generator<number> {
  for (let at = 0; at + 4 <= bytes.length; at += 4) yield bytes.readFloatLE(at)
}

/** The compared part of a speech. */
type Result = Pick<Speech, "bytes" | "format">

const isSttError = Schema.is(SttError)
const isTtsError = Schema.is(TtsError)

/** Fails if a result, or an error printed in any way, contains the key. */
const checkNoKey = (result: unknown) => {
  const shown = inspect(result, { depth: 30, showHidden: true, maxStringLength: null }) + JSON.stringify(result)
  for (const form of [secret, encodeURIComponent(secret), encodeURIComponent(secret).toLowerCase()]) {
    if (shown.includes(form)) throw new Error(`the key is in ${shown.slice(0, 2000)}`)
  }
}

const over: FastCheck.Arbitrary<keyof typeof httpClients> = weighted(
  [5, FastCheck.constantFrom<Array<keyof typeof httpClients>>("recommended")],
  [1, FastCheck.constantFrom<Array<keyof typeof httpClients>>("undici", "node", "fetch")]
)

/** Far above the time of any response here. */
const deadlines = { total: "25 seconds" } as const

export const answerLaws: Topic = Effect.gen(function* () {
  let answer: Answer | undefined
  const server = yield* faultyServer(
    onRequest((socket, elsewhere) => {
      if (answer === undefined) return
      const { framing } = answer
      socket.setNoDelay(true)
      const pieces = bytesOf(answer)
      pieces.slice(0, -1).forEach((piece) => {
        socket.write(piece)
      })
      settle(pieces.at(-1) ?? "")(socket, elsewhere)
      if (framing !== "length" && framing !== "chunked") socket.end()
    })
  )
  const options = { apiKey: Redacted.make(key), baseUrl: `http://${server.host}`, deadlines, retries: 0 }
  const clientsOver = (httpClient: Layer.Layer<Layer.Layer.Success<typeof NodeTransport.layer>>) =>
    Effect.gen(function* () {
      const run = yield* runnerOf(httpClient)
      return yield* Effect.promise(() => run(Effect.all({ stt: makeStt(options), tts: makeTts(options) })))
    })
  const clients = yield* Effect.all(Record.map(httpClients, clientsOver))
  const audio = AudioSource.fromBytes(Uint8Array.of(82, 73, 70, 70))

  const checkTag = (expected: string | undefined, error: { readonly _tag: string } | undefined, isExact: boolean) => {
    // An incomplete response may end in another error, but never in a result.
    const isExpected = isExact ? error?._tag === expected : expected === undefined || error !== undefined
    if (!isExpected)
      throw new Error(`expected ${expected ?? "a result"}, got ${error?._tag ?? "a result"}: ${inspect(error)}`)
  }

  return {
    "any response gives the transcript or the error that the contract says, and never the key": law(
      30,
      FastCheck.asyncProperty(transcriptionAnswer, over, async (given, layer) => {
        answer = given
        const call = clients[layer].stt.transcribe({ audio, model: "m", transactionId: sentId })
        const result = await Effect.runPromise(Effect.either(Effect.mapError(call, Cause.originalError)))
        const expected = expectedTag(given)
        const isExact = layer === "recommended" && isWhole(given)
        checkNoKey(Either.merge(result))
        checkTag(expected, Option.getOrUndefined(Either.getLeft(result)), isExact)
        if (Either.isLeft(result)) {
          if (!isSttError(result.left)) throw new Error(`${inspect(result.left)} is no SttError`)
        } else {
          if (isExact) {
            const { text } = JSON.parse(new TextDecoder().decode(given.body))
            const isQuoting = text !== result.right.text
            if (isQuoting && !result.right.text.includes("<redacted>"))
              throw new Error(`${text} became ${result.right.text}`)
          }
        }
      })
    ),

    "any response gives the speech or the error that the contract says, and never the key": law(
      30,
      FastCheck.asyncProperty(synthesisAnswer, over, FastCheck.boolean(), async (given, layer, isStreamed) => {
        answer = given.answer
        const request = { text: "a", requestId: sentId }
        const { tts } = clients[layer]
        const streamed = Effect.scoped(
          Effect.flatMap(tts.stream(request), ({ stream, ...about }) =>
            Effect.map(Stream.runCollect(stream), (parts) => ({ ...about, bytes: Buffer.concat([...parts]) }))
          )
        )
        const whole = Effect.map(tts.synthesize(request), ({ stream: _, ...about }) => about)
        const call: Effect.Effect<Result, TtsError> = isStreamed ? streamed : whole
        const result = await Effect.runPromise(Effect.either(Effect.mapError(call, Cause.originalError)))
        const { body, status } = given.answer
        const expected = status === 200 ? given.expected : (ttsTags[status] ?? "TtsUnexpectedStatus")
        const isExact = layer === "recommended" && isWhole(given.answer)
        checkNoKey(Either.merge(result))
        checkTag(expected, Option.getOrUndefined(Either.getLeft(result)), isExact)
        if (Either.isLeft(result)) {
          if (!isTtsError(result.left)) throw new Error(`${inspect(result.left)} is no TtsError`)
        } else {
          const { bytes, format } = result.right
          if (isExact && !body.equals(bytes)) throw new Error("the audio differs")
          if (`${format.sampleRate}:${format.encoding}` !== given.format) throw new Error(inspect(format))
        }
      })
    )
  }
})

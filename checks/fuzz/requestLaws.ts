import { deepStrictEqual } from "node:assert"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, type SttContract, SttError, type TranscriptionRequest } from "@effect-speech/stt"
import { make as makeStt } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/node"
import { type SynthesisRequest, TextToSpeech, TtsContract, TtsError } from "@effect-speech/tts"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { scriptedServer } from "effect-speech-test-support/scriptedServer"
import {
  anyString,
  anything,
  isWellFormed,
  json,
  oddNumber,
  recordOf,
  weighted,
  wellFormedString
} from "./arbitraries.js"
import { law, runnerOf, type Topic } from "./law.js"
import { languages, makeStage, voices, withClients } from "./localService.js"

type Fields = Readonly<Record<string, unknown>>

/** Mostly valid, sometimes anything else. */
const mostly = (good: FastCheck.Arbitrary<unknown>, ...others: ReadonlyArray<FastCheck.Arbitrary<unknown>>) =>
  FastCheck.oneof(
    { weight: 12, arbitrary: good },
    { weight: 1, arbitrary: others.length === 0 ? anything : FastCheck.oneof(...others) },
    { weight: 1, arbitrary: FastCheck.oneof(anything, ...others) }
  )

const maybe = (arbitrary: FastCheck.Arbitrary<unknown>) => FastCheck.option(arbitrary, { nil: undefined, freq: 3 })

const isPlain = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && [null, Object.prototype].includes(Object.getPrototypeOf(value))

/** Accepts an absent value and `undefined`. */
const optional = (rule: (value: unknown) => boolean) => (value: unknown) => value === undefined || rule(value)

const isString = (value: unknown): value is string => typeof value === "string"
const isBoolean = (value: unknown) => typeof value === "boolean"
const isFrom = (from: number, to: number) => (value: unknown) =>
  typeof value === "number" && value >= from && value <= to

/** The fields that break a rule of the contract, and those that the contract does not have. */
const wrong = (request: unknown, rules: Readonly<Record<string, (value: unknown) => boolean>>) => {
  if (typeof request !== "object" || request === null) return ["request"]
  const given = request as Fields
  const known = Object.entries(rules).filter(([name, rule]) => !rule(given[name]))
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(rules, name))
  // An empty name is printed as "".
  const shown = unknown.map((name) => name || '""')
  return [...(isPlain(request) ? [] : ["request"]), ...known.map(([name]) => name), ...shown]
}

const holdsRefusal = (error: { readonly field: string; readonly message: string }, fields: ReadonlyArray<string>) => {
  // A problem inside a field is named by its path.
  const isNamed = fields.some((name) => error.field === name || error.field.startsWith(`${name}.`))
  if (!isNamed)
    throw new Error(`${error.field} is named (${error.message}), and ${fields.join(", ") || "nothing"} is wrong`)
}

const outputFormats = ["8000", "16000", "24000"].flatMap((rate) => [`${rate}:pcm16`, `${rate}:float32`])
const bodyFields = ["text", "lang", "voice", "output_format", "speed", "num_step", "g2p_overrides"]

const isBlank = (given: string): boolean =>
  given.replace(/[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, "") === ""

const text = FastCheck.oneof(
  { weight: 20, arbitrary: wellFormedString.filter((given) => !isBlank(given)) },
  { weight: 2, arbitrary: FastCheck.constantFrom(" a\n", "\ta", "\u00a0\r\n") },
  {
    weight: 1,
    arbitrary: FastCheck.constantFrom("a".repeat(10_000), "𝄞".repeat(10_000), "\0".repeat(9999).concat("a"))
  }
)
const badText = FastCheck.constantFrom(
  "",
  " \u00a0\t",
  "\u200b",
  "\0".repeat(10_000),
  "a".repeat(10_001),
  "𝄞".repeat(10_001),
  "a\ud800",
  "\udc00\ud800",
  null
)

const requestId = FastCheck.string({ unit: FastCheck.constantFrom(..."aZ09._:-"), minLength: 1, maxLength: 64 })

/** A synthesis request, also with values that the type forbids. */
const synthesisRequest = weighted<unknown>(
  [
    40,
    FastCheck.record(
      {
        text: mostly(text, badText),
        lang: maybe(mostly(FastCheck.constantFrom(...languages), anyString)),
        voice: maybe(mostly(FastCheck.constantFrom(...voices), anyString)),
        outputFormat: maybe(mostly(FastCheck.constantFrom(...outputFormats), anyString)),
        speed: maybe(mostly(FastCheck.double({ min: 0.25, max: 4, noNaN: true }), oddNumber)),
        numStep: maybe(mostly(FastCheck.double({ min: 1, max: 100, noNaN: true }), oddNumber)),
        g2pOverrides: maybe(mostly(recordOf(anyString), recordOf(json))),
        requestId: maybe(mostly(requestId, anyString)),
        additionalFields: maybe(mostly(recordOf(json), recordOf(json, FastCheck.constantFrom(...bodyFields))))
      },
      { requiredKeys: ["text"] }
    )
  ],
  [1, FastCheck.record({ text, unknown: anything })],
  [1, anything]
)

const isJsonRecord = (value: unknown): boolean => isPlain(value) && Object.values(value).every(isJson)
const isJson = (value: unknown): boolean => {
  try {
    // JSON omits or changes some values.
    deepStrictEqual(JSON.parse(JSON.stringify(value)), value)
    return true
  } catch {
    return false
  }
}

const synthesisRules = {
  text: (value: unknown) =>
    isString(value) && !isBlank(value) && Array.from(value).length <= 10_000 && isWellFormed(value),
  lang: optional(isString),
  voice: optional(isString),
  outputFormat: optional((value) => isString(value) && outputFormats.includes(value)),
  speed: optional(isFrom(0.25, 4)),
  numStep: optional(isFrom(1, 100)),
  g2pOverrides: optional(isJsonRecord),
  requestId: optional((value) => isString(value) && /^[A-Za-z0-9._:-]{1,64}$/.test(value)),
  additionalFields: optional(
    (value) => isJsonRecord(value) && Object.keys(value as object).every((name) => !bodyFields.includes(name))
  )
}

/** What no JSON holds has a type of its own, which the client may refuse, or leave out as `JSON.stringify` does. */
const sendable = (request: unknown): boolean =>
  !isPlain(request) ||
  ["g2pOverrides", "additionalFields"].every((name) => typeof request[name] !== "object" || isJson(request[name]))

/** A client's answer as a value, errors too: one that failed inside a span is a Proxy. */
const settled = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Either.Either<A, E>, never, R> =>
  Effect.either(Effect.mapError(effect, Cause.originalError)) as Effect.Effect<Either.Either<A, E>, never, R>

const synthesized = (request: unknown) =>
  settled(Effect.flatMap(TextToSpeech, (tts) => tts.synthesize(request as SynthesisRequest)))

const halved = wellFormedString.map((text) => `${text}\ud83d`)
const known = ["hi-general-v2-8khz", "en-banking-v2-8khz"]
const transcriptionFields = ["model", "transaction_id", "audio_file", "aux", "parse_number", "hotwords"]
const audio = AudioSource.fromBytes(
  Wav.encode({ sampleRate: 8000, channels: 1, encoding: "pcm16" }, new Uint8Array(160))
)

const hotword = FastCheck.record(
  { phrase: wellFormedString.filter((phrase) => phrase !== ""), score: maybe(oddNumber.filter(Number.isFinite)) },
  { requiredKeys: ["phrase"] }
)
const badHotword = FastCheck.record(
  { phrase: FastCheck.oneof(anything, halved), score: anything },
  { requiredKeys: [] }
)

const fieldName = FastCheck.oneof(
  FastCheck.stringMatching(/^[\x21\x23-\x5b\x5d-\x7e]{1,24}$/),
  FastCheck.constantFrom("language", "Model", "a[b]", "a%22b", "a;b=c", "__proto__", "constructor")
)

const upperCaseId = FastCheck.uuid().map((id) => id.toUpperCase())
const transcriptionRequest = weighted<unknown>(
  [
    40,
    FastCheck.record(
      {
        audio: mostly(FastCheck.constant(audio)),
        model: mostly(FastCheck.constantFrom(...known), anyString, halved),
        transactionId: maybe(mostly(FastCheck.uuid(), anyString, upperCaseId)),
        aux: maybe(mostly(FastCheck.boolean())),
        parseNumber: maybe(mostly(FastCheck.boolean())),
        hotwords: maybe(
          mostly(FastCheck.array(hotword, { maxLength: 6 }), FastCheck.array(badHotword, { maxLength: 3 }))
        ),
        additionalFields: maybe(
          mostly(
            recordOf(wellFormedString, fieldName),
            recordOf(FastCheck.oneof(anyString, halved), FastCheck.oneof(anyString, FastCheck.constant("note"))),
            recordOf(wellFormedString, FastCheck.constantFrom(...transcriptionFields))
          )
        )
      },
      { requiredKeys: ["audio", "model"] }
    )
  ],
  [1, FastCheck.record({ audio: FastCheck.constant(audio), model: FastCheck.constant("m"), unknown: anything })],
  [1, anything]
)

const isHotword = (value: unknown): boolean =>
  isPlain(value) &&
  isString(value.phrase) &&
  value.phrase !== "" &&
  isWellFormed(value.phrase) &&
  (value.score === undefined || Number.isFinite(value.score)) &&
  Object.keys(value).every((name) => ["phrase", "score"].includes(name))

const transcriptionRules = {
  audio: AudioSource.isAudioSource,
  model: (value: unknown) => isString(value) && value.trim() !== "" && isWellFormed(value),
  transactionId: optional((value) => isString(value) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)),
  aux: optional(isBoolean),
  parseNumber: optional(isBoolean),
  hotwords: optional((value) => Array.isArray(value) && Array.from(value).every(isHotword)),
  telephony: optional(isBoolean),
  additionalFields: optional(
    (value) =>
      isPlain(value) &&
      Object.entries(value).every(
        ([name, content]) =>
          /^[!#-[\]-~]+$/.test(name) &&
          !transcriptionFields.includes(name) &&
          isString(content) &&
          isWellFormed(content)
      )
  )
}

const withoutUndefined = (value: Fields): Fields =>
  Object.fromEntries(Object.entries(value).filter(([, content]) => content !== undefined))

/** `-0` and `0` are one number in JSON and in a form. */
const sameAfterJson = (actual: unknown, expected: unknown, words: string) =>
  deepStrictEqual(JSON.parse(JSON.stringify(actual)), JSON.parse(JSON.stringify(expected)), words)

const wireLaws = Effect.gen(function* () {
  const speech = Buffer.alloc(48)
  const server = yield* scriptedServer((response) =>
    response
      .writeHead(200, { "x-sample-rate": "24000", "x-encoding": "float32", "x-audio-duration-ms": "0.5" })
      .end(speech)
  )
  const clients = TextToSpeech.layer({ apiKey: Redacted.make("prefix.secret"), baseUrl: server.url, retries: 0 })
  const run = yield* runnerOf(Layer.provide(clients, NodeTransport.layer))

  return {
    "a request for speech is refused by a field that is wrong, or sent as it was given and nothing else": law(
      25,
      FastCheck.asyncProperty(synthesisRequest.filter(sendable), (request) =>
        run(
          Effect.gen(function* () {
            const before = server.received.length
            const outcome = yield* synthesized(request)
            const fields = wrong(request, synthesisRules)
            if (Either.isLeft(outcome)) {
              if (outcome.left._tag !== "TtsInvalidRequest") throw outcome.left
              deepStrictEqual(server.received.length, before, "something was sent")
              return holdsRefusal(outcome.left, fields)
            }
            deepStrictEqual(fields, [], "it was sent")
            const { additionalFields, requestId, text, lang, voice, outputFormat, speed, numStep, g2pOverrides } =
              request as SynthesisRequest
            const sent = server.received.at(-1)
            const expected = { text, lang, voice, output_format: outputFormat, speed, num_step: numStep }
            sameAfterJson(
              JSON.parse(sent?.body.toString() ?? ""),
              { ...additionalFields, ...expected, g2p_overrides: g2pOverrides },
              "what was sent"
            )
            if (requestId !== undefined) deepStrictEqual(sent?.headers["x-request-id"], requestId)
          })
        )
      )
    )
  }
})

const serviceLaws = Effect.gen(function* () {
  const stage = makeStage()
  const run = yield* runnerOf(withClients(stage))

  const clientOf = (hotwordEncoding: SttContract.HotwordEncoding) =>
    Effect.flatMap(LocalService, ({ apiKey, sttBaseUrl: baseUrl }) => makeStt({ apiKey, baseUrl, hotwordEncoding }))
  const clients = yield* Effect.promise(() =>
    run(Effect.all({ json: clientOf("json"), repeated: clientOf("repeated"), indexed: clientOf("indexed") }))
  )

  const transcribed = (encoding: SttContract.HotwordEncoding) =>
    law(
      15,
      FastCheck.asyncProperty(transcriptionRequest, (request) =>
        run(
          Effect.gen(function* () {
            const { requests } = yield* LocalService
            const before = (yield* requests).at(-1)?.number
            const outcome = yield* settled(clients[encoding].transcribe(request as TranscriptionRequest))
            const entry = (yield* requests).at(-1)
            const fields = wrong(request, transcriptionRules)
            if (Either.isLeft(outcome) && outcome.left._tag === "SttInvalidRequest") {
              deepStrictEqual(entry?.number, before, "something was sent")
              return holdsRefusal(outcome.left, fields)
            }
            deepStrictEqual(fields, [], "it was sent")
            const { additionalFields, aux, hotwords, model, parseNumber, transactionId } =
              request as TranscriptionRequest
            if (Either.isLeft(outcome)) {
              // The service knows only its own models.
              if (outcome.left._tag !== "SttBadRequest" || known.includes(model)) throw outcome.left
            } else if (!known.includes(model)) throw new Error(`${JSON.stringify(model)} is no model`)
            const { transaction_id, ...arrived } = entry?.request ?? {}
            if (transactionId !== undefined) deepStrictEqual(transaction_id, transactionId)
            const words = hotwords?.map(withoutUndefined)
            const given = encoding === "json" || (words?.length ?? 0) > 0 ? words : undefined
            const expected = { model, aux, parse_number: parseNumber }
            sameAfterJson(arrived, { ...additionalFields, ...textOf(expected), hotwords: given }, "what arrived")
          })
        )
      )
    )

  return {
    "a synthesis request reaches the voice of the local service as it was given, or an error names the field": law(
      25,
      FastCheck.asyncProperty(synthesisRequest.filter(sendable), (request) =>
        run(
          Effect.gen(function* () {
            stage.takeUtterances()
            const outcome = yield* synthesized(request)
            const utterances = stage.takeUtterances()
            const fields = wrong(request, synthesisRules)
            if (Either.isLeft(outcome)) {
              deepStrictEqual(utterances, [], "it was synthesized")
              if (outcome.left._tag === "TtsInvalidRequest") return holdsRefusal(outcome.left, fields)
              if (outcome.left._tag !== "TtsBadRequest") throw outcome.left
              const { g2pOverrides, lang = "hi", voice = "default_female" } = request as SynthesisRequest
              const unsupported = [
                ...(languages.includes(lang) ? [] : ["lang"]),
                ...(voices.includes(voice) ? [] : ["voice"]),
                ...(Object.values(g2pOverrides ?? {}).every(isString) ? [] : ["g2p_overrides"])
              ]
              if (unsupported.includes(outcome.left.field ?? "")) return
              throw new Error(`${outcome.left.message} But ${unsupported.join(", ") || "nothing"} is not supported`)
            }
            deepStrictEqual(fields, [], "it was sent")
            const { g2pOverrides = {}, text, ...others } = request as SynthesisRequest
            const { lang = "hi", speed = 1, voice = "default_female" } = others
            // `__proto__` is no word, so its pronunciation has no effect.
            const { ["__proto__"]: _, ...pronunciations } = g2pOverrides
            const expected = { text, lang, voice, speed, pronunciations }
            const spoken = utterances.map(({ onSentence: _, ...one }) => ({
              ...one,
              pronunciations: { ...one.pronunciations }
            }))
            deepStrictEqual(spoken, [expected])
            const { format, requestId } = outcome.right
            deepStrictEqual(`${format.sampleRate}:${format.encoding}`, others.outputFormat ?? "24000:float32")
            deepStrictEqual(requestId, others.requestId ?? requestId)
          })
        )
      )
    ),
    "a transcription request reaches the local service as it was given, with hotwords as one JSON array":
      transcribed("json"),
    "a transcription request reaches it as it was given, with each hotword as JSON": transcribed("repeated"),
    "a transcription request reaches it as it was given, with hotwords in indexed fields": transcribed("indexed")
  }
})

/** The fields as text: a form has nothing else. */
const textOf = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(withoutUndefined(fields)).map(([name, value]) => [name, String(value)]))

/** A message of the contract is the same after encoding and decoding. */
const roundTrip = <A, I>(schema: Schema.Schema<A, I>, over: (encoded: unknown) => unknown) => {
  const encode = Schema.encodeSync(schema)
  const decode = Schema.decodeUnknownSync(schema)
  return law(
    40,
    FastCheck.property(Arbitrary.make(schema), (value) => {
      const back = decode(over(encode(value)))
      deepStrictEqual(over(encode(back)), over(encode(value)))
      deepStrictEqual(Object.getPrototypeOf(back), Object.getPrototypeOf(value))
    })
  )
}

const contractLaws = Effect.succeed({
  "a synthesis body is the same after JSON": roundTrip(
    Schema.Struct({
      ...TtsContract.SynthesisBody.fields,
      g2p_overrides: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
    }),
    (body) => JSON.parse(JSON.stringify(body))
  ),
  "a transcription error is the same in another process": roundTrip(SttError, structuredClone),
  "a synthesis error is the same in another process": roundTrip(TtsError, structuredClone)
})

export const requestLaws: Topic = Effect.map(
  Effect.all([contractLaws, wireLaws, serviceLaws]),
  ([contract, wire, service]) => ({ ...contract, ...wire, ...service })
)

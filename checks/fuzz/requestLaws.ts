import { deepStrictEqual } from "node:assert"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SttError, type TranscriptionRequest } from "@effect-speech/stt"
import { SpeechToText } from "@effect-speech/stt/SpeechToText"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { type SynthesisRequest, TtsError } from "@effect-speech/tts"
import { TextToSpeech } from "@effect-speech/tts/TextToSpeech"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { scriptedServer } from "effect-speech-test-support/scriptedServer"
import { anyString, anything, json, oddNumber, recordOf, wellFormedString } from "./arbitraries.js"
import { law, runnerOf, silentService, type Topic } from "./law.js"

/** A request, and whether it keeps the rules of the contract. */
interface Given {
  readonly request: unknown
  readonly isValid: boolean
  /** The only field that breaks a rule. `undefined`: none does, or it is not known which. */
  readonly wrong?: string
}

type Fields = Readonly<Record<string, FastCheck.Arbitrary<unknown>>>

/**
 * Requests of these fields: as the contract allows them, with one value of `broken`, each of which breaks a rule, with some fields
 * replaced by anything, or anything at all.
 */
const requests = (required: Fields, optional: Fields, broken: Fields): FastCheck.Arbitrary<Given> => {
  const requiredKeys = Object.keys(required)
  const all = { ...required, ...optional }
  const maybe = (arbitrary: FastCheck.Arbitrary<unknown>) => FastCheck.option(arbitrary, { nil: undefined, freq: 5 })
  const names = FastCheck.constantFrom(...Object.keys(all), "unknown")
  const valid = FastCheck.record(
    { ...required, ...Object.fromEntries(Object.entries(optional).map(([name, of]) => [name, maybe(of)])) },
    { requiredKeys }
  )
  const odd = FastCheck.tuple(valid, FastCheck.dictionary(names, anything, { maxKeys: 3 })).map((parts) =>
    Object.assign({}, ...parts)
  )
  const wrongs = Object.entries({ ...broken, unknown: anything }).map(([name, of]) =>
    FastCheck.tuple(valid, of).map(([request, value]) => ({
      request: { ...request, [name]: value },
      isValid: false,
      wrong: name
    }))
  )
  return FastCheck.oneof(
    { weight: 6, arbitrary: valid.map((request) => ({ request, isValid: true })) },
    { weight: 3, arbitrary: FastCheck.oneof(...wrongs) },
    { weight: 3, arbitrary: odd.map((request) => ({ request, isValid: false })) },
    { weight: 1, arbitrary: anything.map((request) => ({ request, isValid: false })) }
  )
}

/** Any value but `undefined`, which leaves a field out, and those that the rule allows. */
const anythingBut = (isAllowed: (value: unknown) => boolean) =>
  FastCheck.oneof(oddNumber, anyString, anything).filter((value) => value !== undefined && !isAllowed(value))
const notString = anythingBut((value) => typeof value === "string")
const notBoolean = anythingBut((value) => typeof value === "boolean")
const notFrom = (from: number, to: number) =>
  anythingBut((value) => typeof value === "number" && value >= from && value <= to)
const isText = (value: unknown, pattern: RegExp) => typeof value === "string" && pattern.test(value)
const isNotEmpty = (value: object) => Object.keys(value).length > 0

const isBlank = (text: string) => /^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u.test(text)
const text = FastCheck.oneof(
  { weight: 20, arbitrary: wellFormedString.filter((given) => !isBlank(given)) },
  {
    weight: 3,
    arbitrary: FastCheck.constantFrom(" a\n", "a".repeat(10_000), "𝄞".repeat(10_000), `${"\0".repeat(99)}a`)
  }
)
const badText = FastCheck.constantFrom(
  ...["", " \u00a0\t", "\u200b", "\0".repeat(10_000), "a".repeat(10_001), "𝄞".repeat(10_001), "a\ud800"]
)
const bodyFields = ["text", "lang", "voice", "output_format", "speed", "num_step", "g2p_overrides"]
const additional = recordOf(
  json,
  wellFormedString.filter((name) => !bodyFields.includes(name))
)
const outputFormats = ["8000", "16000", "24000"].flatMap((rate) => [`${rate}:pcm16`, `${rate}:float32`])

const synthesisRequest = requests(
  { text },
  {
    lang: wellFormedString,
    voice: wellFormedString,
    outputFormat: FastCheck.constantFrom(...outputFormats),
    speed: FastCheck.double({ min: 0.25, max: 4, noNaN: true }),
    numStep: FastCheck.double({ min: 1, max: 100, noNaN: true }),
    g2pOverrides: recordOf(json),
    requestId: FastCheck.stringMatching(/^[A-Za-z0-9._:-]{1,64}$/),
    additionalFields: additional
  },
  {
    text: FastCheck.oneof(badText, notString),
    lang: notString,
    voice: notString,
    outputFormat: anythingBut((value) => outputFormats.includes(value as string)),
    speed: notFrom(0.25, 4),
    numStep: notFrom(1, 100),
    g2pOverrides: FastCheck.constantFrom(null, 1, "a", []),
    requestId: anythingBut((value) => isText(value, /^[A-Za-z0-9._:-]{1,64}$/)),
    additionalFields: recordOf(json, FastCheck.constantFrom(...bodyFields)).filter(isNotEmpty)
  }
)

const audio = AudioSource.fromBytes(
  Wav.encode(new Uint8Array(160), { sampleRate: 8000, channels: 1, encoding: "pcm16" })
)
const fieldName = FastCheck.oneof(
  FastCheck.stringMatching(/^[!#-[\]-~]{1,24}$/),
  FastCheck.constantFrom("language", "Model", "a[b]", "a%22b", "a;b=c", "__proto__", "constructor")
)
const partNames = ["model", "transaction_id", "audio_file", "aux", "parse_number", "hotwords"]
const halved = wellFormedString.map((phrase) => `${phrase}\ud83d`)
const hotword = FastCheck.record(
  { phrase: wellFormedString.filter((phrase) => phrase !== ""), score: oddNumber.filter(Number.isFinite) },
  { requiredKeys: ["phrase"] }
)

const transcriptionRequest = requests(
  { audio: FastCheck.constant(audio), model: FastCheck.constantFrom("hi-general-v2-8khz", "en-banking-v2-8khz") },
  {
    transactionId: FastCheck.uuid(),
    aux: FastCheck.boolean(),
    parseNumber: FastCheck.boolean(),
    hotwords: FastCheck.array(hotword, { maxLength: 6 }),
    additionalFields: recordOf(
      wellFormedString,
      fieldName.filter((name) => !partNames.includes(name))
    )
  },
  {
    audio: anythingBut(AudioSource.isAudioSource),
    model: FastCheck.oneof(FastCheck.constantFrom("", " \t"), halved, notString),
    transactionId: anythingBut((value) => isText(value, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)),
    aux: notBoolean,
    parseNumber: notBoolean,
    hotwords: FastCheck.oneof(
      anythingBut(Array.isArray),
      FastCheck.constantFrom([{ phrase: "" }], [{ score: 1 }], [{ phrase: "a", score: Number.NaN }], ["a"]),
      halved.map((phrase) => [{ phrase }])
    ),
    additionalFields: FastCheck.oneof(
      recordOf(wellFormedString, FastCheck.constantFrom(...partNames)).filter(isNotEmpty),
      FastCheck.oneof(halved, notString).map((note) => ({ note })),
      FastCheck.constantFrom({ "": "a" }, { "a b": "a" }, { ä: "a" })
    )
  }
)

/** The client names the field that is wrong, or a part of it. */
const isRefused = (error: { readonly field: string; readonly message: string }, wrong: string | undefined) => {
  const isNamed = wrong === undefined || error.field === wrong || error.field.startsWith(`${wrong}.`)
  if (!isNamed) throw new Error(`${error.field} is named (${error.message}), and ${wrong} is wrong`)
}

/** The outcome of a call. An error that failed inside a span is a Proxy. */
const outcomeOf = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.either(Effect.mapError(call, Cause.originalError))

/** `-0` and `0` are one number in JSON and in a form. */
const sameAsJson = (actual: unknown, expected: unknown) =>
  deepStrictEqual(JSON.parse(JSON.stringify(actual)), JSON.parse(JSON.stringify(expected)))

const synthesisLaws = Effect.gen(function* () {
  const server = yield* scriptedServer((response) =>
    response
      .writeHead(200, { "x-sample-rate": "24000", "x-encoding": "float32", "x-audio-duration-ms": "0.5" })
      .end(Buffer.alloc(48))
  )
  const run = yield* runnerOf(NodeTransport.layer)
  const options = { apiKey: Redacted.make("prefix.secret"), baseUrl: server.url, retries: 0 }
  const tts = yield* Effect.promise(() => run(TextToSpeech.make(options)))
  return {
    "a valid request for speech is sent as it was given and nothing else, and one with a wrong field is not sent": law(
      60,
      FastCheck.asyncProperty(synthesisRequest, async ({ isValid, request, wrong }) => {
        const before = server.received.length
        const outcome = await run(outcomeOf(tts.synthesize(request as SynthesisRequest)))
        if (Either.isLeft(outcome)) {
          if (isValid || outcome.left._tag !== "TtsInvalidRequest") throw outcome.left
          deepStrictEqual(server.received.length, before, "something was sent")
          return isRefused(outcome.left, wrong)
        }
        deepStrictEqual(wrong, undefined, "it was sent")
        if (!isValid) return
        const { additionalFields, requestId, outputFormat, numStep, g2pOverrides, ...others } =
          request as SynthesisRequest
        const sent = server.received.at(-1)
        const renamed = { output_format: outputFormat, num_step: numStep, g2p_overrides: g2pOverrides }
        sameAsJson(JSON.parse(sent?.body.toString() ?? ""), { ...additionalFields, ...others, ...renamed })
        if (requestId !== undefined) deepStrictEqual(sent?.headers["x-request-id"], requestId)
      })
    )
  }
})

const textOf = (value: unknown) => (value === undefined ? undefined : String(value))

const transcriptionLaws = Effect.gen(function* () {
  const run = yield* runnerOf(Layer.merge(silentService(), NodeTransport.layer))
  const { apiKey, requests, sttBaseUrl: baseUrl } = yield* Effect.promise(() => run(LocalService))
  return {
    "a valid transcription request reaches the service as it was given, and one with a wrong field is not sent": law(
      45,
      FastCheck.asyncProperty(
        transcriptionRequest,
        FastCheck.constantFrom("json" as const, "repeated" as const, "indexed" as const),
        async ({ isValid, request, wrong }, hotwordEncoding) => {
          const before = (await run(requests)).at(-1)?.number
          const call = Effect.flatMap(SpeechToText.make({ apiKey, baseUrl, hotwordEncoding }), (stt) =>
            stt.transcribe(request as TranscriptionRequest)
          )
          const outcome = await run(outcomeOf(call))
          const entry = (await run(requests)).at(-1)
          if (Either.isLeft(outcome)) {
            // The service knows only its own models.
            if (!isValid && wrong === undefined && outcome.left._tag === "SttBadRequest") return
            if (isValid || outcome.left._tag !== "SttInvalidRequest") throw outcome.left
            deepStrictEqual(entry?.number, before, "something was sent")
            return isRefused(outcome.left, wrong)
          }
          deepStrictEqual(wrong, undefined, "it was sent")
          if (!isValid) return
          const { additionalFields, aux, hotwords, model, parseNumber, transactionId } = request as TranscriptionRequest
          const { transaction_id, ...arrived } = entry?.request ?? {}
          if (transactionId !== undefined) deepStrictEqual(transaction_id, transactionId)
          const words = hotwordEncoding === "json" || (hotwords?.length ?? 0) > 0 ? hotwords : undefined
          const own = { model, aux: textOf(aux), parse_number: textOf(parseNumber), hotwords: words }
          sameAsJson(arrived, { ...additionalFields, ...own })
        }
      )
    )
  }
})

/** An error is the same after it was encoded, cloned for another process, and decoded. */
const roundTrip = <A, I>(schema: Schema.Schema<A, I>) => {
  const encode = Schema.encodeSync(schema)
  const decode = Schema.decodeUnknownSync(schema)
  return law(
    40,
    FastCheck.property(Arbitrary.make(schema), (value) => {
      const back = decode(structuredClone(encode(value)))
      deepStrictEqual(encode(back), encode(value))
      deepStrictEqual(Object.getPrototypeOf(back), Object.getPrototypeOf(value))
    })
  )
}

export const requestLaws: Topic = Effect.map(Effect.all([synthesisLaws, transcriptionLaws]), (laws) => ({
  ...Object.assign({}, ...laws),
  "a transcription error is the same in another process": roundTrip(SttError),
  "a synthesis error is the same in another process": roundTrip(TtsError)
}))

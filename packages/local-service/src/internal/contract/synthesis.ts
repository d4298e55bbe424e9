import type { IncomingHttpHeaders } from "node:http"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { bytesPerFrame, durationMillis } from "@effect-speech/audio-codec/AudioFormat"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import type { Samples } from "@effect-speech/engine/Samples"
import * as Contract from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ParseError } from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Recogniser, type TimedText } from "../../Recogniser.js"
import type { SpokenSentence, VoiceModel, VoiceService } from "../../Voice.js"
import { Accounts } from "../account/accounts.js"
import type { Refusal } from "../account/refusal.js"
import type { Exchanges } from "../exchanges/exchanges.js"
import { digestBody } from "../faults/observations.js"
import { badRequest, describeParseError, type Problem, type ProblemToResponse, quote } from "../http/problems.js"
import { readJsonBody } from "../http/requestBodies.js"
import type { OpenEntry } from "../journal/entry.js"
import { Journal } from "../journal/journal.js"
import { languagesOf, type Settings, voiceNamesOf } from "../options.js"
import { resample } from "../recordings/samples.js"
import { TemporaryFiles } from "../recordings/temporaryFiles.js"
import { voiceProblem } from "./engineProblems.js"
import { type FieldsReader, operationHandler } from "./operation.js"
import { parentOfPiece } from "./parentOfPiece.js"

export interface SynthesisOptions extends Pick<Settings, "maximumSpeechSeconds" | "bodyIdleMillis"> {
  readonly voice: VoiceService
  /** Makes a request id. */
  readonly makeRequestId: () => string
}

/** Synthesis responds to every refusal with 401, without the reason. */
const problemOf = (refusal: Refusal): Problem => ({ status: 401, message: "the API key was not accepted", refusal })

/** Ids by the headers of their requests, so that the journal and the response have the same one. */
const madeIds = new WeakMap<object, string>()

/** The id that the client sent. `null` if it sent none that is valid. */
const sentIdOf = (headers: Readonly<IncomingHttpHeaders>): string | null => {
  const given = headers[Contract.header.requestId.toLowerCase()]
  return typeof given === "string" && Contract.requestIdPattern.test(given) ? given : null
}

/** The id that the client sent, if it is valid. Otherwise one of the service. */
const requestIdOf = (
  headers: Readonly<IncomingHttpHeaders>,
  { makeRequestId }: Pick<SynthesisOptions, "makeRequestId">
): string => {
  const given = sentIdOf(headers)
  if (given !== null) return given
  const id = madeIds.get(headers) ?? makeRequestId()
  madeIds.set(headers, id)
  return id
}

/** Every response carries the request id. */
export const synthesisProblemToResponse =
  (options: Pick<SynthesisOptions, "makeRequestId">): ProblemToResponse =>
  ({ headers, message, status }, given) =>
    HttpServerResponse.unsafeJson({ error: message } satisfies Contract.ErrorBody, {
      status,
      headers: { ...headers, [Contract.header.requestId]: requestIdOf(given, options) }
    })

/** In bytes: 10,000 code points, each escaped as two surrogates, and room for the other fields. */
export const maximumBodyBytes = 1024 * 1024

/** Of one word, in characters: ten times those of the longest word. */
const maximumPhonemes = 400

/** Only for the document. {@link voiceFor} checks the value: which voices there are depends on the language. */
const oneOf = (values: ReadonlyArray<string>, more: object = {}) =>
  Schema.String.annotations({ jsonSchema: { enum: values, ...more } })

const phonemes = Schema.String.pipe(
  Schema.filter((value) => value.length <= maximumPhonemes || `must be at most ${maximumPhonemes} characters`, {
    jsonSchema: { maxLength: maximumPhonemes }
  })
)

/**
 * The contract's request, limited to this service's languages, voices and phonemes. It also writes `/openapi.json`, where `ofVoice` is
 * added to the schema of the voice.
 */
export const synthesisBody = (
  {
    languages,
    voices
  }: {
    readonly languages: ReadonlyArray<string>
    readonly voices: ReadonlyArray<string>
  },
  ofVoice: object = {}
) =>
  Schema.Struct({
    text: Schema.propertySignature(Contract.Text).annotations({
      description: `The text to speak, at most ${Contract.maximumCodePoints.toLocaleString("en")} Unicode code points.`
    }),
    lang: optional(oneOf(languages), { default: defaults.lang, description: "Any other value is 400." }),
    voice: optional(oneOf(voices, ofVoice), { default: defaults.voice, description: "Any other value is 400." }),
    output_format: optional(
      Schema.String.pipe(
        Schema.filter(isOutputFormat, {
          message: ({ actual }) => formatProblem(String(actual)),
          jsonSchema: { enum: Contract.outputFormats }
        })
      ),
      { default: defaults.output_format }
    ),
    speed: optional(Contract.Speed, { description: "The speaking rate." }),
    num_step: optional(Contract.NumStep, {
      description: "Flow-matching steps. They have no effect here. Our choice."
    }),
    g2p_overrides: optional(Schema.Record({ key: Schema.String, value: phonemes }), {
      description: "Maps a word to its pronunciation, in phonemes of espeak-ng. Our choice."
    })
  })

/** JSON has no `undefined`. */
const optional = <A, I>(schema: Schema.Schema<A, I>, annotations: Schema.PropertySignature.Annotations<A>) =>
  Schema.optionalWith(schema, { exact: true }).annotations(annotations)

/** Not in the schema: a schema with defaults takes three times as long. */
const defaults = {
  lang: Contract.defaultLang,
  voice: Contract.defaultVoice,
  output_format: Contract.defaultOutputFormat,
  speed: 1,
  g2p_overrides: {}
}

type SynthesisRequest = typeof defaults & ReturnType<typeof synthesisBody>["Type"]

const isOutputFormat = Schema.is(Contract.OutputFormat)

const formatProblem = (format: string): string => {
  const [rate = ""] = format.split(":")
  return /^\d+$/.test(rate) && !(Contract.sampleRates as ReadonlyArray<number>).includes(Number(rate))
    ? `has the unsupported sample rate ${rate.slice(0, 12)}`
    : `must be one of ${Contract.outputFormats.join(", ")}`
}

/** `POST /tts/bytes`. */
export const synthesisHandler = (options: SynthesisOptions, exchanges?: Exchanges) => {
  // Made once, because compiling a schema takes longer than decoding a request.
  const { voices } = options.voice
  const decodeFields = Schema.decodeUnknown(
    synthesisBody({ languages: languagesOf(voices), voices: voiceNamesOf(voices) })
  )
  const decode: Decode = (body) => Effect.map(decodeFields(body), (fields) => ({ ...defaults, ...fields }))
  return operationHandler({
    name: "synthesize",
    path: Contract.path,
    idsOf: (headers) => {
      const id = requestIdOf(headers, options)
      return { id, parent: parentOfPiece(id) }
    },
    work: (request, entry) =>
      exchanges === undefined
        ? synthesize(request, entry, { ...options, decode })
        : exchanges.work({
            operation: "synthesize",
            request,
            entry,
            authorize: authorize(request),
            unknownKey: problemOf({ _tag: "UnknownKey" })
          }),
    problemToResponse: synthesisProblemToResponse(options),
    readFields: () => readJsonFields(maximumBodyBytes, decode),
    sentId: sentIdOf,
    readIdentity: (headers) => digestBody(sentIdOf(headers)),
    bodyIdleMillis: options.bodyIdleMillis
  })
}

/** Reads the fields of a body. If the body is valid, absent fields have their defaults. */
const readJsonFields = (maximumBytes: number, decode: Decode): FieldsReader => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  return {
    write: (chunk) => {
      length += chunk.length
      if (length <= maximumBytes) chunks.push(chunk)
      else chunks.length = 0
      return undefined
    },
    end: async () => {
      const bytes = Buffer.concat(chunks)
      const body = length <= maximumBytes ? ({ _tag: "Json", bytes } as const) : undefined
      try {
        const json: unknown = JSON.parse(bytes.toString())
        const fields = Option.getOrUndefined(Effect.runSync(Effect.option(decode(json))))
        return { fields: Predicate.isRecord(json) ? asReceived(json, fields) : undefined, body }
      } catch {
        return { fields: undefined, body }
      }
    }
  }
}

/** The fields of a body with the defaults, and with those that this service does not know. */
const asReceived = (json: unknown, fields: SynthesisRequest | undefined): Readonly<Record<string, unknown>> => ({
  ...fields,
  ...(Predicate.isRecord(json) ? json : {})
})

/** The voice that a request names, in its language. */
const voiceFor = (
  { voices }: VoiceService,
  { lang, voice }: Pick<SynthesisRequest, "lang" | "voice">
): Effect.Effect<VoiceModel, Problem> => {
  const unsupported = (field: string, value: string, names: ReadonlyArray<string>, where = "") =>
    Effect.fail(badRequest(`${field} ${quote(value)} is not supported${where}; use one of ${names.join(", ")}`))
  const speakers = voices.filter(({ languages }) => languages.includes(lang))
  if (speakers.length === 0) return unsupported("lang", lang, languagesOf(voices))
  const found = speakers.find(({ name }) => name === voice)
  if (found !== undefined) return Effect.succeed(found)
  const names = speakers.map(({ name }) => name)
  return voices.some(({ name }) => name === voice)
    ? unsupported("voice", voice, names, ` in ${lang}`)
    : unsupported("voice", voice, names)
}

type Decode = (body: unknown) => Effect.Effect<SynthesisRequest, ParseError>

const authorize = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  Effect.flatMap(Accounts, (accounts) =>
    Effect.mapError(accounts.authorize(headers[Contract.header.apiKey.toLowerCase()], "tts:synth"), problemOf)
  )

const synthesize = (
  request: HttpServerRequest.HttpServerRequest,
  entry: OpenEntry,
  { decode, voice, ...options }: SynthesisOptions & { readonly decode: Decode }
) =>
  Effect.gen(function* () {
    const recogniser = yield* Recogniser
    const temporaryFiles = yield* TemporaryFiles

    const authorization = yield* authorize(request)
    entry.keyId = authorization.keyId

    const { keepDetails, keepRequest } = yield* Journal
    const limits = { maximumBytes: maximumBodyBytes, idleMillis: options.bodyIdleMillis }
    const json = yield* readJsonBody(request, limits, (bytes) => keepDetails(entry, { body: { _tag: "Json", bytes } }))
    const body = yield* Effect.mapError(decode(json), (error) => badRequest(describeParseError(error)))
    const { sampleRate: from } = yield* voiceFor(voice, body)
    keepRequest(entry, asReceived(json, body))
    const units = Contract.codePoints(body.text)
    const cost = { operation: "synthesize", units, credits: units } as const
    const hold = yield* Effect.mapError(authorization.hold(cost), problemOf)

    const { lang, speed, text } = body
    const { knownRecordings } = recogniser
    const sentences: Array<SpokenSentence> = []
    const seconds = options.maximumSpeechSeconds
    const spoken = Effect.sync(() =>
      voice.speak({
        text,
        lang,
        speed,
        voice: body.voice,
        pronunciations: body.g2p_overrides,
        onSentence: knownRecordings && ((sentence) => sentences.push(sentence))
      })
    )
    const speech = yield* Effect.flatMap(spoken, (samples) =>
      temporaryFiles.storeSamples(samples, {
        length: seconds * from,
        problem: badRequest(`text would last longer than ${seconds} seconds; split it, or raise speed`)
      })
    ).pipe(Effect.catchTag("VoiceFailed", (failure) => Effect.fail(voiceProblem(failure))))
    if (speech.length === 0)
      return yield* Effect.fail(badRequest(`text has nothing that the voice ${quote(body.voice)} can speak`))
    const format = Contract.audioFormat(body.output_format)
    const audio = resample(speech.samples, { from, to: format.sampleRate })
    yield* knownRecordings?.learn({
      text,
      lang,
      segments: sentences.length === 0 ? undefined : sentences.map((sentence) => timed(sentence, from)),
      // The response may have the recogniser's rate already.
      ...(format.sampleRate === recogniser.sampleRate
        ? { samples: audio, sampleRate: format.sampleRate }
        : { samples: speech.samples, sampleRate: from })
    }) ?? Effect.void

    return {
      response: audioResponse(
        audio,
        Math.ceil((speech.length * format.sampleRate) / from),
        format,
        requestIdOf(request.headers, options)
      ),
      hold
    }
  })

const timed = ({ endSample, startSample, text }: SpokenSentence, sampleRate: number): TimedText => ({
  text,
  startMillis: (startSample * 1000) / sampleRate,
  endMillis: (endSample * 1000) / sampleRate
})

const audioResponse = (
  audio: Samples,
  length: number,
  format: ReturnType<typeof Contract.audioFormat>,
  requestId: string
): HttpServerResponse.HttpServerResponse => {
  const byteLength = length * bytesPerFrame(format)
  const encode = (samples: Float32Array) =>
    format.encoding === "float32"
      ? new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
      : Pcm.encode(samples, format.encoding).bytes
  const init = {
    contentType: "application/octet-stream",
    headers: {
      [Contract.header.requestId]: requestId,
      [Contract.header.sampleRate]: String(format.sampleRate),
      [Contract.header.encoding]: format.encoding,
      [Contract.header.audioDuration]: String(Math.round(durationMillis(format, byteLength)))
    }
  }
  return audio instanceof Float32Array
    ? HttpServerResponse.uint8Array(encode(audio), init)
    : HttpServerResponse.stream(Stream.map(audio, encode), { ...init, contentLength: byteLength })
}

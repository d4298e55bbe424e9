import type { IncomingHttpHeaders } from "node:http"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { bytesPerFrame, durationMillis } from "@effect-speech/audio-codec/AudioFormat"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import * as Contract from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Recogniser, sampleRate } from "../../Recogniser.js"
import type { VoiceService } from "../../Voice.js"
import { type AnswerProblem, badRequest, firstIssue, type Problem, quote, readJson } from "../http/requests.js"
import { Accounts, type Refusal } from "../state/accounts.js"
import type { OpenEntry } from "../state/journal.js"
import { Spool } from "../state/temporaryFiles.js"
import { abridged } from "../state/truncateFields.js"
import { giveWay } from "../voice/yieldToEventLoop.js"
import { metered } from "./billOnLastByte.js"
import { operation } from "./operation.js"

export interface SynthesisOptions {
  readonly voice: VoiceService
  /** Of the text, once spoken. */
  readonly maximumSpeechSeconds: number
  readonly bodyIdleMillis: number
  /** A new request id. */
  readonly requestId: () => string
}

/** On synthesis every refused key is a 401, and the answer does not tell why. */
const refused = (_: Refusal): Problem => ({ status: 401, message: "the API key was not accepted" })

/** By the headers of their requests: a request has one id, in the journal and on its answer. */
const madeIds = new WeakMap<object, string>()

/** The client's own id, where it is one. */
const requestIdOf = (
  headers: Readonly<IncomingHttpHeaders>,
  { requestId }: Pick<SynthesisOptions, "requestId">
): string => {
  const given = headers[Contract.header.requestId.toLowerCase()]
  if (typeof given === "string" && Contract.requestIdPattern.test(given)) return given
  const id = madeIds.get(headers) ?? requestId()
  madeIds.set(headers, id)
  return id
}

/** The request id is on every answer, whatever becomes of the request. */
export const answerSynthesisProblem =
  (options: Pick<SynthesisOptions, "requestId">): AnswerProblem =>
  ({ headers, message, status }, given) =>
    HttpServerResponse.unsafeJson({ error: message } satisfies Contract.ErrorBody, {
      status,
      headers: { ...headers, [Contract.header.requestId]: requestIdOf(given, options) }
    })

/** A text of 10,000 code points of four bytes, each escaped as two surrogates, and room for the rest. */
const bodyLimit = 1024 * 1024

/** Of one word, in characters: the longest of words has a tenth of it. */
const maximumPhonemes = 400

const oneOf = (values: ReadonlyArray<string>) =>
  Schema.String.pipe(
    Schema.filter(
      (value) => values.includes(value) || `${quote(value)} is not supported; there are ${values.join(", ")}`
    )
  )

export const phonemes = Schema.String.pipe(
  Schema.filter((value) => value.length <= maximumPhonemes || `must be at most ${maximumPhonemes} characters`, {
    jsonSchema: { maxLength: maximumPhonemes }
  })
)

/** The contract's request, with the rules that are this service's own: its languages, voices and phonemes. */
const requestSchema = (voice: VoiceService) =>
  Schema.Struct({
    ...Contract.SynthesisBody.fields,
    lang: Schema.optionalWith(oneOf(voice.languages), { default: () => Contract.defaultLang }),
    voice: Schema.optionalWith(oneOf(voice.voices), { default: () => Contract.defaultVoice }),
    output_format: Schema.optionalWith(
      Schema.String.pipe(Schema.filter(isOutputFormat, { message: ({ actual }) => formatProblem(String(actual)) })),
      { default: () => Contract.defaultOutputFormat }
    ),
    speed: Schema.optionalWith(Contract.Speed, { default: () => 1 }),
    g2p_overrides: Schema.optionalWith(Schema.Record({ key: Schema.String, value: phonemes }), { default: () => ({}) })
  })

type Wanted = ReturnType<typeof requestSchema>["Type"]

const isOutputFormat = Schema.is(Contract.OutputFormat)

const formatProblem = (format: string): string => {
  const [rate = ""] = format.split(":")
  return /^\d+$/.test(rate) && !(Contract.sampleRates as ReadonlyArray<number>).includes(Number(rate))
    ? `has the unsupported sample rate ${rate.slice(0, 12)}`
    : `must be one of ${Contract.outputFormats.join(", ")}`
}

/** `POST /tts/bytes`. */
export const synthesisApp = (options: SynthesisOptions) => {
  // Once: a schema is compiled where it is first used, which takes longer than to decode a request with it.
  const decode = Schema.decodeUnknown(requestSchema(options.voice))
  return operation(
    {
      name: "synthesize",
      path: Contract.path,
      answerProblem: answerSynthesisProblem(options),
      idOf: (headers) => requestIdOf(headers, options),
      bodyIdleMillis: options.bodyIdleMillis
    },
    (request, entry) => synthesize(request, entry, { ...options, decode })
  )
}

type Decode = (body: unknown) => Effect.Effect<Wanted, ParseError>

const synthesize = (
  request: HttpServerRequest.HttpServerRequest,
  entry: OpenEntry,
  { decode, voice, ...options }: SynthesisOptions & { readonly decode: Decode }
) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const recogniser = yield* Recogniser
    const spool = yield* Spool

    const key = request.headers[Contract.header.apiKey.toLowerCase()]
    entry.keyId = yield* Effect.mapError(accounts.authorize(key, "tts:synth"), refused)

    const body = yield* readJson(request, { maximumBytes: bodyLimit, idleMillis: options.bodyIdleMillis })
    const wanted = yield* Effect.mapError(decode(body), (error) => badRequest(firstIssue(error)))
    entry.request = abridged(wanted)
    const units = Contract.codePoints(wanted.text)
    const hold = yield* Effect.mapError(accounts.hold({ operation: "synthesize", units, credits: units }), refused)

    const { lang, speed, text } = wanted
    const blocks = voice.speak({ text, lang, speed, voice: wanted.voice, pronunciations: wanted.g2p_overrides }).pipe(
      Stream.mapError(({ message }): Problem => ({ status: 502, message: `the synthesis backend failed: ${message}` })),
      atMost(options.maximumSpeechSeconds, voice.sampleRate)
    )
    const speech = yield* spool.write(blocks)
    if (speech.length === 0)
      return yield* Effect.fail<Problem>({ status: 502, message: "the synthesis backend gave no audio" })
    const from = voice.sampleRate
    yield* recogniser.learn({
      text,
      lang,
      samples: Resampler.resampleStream({ from, to: sampleRate })(givingWay(speech.samples))
    })

    const format = Contract.audioFormat(wanted.output_format)
    const byteLength = Math.ceil((speech.length * format.sampleRate) / from) * bytesPerFrame(format)
    const audio = givingWay(speech.samples).pipe(
      Resampler.resampleStream({ from, to: format.sampleRate }),
      Stream.map((block) => Pcm.encode(block, format.encoding).bytes)
    )
    return HttpServerResponse.stream(metered(audio, byteLength, hold), {
      contentType: "application/octet-stream",
      contentLength: byteLength,
      headers: {
        [Contract.header.requestId]: requestIdOf(request.headers, options),
        [Contract.header.sampleRate]: String(format.sampleRate),
        [Contract.header.encoding]: format.encoding,
        [Contract.header.audioDuration]: String(Math.round(durationMillis(format, byteLength)))
      }
    })
  })

/** Between blocks other requests have their turn. */
const givingWay = (blocks: Stream.Stream<Float32Array>): Stream.Stream<Float32Array> =>
  Stream.tap(Stream.rechunk(blocks, 1), () => giveWay)

const atMost =
  (seconds: number, rate: number) =>
  <E>(blocks: Stream.Stream<Float32Array, E>): Stream.Stream<Float32Array, E | Problem> =>
    Stream.suspend(() => {
      let length = 0
      return Stream.tap(blocks, (block) => {
        length += block.length
        return length > seconds * rate
          ? Effect.fail(badRequest(`text would last longer than ${seconds} seconds; split it, or raise speed`))
          : Effect.void
      })
    })

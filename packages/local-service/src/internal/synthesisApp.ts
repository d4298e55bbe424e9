import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { durationMillis } from "@effect-speech/audio-codec/AudioFormat"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import { readAtMost } from "@effect-speech/transport/ResponseBody"
import * as Contract from "@effect-speech/tts/TtsContract"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Accounts, type Refusal } from "../Accounts.js"
import { Recogniser, sampleRate } from "../Recogniser.js"
import { type Utterance, Voice, type VoiceService } from "../Voice.js"
import { firstIssue, misrouted } from "./requests.js"

interface Problem {
  readonly status: number
  readonly message: string
  readonly headers?: Record<string, string> | undefined
}

const badRequest = (message: string): Problem => ({ status: 400, message })

/** On synthesis every refused key is a 401, and the answer does not tell why. */
const refused = (_: Refusal): Problem => ({ status: 401, message: "the API key was not accepted" })

const answerProblem = ({ headers, message, status }: Problem) =>
  HttpServerResponse.unsafeJson({ error: message } satisfies Contract.ErrorBody, { status, headers })

/** A text of 10,000 code points of four bytes, each escaped as two surrogates, and room for the rest. */
const bodyLimit = 1024 * 1024

const chunkBytes = 64 * 1024

const within = ({ from, to }: { readonly from: number; readonly to: number }) =>
  Schema.Number.pipe(
    Schema.filter((value) => (value >= from && value <= to) || `must be a number from ${from} to ${to}`)
  )

const oneOf = (values: ReadonlyArray<string>) =>
  Schema.String.pipe(Schema.filter((value) => values.includes(value) || `${JSON.stringify(value)} is not supported`))

/** The request with the rules of this service, whose lists of languages and voices the contract does not show. */
const requestSchema = (voice: VoiceService) =>
  Schema.Struct({
    text: Schema.String.pipe(
      Schema.filter((text) => text.length > 0 || "must not be empty"),
      Schema.filter(
        (text) =>
          Contract.codePoints(text) <= Contract.maximumCodePoints ||
          `is longer than ${Contract.maximumCodePoints} characters`
      )
    ),
    lang: Schema.optionalWith(oneOf(voice.languages), { default: () => Contract.defaultLang }),
    voice: Schema.optionalWith(oneOf(voice.voices), { default: () => Contract.defaultVoice }),
    output_format: Schema.optionalWith(
      Schema.String.pipe(Schema.filter((format) => isOutputFormat(format) || formatProblem(format))),
      { default: () => Contract.defaultOutputFormat }
    ),
    speed: Schema.optionalWith(within(Contract.speedRange), { default: () => 1 }),
    num_step: Schema.optional(within(Contract.numStepRange)),
    g2p_overrides: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), {
      default: () => ({})
    })
  })

const isOutputFormat = (format: string): format is Contract.OutputFormat =>
  (Contract.outputFormats as ReadonlyArray<string>).includes(format)

const formatProblem = (format: string): string => {
  const [rate = ""] = format.split(":")
  return /^\d+$/.test(rate) && !(Contract.sampleRates as ReadonlyArray<number>).includes(Number(rate))
    ? `has the unsupported sample rate ${rate}`
    : `must be one of ${Contract.outputFormats.join(", ")}`
}

/** `POST /tts/bytes`. The request id is on every answer, whatever becomes of the request. */
export const synthesisApp = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const given = request.headers[Contract.header.requestId.toLowerCase()]
  const requestId = given !== undefined && Contract.requestIdPattern.test(given) ? given : crypto.randomUUID()
  const response = yield* Effect.catchAll(synthesize(request), (problem) => Effect.succeed(answerProblem(problem)))
  return HttpServerResponse.setHeader(response, Contract.header.requestId, requestId)
})

const synthesize = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const recogniser = yield* Recogniser
    const voice = yield* Voice

    const elsewhere = misrouted(request, "POST", Contract.path)
    if (elsewhere !== undefined) return yield* Effect.fail<Problem>(elsewhere)

    const key = request.headers[Contract.header.apiKey.toLowerCase()]
    yield* Effect.mapError(accounts.authorize(key, "tts:synth"), refused)

    const body = yield* readJson(request)
    const wanted = yield* Effect.mapError(Schema.decodeUnknown(requestSchema(voice))(body), (error) =>
      badRequest(firstIssue(error))
    )
    const charge = yield* Effect.mapError(accounts.charge(Contract.codePoints(wanted.text)), refused)
    let delivered = false
    yield* Effect.addFinalizer(() => (delivered ? Effect.void : charge.refund))

    const utterance: Utterance = {
      text: wanted.text,
      lang: wanted.lang,
      voice: wanted.voice,
      speed: wanted.speed,
      pronunciations: wanted.g2p_overrides
    }
    const sound = yield* voice.speak(utterance)
    yield* recogniser.learn({
      text: wanted.text,
      lang: wanted.lang,
      samples: Resampler.resample(sound.samples, { from: sound.sampleRate, to: sampleRate })
    })

    const [rate, encoding] = parseOutputFormat(wanted.output_format)
    const { bytes } = Pcm.encode(Resampler.resample(sound.samples, { from: sound.sampleRate, to: rate }), encoding)
    return HttpServerResponse.stream(
      Stream.concat(
        chunksOf(bytes),
        Stream.execute(
          Effect.sync(() => {
            delivered = true
          })
        )
      ),
      {
        contentType: "application/octet-stream",
        contentLength: bytes.byteLength,
        headers: {
          [Contract.header.sampleRate]: String(rate),
          [Contract.header.encoding]: encoding,
          [Contract.header.audioDuration]: String(
            Math.round(durationMillis({ sampleRate: rate, channels: 1, encoding }, bytes.byteLength))
          )
        }
      }
    )
  })

const parseOutputFormat = (format: string): readonly [rate: number, encoding: Contract.Encoding] => {
  const [rate, encoding] = format.split(":")
  return [Number(rate), encoding === "pcm16" ? "pcm16" : "float32"]
}

const chunksOf = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.unfold(0, (offset) =>
    offset < bytes.byteLength
      ? Option.some([bytes.subarray(offset, offset + chunkBytes), offset + chunkBytes])
      : Option.none()
  )

const readJson = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<unknown, Problem> =>
  Effect.gen(function* () {
    const contentType = request.headers["content-type"] ?? ""
    if (!/^application\/json\s*(;|$)/i.test(contentType)) {
      return yield* Effect.fail<Problem>({ status: 415, message: "the body must be application/json" })
    }
    const { bytes, complete } = yield* Effect.mapError(readAtMost(request.stream, bodyLimit), () =>
      badRequest("the body ended early")
    )
    if (!complete) {
      return yield* Effect.fail<Problem>({ status: 413, message: `the body is larger than ${bodyLimit} bytes` })
    }
    return yield* Effect.try({
      try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
      catch: () => badRequest("the body is not JSON in UTF-8")
    })
  })

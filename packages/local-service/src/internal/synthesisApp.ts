import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { bytesPerFrame, durationMillis } from "@effect-speech/audio-codec/AudioFormat"
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
import { type Sound, type Utterance, Voice, type VoiceService } from "../Voice.js"
import { giveWay } from "./giveWay.js"
import { firstIssue, misrouted, quote, recoverDefects } from "./requests.js"

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

/** Of one word, in characters: the longest of words has a tenth of it. */
const maximumPhonemes = 400

const blockSamples = 16 * 1024

const oneOf = (values: ReadonlyArray<string>) =>
  Schema.String.pipe(Schema.filter((value) => values.includes(value) || `${quote(value)} is not supported`))

const phonemes = Schema.String.pipe(
  Schema.filter((value) => value.length <= maximumPhonemes || `must be at most ${maximumPhonemes} characters`)
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

const isOutputFormat = Schema.is(Contract.OutputFormat)

const formatProblem = (format: string): string => {
  const [rate = ""] = format.split(":")
  return /^\d+$/.test(rate) && !(Contract.sampleRates as ReadonlyArray<number>).includes(Number(rate))
    ? `has the unsupported sample rate ${rate.slice(0, 12)}`
    : `must be one of ${Contract.outputFormats.join(", ")}`
}

/** `POST /tts/bytes`. The request id is on every answer, whatever becomes of the request. */
export const synthesisApp = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const given = request.headers[Contract.header.requestId.toLowerCase()]
  const requestId = given !== undefined && Contract.requestIdPattern.test(given) ? given : crypto.randomUUID()
  const response = yield* synthesize(request).pipe(
    recoverDefects((message): Problem => ({ status: 500, message })),
    Effect.catchAll((problem) => Effect.succeed(answerProblem(problem)))
  )
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
    const sound = yield* Effect.mapError(
      voice.speak(utterance),
      ({ message }): Problem => ({ status: 502, message: `the synthesis backend failed: ${message}` })
    )
    const samples = yield* resample(sound, sampleRate)
    yield* recogniser.learn({ text: wanted.text, lang: wanted.lang, samples })

    const format = Contract.audioFormat(wanted.output_format)
    const { encoding, sampleRate: rate } = format
    const audio = rate === sampleRate ? samples : yield* resample(sound, rate)
    const byteLength = audio.length * bytesPerFrame(format)
    return HttpServerResponse.stream(
      Stream.concat(
        Stream.map(blocksOf(audio), (block) => Pcm.encode(block, encoding).bytes),
        Stream.execute(
          Effect.sync(() => {
            delivered = true
          })
        )
      ),
      {
        contentType: "application/octet-stream",
        contentLength: byteLength,
        headers: {
          [Contract.header.sampleRate]: String(rate),
          [Contract.header.encoding]: encoding,
          [Contract.header.audioDuration]: String(Math.round(durationMillis(format, byteLength)))
        }
      }
    )
  })

/** Samples in blocks, between which other requests have their turn. */
const blocksOf = (samples: Float32Array): Stream.Stream<Float32Array> =>
  Stream.unfold(0, (offset) =>
    offset < samples.length
      ? Option.some([samples.subarray(offset, offset + blockSamples), offset + blockSamples])
      : Option.none()
  ).pipe(
    Stream.rechunk(1),
    Stream.tap(() => giveWay)
  )

const resample = (sound: Sound, to: number): Effect.Effect<Float32Array> =>
  blocksOf(sound.samples).pipe(Resampler.resampleStream({ from: sound.sampleRate, to }), Pcm.collectSamples)

const readJson = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<unknown, Problem> =>
  Effect.gen(function* () {
    const contentType = request.headers["content-type"] ?? ""
    if (!/^application\/json\s*(;|$)/i.test(contentType)) {
      return yield* Effect.fail<Problem>({ status: 415, message: "the body must be application/json" })
    }
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    // Left open, or the connection would close before the answer that says what is wrong.
    const stream = NodeStream.fromReadable<Problem>(
      () => incoming,
      () => badRequest("the body ended early"),
      { closeOnDone: false }
    )
    const { bytes, complete } = yield* Effect.ensuring(
      readAtMost(stream, bodyLimit),
      Effect.sync(() => incoming.resume())
    )
    if (!complete) {
      return yield* Effect.fail<Problem>({ status: 413, message: `the body is larger than ${bodyLimit} bytes` })
    }
    return yield* Effect.try({
      try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
      catch: () => badRequest("the body is not JSON in UTF-8")
    })
  })

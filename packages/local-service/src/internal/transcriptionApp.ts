import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Contract from "@effect-speech/stt/SttContract"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Accounts, type Refusal } from "../Accounts.js"
import { type Recognised, Recogniser, sampleRate } from "../Recogniser.js"
import { readRecording } from "./recording.js"
import { firstIssue, misrouted, quote, recoverDefects } from "./requests.js"
import { readUpload } from "./upload.js"

export interface TranscriptionOptions {
  /** The names of the models, each with its language. */
  readonly models: Readonly<Record<string, string>>
  readonly maximumUploadBytes: number
  readonly maximumRecordingSeconds: number
  readonly creditsPerSecond: number
}

/** Says of a 200 with an empty transcript why it is empty. */
const noticeHeader = "X-Local-Service-Notice"
const notice = "this local service knows only recordings that it was taught or has spoken itself"

interface Problem {
  readonly status: number
  readonly error: string
  readonly message: string
  readonly headers?: Record<string, string> | undefined
}

const badRequest = (message: string): Problem => ({ status: 400, error: "bad request", message })

const refused = (refusal: Refusal): Problem => {
  switch (refusal._tag) {
    case "UnknownKey":
      return {
        status: 401,
        error: "unauthorized",
        message: "the API key is missing, malformed, unrecognised or revoked"
      }
    case "AccountNotActive":
      return { status: 403, error: "forbidden", message: `the account is ${refusal.state}` }
    case "MissingScope":
      return { status: 403, error: "forbidden", message: `the API key lacks the scope ${refusal.scope}` }
    case "NoCredit":
      return { status: 402, error: "payment required", message: "the credit balance is exhausted" }
  }
}

const answerProblem = ({ error, headers, message, status }: Problem) =>
  HttpServerResponse.unsafeJson({ status: "error", error, message } satisfies Contract.Failure, { status, headers })

const flag = Schema.BooleanFromString.annotations({
  message: () => ({ message: "must be true or false", override: true })
})

const Form = Schema.Struct({
  [Contract.field.model]: Schema.NonEmptyString.annotations({ message: () => "must not be empty" }),
  [Contract.field.transactionId]: Schema.UUID.annotations({ message: () => "must be a UUID" }),
  [Contract.field.aux]: Schema.optional(flag),
  [Contract.field.parseNumber]: Schema.optional(flag),
  [Contract.field.hotwords]: Schema.optional(Schema.parseJson(Schema.Array(Contract.Hotword)))
})
const decodeForm = Schema.decodeUnknown(Form)

/** `POST /api/transcribe`. */
export const transcriptionApp = (options: TranscriptionOptions) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const accounts = yield* Accounts
    const recogniser = yield* Recogniser
    const receivedAt = yield* Clock.currentTimeMillis

    const elsewhere = misrouted(request, "POST", Contract.path)
    if (elsewhere !== undefined) return yield* Effect.fail<Problem>({ error: "no such operation", ...elsewhere })

    const key = request.headers[Contract.apiKeyHeader.toLowerCase()]
    yield* Effect.mapError(accounts.authorize(key, "stt:transcribe"), refused)

    const upload = yield* Effect.mapError(
      readUpload(NodeHttpServerRequest.toIncomingMessage(request), Contract.field.audioFile, {
        maximumFileBytes: options.maximumUploadBytes
      }),
      ({ problem, status }): Problem => ({ status, error: "bad request", message: problem })
    )
    const form = yield* Effect.mapError(decodeForm(Object.fromEntries(upload.fields)), (error) =>
      badRequest(firstIssue(error))
    )
    const lang = Object.hasOwn(options.models, form.model) ? options.models[form.model] : undefined
    if (lang === undefined) return yield* Effect.fail(badRequest(`unknown model ${quote(form.model)}`))
    if (upload.file === undefined) return yield* Effect.fail(badRequest(`${Contract.field.audioFile} is missing`))

    const samples = yield* Effect.mapError(
      readRecording(upload.file.path, { maximumSeconds: options.maximumRecordingSeconds }),
      (problem) => badRequest(`${Contract.field.audioFile}: ${problem}`)
    )
    const seconds = samples.length / sampleRate
    yield* Effect.mapError(accounts.charge(Math.ceil(seconds) * options.creditsPerSecond), refused)

    const recognised = yield* recogniser.recognise(lang, samples)
    const answeredAt = yield* Clock.currentTimeMillis
    const answer: Contract.Success = {
      status: "success",
      text: recognised?.text ?? "",
      call_id: crypto.randomUUID(),
      aux_info: form.aux === true ? auxInfo(recognised, { seconds, receivedAt, answeredAt }) : undefined
    }
    return HttpServerResponse.unsafeJson(answer, {
      headers: recognised === undefined ? { [noticeHeader]: notice } : undefined
    })
  }).pipe(
    recoverDefects((message): Problem => ({ status: 500, error: "internal error", message })),
    Effect.catchAll((problem) => Effect.succeed(answerProblem(problem)))
  )

/** The contract names a segment's confidence alone; `start` and `end` (in seconds) and `text` are our choice. */
const auxInfo = (
  recognised: Recognised | undefined,
  {
    answeredAt,
    receivedAt,
    seconds
  }: { readonly seconds: number; readonly receivedAt: number; readonly answeredAt: number }
): Contract.AuxInfo => ({
  request_time: (answeredAt - receivedAt) / 1000,
  received_request_time: new Date(receivedAt).toISOString(),
  confidence: recognised?.confidence ?? 0,
  segments_meta:
    recognised === undefined
      ? []
      : [{ start: 0, end: seconds, text: recognised.text, confidence: recognised.confidence }]
})

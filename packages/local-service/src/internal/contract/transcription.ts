import { type IncomingHttpHeaders, STATUS_CODES } from "node:http"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Contract from "@effect-speech/stt/SttContract"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Recognised, Recogniser } from "../../Recogniser.js"
import { Accounts, type Refusal } from "../account/accounts.js"
import { badRequest, describeParseError, type Problem, type ProblemToResponse, quote } from "../http/problems.js"
import { Journal, type OpenEntry } from "../journal/journal.js"
import { sampleRate } from "../knownRecordings/waveforms.js"
import { writeNumbers } from "../numbers/spokenNumbers.js"
import type { Settings } from "../options.js"
import { readRecording } from "../recordings/recording.js"
import { tapBlocks } from "../recordings/samples.js"
import { IdsAndClock } from "./idsAndClock.js"
import { readFieldsOnly, readUpload } from "./multipartUpload.js"
import { type FieldsReader, operationHandler } from "./operation.js"
import { toForm, transcriptionForm } from "./transcriptionForm.js"

const notRecognised =
  "this local service knows only sentences that it was taught or has spoken itself, for a model of their language, at their speed and not cut in two; teach it this recording"

const problemOf = (refusal: Refusal): Problem => {
  switch (refusal._tag) {
    case "UnknownKey":
      return { status: 401, message: "the API key is missing, malformed, unrecognised or revoked" }
    case "AccountNotActive":
      return { status: 403, message: `the account is ${refusal.state}` }
    case "MissingScope":
      return { status: 403, message: `the API key lacks the scope ${refusal.scope}` }
    case "NoCredit":
      return { status: 402, message: "the credit balance is exhausted" }
  }
}

export const transcriptionProblemToResponse: ProblemToResponse = ({ headers, message, status }) => {
  const body: Contract.Failure = {
    status: "error",
    error: STATUS_CODES[status]?.toLowerCase() ?? `status ${status}`,
    message
  }
  return HttpServerResponse.unsafeJson(body, { status, headers })
}

const decodeForm = Schema.decodeUnknown(transcriptionForm())

type TranscriptionOptions = Pick<
  Settings,
  "models" | "maximumUploadBytes" | "maximumRecordingSeconds" | "bodyIdleMillis" | "creditsPerSecond"
>

/** `POST /api/transcribe`. */
export const transcriptionHandler = (options: TranscriptionOptions) =>
  operationHandler({
    name: "transcribe",
    path: Contract.path,
    work: (request, entry) => transcribe(request, entry, options),
    problemToResponse: transcriptionProblemToResponse,
    readFields: readFormFields,
    bodyIdleMillis: options.bodyIdleMillis
  })

/** The fields of a form, without its file. */
const readFormFields = (headers: Readonly<IncomingHttpHeaders>): FieldsReader => {
  const { end, write } = readFieldsOnly(headers, Contract.field.audioFile)
  return {
    write,
    end: async () => {
      const fields = await end()
      return fields && Option.getOrUndefined(Effect.runSync(Effect.option(toForm(fields))))
    }
  }
}

const transcribe = (request: HttpServerRequest.HttpServerRequest, entry: OpenEntry, options: TranscriptionOptions) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const recogniser = yield* Recogniser
    const idsAndClock = yield* IdsAndClock
    const receivedAt = idsAndClock.now()
    const elapsedMillis = idsAndClock.startTimer()

    const key = request.headers[Contract.apiKeyHeader.toLowerCase()]
    const authorization = yield* Effect.mapError(accounts.authorize(key, "stt:transcribe"), problemOf)
    entry.keyId = authorization.keyId

    const upload = yield* readUpload(NodeHttpServerRequest.toIncomingMessage(request), Contract.field.audioFile, {
      maximumFileBytes: options.maximumUploadBytes,
      idleMillis: options.bodyIdleMillis
    })
    const fields = yield* toForm(upload.fields)
    ;(yield* Journal).keepRequest(entry, fields)
    const form = yield* Effect.mapError(decodeForm(fields), (error) => badRequest(describeParseError(error)))
    const lang = Object.hasOwn(options.models, form.model) ? options.models[form.model] : undefined
    if (lang === undefined)
      return yield* Effect.fail(
        badRequest(`unknown model ${quote(form.model)}; the platform's /openapi.json lists the models`)
      )
    if (upload.file === undefined) return yield* Effect.fail(badRequest(`${Contract.field.audioFile} is missing`))

    let length = 0
    const count = (block: Float32Array) => {
      length += block.length
    }
    const spoken = yield* readRecording(upload.file, { maximumSeconds: options.maximumRecordingSeconds }).pipe(
      Effect.flatMap((samples) => recogniser.recognise(lang, tapBlocks(samples, count))),
      Effect.mapError((problem) => badRequest(`${Contract.field.audioFile}: ${problem}`))
    )
    const recognised = spoken && form.parse_number ? withNumbers(lang, spoken) : spoken
    const seconds = length / sampleRate
    const units = Math.ceil(seconds)
    const cost = { operation: "transcribe", units, credits: units * options.creditsPerSecond } as const
    const hold = yield* Effect.mapError(authorization.hold(cost), problemOf)

    const callId = idsAndClock.nextId()
    entry.id = callId
    const body: Contract.Success = {
      status: "success",
      text: recognised?.text ?? "",
      call_id: callId,
      aux_info:
        form.aux === true ? auxInfo(recognised, { seconds, receivedAt, elapsedMillis: elapsedMillis() }) : undefined
    }
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    const response = HttpServerResponse.uint8Array(bytes, {
      contentType: "application/json",
      headers: recognised === undefined ? { [Contract.noticeHeader]: notRecognised } : undefined
    })
    return { response, hold }
  })

const withNumbers = (lang: string, { segments, text, ...rest }: Recognised): Recognised => ({
  ...rest,
  text: writeNumbers(lang, text),
  segments: segments?.map((segment) => ({ ...segment, text: writeNumbers(lang, segment.text) }))
})

/** The contract defines only a segment's `confidence`. `start` and `end` (in seconds) and `text` are this service's own. */
const auxInfo = (
  recognised: Recognised | undefined,
  {
    elapsedMillis,
    receivedAt,
    seconds
  }: { readonly seconds: number; readonly receivedAt: Date; readonly elapsedMillis: number }
): Contract.AuxInfo => ({
  request_time: Math.round(elapsedMillis) / 1000,
  received_request_time: receivedAt.toISOString(),
  confidence: recognised?.confidence ?? 0,
  segments_meta: recognised === undefined ? [] : segmentsOf(recognised, seconds)
})

const segmentsOf = ({ confidence, segments, text }: Recognised, seconds: number) =>
  segments?.map(({ confidence, endMillis, startMillis, text }) => ({
    start: startMillis / 1000,
    end: endMillis / 1000,
    text,
    confidence
  })) ?? [{ start: 0, end: seconds, text, confidence }]

import { STATUS_CODES } from "node:http"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { cooperatively } from "@effect-speech/common/Cooperative"
import * as Printable from "@effect-speech/common/Printable"
import * as Contract from "@effect-speech/stt/SttContract"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Recognised, Recogniser, type RecogniserModel, type RecogniserService } from "../../Recogniser.js"
import { Accounts, type Authorization } from "../account/accounts.js"
import type { Refusal } from "../account/refusal.js"
import type { Exchanges } from "../exchanges/exchanges.js"
import { badRequest, describeParseError, type Problem, type ProblemToResponse, quote } from "../http/problems.js"
import type { OpenEntry } from "../journal/entry.js"
import { Journal, type JournalService } from "../journal/journal.js"
import { makeUploadKeeper } from "../journal/keepUpload.js"
import { withNumbers } from "../numbers/withNumbers.js"
import type { Settings } from "../options.js"
import { readRecording } from "../recordings/recording.js"
import { counted } from "../recordings/samples.js"
import { TemporaryFiles } from "../recordings/temporaryFiles.js"
import { recogniserProblem } from "./engineProblems.js"
import { identifyForm } from "./formIdentity.js"
import { IdsAndClock } from "./idsAndClock.js"
import { readForm, readUpload, type Upload } from "./multipartUpload.js"
import { type FieldsReader, operationHandler, type ServedOperation } from "./operation.js"
import { toForm, transcriptionForm } from "./transcriptionForm.js"

const problemOf = (refusal: Refusal): Problem => {
  switch (refusal._tag) {
    case "UnknownKey":
      return { status: 401, message: "the API key is missing, malformed, unrecognised or revoked", refusal }
    case "AccountNotActive":
      return { status: 403, message: `the account is ${refusal.state}`, refusal }
    case "MissingScope":
      return { status: 403, message: `the API key lacks the scope ${refusal.scope}`, refusal }
    case "NoCredit":
      return { status: 402, message: "the credit balance is exhausted", refusal }
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

type TranscriptionSettings = Pick<
  Settings,
  "models" | "maximumUploadBytes" | "maximumRecordingSeconds" | "bodyIdleMillis" | "creditsPerSecond"
>

interface TranscriptionOptions extends TranscriptionSettings {
  readonly logIgnoredHotwords: (model: string) => Effect.Effect<void>
}

/** `POST /api/transcribe`. */
export const transcriptionHandler = (settings: TranscriptionSettings, exchanges?: Exchanges) => {
  const options = { ...settings, logIgnoredHotwords: makeHotwordsLog() }
  return operationHandler({
    name: "transcribe",
    path: Contract.path,
    work: (request, entry) =>
      exchanges === undefined
        ? transcribe(request, entry, options)
        : exchanges.work({
            operation: "transcribe",
            request,
            entry,
            authorize: authorize(request),
            unknownKey: problemOf({ _tag: "UnknownKey" })
          }),
    problemToResponse: transcriptionProblemToResponse,
    readFields: readFormFields,
    sentId: () => undefined,
    readIdentity: identifyForm,
    bodyIdleMillis: settings.bodyIdleMillis
  })
}

/** Logs once for each model. */
const makeHotwordsLog = () => {
  const logged = new Set<string>()
  return (model: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (logged.has(model)) return Effect.void
      logged.add(model)
      return Effect.logWarning(
        `The model ${Printable.line(model)} takes no hotwords. Those of its requests are ignored.`
      )
    })
}

/** The fields and the file of a form that is not worked on. */
const readFormFields: ServedOperation<never>["readFields"] = (headers, entry, journal): FieldsReader => {
  const { end, write } = readForm(headers, Contract.field.audioFile, makeUploadKeeper(entry, journal))
  return {
    write,
    end: async () => {
      const form = await end()
      return {
        fields: form && Option.getOrUndefined(Effect.runSync(Effect.option(toForm(form.fields)))),
        body: form?.isWhole === true ? { _tag: "Form", fields: form.fields, file: form.file } : undefined
      }
    }
  }
}

const authorize = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  Effect.flatMap(Accounts, (accounts) =>
    Effect.mapError(accounts.authorize(headers[Contract.apiKeyHeader.toLowerCase()], "stt:transcribe"), problemOf)
  )

const transcribe = (request: HttpServerRequest.HttpServerRequest, entry: OpenEntry, options: TranscriptionOptions) =>
  Effect.gen(function* () {
    const idsAndClock = yield* IdsAndClock
    const receivedAt = idsAndClock.now()
    const elapsedMillis = idsAndClock.startTimer()

    const authorization = yield* authorize(request)
    entry.keyId = authorization.keyId

    const upload = yield* readUpload(NodeHttpServerRequest.toIncomingMessage(request), Contract.field.audioFile, {
      maximumFileBytes: options.maximumUploadBytes,
      idleMillis: options.bodyIdleMillis
    })
    const journal = yield* Journal
    const keepFile = keepForm(entry, upload, journal)
    const work = transcribeUpload(upload, entry, { ...options, authorization, receivedAt, elapsedMillis })
    // Not before: the recogniser reads the file.
    return yield* Effect.ensuring(work, Effect.promise(keepFile))
  })

/** Keeps a form. The result keeps its file: moves it, if it is on disk. */
const keepForm = (entry: OpenEntry, { fields, file, fileFacts }: Upload, journal: JournalService) => {
  journal.keepDetails(entry, { body: { _tag: "Form", fields, file: fileFacts } })
  if (file === undefined || fileFacts === undefined) return async () => undefined
  const { byteLength, fileName, mediaType } = fileFacts
  if (fileName !== undefined) journal.keepText(entry, "fileName", fileName)
  entry.fileBytes = byteLength
  const audio = journal.audioOf(entry, { _tag: "Uploaded", mediaType })
  return async () => {
    if (typeof file === "string") await audio.move(file, byteLength)
    else audio.keep(file)
  }
}

interface UploadOptions extends TranscriptionOptions {
  readonly authorization: Authorization
  readonly receivedAt: Date
  readonly elapsedMillis: () => number
}

const transcribeUpload = (
  upload: Upload,
  entry: OpenEntry,
  { authorization, elapsedMillis, receivedAt, ...options }: UploadOptions
) =>
  Effect.gen(function* () {
    const recogniser = yield* Recogniser
    const idsAndClock = yield* IdsAndClock
    const { keepRequest, keepText } = yield* Journal
    const fields = yield* toForm(upload.fields)
    keepRequest(entry, fields)
    const form = yield* Effect.mapError(decodeForm(fields), (error) => badRequest(describeParseError(error)))
    const model = options.models.get(form.model)
    if (model === undefined) return yield* Effect.fail(badRequest(unknownModel(form.model, recogniser.models)))
    if (upload.file === undefined) return yield* Effect.fail(badRequest(`${Contract.field.audioFile} is missing`))

    const ignoresHotwords = !model.hotwords && (form.hotwords ?? []).length > 0
    if (ignoresHotwords) yield* options.logIgnoredHotwords(model.name)
    const { recognised, seconds } = yield* recognise(recogniser, {
      model,
      file: upload.file,
      maximumSeconds: options.maximumRecordingSeconds,
      hotwords: model.hotwords ? (form.hotwords ?? []) : [],
      parseNumber: form.parse_number === true
    })
    entry.audioMillis = Math.round(seconds * 1000)
    const units = Math.ceil(seconds)
    const cost = { operation: "transcribe", units, credits: units * options.creditsPerSecond } as const
    const hold = yield* Effect.mapError(authorization.hold(cost), problemOf)

    const callId = idsAndClock.nextId()
    entry.id = callId
    const { knownRecordings } = recogniser
    const result = recognised ?? nothingIn(recogniser)
    keepText(entry, "transcript", result.text)
    const body: Contract.Success = {
      status: "success",
      text: result.text,
      call_id: callId,
      aux_info: form.aux === true ? auxInfo(result, { seconds, receivedAt, elapsedMillis: elapsedMillis() }) : undefined
    }
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    const headers = {
      ...(recognised === undefined && knownRecordings && { [Contract.noticeHeader]: knownRecordings.notice }),
      ...((result.hotwordsIgnored ?? 0) > 0 && { [Contract.hotwordsHeader]: Contract.someHotwordsIgnored }),
      ...(ignoresHotwords && { [Contract.hotwordsHeader]: Contract.hotwordsIgnored })
    }
    return { response: HttpServerResponse.uint8Array(bytes, { contentType: "application/json", headers }), hold }
  })

/** The contract's default of a hotword's `score`. */
const defaultScore = 1.5

interface RecognitionOptions {
  readonly model: RecogniserModel
  /** The recording, or the path of its file. */
  readonly file: string | Uint8Array
  readonly maximumSeconds: number
  readonly hotwords: ReadonlyArray<Contract.Hotword>
  /** Writes spoken numbers as digits. */
  readonly parseNumber: boolean
}

/** What the recogniser recognised, and the duration of the recording. */
const recognise = (
  recogniser: RecogniserService,
  { file, hotwords, maximumSeconds, model, parseNumber }: RecognitionOptions
) =>
  Effect.gen(function* () {
    const { sampleRate } = recogniser
    const decoding = { maximumSeconds, sampleRate }
    const recording = yield* recogniser.knownRecordings === undefined
      ? readRecording(file, { ...decoding, temporaryFiles: yield* TemporaryFiles }, "engine")
      : readRecording(file, decoding)
    const { count, samples } = counted(recording)
    const spoken = yield* recogniser.recognise({
      model: model.name,
      lang: model.lang,
      samples,
      hotwords: hotwords.map(({ phrase, score = defaultScore }) => ({ phrase, score }))
    })
    const heard = spoken?.text.trim() === "" ? undefined : spoken
    const recognised = heard && parseNumber ? yield* cooperatively(withNumbers(model.lang, heard)) : heard
    return { recognised, seconds: count() / sampleRate }
  }).pipe(
    Effect.mapError((problem) =>
      typeof problem === "string" ? badRequest(`${Contract.field.audioFile}: ${problem}`) : recogniserProblem(problem)
    )
  )

/** The result for a recording with nothing in it. Only a recogniser that knows its recordings is sure of that. */
const nothingIn = ({ knownRecordings }: RecogniserService): Recognised => ({
  text: "",
  confidence: knownRecordings === undefined ? undefined : 0,
  segments: []
})

/** More names than a person reads. */
const mostNames = 20

const unknownModel = (name: string, models: RecogniserService["models"]): string => {
  const unknown = `unknown model ${quote(name)};`
  // The recogniser takes any: two for each language of the voice.
  if (models === undefined) return `${unknown} the platform's /openapi.json lists the models`
  const ofModel = models.filter(({ model }) => model === name)
  const offered = ofModel.length > 0 ? ofModel : models
  const more = offered.length > mostNames ? `; /openapi.json lists all ${models.length}` : ""
  const names = offered.slice(0, mostNames).map((model) => model.name)
  const why = ofModel.length > 0 ? " that model has a name for each language:" : ""
  return `${unknown}${why} use one of ${names.join(", ")}${more}`
}

/** The contract defines only a segment's `confidence`. `start` and `end` (in seconds) and `text` are this service's own. */
const auxInfo = (
  { confidence, segments, text }: Recognised,
  {
    elapsedMillis,
    receivedAt,
    seconds
  }: { readonly seconds: number; readonly receivedAt: Date; readonly elapsedMillis: number }
): Contract.AuxInfo => ({
  request_time: Math.round(elapsedMillis) / 1000,
  received_request_time: receivedAt.toISOString(),
  confidence,
  segments_meta: segments?.map(({ confidence, endMillis, startMillis, text }) => ({
    start: startMillis / 1000,
    end: endMillis / 1000,
    text,
    confidence
  })) ?? [{ start: 0, end: seconds, text, confidence }]
})

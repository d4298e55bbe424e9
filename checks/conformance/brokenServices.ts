/**
 * Services that are crooked in one thing each: what is altered of the answers of one that is not, and which rules that
 * breaks.
 */
import { type Alter, none } from "./brokenService.js"
import { objectIn } from "./rule.js"
import type { RuleName } from "./rules.js"
import type { Answer, Question } from "./service.js"

/** The field of a form, or of a JSON body. */
const field = ({ body, listener }: Question, name: string): unknown => {
  if (listener !== "stt") return objectIn({ ...none, bytes: body })?.[name]
  return new RegExp(`name="${name}"[^]*?\\r\\n\\r\\n([^]*?)\\r\\n--`).exec(body.toString())?.[1]
}

const withHeader = (answer: Answer, name: string, value: string | undefined): Answer => {
  const headers = { ...answer.headers, [name]: value }
  if (value === undefined) delete headers[name]
  return { ...answer, headers }
}

/** Another body; the fields of JSON that are undefined are left out. */
const withBody = (answer: Answer, change: object): Answer => ({
  ...answer,
  bytes: Buffer.from(JSON.stringify({ ...objectIn(answer), ...change }))
})

const sets =
  (change: object): Alter =>
  (_, answer) =>
    withBody(answer, change)
const setsHeader =
  (name: string, value: string | undefined): Alter =>
  (_, answer) =>
    withHeader(answer, name, value)

const transcript = (_: Question, answer: Answer): Answer => ({
  ...answer,
  status: 200,
  bytes: Buffer.from(JSON.stringify({ status: "success", text: "", call_id: "7" }))
})

const audio = (_: Question, answer: Answer): Answer => ({
  status: 200,
  headers: {
    "content-type": "application/octet-stream",
    "x-sample-rate": "24000",
    "x-encoding": "float32",
    "x-audio-duration-ms": "10",
    "x-request-id": answer.headers["x-request-id"]
  },
  bytes: Buffer.alloc(960)
})

const is =
  (listener: Question["listener"], status: number) =>
  (question: Question, answer: Answer): boolean =>
    question.listener === listener && answer.status === status

type When = (question: Question, answer: Answer) => boolean

/** Alters what `when` says, and leaves all else. */
const where =
  (when: When, alter: Alter): (() => Alter) =>
  () =>
  (question, answer) =>
    when(question, answer) ? alter(question, answer) : answer

const all =
  (...whens: ReadonlyArray<When>): When =>
  (question, answer) =>
    whens.every((when) => when(question, answer))

const lacks =
  (name: string): When =>
  (question) =>
    field(question, name) === undefined
/** A value, or what is said of it. */
const has =
  (name: string, what: string | number | ((value: unknown) => boolean) = () => true): When =>
  (question) => {
    const value = field(question, name)
    return value !== undefined && (typeof what === "function" ? what(value) : value === what)
  }
const file =
  (name: string): When =>
  ({ body }) =>
    body.includes(`filename="${name}"`)

const keyOf = ({ headers }: Question): string => headers["X-Api-Key"] ?? headers["X-API-Key"] ?? ""
const parts = (question: Question) => keyOf(question).split(".")
const isMissing: When = (question) => keyOf(question) === ""
const isUnknown: When = (question) => keyOf(question).startsWith("unknown_")
const isGenuine: When = (question) => /^local_[^.]+\.[\w-]{20}/.test(keyOf(question))
const isPart: When = (question) => parts(question).length === 1 && keyOf(question).length > 10
const isMalformed: When = (question) => !isMissing(question, none) && keyOf(question).length < 10

/** Refuses in the body of the operation. */
const refuses =
  (status: number, error = "refused"): Alter =>
  ({ listener }, { headers }) =>
    withBody(
      {
        status,
        headers: { "content-type": "application/json", "x-request-id": headers["x-request-id"] },
        bytes: none.bytes
      },
      listener === "stt" ? { status: "error", error, message: error } : { error }
    )

const aux =
  (change: (info: Record<string, unknown>) => object): Alter =>
  (_, answer) =>
    withBody(answer, { aux_info: change({ ...Object(objectIn(answer)?.aux_info) }) })
const hasAux: When = (question, answer) => question.listener === "stt" && objectIn(answer)?.aux_info !== undefined
const isTranscript: When = is("stt", 200)
const isSpeech: When = is("tts", 200)
const isRefusedForm: When = is("stt", 400)
const isRefusedText: When = is("tts", 400)
const isPlatform =
  (asks: string): When =>
  (question) =>
    question.listener === "platform" && question.asks === asks
const sentId = ({ headers }: Question): string => headers["X-Request-Id"] ?? ""
const isFailure: When = (question, { status }) => question.listener !== "platform" && status >= 400
const says =
  (text: string): When =>
  (_, answer) =>
    objectIn(answer)?.text === text

export interface Crook {
  /** After "a service that". */
  readonly what: string
  /** It may remember what was asked for a rule. */
  readonly makeAlter: () => Alter
  /** All rules that it breaks. */
  readonly breaks: ReadonlyArray<RuleName>
}

const oneOf = (
  listener: "stt" | "tts",
  breaks: Readonly<Record<"stt" | "tts", ReadonlyArray<RuleName>>>
): ReadonlyArray<RuleName> => breaks[listener]

/** Each with what it breaks. */
export const crooks: ReadonlyArray<Crook> = [
  {
    what: "takes a form without a model",
    makeAlter: where(all(isRefusedForm, has("transaction_id"), lacks("model")), transcript),
    breaks: ["modelIsRequired", "badRequestBody"]
  },
  {
    what: "takes a form without a transaction id",
    makeAlter: where(all(isRefusedForm, has("model"), lacks("transaction_id")), transcript),
    breaks: ["transactionIdIsRequired"]
  },
  {
    what: "takes a form without a recording",
    makeAlter: where(all(isRefusedForm, has("model"), lacks("audio_file")), transcript),
    breaks: ["audioFileIsRequired"]
  },
  {
    what: "takes any model",
    makeAlter: where(
      all(
        isRefusedForm,
        has("model", (model) => String(model).startsWith("no-"))
      ),
      transcript
    ),
    breaks: ["unknownModelIsRefused"]
  },
  {
    what: "takes any transaction id",
    makeAlter: where(
      all(
        isRefusedForm,
        has("model"),
        has("transaction_id", (id) => String(id).length < 36)
      ),
      transcript
    ),
    breaks: ["transactionIdMustBeUuid"]
  },
  {
    what: "takes transaction ids of version 4 alone",
    makeAlter: where(
      all(
        isTranscript,
        has("transaction_id", (id) => !/-4\w{3}-/.test(String(id)))
      ),
      refuses(400)
    ),
    breaks: ["transactionIdMayBeAnyUuid"]
  },
  {
    what: "refuses what is in another language",
    makeAlter: where(
      all(
        isTranscript,
        file("cat.wav"),
        has("model", (model) => String(model).startsWith("en"))
      ),
      refuses(400)
    ),
    breaks: ["otherLanguageIsNoError", "parseNumberIsNoErrorElsewhere"]
  },
  {
    what: "answers 422 to what is no form",
    makeAlter: where(all(isRefusedForm, lacks("transaction_id"), lacks("model")), refuses(422)),
    breaks: ["malformedFormIsRefused"]
  },
  {
    what: "reads no WAV",
    makeAlter: where(all(isTranscript, file("cat.wav")), refuses(400)),
    breaks: [
      "threeFieldsAreEnough",
      "transactionIdMayBeAnyUuid",
      "otherLanguageIsNoError",
      "wavIsTaken",
      "containersSayTheSame",
      "parseNumberIsTaken",
      "parseNumberIsNoErrorElsewhere",
      "answerIsJson",
      "textIsString",
      "callIdIsString",
      "callIdIsItsOwn",
      "statusIsSuccess",
      "noErrorOnSuccess",
      "auxAddsInfo",
      "noInfoWithoutAux",
      "requestTime",
      "receivedRequestTime",
      "confidence",
      "segments",
      "transcriptionHeaderName",
      "revokedKey",
      "newKeyRevokesTheOld",
      "replacingIsConfirmed",
      "keyHasAllScopes",
      "transcriptionWithoutCredit",
      "transcriptionOfInactiveAccount"
    ]
  },
  ...(
    [
      ["mp3", "mp3IsTaken"],
      ["m4a", "m4aIsTaken"],
      ["flac", "flacIsTaken"],
      ["opus.ogg", "oggIsTaken"],
      ["vorbis.ogg", "oggIsTaken"],
      ["webm", "webmIsTaken"]
    ] as const
  ).map(
    ([type, isTaken]): Crook => ({
      what: `reads no ${type}`,
      makeAlter: where(all(isTranscript, file(`cat.${type}`)), refuses(400)),
      breaks: [isTaken, "containersSayTheSame"]
    })
  ),
  {
    what: "hears another word in MP3",
    makeAlter: where(all(isTranscript, file("cat.mp3")), sets({ text: "hat" })),
    breaks: ["containersSayTheSame"]
  },
  {
    what: "does not know parse_number",
    makeAlter: where(all(isTranscript, has("parse_number")), refuses(400)),
    breaks: [
      "parseNumberIsTaken",
      "parseNumberIsNoErrorElsewhere",
      "parseNumberWritesDigits",
      "parseNumberLeavesOtherLanguages"
    ]
  },
  {
    what: "refuses parse_number in English",
    makeAlter: where(
      all(
        isTranscript,
        has("parse_number"),
        has("model", (model) => String(model).startsWith("en"))
      ),
      refuses(400)
    ),
    breaks: ["parseNumberIsNoErrorElsewhere", "parseNumberLeavesOtherLanguages"]
  },
  {
    what: "writes no numbers",
    makeAlter: where(says("25"), sets({ text: "twenty five" })),
    breaks: ["parseNumberWritesDigits"]
  },
  {
    what: "always writes numbers",
    makeAlter: where(says("पच्चीस"), sets({ text: "25" })),
    breaks: ["parseNumberWritesDigits"]
  },
  {
    what: "writes English numbers",
    makeAlter: where(all(has("parse_number"), says("twenty five")), sets({ text: "25" })),
    breaks: ["parseNumberLeavesOtherLanguages"]
  },
  {
    what: "transcribes as plain text",
    makeAlter: where(isTranscript, setsHeader("content-type", "text/plain")),
    breaks: ["answerIsJson"]
  },
  {
    what: "tells a text that is null",
    makeAlter: where(all(isTranscript, file("cat.wav")), sets({ text: null })),
    breaks: ["containersSayTheSame", "textIsString"]
  },
  {
    what: "counts its calls",
    makeAlter: () => {
      let calls = 0
      return where(isTranscript, (_, answer) => withBody(answer, { call_id: ++calls }))()
    },
    breaks: ["callIdIsString"]
  },
  {
    what: "gives one id to all transcriptions",
    makeAlter: where(isTranscript, sets({ call_id: "call" })),
    breaks: ["callIdIsItsOwn"]
  },
  {
    what: "tells a status of its own",
    makeAlter: where(isTranscript, sets({ status: "ok" })),
    breaks: ["statusIsSuccess"]
  },
  {
    what: "tells an error that is null",
    makeAlter: where(isTranscript, sets({ error: null })),
    breaks: ["noErrorOnSuccess"]
  },
  {
    what: "always tells aux_info",
    makeAlter: where(isTranscript, (_, answer) =>
      withBody(answer, { aux_info: objectIn(answer)?.aux_info ?? { confidence: 1 } })
    ),
    breaks: ["noInfoWithoutAux"]
  },
  {
    what: "tells aux_info where aux is there, be it false",
    makeAlter: where(all(isTranscript, has("aux")), (_, answer) =>
      withBody(answer, { aux_info: objectIn(answer)?.aux_info ?? {} })
    ),
    breaks: ["noInfoWithoutAux"]
  },
  {
    what: "never tells aux_info",
    makeAlter: where(hasAux, sets({ aux_info: undefined })),
    breaks: ["auxAddsInfo", "requestTime", "receivedRequestTime", "confidence", "segments"]
  },
  {
    what: "omits every field of aux_info",
    makeAlter: where(
      hasAux,
      aux(() => ({}))
    ),
    breaks: []
  },
  {
    what: "tells the time of a request in words",
    makeAlter: where(
      hasAux,
      aux((info) => ({ ...info, request_time: "0.2s" }))
    ),
    breaks: ["requestTime"]
  },
  {
    what: "tells the time of India",
    makeAlter: where(
      hasAux,
      aux((info) => ({ ...info, received_request_time: "2026-01-31T10:00:00+05:30" }))
    ),
    breaks: ["receivedRequestTime"]
  },
  {
    what: "tells its time in seconds since 1970",
    makeAlter: where(
      hasAux,
      aux((info) => ({ ...info, received_request_time: 1_769_000_000 }))
    ),
    breaks: ["receivedRequestTime"]
  },
  {
    what: "tells its confidence in percent",
    makeAlter: where(
      hasAux,
      aux((info) => ({ ...info, confidence: 99 }))
    ),
    breaks: ["confidence"]
  },
  {
    what: "tells segments without confidence",
    makeAlter: where(
      hasAux,
      aux((info) => ({ ...info, segments_meta: [{ start: 0, end: 1 }] }))
    ),
    breaks: ["segments"]
  },
  {
    what: "transcribes the beginning alone",
    makeAlter: where(says("Please transfer the money."), sets({ text: "Please transfer" })),
    breaks: ["textIsWhatWasSaid"]
  },
  ...(
    [
      [400, ["badRequestBody"]],
      [401, ["unauthorizedBody", "transcriptionKeyBodies"]],
      [402, ["accountFailureBodies"]],
      [403, ["accountFailureBodies"]],
      [503, ["transcriptionFailures"]]
    ] as const
  ).map(
    ([status, breaks]): Crook => ({
      what: `tells no message with a ${status} of transcription`,
      makeAlter: where(is("stt", status), sets({ message: undefined })),
      breaks
    })
  ),
  {
    what: "tells the status of a failure in words of its own",
    makeAlter: where(
      all(isFailure, ({ listener }) => listener === "stt"),
      sets({ status: "failed" })
    ),
    breaks: [
      "badRequestBody",
      "unauthorizedBody",
      "accountFailureBodies",
      "transcriptionFailures",
      "transcriptionKeyBodies"
    ]
  },
  {
    what: "wants a language",
    makeAlter: where(all(isSpeech, lacks("lang")), refuses(400)),
    breaks: [
      "textIsEnough",
      "voiceIsFemaleByDefault",
      "everyFormatIsTaken",
      "speedIsTheRate",
      "g2pOverridesMayBeEmpty",
      "bodyIsRaw",
      "sampleRateIsTold",
      "encodingIsTold",
      "formatByDefault",
      "durationIsTold",
      "samplesAreWhole",
      "idIsReturned",
      "idIsMade",
      "longIdIsIgnored",
      "synthesisHeaderName",
      "revokedKey",
      "newKeyRevokesTheOld",
      "replacingIsConfirmed",
      "keyHasAllScopes",
      "authorisedRequestFinishes",
      "tenThousandCharacters",
      "tenThousandCodePoints",
      "speedHasBounds",
      "stepsHaveBounds",
      "langIsHindiByDefault"
    ]
  },
  {
    what: "speaks English where no language is given",
    makeAlter: where(says("नमस्ते दोस्तों"), sets({ text: "" })),
    breaks: ["langIsHindiByDefault"]
  },
  {
    what: "speaks low where no voice is given",
    makeAlter: where(all(isSpeech, lacks("voice"), has("text", "नमस्ते"), has("output_format")), (_, answer) => ({
      ...answer,
      bytes: Buffer.from(
        new Int16Array(answer.bytes.length).map((_, at) => answer.bytes.readInt16LE((at >> 1) * 2)).buffer
      )
    })),
    breaks: ["voiceIsFemaleByDefault"]
  },
  {
    what: "has no default_female",
    makeAlter: where(all(isSpeech, has("voice", "default_female")), refuses(400)),
    breaks: ["defaultFemaleIsTaken"]
  },
  {
    what: "speaks nothing",
    makeAlter: where(all(isRefusedText, lacks("text"), has("lang")), audio),
    breaks: ["textIsRequired"]
  },
  {
    what: "speaks numbers",
    makeAlter: where(all(isRefusedText, has("text", 7)), audio),
    breaks: ["textMustBeString"]
  },
  {
    what: "fails on what is no JSON",
    makeAlter: where(
      all(isRefusedText, ({ body }) => objectIn({ ...none, bytes: body }) === undefined),
      refuses(500)
    ),
    breaks: ["malformedJsonIsRefused"]
  },
  {
    what: "speaks any language",
    makeAlter: where(all(isRefusedText, has("lang", "tlh")), audio),
    breaks: ["unsupportedLangIsRefused", "failureIsNotBilled"]
  },
  {
    what: "speaks with any voice",
    makeAlter: where(all(isRefusedText, has("voice")), audio),
    breaks: ["unsupportedVoiceIsRefused"]
  },
  {
    what: "does not name the field",
    makeAlter: where(isRefusedText, refuses(400, "validation failed")),
    breaks: [
      "textIsRequired",
      "textMustBeString",
      "unsupportedLangIsRefused",
      "unsupportedVoiceIsRefused",
      "otherFormatsAreRefused",
      "otherRatesAreNamed",
      "longerTextIsRefused",
      "otherSpeedsAreRefused",
      "otherStepsAreRefused"
    ]
  },
  {
    what: "names the field and not the rate",
    makeAlter: where(all(isRefusedText, has("output_format")), refuses(400, "output_format is not supported")),
    breaks: ["otherRatesAreNamed"]
  },
  {
    what: "does not speak at 16 kHz in floats",
    makeAlter: where(all(isSpeech, has("output_format", "16000:float32")), refuses(400)),
    breaks: [
      "everyFormatIsTaken",
      "bodyIsRaw",
      "sampleRateIsTold",
      "encodingIsTold",
      "durationIsTold",
      "samplesAreWhole"
    ]
  },
  {
    what: "takes any format",
    makeAlter: where(
      all(
        isRefusedText,
        has("output_format", (format) => !/^(44100|22050|48000):/.test(String(format)))
      ),
      audio
    ),
    breaks: ["otherFormatsAreRefused"]
  },
  {
    what: "takes any rate",
    makeAlter: where(
      all(
        isRefusedText,
        has("output_format", (format) => /^\d+:pcm16$/.test(String(format)))
      ),
      audio
    ),
    breaks: ["otherRatesAreNamed"]
  },
  {
    what: "speaks at one speed",
    makeAlter: where(all(isSpeech, has("speed")), (_, answer) => ({
      ...answer,
      bytes: answer.bytes.subarray(0, 400)
    })),
    breaks: ["speedIsTheRate"]
  },
  {
    what: "does not know g2p_overrides",
    makeAlter: where(all(isSpeech, has("g2p_overrides")), refuses(400)),
    breaks: ["g2pOverridesMayBeEmpty"]
  },
  {
    what: "takes anything for g2p_overrides",
    makeAlter: where(all(isRefusedText, has("g2p_overrides")), audio),
    breaks: ["g2pOverridesMustBeMap"]
  },
  {
    what: "speaks WAV",
    makeAlter: where(isSpeech, (_, answer) => ({
      ...answer,
      bytes: Buffer.concat([Buffer.from("RIFF".padEnd(44, "\0")), answer.bytes])
    })),
    breaks: ["bodyIsRaw", "durationIsTold"]
  },
  {
    what: "gives no audio",
    makeAlter: where(isSpeech, (_, answer) => ({ ...answer, bytes: none.bytes })),
    breaks: ["voiceIsFemaleByDefault", "speedIsTheRate", "bodyIsRaw", "durationIsTold"]
  },
  {
    what: "speaks JSON",
    makeAlter: where(isSpeech, sets({ audio: "" })),
    breaks: ["voiceIsFemaleByDefault", "speedIsTheRate", "bodyIsRaw", "durationIsTold"]
  },
  {
    what: "does not tell the rate",
    makeAlter: where(isSpeech, setsHeader("x-sample-rate", undefined)),
    breaks: ["sampleRateIsTold", "formatByDefault"]
  },
  {
    what: "tells the rate with its unit",
    makeAlter: where(isSpeech, (_, answer) =>
      withHeader(answer, "x-sample-rate", `${answer.headers["x-sample-rate"]} Hz`)
    ),
    breaks: ["sampleRateIsTold", "formatByDefault"]
  },
  {
    what: "tells the encoding in another name",
    makeAlter: where(isSpeech, (_, answer) =>
      withHeader(answer, "x-encoding", answer.headers["x-encoding"] === "pcm16" ? "s16le" : "f32le")
    ),
    breaks: ["encodingIsTold", "formatByDefault"]
  },
  {
    what: "speaks at 16 kHz by default",
    makeAlter: where(all(isSpeech, lacks("output_format")), setsHeader("x-sample-rate", "16000")),
    breaks: ["formatByDefault"]
  },
  {
    what: "tells a wrong duration",
    makeAlter: where(isSpeech, (_, answer) =>
      withHeader(answer, "x-audio-duration-ms", String(Number(answer.headers["x-audio-duration-ms"]) + 5))
    ),
    breaks: ["durationIsTold"]
  },
  {
    what: "does not tell the duration",
    makeAlter: where(isSpeech, setsHeader("x-audio-duration-ms", undefined)),
    breaks: ["durationIsTold"]
  },
  {
    what: "gives a byte too many",
    makeAlter: where(isSpeech, (_, answer) => ({ ...answer, bytes: Buffer.concat([answer.bytes, Buffer.alloc(1)]) })),
    breaks: ["samplesAreWhole"]
  },
  {
    what: "gives floats that are no numbers",
    makeAlter: where(
      all(
        isSpeech,
        has("output_format", (format) => String(format).endsWith("float32"))
      ),
      (_, answer) => ({ ...answer, bytes: Buffer.alloc(answer.bytes.length, 0xff) })
    ),
    breaks: ["samplesAreWhole"]
  },
  {
    what: "tells no request id with an error",
    makeAlter: where(isFailure, setsHeader("x-request-id", undefined)),
    breaks: [
      "idIsReturnedOnErrors",
      "idIsMadeOnErrors",
      "idMayBeShortOrLong",
      "oddIdIsIgnored",
      "idIsReturnedOnFailures"
    ]
  },
  {
    what: "tells no request id with audio",
    makeAlter: where(isSpeech, setsHeader("x-request-id", undefined)),
    breaks: ["idIsReturned", "idIsMade", "longIdIsIgnored"]
  },
  {
    what: "tells no request id with a failure of its own",
    makeAlter: where(
      all(isFailure, (_, { status }) => status >= 500),
      setsHeader("x-request-id", undefined)
    ),
    breaks: ["idIsReturnedOnFailures"]
  },
  {
    what: "makes every request id itself",
    makeAlter: () => {
      let ids = 0
      return (_, answer) => withHeader(answer, "x-request-id", `made-${++ids}`)
    },
    breaks: ["idIsReturned", "idIsReturnedOnErrors", "idMayBeShortOrLong", "idIsReturnedOnFailures"]
  },
  {
    what: "makes the same request id each time",
    makeAlter: where((question) => sentId(question) === "", setsHeader("x-request-id", "made")),
    breaks: ["idIsMade"]
  },
  {
    what: "returns request ids in lower case",
    makeAlter: where(
      (question) => /^[\w.:-]{1,64}$/.test(sentId(question)),
      (question, answer) => withHeader(answer, "x-request-id", sentId(question).toLowerCase())
    ),
    breaks: ["idIsReturned", "idIsReturnedOnErrors", "idMayBeShortOrLong"]
  },
  {
    what: "returns 36 characters of a request id",
    makeAlter: where(
      (question) => sentId(question).length === 64,
      (question, answer) => withHeader(answer, "x-request-id", sentId(question).slice(0, 36))
    ),
    breaks: ["idMayBeShortOrLong"]
  },
  {
    what: "returns a request id of 65 characters",
    makeAlter: where(
      (question) => sentId(question).length > 64,
      (question, answer) => withHeader(answer, "x-request-id", sentId(question))
    ),
    breaks: ["longIdIsIgnored"]
  },
  {
    what: "refuses a request id of 65 characters",
    makeAlter: where((question) => sentId(question).length > 64, refuses(400)),
    breaks: ["longIdIsIgnored"]
  },
  {
    what: "returns any request id",
    makeAlter: where(
      (question) => /[^\w.:-]/.test(sentId(question)),
      (question, answer) => withHeader(answer, "x-request-id", sentId(question))
    ),
    breaks: ["oddIdIsIgnored"]
  },
  {
    what: "tells a 400 of synthesis in a message",
    makeAlter: where(isRefusedText, (_, answer) =>
      withBody(answer, { error: undefined, message: objectIn(answer)?.error })
    ),
    breaks: [
      "textIsRequired",
      "textMustBeString",
      "unsupportedLangIsRefused",
      "unsupportedVoiceIsRefused",
      "otherFormatsAreRefused",
      "otherRatesAreNamed",
      "synthesisRefusalBody",
      "longerTextIsRefused",
      "otherSpeedsAreRefused",
      "otherStepsAreRefused"
    ]
  },
  {
    what: "tells more than the error of a 401",
    makeAlter: where(is("tts", 401), sets({ status: "error" })),
    breaks: [
      "synthesisUnauthorizedBody",
      "synthesisWithoutCredit",
      "synthesisOfInactiveAccount",
      "synthesisWithoutScope"
    ]
  },
  ...(["stt", "tts"] as const).flatMap(
    (listener): ReadonlyArray<Crook> => [
      {
        what: `fails in HTML, on ${listener}`,
        makeAlter: where(
          all(isFailure, (question, { status }) => question.listener === listener && status >= 500),
          (_, answer) => ({ ...answer, bytes: Buffer.from("<h1>Sorry</h1>") })
        ),
        breaks: oneOf(listener, { stt: ["transcriptionFailures"], tts: ["synthesisFailures"] })
      },
      {
        what: `answers 403 to every refused key, on ${listener}`,
        makeAlter: where(is(listener, 401), refuses(403)),
        breaks: oneOf(listener, {
          stt: [
            "unauthorizedBody",
            "transcriptionKeyMissing",
            "transcriptionKeyMalformed",
            "transcriptionKeyUnknown",
            "transcriptionKeyWhole",
            "revokedKey",
            "newKeyRevokesTheOld",
            "transcriptionKeyBodies"
          ],
          tts: [
            "synthesisUnauthorizedBody",
            "synthesisKeyMissing",
            "synthesisKeyMalformed",
            "synthesisKeyUnknown",
            "synthesisKeyWhole",
            "revokedKey",
            "newKeyRevokesTheOld",
            "authorisedRequestFinishes",
            "synthesisWithoutCredit",
            "synthesisOfInactiveAccount",
            "synthesisWithoutScope",
            "failureIsNotBilled"
          ]
        })
      },
      {
        what: `needs no key, on ${listener}`,
        makeAlter: where(all(is(listener, 401), isMissing), listener === "stt" ? transcript : audio),
        breaks: oneOf(listener, {
          stt: ["unauthorizedBody", "transcriptionKeyMissing"],
          tts: ["synthesisUnauthorizedBody", "synthesisKeyMissing"]
        })
      },
      {
        what: `takes what is no key, on ${listener}`,
        makeAlter: where(all(is(listener, 401), isMalformed), listener === "stt" ? transcript : audio),
        breaks: oneOf(listener, { stt: ["transcriptionKeyMalformed"], tts: ["synthesisKeyMalformed"] })
      },
      {
        what: `takes any key, on ${listener}`,
        makeAlter: where(all(is(listener, 401), isUnknown), listener === "stt" ? transcript : audio),
        breaks: oneOf(listener, {
          stt: ["transcriptionKeyUnknown"],
          tts: ["synthesisKeyUnknown", "failureIsNotBilled"]
        })
      },
      {
        what: `takes a part of a key, on ${listener}`,
        makeAlter: where(all(is(listener, 401), isPart), listener === "stt" ? transcript : audio),
        breaks: oneOf(listener, { stt: ["transcriptionKeyWhole"], tts: ["synthesisKeyWhole"] })
      },
      {
        what: `takes every key that there ever was, on ${listener}`,
        makeAlter: where(all(is(listener, 401), isGenuine), listener === "stt" ? transcript : audio),
        breaks: oneOf(listener, {
          stt: ["revokedKey", "newKeyRevokesTheOld", "transcriptionKeyBodies"],
          tts: [
            "revokedKey",
            "newKeyRevokesTheOld",
            "authorisedRequestFinishes",
            "synthesisWithoutCredit",
            "synthesisOfInactiveAccount",
            "synthesisWithoutScope"
          ]
        })
      },
      {
        what: `wants the header in one spelling, on ${listener}`,
        makeAlter: where(
          (question) =>
            question.listener === listener &&
            !Object.keys(question.headers).includes(listener === "stt" ? "X-Api-Key" : "X-API-Key"),
          refuses(401)
        ),
        breaks: oneOf(listener, { stt: ["transcriptionHeaderName"], tts: ["synthesisHeaderName"] })
      }
    ]
  ),
  {
    what: "transcribes without credit",
    makeAlter: where(is("stt", 402), transcript),
    breaks: ["accountFailureBodies", "transcriptionWithoutCredit"]
  },
  {
    what: "answers 402 to a synthesis without credit",
    makeAlter: () => {
      let credits: unknown
      return (question, answer) => {
        if (isPlatform("PATCH account")(question, answer)) credits = field(question, "credits")
        return credits === 0 && is("tts", 401)(question, answer) ? refuses(402)(question, answer) : answer
      }
    },
    breaks: ["synthesisWithoutCredit"]
  },
  {
    what: "answers 401 to a transcription that is not allowed",
    makeAlter: where(is("stt", 403), refuses(401)),
    breaks: ["accountFailureBodies", "transcriptionOfInactiveAccount", "transcriptionWithoutScope"]
  },
  {
    what: "cuts off what is under way when its key is replaced",
    makeAlter: where(all(isSpeech, lacks("output_format"), has("text", "नमस्ते")), refuses(401)),
    breaks: ["authorisedRequestFinishes"]
  },
  {
    what: "replaces a key without asking",
    makeAlter: where(
      all(isPlatform("POST keys"), (_, { status }) => status === 409),
      (_, answer) => withBody({ ...answer, status: 201 }, {})
    ),
    breaks: ["replacingIsConfirmed"]
  },
  {
    what: "makes keys of one part",
    makeAlter: where(
      all(isPlatform("POST keys"), (_, { status }) => status === 201),
      sets({ key: "key" })
    ),
    breaks: ["keyHasTwoParts"]
  },
  {
    what: "makes keys of no scope",
    makeAlter: where(
      all(isPlatform("POST keys"), (_, { status }) => status === 201),
      sets({ scopes: [] })
    ),
    breaks: ["keyHasAllScopes"]
  },
  {
    what: "shows keys again",
    makeAlter: () => {
      let key: unknown
      return (question, answer) => {
        if (isPlatform("POST keys")(question, answer)) key = objectIn(answer)?.key
        return isPlatform("GET keys")(question, answer) ? withBody(answer, { key }) : answer
      }
    },
    breaks: ["keyIsShownOnce"]
  },
  {
    what: "tells no creator of a key",
    makeAlter: where(isPlatform("GET keys"), (_, answer) =>
      withBody(answer, { active: { ...Object(objectIn(answer)?.active), creator: "" } })
    ),
    breaks: ["revokedKeyIsArchived", "keyIsDescribed"]
  },
  {
    what: "forgets revoked keys",
    makeAlter: where(isPlatform("GET keys"), sets({ archived: [] })),
    breaks: ["revokedKeyIsArchived", "oneKeyIsActive"]
  },
  {
    what: "takes twice the credit",
    makeAlter: where(isPlatform("GET account"), (_, answer) =>
      withBody(answer, { credits: 2 * Number(objectIn(answer)?.credits) })
    ),
    breaks: ["billedByCodePoint"]
  },
  {
    what: "takes no credit",
    makeAlter: where(isPlatform("GET account"), sets({ credits: 1000 })),
    breaks: ["billedByCodePoint", "transcriptionIsMetered"]
  },
  {
    what: "takes credit for nothing",
    makeAlter: () => {
      let asked = 0
      return where(isPlatform("GET account"), (_, answer) =>
        withBody(answer, { credits: Number(objectIn(answer)?.credits) - ++asked })
      )()
    },
    breaks: ["billedByCodePoint", "failureIsNotBilled"]
  },
  {
    what: "takes 9,999 characters",
    makeAlter: where(
      all(
        isSpeech,
        has("text", (text) => String(text).length >= 10_000)
      ),
      refuses(400, "text")
    ),
    breaks: ["tenThousandCharacters", "tenThousandCodePoints"]
  },
  {
    what: "counts units of UTF-16",
    makeAlter: where(
      all(
        isSpeech,
        has("text", (text) => String(text).length > 10_000)
      ),
      refuses(400, "text")
    ),
    breaks: ["tenThousandCodePoints"]
  },
  {
    what: "has no limit to a text",
    makeAlter: where(
      all(
        isRefusedText,
        has("text", (text) => String(text).length > 10_000)
      ),
      audio
    ),
    breaks: ["longerTextIsRefused"]
  },
  {
    what: "speaks no faster than 2",
    makeAlter: where(
      all(
        isSpeech,
        has("speed", (speed) => Number(speed) > 2)
      ),
      refuses(400)
    ),
    breaks: ["speedHasBounds"]
  },
  {
    what: "takes any speed",
    makeAlter: where(all(isRefusedText, has("speed")), audio),
    breaks: ["otherSpeedsAreRefused"]
  },
  {
    what: "takes no more than 64 steps",
    makeAlter: where(
      all(
        isSpeech,
        has("num_step", (steps) => Number(steps) > 64)
      ),
      refuses(400)
    ),
    breaks: ["stepsHaveBounds"]
  },
  {
    what: "takes any number of steps",
    makeAlter: where(all(isRefusedText, has("num_step")), audio),
    breaks: ["otherStepsAreRefused"]
  }
]

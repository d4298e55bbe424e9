/** The contract's rules for transcription, except those for keys. */
import {
  allHold,
  forEachCase,
  hasStatus,
  header,
  inSection,
  isTranscriptionFailure,
  jsonObject,
  notSpecified,
  ownRule,
  rule,
  show,
  verdict,
  verdictOf
} from "./rule.js"
import {
  describeFields,
  type Fields,
  type HttpResponse,
  type OwnService,
  recordings,
  type Service,
  wavOf
} from "./service.js"

/** A rule that each of these forms gets this status. The other fields of a form are right. */
const statusRule = (sentence: string, status: number, ...forms: ReadonlyArray<Fields>) =>
  rule(sentence, `${status}`, ({ transcribe }) =>
    forEachCase(forms, async (fields) => hasStatus(await transcribe(fields), status), describeFields)
  )

const textOf = (response: HttpResponse): string => String(jsonObject(response)?.text)

/** A rule for a field of a transcription. */
const fieldRule = (
  field: string,
  sentence: string,
  expected: string,
  isRight: (value: unknown) => boolean,
  fields: Fields = {}
) =>
  rule(sentence, expected, async ({ transcribe }) => {
    const response = await transcribe(fields)
    return verdictOf(isRight(jsonObject(response)?.[field]), expected, show(response))
  })

/** A rule for a field of `aux_info`. A model may omit any of them. */
const auxRule = (field: string, sentence: string, expected: string, isRight: (value: unknown) => boolean) =>
  rule(`\`aux_info.${field}\` ${sentence}`, `${expected}, or omitted`, async ({ transcribe }) => {
    const response = await transcribe({ aux: "true" })
    const info = jsonObject(response)?.aux_info
    if (!isObject(info)) return verdict(false, show(response))
    const value = info[field]
    return value === undefined ? verdict(true, "omitted") : verdict(isRight(value), JSON.stringify(value))
  })

const isString = (value: unknown): boolean => typeof value === "string"
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A timestamp without an offset counts as UTC. */
const isTimeInUtc = (value: unknown): boolean =>
  typeof value === "string" && !Number.isNaN(Date.parse(value)) && !/[+-](?!00:?00)\d\d:?\d\d$/.test(value)

/** Synthesizes a text and returns the transcript of its audio. */
const transcriptOf = async (
  { synthesize, transcribe }: OwnService,
  lang: string,
  text: string,
  fields: Fields = {}
): Promise<string> => {
  const speech = await synthesize({ text, lang, output_format: "8000:pcm16" })
  if (speech.status !== 200) return show(speech)
  const audio_file = wavOf("speech.wav", speech.bytes)
  return textOf(await transcribe({ model: `${lang}-general-v2-8khz`, audio_file, ...fields }))
}

/** Twenty-five, in each language whose numbers become digits. */
const twentyFive = { hi: "पच्चीस", ml: "ഇരുപത്തഞ്ച്", kn: "ಇಪ್ಪತ್ತೈದು", gu: "પચીસ", mr: "पंचवीस" } as const

const formType = "multipart/form-data; boundary=b"
const { flac, m4a, mp3, oggOpus, oggVorbis, wav, webm } = recordings

const request = inSection("Transcription: request", [
  statusRule("`model`, `transaction_id` and `audio_file` are enough (`--model`)", 200, {}),
  statusRule("`model` is required", 400, { model: undefined }),
  statusRule("`transaction_id` is required", 400, { transaction_id: undefined }),
  statusRule("`audio_file` is required", 400, { audio_file: undefined }),
  statusRule("an unknown `model` gives 400", 400, { model: "no-model-of-any-language" }),
  statusRule(
    "a `transaction_id` that is not a UUID gives 400",
    400,
    { transaction_id: "7" },
    { transaction_id: "call-0001" },
    { transaction_id: "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5" }
  ),
  statusRule(
    "a `transaction_id` may be a UUID of any version",
    200,
    { transaction_id: "c232ab00-9414-11ec-b3c8-9f6bdeced846" },
    { transaction_id: "017f22e2-79b0-7cc3-98c4-dc0c0c07398f" },
    { transaction_id: "7F3C0F3E-1B2A-4C5D-8E9F-0A1B2C3D4E5F" }
  ),
  rule("a model of another language is no error (`--other-model`)", "200", async ({ otherModel, transcribe }) =>
    hasStatus(await transcribe({ model: otherModel }), 200)
  ),
  rule("a malformed form gives 400", "400", ({ transcribeRaw }) =>
    forEachCase(["no form", ""], async (body) => hasStatus(await transcribeRaw(body, formType), 400))
  ),
  statusRule("WAV is accepted", 200, { audio_file: wav }),
  statusRule("MP3 is accepted", 200, { audio_file: mp3 }),
  statusRule("M4A is accepted", 200, { audio_file: m4a }),
  statusRule("FLAC is accepted", 200, { audio_file: flac }),
  statusRule("OGG is accepted, with Opus and with Vorbis", 200, { audio_file: oggOpus }, { audio_file: oggVorbis }),
  statusRule("WebM is accepted", 200, { audio_file: webm }),
  ownRule("knownSpeech", "every container gives the same transcript", "the same words", async ({ transcribe }) => {
    const texts = new Set<string>()
    for (const audio_file of Object.values(recordings)) texts.add(textOf(await transcribe({ audio_file })))
    return verdict(texts.size === 1 && !texts.has(""), [...texts].map((text) => `"${text}"`).join(", "))
  }),
  statusRule("`parse_number` is accepted", 200, { parse_number: "true" }, { parse_number: "false" }),
  rule(
    "a model of another language ignores `parse_number` (`--other-model`)",
    "200",
    async ({ otherModel, transcribe }) => hasStatus(await transcribe({ model: otherModel, parse_number: "true" }), 200)
  ),
  ownRule(
    "knownSpeech",
    "`parse_number` writes spoken numbers as digits in Hindi, Malayalam, Kannada, Gujarati and Marathi",
    "25, and words without it",
    (service) =>
      forEachCase(Object.entries(twentyFive), async ([lang, text]) => {
        const digits = await transcriptOf(service, lang, text, { parse_number: "true" })
        const words = await transcriptOf(service, lang, text)
        return verdict(digits === "25" && words === text, `${digits}, and ${words}`)
      })
  ),
  ownRule("knownSpeech", "`parse_number` changes no other language", "twenty five", async (service) => {
    const text = await transcriptOf(service, "en", "twenty five", { parse_number: "true" })
    return verdict(text === "twenty five", text)
  }),
  rule("`hotwords` boost phrases", "not specified: their encoding", async ({ transcribe }) => {
    const hotwords = [{ phrase: "cat", score: 2.5 }, { phrase: "hat" }]
    const encodings: Readonly<Record<string, Fields>> = {
      "one JSON list": { hotwords: JSON.stringify(hotwords) },
      "a JSON field for each": { hotwords: hotwords.map((hotword) => JSON.stringify(hotword)) },
      "fields with an index": { "hotwords[0][phrase]": "cat", "hotwords[0][score]": "2.5" }
    }
    const observed: Array<string> = []
    for (const [name, fields] of Object.entries(encodings)) {
      observed.push(`${name}: ${(await transcribe(fields)).status}`)
    }
    return notSpecified(observed.join(", "))
  }),
  rule("a file may hold no audio", "not specified: the response", async ({ transcribe }) => {
    const audio_file = { name: "call.wav", type: "audio/wav", bytes: Buffer.from("no audio"), seconds: 1 }
    return notSpecified(show(await transcribe({ audio_file })))
  }),
  rule("a body may have another content type than a form", "not specified: the status", async ({ transcribeRaw }) =>
    notSpecified(show(await transcribeRaw("{}", "application/json")))
  )
])

const response = inSection("Transcription: response", [
  rule("a transcription is `application/json`", "application/json", async ({ transcribe }) => {
    const response = await transcribe()
    const type = header(response, "Content-Type") ?? "none"
    return verdict(response.status === 200 && /^application\/json\s*(;|$)/i.test(type), `${response.status}, ${type}`)
  }),
  fieldRule("text", "`text` is a string", "a string", isString),
  fieldRule("call_id", "`call_id` is a string", "a string", isString),
  rule("`call_id` identifies one transcription", "two different ids", async ({ transcribe }) => {
    const [one, other] = [await transcribe({ aux: "true" }), await transcribe({ aux: "false" })].map(
      (each) => jsonObject(each)?.call_id
    )
    return verdictOf(one !== other, "two different ids", `twice ${one}`)
  }),
  fieldRule("status", "`status` of a transcription is `success`", "success", (value) => value === "success"),
  rule("only a failure has `error` and `message`", "neither", async ({ transcribe }) => {
    const response = await transcribe()
    const body = jsonObject(response) ?? { error: "" }
    return verdictOf(!("error" in body || "message" in body), "neither", show(response))
  }),
  fieldRule("aux_info", "`aux` that is `true` adds `aux_info`", "an object", isObject, { aux: "true" }),
  rule("without `aux`, or with `false`, there is no `aux_info`", "none", ({ transcribe }) =>
    forEachCase(
      [{}, { aux: "false" }],
      async (fields) => {
        const response = await transcribe(fields)
        const hasInfo = "aux_info" in (jsonObject(response) ?? {})
        return verdictOf(response.status === 200 && !hasInfo, "none", show(response))
      },
      describeFields
    )
  ),
  auxRule("request_time", "is a time in seconds", "a number", (value) => typeof value === "number" && value >= 0),
  auxRule("received_request_time", "is a timestamp in UTC", "a string", isTimeInUtc),
  auxRule("confidence", "is from 0 to 1", "a number", (value) => typeof value === "number" && value >= 0 && value <= 1),
  auxRule(
    "segments_meta",
    "is a list, and each segment has a `confidence`",
    "a list",
    (value) => Array.isArray(value) && value.every((segment) => typeof Object(segment).confidence === "number")
  ),
  ownRule("knownSpeech", "`text` is the transcript of the full audio", "the spoken words", async (service) => {
    const text = "Please transfer the money."
    const transcript = await transcriptOf(service, "en", text)
    return verdictOf(transcript === text, "the spoken words", `"${transcript}"`)
  })
])

const bodyOfFailure = (status: number | string) =>
  `a ${status} of transcription has \`error\`, \`message\` and the \`status\` \`error\``

const errors = inSection("Transcription: errors", [
  rule(bodyOfFailure(400), "400 with all three", async ({ transcribe }: Service) =>
    isTranscriptionFailure(await transcribe({ model: undefined }), 400)
  ),
  rule(bodyOfFailure(401), "401 with all three", async ({ transcribe }: Service) =>
    isTranscriptionFailure(await transcribe({}, { "X-Api-Key": undefined }), 401)
  ),
  ownRule(
    "account",
    bodyOfFailure("402 or 403"),
    "402 and 403 with all three",
    async ({ platform, transcribe }: OwnService) => {
      await platform("PATCH", "account", { credits: 0 })
      const exhausted = isTranscriptionFailure(await transcribe(), 402)
      await platform("PATCH", "account", { state: "suspended", credits: 1000 })
      return allHold({ 402: exhausted, 403: isTranscriptionFailure(await transcribe(), 403) })
    }
  ),
  ownRule("failure", bodyOfFailure("500 or 503"), "500 and 503 with all three", ({ platform, transcribe }) =>
    forEachCase([500, 503], async (status) => {
      await platform("PUT", "faults", [{ operation: "transcribe", status }])
      return isTranscriptionFailure(await transcribe(), status)
    })
  )
])

export const transcriptionRules = [...request, ...response, ...errors]

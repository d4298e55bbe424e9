/** The contract's rules for transcription, except those for keys. */
import {
  demand,
  demandStatus,
  demandTranscriptionFailure,
  header,
  inSection,
  isObject,
  jsonObject,
  show
} from "./rule.js"
import { type Fields, type HttpResponse, type OwnService, recordings, type Service, wavOf } from "./service.js"

/** Demands a status for each of these forms. Their other fields are right. */
const gives =
  (status: number, ...forms: ReadonlyArray<Fields>) =>
  async ({ transcribe }: Service) => {
    for (const fields of forms) demandStatus(await transcribe(fields), status)
  }

const textOf = (response: HttpResponse): string => String(jsonObject(response)?.text)

/** Synthesizes a text and returns the transcript of its audio. */
const transcriptOf = async (
  { synthesize, transcribe }: OwnService,
  lang: string,
  text: string,
  fields: Fields = {}
): Promise<string> => {
  const speech = await synthesize({ text, lang, output_format: "8000:pcm16" })
  demandStatus(speech, 200)
  const audio_file = wavOf("speech.wav", speech.bytes)
  return textOf(await transcribe({ model: `${lang}-general-v2-8khz`, audio_file, ...fields }))
}

/** Twenty-five, in each language whose numbers become digits. */
const twentyFive = { hi: "पच्चीस", ml: "ഇരുപത്തഞ്ച്", kn: "ಇಪ್ಪತ್ತೈದು", gu: "પચીસ", mr: "पंचवीस" } as const

const formType = "multipart/form-data; boundary=b"
const { flac, m4a, mp3, oggOpus, oggVorbis, wav, webm } = recordings

const request = inSection("Transcription: request")
const requestRules = [
  request.rule("`model`, `transaction_id` and `audio_file` are enough (`--model`)", gives(200, {})),
  ...["model", "transaction_id", "audio_file"].map((field) =>
    request.rule(`\`${field}\` is required`, gives(400, { [field]: undefined }))
  ),
  request.rule("an unknown `model` gives 400", gives(400, { model: "no-model-of-any-language" })),
  request.rule(
    "a `transaction_id` that is not a UUID gives 400",
    gives(
      400,
      { transaction_id: "7" },
      { transaction_id: "call-0001" },
      { transaction_id: "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5" }
    )
  ),
  request.rule(
    "a `transaction_id` may be a UUID of any version",
    gives(
      200,
      { transaction_id: "c232ab00-9414-11ec-b3c8-9f6bdeced846" },
      { transaction_id: "017f22e2-79b0-7cc3-98c4-dc0c0c07398f" },
      { transaction_id: "7F3C0F3E-1B2A-4C5D-8E9F-0A1B2C3D4E5F" }
    )
  ),
  request.rule("a model of another language is no error (`--other-model`)", async ({ otherModel, transcribe }) =>
    demandStatus(await transcribe({ model: otherModel }), 200)
  ),
  request.rule("a malformed form gives 400", async ({ transcribeRaw }) => {
    for (const body of ["no form", ""]) demandStatus(await transcribeRaw(body, formType), 400)
  }),
  request.rule("WAV is accepted", gives(200, { audio_file: wav })),
  request.rule("MP3 is accepted", gives(200, { audio_file: mp3 })),
  request.rule("M4A is accepted", gives(200, { audio_file: m4a })),
  request.rule("FLAC is accepted", gives(200, { audio_file: flac })),
  request.rule(
    "OGG is accepted, with Opus and with Vorbis",
    gives(200, { audio_file: oggOpus }, { audio_file: oggVorbis })
  ),
  request.rule("WebM is accepted", gives(200, { audio_file: webm })),
  request.ownRule("knownSpeech", "every container gives the same transcript", async ({ transcribe }) => {
    const texts = new Set<string>()
    for (const audio_file of Object.values(recordings)) texts.add(textOf(await transcribe({ audio_file })))
    demand(texts.size === 1 && !texts.has(""), JSON.stringify([...texts]))
  }),
  request.rule("`parse_number` is accepted", gives(200, { parse_number: "true" }, { parse_number: "false" })),
  request.rule(
    "a model of another language ignores `parse_number` (`--other-model`)",
    async ({ otherModel, transcribe }) =>
      demandStatus(await transcribe({ model: otherModel, parse_number: "true" }), 200)
  ),
  request.ownRule(
    "knownSpeech",
    "`parse_number` writes spoken numbers as digits in Hindi, Malayalam, Kannada, Gujarati and Marathi",
    async (service) => {
      for (const [lang, text] of Object.entries(twentyFive)) {
        const digits = await transcriptOf(service, lang, text, { parse_number: "true" })
        const words = await transcriptOf(service, lang, text)
        demand(digits === "25" && words === text, `${digits}, and ${words} without it`)
      }
    }
  ),
  request.ownRule("knownSpeech", "`parse_number` changes no other language", async (service) => {
    const text = await transcriptOf(service, "en", "twenty five", { parse_number: "true" })
    demand(text === "twenty five", text)
  }),
  request.rule("`hotwords` boost phrases", async ({ transcribe }) => {
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
    return observed.join(", ")
  }),
  request.rule("a file may hold no audio", async ({ transcribe }) => {
    const audio_file = { name: "call.wav", type: "audio/wav", bytes: Buffer.from("no audio"), seconds: 1 }
    return show(await transcribe({ audio_file }))
  }),
  request.rule("a body may have another content type than a form", async ({ transcribeRaw }) =>
    show(await transcribeRaw("{}", "application/json"))
  )
]

/** Demands something of a field of a transcription. */
const demandField =
  (field: string, isRight: (value: unknown) => boolean, fields: Fields = {}) =>
  async ({ transcribe }: Service) => {
    const response = await transcribe(fields)
    demand(isRight(jsonObject(response)?.[field]), show(response))
  }

/** Demands something of a field of `aux_info`. A model may omit any of them. */
const demandAux = (field: string, isRight: (value: unknown) => boolean) =>
  demandField("aux_info", (info) => isObject(info) && (info[field] === undefined || isRight(info[field])), {
    aux: "true"
  })

const isString = (value: unknown): boolean => typeof value === "string"

/** A timestamp without an offset counts as UTC. */
const isTimeInUtc = (value: unknown): boolean =>
  typeof value === "string" && !Number.isNaN(Date.parse(value)) && !/[+-](?!00:?00)\d\d:?\d\d$/.test(value)

const response = inSection("Transcription: response")
const responseRules = [
  response.rule("a transcription is `application/json`", async ({ transcribe }) => {
    const response = await transcribe()
    const type = header(response, "Content-Type") ?? "none"
    demand(response.status === 200 && /^application\/json\s*(;|$)/i.test(type), `${response.status}, ${type}`)
  }),
  response.rule("`text` is a string", demandField("text", isString)),
  response.rule("`call_id` is a string", demandField("call_id", isString)),
  response.rule("`call_id` identifies one transcription", async ({ transcribe }) => {
    const responses = [await transcribe({ aux: "true" }), await transcribe({ aux: "false" })]
    const [one, other] = responses.map((each) => jsonObject(each)?.call_id)
    demand(one !== other, `twice ${one}`)
  }),
  response.rule(
    "`status` of a transcription is `success`",
    demandField("status", (value) => value === "success")
  ),
  response.rule("only a failure has `error` and `message`", async ({ transcribe }) => {
    const response = await transcribe()
    const body = jsonObject(response) ?? { error: "" }
    demand(!("error" in body || "message" in body), show(response))
  }),
  response.rule("`aux` that is `true` adds `aux_info`", demandField("aux_info", isObject, { aux: "true" })),
  response.rule("without `aux`, or with `false`, there is no `aux_info`", async ({ transcribe }) => {
    for (const fields of [{}, { aux: "false" }]) {
      const response = await transcribe(fields)
      demand(response.status === 200 && !("aux_info" in (jsonObject(response) ?? {})), show(response))
    }
  }),
  response.rule(
    "`aux_info.request_time` is a time in seconds",
    demandAux("request_time", (value) => typeof value === "number" && value >= 0)
  ),
  response.rule(
    "`aux_info.received_request_time` is a timestamp in UTC",
    demandAux("received_request_time", isTimeInUtc)
  ),
  response.rule(
    "`aux_info.confidence` is from 0 to 1",
    demandAux("confidence", (value) => typeof value === "number" && value >= 0 && value <= 1)
  ),
  response.rule(
    "`aux_info.segments_meta` is a list, and each segment has a `confidence`",
    demandAux("segments_meta", (value) => {
      return Array.isArray(value) && value.every((segment) => typeof Object(segment).confidence === "number")
    })
  ),
  response.ownRule("knownSpeech", "`text` is the transcript of the full audio", async (service) => {
    const text = "Please transfer the money."
    const transcript = await transcriptOf(service, "en", text)
    demand(transcript === text, transcript)
  })
]

const errors = inSection("Transcription: errors")
const bodyOfFailure = (status: number | string) =>
  `a ${status} of transcription has \`error\`, \`message\` and the \`status\` \`error\``
const errorRules = [
  errors.rule(bodyOfFailure(400), async ({ transcribe }) =>
    demandTranscriptionFailure(await transcribe({ model: undefined }), 400)
  ),
  errors.rule(bodyOfFailure(401), async ({ transcribe }) =>
    demandTranscriptionFailure(await transcribe({}, { "X-Api-Key": undefined }), 401)
  ),
  errors.ownRule("failure", bodyOfFailure("500 or 503"), async ({ platform, transcribe }) => {
    for (const status of [500, 503]) {
      await platform("PUT", "faults", [{ operation: "transcribe", status }])
      demandTranscriptionFailure(await transcribe(), status)
    }
  })
]

export const transcriptionRules = [...requestRules, ...responseRules, ...errorRules]

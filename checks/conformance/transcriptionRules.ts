/** What the contract says of transcription, but of its key. */
import {
  every,
  forEach,
  hasStatus,
  header,
  isTranscriptionFailure,
  judged,
  objectIn,
  type Rule,
  type Seen,
  show,
  told
} from "./rule.js"
import { type Answer, formType, type OwnService, type Recording, recordings, wavOf } from "./service.js"

const textOf = (answer: Answer): string => String(objectIn(answer)?.text)

/** A field of `aux_info`, of which a model may omit any. */
const optional =
  (field: string, isRight: (value: unknown) => boolean): Extract<Rule, { anywhere: unknown }>["anywhere"] =>
  async ({ transcribe }) => {
    const answer = await transcribe({ aux: "true" })
    const info = objectIn(answer)?.aux_info
    if (typeof info !== "object" || info === null) return judged(false, show(answer))
    const value = (info as Readonly<Record<string, unknown>>)[field]
    return value === undefined ? judged(true, "it is omitted") : judged(isRight(value), JSON.stringify(value))
  }

const isShare = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= 1

/** Where it names no offset it is taken at its word. */
const isTimeInUtc = (value: unknown): boolean =>
  typeof value === "string" && !Number.isNaN(Date.parse(value)) && !/[+-](?!00:?00)\d\d:?\d\d$/.test(value)

const taken = (recording: Recording): Extract<Rule, { anywhere: unknown }>["anywhere"] => {
  return async ({ transcribe }) => hasStatus(await transcribe({ audio_file: recording }), 200)
}

/** Speaks a text, and gives what its recording is transcribed as. */
const heard = async (
  { synthesize, transcribe }: OwnService,
  { lang, text }: { readonly lang: string; readonly text: string },
  fields: Readonly<Record<string, string>> = {}
): Promise<string> => {
  const speech = await synthesize({ text, lang, output_format: "8000:pcm16" })
  if (speech.status !== 200) return show(speech)
  const audio_file = wavOf("speech.wav", speech.bytes)
  return textOf(await transcribe({ model: `${lang}-general-v2-8khz`, audio_file, ...fields }))
}

/** Twenty-five, in the languages whose numbers are written. */
const numbers = { hi: "पच्चीस", ml: "ഇരുപത്തഞ്ച്", kn: "ಇಪ್ಪತ್ತೈದು", gu: "પચીસ", mr: "पंचवीस" } as const

const request = {
  threeFieldsAreEnough: {
    section: "Transcription: request",
    rule: "`model`, `transaction_id` and `audio_file` are all that is required (`--model`)",
    expected: "200",
    anywhere: async ({ transcribe }) => hasStatus(await transcribe(), 200)
  },
  modelIsRequired: {
    section: "Transcription: request",
    rule: "`model` is required",
    expected: "400",
    anywhere: async ({ transcribe }) => hasStatus(await transcribe({ model: undefined }), 400)
  },
  transactionIdIsRequired: {
    section: "Transcription: request",
    rule: "`transaction_id` is required",
    expected: "400",
    anywhere: async ({ transcribe }) => hasStatus(await transcribe({ transaction_id: undefined }), 400)
  },
  audioFileIsRequired: {
    section: "Transcription: request",
    rule: "`audio_file` is required",
    expected: "400",
    anywhere: async ({ transcribe }) => hasStatus(await transcribe({ audio_file: undefined }), 400)
  },
  unknownModelIsRefused: {
    section: "Transcription: request",
    rule: "an unknown `model` gives 400",
    expected: "400",
    anywhere: async ({ transcribe }) => hasStatus(await transcribe({ model: "no-model-of-any-language" }), 400)
  },
  transactionIdMustBeUuid: {
    section: "Transcription: request",
    rule: "a `transaction_id` that is no UUID gives 400",
    expected: "400",
    anywhere: ({ transcribe }) =>
      forEach(["7", "call-0001", "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5"], async (id) =>
        hasStatus(await transcribe({ transaction_id: id }), 400)
      )
  },
  transactionIdMayBeAnyUuid: {
    section: "Transcription: request",
    rule: "a `transaction_id` that parses as a UUID is taken, whatever its version",
    expected: "200",
    anywhere: ({ transcribe }) =>
      forEach(
        [
          "c232ab00-9414-11ec-b3c8-9f6bdeced846",
          "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
          "7F3C0F3E-1B2A-4C5D-8E9F-0A1B2C3D4E5F"
        ],
        async (id) => hasStatus(await transcribe({ transaction_id: id }), 200)
      )
  },
  otherLanguageIsNoError: {
    section: "Transcription: request",
    rule: "a model of another language is no error (`--other-model`)",
    expected: "200",
    anywhere: async ({ otherModel, transcribe }) => hasStatus(await transcribe({ model: otherModel }), 200)
  },
  malformedFormIsRefused: {
    section: "Transcription: request",
    rule: "a malformed request gives 400",
    expected: "400",
    anywhere: ({ transcribeRaw }) =>
      forEach(["no form", ""], async (body) => hasStatus(await transcribeRaw(body, formType), 400))
  },
  wavIsTaken: {
    section: "Transcription: request",
    rule: "WAV is read",
    expected: "200",
    anywhere: taken(recordings.wav)
  },
  mp3IsTaken: {
    section: "Transcription: request",
    rule: "MP3 is decoded",
    expected: "200",
    anywhere: taken(recordings.mp3)
  },
  m4aIsTaken: {
    section: "Transcription: request",
    rule: "M4A is decoded",
    expected: "200",
    anywhere: taken(recordings.m4a)
  },
  flacIsTaken: {
    section: "Transcription: request",
    rule: "FLAC is decoded",
    expected: "200",
    anywhere: taken(recordings.flac)
  },
  oggIsTaken: {
    section: "Transcription: request",
    rule: "OGG is decoded, of Opus and of Vorbis",
    expected: "200",
    anywhere: async (service) =>
      every({
        Opus: await taken(recordings.oggOpus)(service),
        Vorbis: await taken(recordings.oggVorbis)(service)
      })
  },
  webmIsTaken: {
    section: "Transcription: request",
    rule: "WebM is decoded",
    expected: "200",
    anywhere: taken(recordings.webm)
  },
  containersSayTheSame: {
    section: "Transcription: request",
    rule: "what a recording says is the same in each container",
    expected: "the same words",
    reason: "knownSpeech",
    locally: async ({ transcribe }) => {
      const texts: Record<string, string> = {}
      for (const [container, recording] of Object.entries(recordings)) {
        texts[container] = textOf(await transcribe({ audio_file: recording }))
      }
      const different = new Set(Object.values(texts))
      return judged(different.size === 1 && !different.has(""), [...different].map((text) => `"${text}"`).join(", "))
    }
  },
  parseNumberIsTaken: {
    section: "Transcription: request",
    rule: "`parse_number` is taken",
    expected: "200",
    anywhere: ({ transcribe }) =>
      forEach(["true", "false"], async (value) => hasStatus(await transcribe({ parse_number: value }), 200))
  },
  parseNumberIsNoErrorElsewhere: {
    section: "Transcription: request",
    rule: "`parse_number` is silently ignored where it has no effect (`--other-model`)",
    expected: "200",
    anywhere: async ({ otherModel, transcribe }) =>
      hasStatus(await transcribe({ model: otherModel, parse_number: "true" }), 200)
  },
  parseNumberWritesDigits: {
    section: "Transcription: request",
    rule: "`parse_number` makes digits of spoken numbers in Hindi, Malayalam, Kannada, Gujarati and Marathi",
    expected: "25, and words without it",
    reason: "knownSpeech",
    locally: (service) =>
      forEach(Object.keys(numbers) as ReadonlyArray<keyof typeof numbers>, async (lang) => {
        const speech = { lang, text: numbers[lang] }
        const digits = await heard(service, speech, { parse_number: "true" })
        const words = await heard(service, speech)
        return judged(digits === "25" && words === speech.text, `${digits}, and ${words}`)
      })
  },
  parseNumberLeavesOtherLanguages: {
    section: "Transcription: request",
    rule: "`parse_number` leaves all other languages as they are",
    expected: "twenty five",
    reason: "knownSpeech",
    locally: async (service) => {
      const text = await heard(service, { lang: "en", text: "twenty five" }, { parse_number: "true" })
      return judged(text === "twenty five", text)
    }
  },
  hotwords: {
    section: "Transcription: request",
    rule: "`hotwords` boost phrases",
    expected: "their encoding is not shown",
    anywhere: async ({ transcribe }) => {
      const hotwords = [{ phrase: "cat", score: 2.5 }, { phrase: "hat" }]
      const each = hotwords.map((hotword) => JSON.stringify(hotword))
      const encodings = {
        "one list of JSON": { hotwords: JSON.stringify(hotwords) },
        "a field of JSON for each": { hotwords: each },
        "fields with an index": { "hotwords[0][phrase]": "cat", "hotwords[0][score]": "2.5" }
      }
      const seen: Array<string> = []
      for (const [name, fields] of Object.entries(encodings)) {
        seen.push(`${name}: ${(await transcribe(fields)).status}`)
      }
      return told(seen.join(", "))
    }
  },
  noAudio: {
    section: "Transcription: request",
    rule: "a file that is no audio",
    expected: "what becomes of it is not shown",
    anywhere: async ({ transcribe }) => {
      const audio_file = { name: "call.wav", type: "audio/wav", bytes: Buffer.from("no audio"), seconds: 1 }
      return told(show(await transcribe({ audio_file })))
    }
  },
  otherContentType: {
    section: "Transcription: request",
    rule: "a body that says it is no form",
    expected: "its status is not shown",
    anywhere: async ({ transcribeRaw }) => told(show(await transcribeRaw("{}", "application/json")))
  }
} as const satisfies Record<string, Rule>

const response = {
  answerIsJson: {
    section: "Transcription: response",
    rule: "a transcription is `application/json`",
    expected: "application/json",
    anywhere: async ({ transcribe }) => {
      const answer = await transcribe()
      const type = header(answer, "Content-Type") ?? "none"
      return judged(answer.status === 200 && /^application\/json\s*(;|$)/i.test(type), `${answer.status}, ${type}`)
    }
  },
  textIsString: {
    section: "Transcription: response",
    rule: "`text` is a string",
    expected: "a string",
    anywhere: async ({ transcribe }) => isString(await transcribe(), "text")
  },
  callIdIsString: {
    section: "Transcription: response",
    rule: "`call_id` is a string",
    expected: "a string",
    anywhere: async ({ transcribe }) => isString(await transcribe(), "call_id")
  },
  callIdIsItsOwn: {
    section: "Transcription: response",
    rule: "`call_id` identifies the transcription",
    expected: "two that differ",
    anywhere: async ({ transcribe }) => {
      const ids = [await transcribe({ aux: "true" }), await transcribe({ aux: "false" })].map(
        (answer) => objectIn(answer)?.call_id
      )
      return judged(ids[0] !== ids[1], ids[0] === ids[1] ? `twice ${ids[0]}` : "two that differ")
    }
  },
  statusIsSuccess: {
    section: "Transcription: response",
    rule: "`status` of a transcription is `success`",
    expected: "success",
    anywhere: async ({ transcribe }) => {
      const status = objectIn(await transcribe())?.status
      return judged(status === "success", String(status))
    }
  },
  noErrorOnSuccess: {
    section: "Transcription: response",
    rule: "`error` and `message` are present on failures only",
    expected: "neither",
    anywhere: async ({ transcribe }) => {
      const answer = await transcribe()
      const body = objectIn(answer) ?? {}
      return "error" in body || "message" in body ? judged(false, show(answer)) : judged(true, "neither")
    }
  },
  auxAddsInfo: {
    section: "Transcription: response",
    rule: "`aux` that is true adds `aux_info`",
    expected: "an object",
    anywhere: async ({ transcribe }) => {
      const info = objectIn(await transcribe({ aux: "true" }))?.aux_info
      const isObject = typeof info === "object" && info !== null && !Array.isArray(info)
      return judged(isObject, isObject ? "an object" : String(info))
    }
  },
  noInfoWithoutAux: {
    section: "Transcription: response",
    rule: "`aux_info` is present only where `aux` is true",
    expected: "none",
    anywhere: async ({ transcribe }) => {
      const none = (answer: Answer): Seen =>
        answer.status !== 200 || "aux_info" in (objectIn(answer) ?? {})
          ? judged(false, show(answer))
          : judged(true, "none")
      return every({ absent: none(await transcribe()), false: none(await transcribe({ aux: "false" })) })
    }
  },
  requestTime: {
    section: "Transcription: response",
    rule: "`aux_info.request_time` is a time in seconds",
    expected: "a number, or omitted",
    anywhere: optional("request_time", (value) => typeof value === "number" && value >= 0)
  },
  receivedRequestTime: {
    section: "Transcription: response",
    rule: "`aux_info.received_request_time` is a timestamp in UTC",
    expected: "a string, or omitted",
    anywhere: optional("received_request_time", isTimeInUtc)
  },
  confidence: {
    section: "Transcription: response",
    rule: "`aux_info.confidence` is from 0 to 1",
    expected: "a number, or omitted",
    anywhere: optional("confidence", isShare)
  },
  segments: {
    section: "Transcription: response",
    rule: "`aux_info.segments_meta` is a list, and each segment has a `confidence`",
    expected: "a list, or omitted",
    anywhere: optional(
      "segments_meta",
      (value) =>
        Array.isArray(value) &&
        value.every((segment: unknown) => {
          const confidence = Object(segment).confidence
          return typeof confidence === "number"
        })
    )
  },
  textIsWhatWasSaid: {
    section: "Transcription: response",
    rule: "`text` is the transcript of the full audio",
    expected: "what was said",
    reason: "knownSpeech",
    locally: async (service) => {
      const text = "Please transfer the money."
      const transcript = await heard(service, { lang: "en", text })
      return judged(transcript === text, transcript === text ? "what was said" : `"${transcript}"`)
    }
  }
} as const satisfies Record<string, Rule>

function isString(answer: Answer, field: string): Seen {
  const value = objectIn(answer)?.[field]
  return typeof value === "string" ? judged(true, "a string") : judged(false, show(answer))
}

const errors = {
  badRequestBody: {
    section: "Transcription: errors",
    rule: "a 400 carries `error` and `message`, and its `status` is `error`",
    expected: "400 with all three",
    anywhere: async ({ transcribe }) => isTranscriptionFailure(await transcribe({ model: undefined }), 400)
  },
  unauthorizedBody: {
    section: "Transcription: errors",
    rule: "so does a 401",
    expected: "401 with all three",
    anywhere: async ({ transcribe }) => isTranscriptionFailure(await transcribe({}, { "X-Api-Key": undefined }), 401)
  },
  accountFailureBodies: {
    section: "Transcription: errors",
    rule: "so do a 402 and a 403",
    expected: "402 and 403 with all three",
    reason: "account",
    locally: async ({ platform, transcribe }) => {
      await platform("PATCH", "account", { credits: 0 })
      const exhausted = isTranscriptionFailure(await transcribe(), 402)
      await platform("PATCH", "account", { state: "suspended", credits: 1000 })
      return every({ 402: exhausted, 403: isTranscriptionFailure(await transcribe(), 403) })
    }
  },
  transcriptionFailures: {
    section: "Transcription: errors",
    rule: "so do a 500 and a 503",
    expected: "500 and 503 with all three",
    reason: "failure",
    locally: ({ platform, transcribe }) =>
      forEach(["500", "503"], async (status) => {
        await platform("PUT", "faults", [{ operation: "transcribe", status: Number(status) }])
        return isTranscriptionFailure(await transcribe(), Number(status))
      })
  }
} as const satisfies Record<string, Rule>

export const transcriptionRules = { ...request, ...response, ...errors }

import { expect } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { field, fields, file, form, model, transactionId, validForm, wav } from "./support/messages.js"
import { blackBox, cannedService, serviceTests } from "./support/service.js"

const id = field("transaction_id", transactionId)
const hotword = (value: unknown) => field("hotwords", JSON.stringify(value))

serviceTests("transcription", cannedService(), (it) => {
  it("of what it does not know is an empty text, with a notice and never an invented transcript", function* ({
    transcribe
  }) {
    const answer = yield* transcribe(validForm())
    expect(answer.status).toBe(200)
    expect(answer.json()).toEqual({ status: "success", text: "", call_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(answer.headers["x-local-service-notice"]).toContain("knows only recordings")
  })

  it.each([
    { what: "its fields in another order", body: form(file(), id, field("model", model)) },
    { what: "the file between the fields", body: form(id, file(), field("model", model)) },
    { what: "a model of banking", body: form(field("model", "en-banking-v2-8khz"), id, file()) },
    {
      what: "an id of nothing but zeros",
      body: form(field("model", model), field("transaction_id", "00000000-0000-0000-0000-000000000000"), file())
    },
    { what: "a field that nobody knows", body: validForm(field("language", "hi")) },
    { what: "fields named as what objects have", body: validForm(field("__proto__", "x"), field("constructor", "y")) },
    { what: "hotwords as one list", body: validForm(hotword([{ phrase: "UPI" }, { phrase: "दो शब्द", score: 2.5 }])) },
    { what: "hotwords as an empty list", body: validForm(hotword([])) },
    {
      what: "hotwords as a field for each",
      body: validForm(hotword({ phrase: "UPI" }), hotword({ phrase: "b", score: 2 }))
    },
    { what: "a single hotword", body: validForm(hotword({ phrase: "UPI" })) },
    {
      what: "hotwords by their index",
      body: validForm(
        field("hotwords[0][phrase]", "UPI"),
        field("hotwords[0][score]", "2.5"),
        field("hotwords[1][phrase]", "b")
      )
    },
    {
      what: "hotwords by their index, the last first",
      body: validForm(field("hotwords[1][phrase]", "b"), field("hotwords[0][phrase]", "a"))
    },
    { what: "a hotword with a negative score", body: validForm(hotword([{ phrase: "a", score: -1 }])) },
    { what: "a hotword with more to it", body: validForm(hotword([{ phrase: "a", boost: 1 }])) },
    { what: "a recording of no samples", body: form(...fields, file(wav({ samples: 0 }))) },
    { what: "a recording at 4 kHz", body: form(...fields, file(wav({ sampleRate: 4000, samples: 400 }))) },
    { what: "a recording at 192 kHz", body: form(...fields, file(wav({ sampleRate: 192_000, samples: 400 }))) }
  ])("takes $what", function* ({ transcribe }, { body }) {
    const answer = yield* transcribe(body)
    expect([answer.status, answer.json().message]).toEqual([200, undefined])
  })

  const notUuid = "transaction_id must be a UUID"
  const withModel = (value: string) => form(field("model", value), id, file())
  const withId = (value: string) => form(field("model", model), field("transaction_id", value), file())
  it.each([
    { what: "no model", body: form(id, file()), message: "model is missing" },
    { what: "an empty model", body: withModel(""), message: "model must not be empty" },
    { what: "an unknown model", body: withModel("xx"), message: 'unknown model "xx"' },
    { what: "a model in upper case", body: withModel(model.toUpperCase()), message: "unknown model" },
    { what: "a model with a space behind it", body: withModel(`${model} `), message: "unknown model" },
    { what: "the model constructor", body: withModel("constructor"), message: "unknown model" },
    { what: "the model __proto__", body: withModel("__proto__"), message: "unknown model" },
    { what: "the model toString", body: withModel("toString"), message: "unknown model" },
    { what: "a model of 60,000 characters", body: withModel("x".repeat(60_000)), message: "unknown model" },
    { what: "no transaction id", body: form(field("model", model), file()), message: "transaction_id is missing" },
    { what: "an empty id", body: withId(""), message: notUuid },
    { what: "an id in braces", body: withId(`{${transactionId}}`), message: notUuid },
    { what: "an id without dashes", body: withId(transactionId.replaceAll("-", "")), message: notUuid },
    { what: "an id with more behind it", body: withId(`${transactionId}0`), message: notUuid },
    { what: "an id with a line break behind it", body: withId(`${transactionId}\n`), message: notUuid },
    { what: "an id with a letter too far", body: withId(`g${transactionId.slice(1)}`), message: notUuid },
    { what: "no file", body: form(...fields), message: "audio_file is missing" },
    ...["yes", "1", "", "TRUE", "null", " true"].flatMap((value) =>
      ["aux", "parse_number"].map((name) => ({
        what: `${name} that is ${JSON.stringify(value)}`,
        body: validForm(field(name, value)),
        message: `${name} must be true or false`
      }))
    ),
    { what: "hotwords that are no JSON", body: validForm(field("hotwords", "UPI")), message: "hotwords" },
    { what: "hotwords that are empty", body: validForm(field("hotwords", "")), message: "hotwords" },
    { what: "hotwords that are null", body: validForm(hotword(null)), message: "hotwords" },
    { what: "hotwords that are a number", body: validForm(hotword(7)), message: "hotwords" },
    { what: "hotwords that are strings", body: validForm(hotword(["UPI"])), message: "hotwords" },
    { what: "a hotword without a phrase", body: validForm(hotword([{ score: 1 }])), message: "hotwords.0.phrase" },
    { what: "a hotword of no characters", body: validForm(hotword([{ phrase: "" }])), message: "hotwords.0.phrase" },
    { what: "a phrase that is a number", body: validForm(hotword([{ phrase: 1 }])), message: "hotwords.0.phrase" },
    {
      what: "a score that is a string",
      body: validForm(hotword([{ phrase: "a", score: "2" }])),
      message: "hotwords.0.score"
    },
    {
      what: "a score beyond all numbers",
      body: validForm(field("hotwords", '[{"phrase":"a","score":1e999}]')),
      message: "hotwords.0.score"
    },
    {
      what: "two lists of hotwords",
      body: validForm(hotword([{ phrase: "a" }]), hotword([{ phrase: "b" }])),
      message: "hotwords"
    },
    {
      what: "hotwords with a gap in their index",
      body: validForm(field("hotwords[5][phrase]", "a")),
      message: "hotwords"
    },
    {
      what: "an indexed score that is none",
      body: validForm(field("hotwords[0][phrase]", "a"), field("hotwords[0][score]", "x")),
      message: "hotwords.0.score"
    },
    {
      what: "an indexed score that is empty",
      body: validForm(field("hotwords[0][phrase]", "a"), field("hotwords[0][score]", "")),
      message: "hotwords.0.score"
    },
    {
      what: "an indexed phrase twice",
      body: validForm(field("hotwords[0][phrase]", "a"), field("hotwords[0][phrase]", "b")),
      message: "given twice"
    },
    {
      what: "hotwords nested deep",
      body: validForm(field("hotwords", "[".repeat(3000) + "]".repeat(3000))),
      message: ""
    },
    { what: "a file that is no audio", body: form(...fields, file("hello")), message: "not a WAV file" },
    { what: "a file that is empty", body: form(...fields, file("")), message: "audio_file" },
    { what: "a WAV file of its head's beginning", body: form(...fields, file("RIFF")), message: "audio_file" },
    ...[1, 3999, 192_001, 4_294_967_291].map((sampleRate) => ({
      what: `a recording at ${sampleRate} Hz`,
      body: form(...fields, file(wav({ sampleRate, samples: 100 }))),
      message: `${sampleRate} Hz is not supported`
    }))
  ])("refuses $what with 400 and says so", function* ({ transcribe }, { body, message }) {
    const answer = yield* transcribe(body)
    expect(answer.status).toBe(400)
    expect(answer.json()).toEqual({
      status: "error",
      error: "bad request",
      message: expect.stringContaining(message)
    })
    expect(answer.text.length).toBeLessThan(300)
  })
})

serviceTests("what is known", LocalService.layer(), (it) => {
  const speak = (text: string) =>
    Effect.gen(function* () {
      const { synthesize } = yield* blackBox
      const { bytes } = yield* synthesize({ text, lang: "en", output_format: "8000:pcm16" })
      const recording = wav({ samples: bytes.length / 2 })
      bytes.copy(recording, 44)
      return recording
    })
  const asked = (name: string, recording: Uint8Array, ...more: ReadonlyArray<Uint8Array>) =>
    form(field("model", name), id, file(recording), ...more)

  it("is what was spoken here, told with its times and only to its language", function* ({ transcribe }) {
    const recording = yield* speak("Please transfer the money.")
    const known = yield* transcribe(asked("en-general-v2-8khz", recording, field("aux", "true")))
    expect(known.json()).toMatchObject({ text: "Please transfer the money.", status: "success" })
    const { confidence, segments_meta } = known.json().aux_info
    expect(confidence).toBeGreaterThan(0.5)
    expect(segments_meta).toEqual([
      { start: 0, end: (recording.length - 44) / 16_000, text: "Please transfer the money.", confidence }
    ])
    expect(known.headers).not.toHaveProperty("x-local-service-notice")
    expect((yield* transcribe(asked("hi-general-v2-8khz", recording))).json().text).toBe("")
  })

  it("is not what differs in a word", function* ({ service, transcribe }) {
    const other = yield* speak("Please transfer the honey.")
    yield* service.recogniser.forget
    yield* speak("Please transfer the money.")
    expect((yield* transcribe(asked("en-general-v2-8khz", other))).json().text).toBe("")
  })

  it("is never silence", function* ({ service, synthesize }) {
    expect((yield* synthesize({ text: "...", lang: "en" })).status).toBe(200)
    for (const length of [20, 40, 80, 160]) {
      const recognised = service.recogniser.recognise("en", Stream.make(new Float32Array(length)))
      expect(yield* recognised).toBeUndefined()
    }
  })
})

serviceTests(
  "a service with its own models and limits",
  cannedService({ models: { own: "en" }, maximumRecordingSeconds: 2 }),
  (it) => {
    it("takes those alone", function* ({ transcribe }) {
      expect((yield* transcribe(form(field("model", "own"), id, file()))).status).toBe(200)
      expect((yield* transcribe(validForm())).status).toBe(400)
    })

    it("takes a recording of two seconds, and none that is longer", function* ({ transcribe }) {
      const ofLength = (samples: number) => form(field("model", "own"), id, file(wav({ samples })))
      expect((yield* transcribe(ofLength(16_000))).status).toBe(200)
      const answer = yield* transcribe(ofLength(16_001))
      expect(answer.status).toBe(400)
      expect(answer.json().message).toContain("longer than 2 seconds")
    })
  }
)

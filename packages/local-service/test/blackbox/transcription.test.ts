import { expect } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { teachable } from "effect-speech-test-support/teachable"
import { field, fields, file, form, model, transactionId, validForm, wav } from "./support/messages.js"
import { blackBox, cannedService, serviceTests } from "./support/service.js"

const id = field("transaction_id", transactionId)
const hotword = (value: unknown) => field("hotwords", JSON.stringify(value))

serviceTests("transcription", cannedService(), (it) => {
  it("gives an empty text and a notice for an unknown recording", function* ({ transcribe }) {
    const answer = yield* transcribe(validForm())
    expect(answer.status).toBe(200)
    expect(answer.json()).toEqual({ status: "success", text: "", call_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(answer.headers["x-local-service-notice"]).toContain("knows only sentences")
  })

  const otherModel = (name: string) => form(field("model", name), id, file())
  const otherId = (value: string) => form(field("model", model), field("transaction_id", value), file())
  const recording = (bytes: string | Uint8Array) => form(...fields, file(bytes))
  const hotwords = (value: unknown) => validForm(hotword(value))
  const indexed = (...values: ReadonlyArray<readonly [key: string, value: string]>) =>
    validForm(...values.map(([key, value]) => field(`hotwords${key}`, value)))

  const accepted = [
    ["fields in another order", form(file(), id, field("model", model))],
    ["the file between the fields", form(id, file(), field("model", model))],
    ["a banking model", otherModel("en-banking-v2-8khz")],
    ["an id of zeros", otherId("00000000-0000-0000-0000-000000000000")],
    ["an unknown field", validForm(field("language", "hi"))],
    ["fields named like members of objects", validForm(field("__proto__", "x"), field("constructor", "y"))],
    ["hotwords as one list", hotwords([{ phrase: "UPI" }, { phrase: "दो शब्द", score: 2.5 }])],
    ["hotwords as an empty list", hotwords([])],
    ["a field for each hotword", validForm(hotword({ phrase: "UPI" }), hotword({ phrase: "b", score: 2 }))],
    ["one hotword", hotwords({ phrase: "UPI" })],
    ["indexed hotwords", indexed(["[0][phrase]", "UPI"], ["[0][score]", "2.5"], ["[1][phrase]", "b"])],
    ["indexed hotwords, the last first", indexed(["[1][phrase]", "b"], ["[0][phrase]", "a"])],
    ["a hotword with a negative score", hotwords([{ phrase: "a", score: -1 }])],
    ["a hotword with an unknown member", hotwords([{ phrase: "a", boost: 1 }])],
    ["a recording without samples", recording(wav({ samples: 0 }))],
    ["a recording at 4 kHz", recording(wav({ sampleRate: 4000, samples: 400 }))],
    ["a recording at 192 kHz", recording(wav({ sampleRate: 192_000, samples: 400 }))]
  ] as const
  it("accepts what the contract allows, each encoding of hotwords, and unknown fields", function* ({ transcribe }) {
    for (const [what, body] of accepted) {
      const answer = yield* transcribe(body)
      expect([answer.status, answer.json().message], what).toEqual([200, undefined])
      // Only an engine has models that take no hotwords.
      expect(answer.headers, what).not.toHaveProperty("x-local-service-hotwords")
    }
  })

  type Refused = readonly [what: string, body: Uint8Array, message: string]
  const refused: ReadonlyArray<Refused> = [
    ["no model", form(id, file()), "model is missing"],
    ["an empty model", otherModel(""), "model must not be empty"],
    ["an unknown model", otherModel("xx"), 'unknown model "xx"'],
    ...[model.toUpperCase(), `${model} `, "constructor", "__proto__", "toString", "x".repeat(60_000)].map(
      (name): Refused => [`the model "${name.slice(0, 30)}"`, otherModel(name), "unknown model"]
    ),
    ["no transaction id", form(field("model", model), file()), "transaction_id is missing"],
    ...[
      "",
      `{${transactionId}}`,
      transactionId.replaceAll("-", ""),
      `${transactionId}0`,
      `${transactionId}\n`,
      `g${transactionId.slice(1)}`
    ].map((value): Refused => [`the id ${JSON.stringify(value)}`, otherId(value), "transaction_id must be a UUID"]),
    ["no file", form(...fields), "audio_file is missing"],
    ...["yes", "1", "", "TRUE", "null", " true"].flatMap((value) =>
      ["aux", "parse_number"].map((name): Refused => {
        return [`${name} "${value}"`, validForm(field(name, value)), `${name} must be true or false`]
      })
    ),
    ["hotwords that are not JSON", validForm(field("hotwords", "UPI")), "hotwords"],
    ["empty hotwords", validForm(field("hotwords", "")), "hotwords"],
    ["deeply nested hotwords", validForm(field("hotwords", "[".repeat(3000) + "]".repeat(3000))), ""],
    ...[null, 7, ["UPI"]].map((value): Refused => [`hotwords ${JSON.stringify(value)}`, hotwords(value), "hotwords"]),
    ...[{ score: 1 }, { phrase: "" }, { phrase: 1 }].map(
      (value): Refused => [`the hotword ${JSON.stringify(value)}`, hotwords([value]), "hotwords.0.phrase"]
    ),
    ["a score that is a string", hotwords([{ phrase: "a", score: "2" }]), "hotwords.0.score"],
    ["an infinite score", validForm(field("hotwords", '[{"phrase":"a","score":1e999}]')), "hotwords.0.score"],
    ["two lists of hotwords", validForm(hotword([{ phrase: "a" }]), hotword([{ phrase: "b" }])), "hotwords"],
    ["hotwords without the index 0", indexed(["[5][phrase]", "a"]), "hotwords"],
    ["a malformed indexed score", indexed(["[0][phrase]", "a"], ["[0][score]", "x"]), "hotwords.0.score"],
    ["an empty indexed score", indexed(["[0][phrase]", "a"], ["[0][score]", ""]), "hotwords.0.score"],
    ["an indexed phrase twice", indexed(["[0][phrase]", "a"], ["[0][phrase]", "b"]), "given twice"],
    ["a file without audio", recording("hello"), "not a WAV file"],
    ["an empty file", recording(""), "audio_file"],
    ["the first 4 bytes of a WAV file", recording("RIFF"), "audio_file"],
    ...[1, 3999, 192_001, 4_294_967_291].map((sampleRate): Refused => {
      const body = recording(wav({ sampleRate, samples: 100 }))
      return [`a recording at ${sampleRate} Hz`, body, `${sampleRate} Hz is not supported`]
    })
  ]
  it("refuses anything else with 400, and names the field", function* ({ transcribe }) {
    for (const [what, body, message] of refused) {
      const answer = yield* transcribe(body)
      const failure = { status: "error", error: "bad request", message: expect.stringContaining(message) }
      expect([answer.status, answer.json()], what).toEqual([400, failure])
      expect(answer.text.length).toBeLessThan(300)
    }
  })
})

serviceTests("a known recording", LocalService.layer(), (it) => {
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

  it("is speech of this service, with its times, and only for models of its language", function* ({ transcribe }) {
    const recording = yield* speak("Please transfer the money.")
    const known = yield* transcribe(asked("en-general-v2-8khz", recording, field("aux", "true")))
    expect(known.json()).toMatchObject({ text: "Please transfer the money.", status: "success" })
    const { confidence, segments_meta } = known.json().aux_info
    expect(confidence).toBeGreaterThan(0.5)
    expect(segments_meta).toEqual([
      {
        start: 0,
        end: expect.closeTo((recording.length - 44) / 16_000, 2),
        text: "Please transfer the money.",
        confidence: expect.closeTo(confidence)
      }
    ])
    expect(known.headers).not.toHaveProperty("x-local-service-notice")
    expect((yield* transcribe(asked("hi-general-v2-8khz", recording))).json().text).toBe("")
  })

  it("does not match silence", function* ({ service, synthesize }) {
    expect((yield* synthesize({ text: "...", lang: "en" })).status).toBe(200)
    for (const length of [20, 40, 80, 160]) {
      const recognised = teachable(service.recogniser).recognise(Stream.make(new Float32Array(length)))
      expect(yield* recognised).toBeUndefined()
    }
  })
})

serviceTests(
  "a service with its own models and limits",
  cannedService({ models: { own: "en" }, maximumRecording: "2 seconds" }),
  (it) => {
    it("accepts no other model", function* ({ transcribe }) {
      expect((yield* transcribe(form(field("model", "own"), id, file()))).status).toBe(200)
      expect((yield* transcribe(validForm())).status).toBe(400)
    })

    it("accepts a recording of two seconds, but no longer one", function* ({ transcribe }) {
      const ofLength = (samples: number) => form(field("model", "own"), id, file(wav({ samples })))
      expect((yield* transcribe(ofLength(16_000))).status).toBe(200)
      const answer = yield* transcribe(ofLength(16_001))
      expect(answer.status).toBe(400)
      expect(answer.json().message).toContain("longer than 2 seconds")
    })
  }
)

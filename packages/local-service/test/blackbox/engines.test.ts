/** The service with engines of one's own, which are small and written here. */
import { readFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { beforeEach, expect, it as plainIt } from "@effect/vitest"
import { Recogniser, RecogniserFailed, type RecogniserService, Voice, VoiceFailed } from "@effect-speech/engine"
import { LocalService, type LocalServiceOptions } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { field, file, form, formType, transactionId, wav } from "./support/messages.js"
import { eventually, serviceTests } from "./support/service.js"

/** What happened in the engines, in order. */
const happened: Array<unknown> = []

/** What the service logged. */
const logged: Array<string> = []

beforeEach(() => {
  happened.length = 0
  logged.length = 0
})

/** Works until it is interrupted. */
const work = (who: string) =>
  Effect.zipRight(
    Effect.sync(() => happened.push(`${who} began`)),
    Effect.onInterrupt(Effect.never, () => Effect.sync(() => happened.push(`${who} was interrupted`)))
  )

const failures = {
  full: { reason: "Overloaded", message: "12 requests wait.", retryAfterMillis: 2400 },
  away: { reason: "Unavailable", message: "It starts again." },
  broken: { reason: "Failed", message: "The graph is wrong." }
} as const

/** A recogniser whose models do what their names say. The others say how many samples they heard. */
const recogniser: RecogniserService = {
  sampleRate: 16_000,
  models: ["plain", "silent", "sure", "counting", "choosy", ...Object.keys(failures), "slow", "endless"].flatMap(
    (name) => [
      { name: `en-${name}`, lang: "en", hotwords: false, model: `${name}-of-two` },
      { name: `hi-${name}`, lang: "hi", hotwords: true, model: `${name}-of-two` }
    ]
  ),
  recognise: ({ samples, ...request }) =>
    Effect.gen(function* () {
      const [, behaviour = ""] = request.model.split("-")
      if (behaviour === "endless") return yield* work("recogniser")
      if (behaviour === "slow" && Stream.StreamTypeId in samples) {
        return yield* Effect.as(
          Stream.runForEach(samples, () => work("recogniser")),
          undefined
        )
      }
      if (behaviour in failures) return yield* new RecogniserFailed(failures[behaviour as keyof typeof failures])
      const read = samples instanceof Float32Array ? [samples] : [...(yield* Stream.runCollect(samples))]
      const count = read.reduce((sum, { length }) => sum + length, 0)
      happened.push({ ...request, count })
      if (behaviour === "silent") return { text: " " }
      if (behaviour === "counting") return { text: "पच्चीस रुपये" }
      if (behaviour === "choosy") return { text: "one", hotwordsIgnored: request.hotwords.length }
      const segment = { text: "one", startMillis: 0, endMillis: 500 }
      if (behaviour === "sure") return { text: "one", confidence: 0.75, segments: [{ ...segment, confidence: 0.5 }] }
      return { text: "one two", segments: [segment, { text: "two", startMillis: 600, endMillis: 1000 }] }
    })
}

/** Two voices in Hindi, and one in English with another rate. */
const voice = Layer.succeed(Voice, {
  voices: [
    { name: "default_female", languages: ["hi", "mr"], sampleRate: 22_050 },
    { name: "asha", languages: ["hi"], sampleRate: 16_000 },
    { name: "default_female", languages: ["en"], sampleRate: 8000 }
  ],
  speak: ({ lang, text, voice }) => {
    if (text === "endless") {
      return Stream.concat(Stream.make(new Float32Array(80)), Stream.execute(work("voice")))
    }
    if (text in failures) return Stream.fail(new VoiceFailed(failures[text as keyof typeof failures]))
    if (text === "日本語") return new Float32Array(0)
    happened.push([voice, lang])
    const rate = voice === "asha" ? 16_000 : lang === "en" ? 8000 : 22_050
    return Stream.make(new Float32Array(rate))
  }
})

const engines = (options: LocalServiceOptions = {}) =>
  LocalService.layerWithoutDependencies(options).pipe(
    Layer.provide([
      voice,
      Layer.succeed(Recogniser, recogniser),
      NodeFileSystem.layer,
      Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => logged.push(String(message)))
      )
    ])
  )

const asked = (model: string, recording = wav(), ...more: ReadonlyArray<Uint8Array>) =>
  form(field("model", model), field("transaction_id", transactionId), file(recording), ...more)
const mp3 = readFileSync(new URL("../../../audio-decoder/test/recordings/cat.mp3", import.meta.url))
const aux = field("aux", "true")
const hotwords = field("hotwords", '[{"phrase":"UPI"},{"phrase":"NEFT","score":2.5}]')

serviceTests("a service with engines", engines(), (it) => {
  it("bills the seconds of a recording, and the engine hears it at its own rate", function* ({ ask, transcribe }) {
    const recordings = [wav({ samples: 8001 }), wav({ sampleRate: 44_100, samples: 441_000 }), wav({ samples: 0 })]
    for (const recording of recordings) {
      expect((yield* transcribe(asked("en-plain", recording))).json().text).toBe("one two")
    }
    const heard = happened as ReadonlyArray<{ readonly count: number }>
    expect(heard.map(({ count }) => count)).toEqual([16_002, 160_000, 0])
    expect((yield* ask("GET", "/usage")).json()).toMatchObject([{ calls: 3, units: 12 }])
  })

  it("has the models of the recogniser, and the languages and voices of the voice", function* ({ send }) {
    const { paths } = (yield* send("platform", { method: "GET", path: "/openapi.json" })).json()
    const form = paths["/api/transcribe"].post.requestBody.content["multipart/form-data"].schema.properties
    expect(form.model.enum).toEqual(recogniser.models?.map(({ name }) => name))
    const body = paths["/tts/bytes"].post.requestBody.content["application/json"].schema.properties
    expect([body.lang.enum, body.voice.enum]).toEqual([
      ["hi", "mr", "en"],
      ["default_female", "asha"]
    ])
  })

  it("lists its models if one is unknown", function* ({ transcribe }) {
    const answer = yield* transcribe(asked("ta-general-v2-8khz"))
    expect([answer.status, answer.json().message]).toEqual([
      400,
      expect.stringMatching(
        /^unknown model "ta-general-v2-8khz"; use one of en-plain, hi-plain, en-silent, .+ hi-endless$/
      )
    ])
  })

  it("lists the names of a model of several languages if a request has the model's own", function* ({ transcribe }) {
    expect((yield* transcribe(asked("plain-of-two"))).json().message).toBe(
      'unknown model "plain-of-two"; that model has a name for each language: use one of en-plain, hi-plain'
    )
  })

  it("leaves out a confidence that the engine does not give", function* ({ transcribe }) {
    const segments = [
      { start: 0, end: 0.5, text: "one" },
      { start: 0.6, end: 1, text: "two" }
    ]
    const { aux_info: plain } = (yield* transcribe(asked("en-plain", wav(), aux))).json()
    expect(plain.segments_meta).toEqual(segments)
    expect(plain).not.toHaveProperty("confidence")
    const { aux_info: sure } = (yield* transcribe(asked("en-sure", wav(), aux))).json()
    expect(sure).toMatchObject({ confidence: 0.75, segments_meta: [{ confidence: 0.5 }] })
  })

  it("has an empty text, and neither a confidence nor a notice, if the engine hears nothing", function* (box) {
    const answer = yield* box.transcribe(asked("en-silent", wav(), aux))
    expect(answer.json()).toMatchObject({ text: "", aux_info: { segments_meta: [] } })
    expect(answer.json().aux_info).not.toHaveProperty("confidence")
    expect(answer.headers).not.toHaveProperty("x-local-service-notice")
  })

  it("gives the engine the hotwords of a model that takes them, with their default score", function* ({ transcribe }) {
    const answer = yield* transcribe(asked("hi-plain", wav(), hotwords))
    expect(answer.headers).not.toHaveProperty("x-local-service-hotwords")
    expect(happened).toMatchObject([
      {
        model: "hi-plain",
        lang: "hi",
        hotwords: [
          { phrase: "UPI", score: 1.5 },
          { phrase: "NEFT", score: 2.5 }
        ]
      }
    ])
  })

  it("says in a header that a model takes no hotwords, and once in the log", function* ({ transcribe }) {
    const header = (...more: ReadonlyArray<Uint8Array>) =>
      Effect.map(transcribe(asked("en-plain", wav(), ...more)), ({ headers }) => headers["x-local-service-hotwords"])
    expect(yield* header(hotwords)).toBe("ignored")
    expect(yield* header(field("hotwords", "[]"))).toBeUndefined()
    expect(yield* header()).toBeUndefined()
    expect(yield* header(hotwords)).toBe("ignored")
    expect(happened).toMatchObject([{ hotwords: [] }, { hotwords: [] }, { hotwords: [] }, { hotwords: [] }])
    expect(logged).toEqual(["The model en-plain takes no hotwords. Those of its requests are ignored."])
  })

  it("says in a header that a model can't use some hotwords", function* ({ transcribe }) {
    const header = (...more: ReadonlyArray<Uint8Array>) =>
      Effect.map(transcribe(asked("hi-choosy", wav(), ...more)), ({ headers }) => headers["x-local-service-hotwords"])
    expect(yield* header(hotwords)).toBe("some ignored")
    expect(yield* header()).toBeUndefined()
  })

  it("writes the spoken numbers of an engine as digits", function* ({ transcribe }) {
    const answer = yield* transcribe(asked("hi-counting", wav(), field("parse_number", "true"), aux))
    expect(answer.json()).toMatchObject({ text: "25 रुपये", aux_info: { segments_meta: [{ text: "25 रुपये" }] } })
  })

  it("speaks each voice at its own rate, and only in its languages", function* ({ synthesize }) {
    for (const [voice, lang] of [
      ["asha", "hi"],
      ["default_female", "mr"],
      ["default_female", "en"]
    ] as const) {
      const answer = yield* synthesize({ text: "a", voice, lang, output_format: "8000:pcm16" })
      expect([answer.status, answer.bytes.length], `${voice} ${lang}`).toEqual([200, 16_000])
    }
    expect(happened).toEqual([
      ["asha", "hi"],
      ["default_female", "mr"],
      ["default_female", "en"]
    ])
  })

  it.each([
    [{ lang: "ta" }, 'lang "ta" is not supported; use one of hi, mr, en'],
    [{ lang: "hi", voice: "default_male" }, 'voice "default_male" is not supported; use one of default_female, asha'],
    [{ lang: "mr", voice: "asha" }, 'voice "asha" is not supported in mr; use one of default_female'],
    [{ lang: "ta", voice: "asha" }, 'lang "ta" is not supported; use one of hi, mr, en']
  ] as const)("refuses %j, and lists what there is", function* ({ synthesize }, [body, message]) {
    const answer = yield* synthesize({ text: "a", ...body })
    expect([answer.status, answer.json().error]).toEqual([400, message])
  })

  it("refuses a text of which the voice can speak nothing, since another attempt fails too", function* (box) {
    const answer = yield* box.synthesize({ text: "日本語" })
    expect([answer.status, answer.json().error]).toEqual([
      400,
      'text has nothing that the voice "default_female" can speak'
    ])
    expect((yield* box.ask("GET", "/usage")).json()).toEqual([])
  })

  it.each([
    ["full", 503, "the recogniser is overloaded: 12 requests wait.", "3"],
    ["away", 503, "the recogniser is unavailable: It starts again.", "1"],
    ["broken", 500, "the recogniser failed: The graph is wrong.", undefined]
  ] as const)("whose recogniser is %s responds with %i, and bills nothing", function* (box, row) {
    const [model, status, message, retryAfter] = row
    const answer = yield* box.transcribe(asked(`en-${model}`), {}, { failing: true })
    expect([answer.status, answer.json().message, answer.headers["retry-after"]]).toEqual([status, message, retryAfter])
    expect((yield* box.ask("GET", "/usage")).json()).toEqual([])
    expect((yield* box.transcribe(asked("en-plain"))).status).toBe(200)
  })

  it.each([
    ["full", "the synthesis backend is overloaded: 12 requests wait.", "3"],
    ["away", "the synthesis backend is unavailable: It starts again.", "1"],
    ["broken", "the synthesis backend failed: The graph is wrong.", undefined]
  ] as const)("whose voice is %s responds with 502, and bills nothing", function* (box, [text, message, retryAfter]) {
    const answer = yield* box.synthesize({ text }, {}, { failing: true })
    expect([answer.status, answer.json().error, answer.headers["retry-after"]]).toEqual([502, message, retryAfter])
    expect((yield* box.ask("GET", "/usage")).json()).toEqual([])
    expect((yield* box.synthesize({ text: "a" })).status).toBe(200)
  })

  it("decodes a recording while the engine listens to a dozen others", function* ({ service, transcribe }) {
    const slow = yield* Effect.forkAll(Array.from({ length: 12 }, () => transcribe(asked("en-slow", mp3))))
    yield* eventually(
      Effect.sync(() => happened.length),
      (count) => count === 12
    )
    expect((yield* transcribe(asked("en-plain", mp3))).json().text).toBe("one two")
    yield* Fiber.interrupt(slow)
    expect((yield* service.requests).length).toBe(13)
  })

  const stt = { path: "/api/transcribe", type: formType, body: asked("en-endless") }
  const tts = { path: "/tts/bytes", type: "application/json", body: '{"text":"endless"}' }
  it.each([
    ["recogniser", "client", "sttBaseUrl", stt],
    ["voice", "client", "ttsBaseUrl", tts],
    ["recogniser", "console", "platformUrl", { path: "/transcripts?model=en-endless", type: "audio/wav", body: wav() }],
    ["voice", "console", "platformUrl", { ...tts, path: "/speech" }]
  ] as const)("interrupts the %s if the %s leaves", function* ({ key, service, token }, [who, client, base, request]) {
    const { body, path, type } = request
    const url = client === "console" ? `${service[base]}/platform/api${path}` : `${service[base]}${path}`
    const headers = { "X-API-Key": key, "X-Admin-Token": token, "Content-Type": type }
    const happens = (what: string) =>
      eventually(
        Effect.sync(() => happened),
        (all) => all.includes(`${who} ${what}`)
      )
    const call = yield* Effect.fork(
      Effect.tryPromise((signal) => fetch(url, { method: "POST", headers, body, signal }))
    )
    yield* happens("began")
    yield* Fiber.interrupt(call)
    yield* happens("was interrupted")
    expect(happened).toEqual([`${who} began`, `${who} was interrupted`])
  })

  it("can't be taught a recording, and says so", function* ({ send, service, synthesize, token }) {
    const answer = yield* send("platform", {
      path: "/platform/api/recordings?text=one",
      headers: { "X-Admin-Token": token, "Content-Type": "audio/wav" },
      body: wav()
    })
    expect([answer.status, answer.json()]).toEqual([
      409,
      { error: "this recogniser can't be taught; it recognises by its own models" }
    ])
    const refused = yield* Effect.flip(service.teach({ path: "/nowhere.wav", text: "one" }))
    expect(refused.message).toBe(
      "The recording /nowhere.wav can't be taught: this recogniser can't be taught; it recognises by its own models."
    )
    expect((yield* synthesize({ text: "a" })).status).toBe(200)
    yield* service.reset()
  })
})

plainIt.scopedLive.each([
  ["recordings", { recordings: "/nowhere" }, "this recogniser can't be taught"],
  ["models", { models: { own: "en" } }, "the recogniser has models of its own"]
] as const)("the option %s is refused at the start if the recogniser has no use for it", ([option, options, reason]) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Layer.build(engines(options)))
    expect(error).toMatchObject({ _tag: "LocalServiceOptionInvalid", option })
    expect(error.message).toBe(`The option ${option} can't be given, because ${reason}.`)
  })
)

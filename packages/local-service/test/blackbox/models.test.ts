import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect } from "@effect/vitest"
import type { ModelStatus } from "@effect-speech/engine/Model"
import { LocalService, PlatformApi, Recogniser, RecogniserFailed, Voice } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { field, fields, file, form, validForm } from "./support/messages.js"
import { type Box, cannedService, serviceTests } from "./support/service.js"

const idle = { state: "ready", running: 0, queued: 0, rejected: 0, restarts: 0 } as const

/** The models of the engines below, as a test sets them. */
let whisper: ModelStatus
let piper: ModelStatus
let zipformer: ModelStatus | undefined
const restart = (): void => {
  whisper = { ...idle, name: "tiny", operation: "transcribe" }
  piper = { ...idle, name: "hi-piper", operation: "synthesize" }
  zipformer = undefined
}
restart()

const recogniser = Layer.succeed(Recogniser, {
  sampleRate: 16_000,
  models: [
    {
      name: "hi-tiny",
      lang: "hi",
      hotwords: false,
      model: "tiny",
      details: { family: "whisper", licence: "MIT", bytes: 75_000_000 }
    },
    { name: "en-tiny", lang: "en", hotwords: false, model: "tiny" },
    { name: "hi-general-v2-8khz", lang: "hi", hotwords: false, aliasOf: "hi-tiny" },
    { name: "en-zipformer", lang: "en", hotwords: true }
  ],
  recognise: () => Effect.fail(new RecogniserFailed({ reason: "Unavailable", message: "it rests" })),
  status: Effect.sync(() => (zipformer === undefined ? [whisper] : [whisper, zipformer]))
})

const voice = Layer.succeed(Voice, {
  voices: [
    { name: "default_female", languages: ["hi"], sampleRate: 22_050, model: "hi-piper", details: { family: "vits" } },
    { name: "priya", languages: ["hi"], sampleRate: 22_050, model: "hi-piper" },
    { name: "default_female", languages: ["en"], sampleRate: 16_000, model: String.raw`en "mms"\1` }
  ],
  speak: () => new Float32Array(8000),
  status: Effect.sync(() => [piper])
})

const withEngines = LocalService.layerWithoutDependencies().pipe(
  Layer.provide([voice, recogniser, NodeFileSystem.layer])
)

const get = ({ send }: Box, path: string, failing = false) => send("platform", { method: "GET", path }, { failing })

serviceTests("the models of a service with engines", withEngines, (it) => {
  it("are listed with what each hears and speaks, and with their state", function* ({ ask }) {
    restart()
    whisper = { ...whisper, state: "refused", reason: "tokens.txt has no <blk>", restarts: 2 }
    piper = { ...piper, running: 1, queued: 3, rejected: 7 }
    expect((yield* ask("GET", "/models")).json()).toEqual([
      {
        operation: "transcribe",
        name: "tiny",
        family: "whisper",
        licence: "MIT",
        bytes: 75_000_000,
        languages: ["hi", "en"],
        sampleRate: 16_000,
        names: [
          { name: "hi-tiny", lang: "hi" },
          { name: "en-tiny", lang: "en" },
          { name: "hi-general-v2-8khz", lang: "hi", aliasOf: "hi-tiny" }
        ],
        hotwords: false,
        state: "refused",
        reason: "tokens.txt has no <blk>",
        running: 0,
        queued: 0,
        rejected: 0,
        restarts: 2
      },
      {
        operation: "transcribe",
        name: "en-zipformer",
        languages: ["en"],
        sampleRate: 16_000,
        names: [{ name: "en-zipformer", lang: "en" }],
        hotwords: true,
        state: "ready"
      },
      {
        operation: "synthesize",
        name: "hi-piper",
        family: "vits",
        languages: ["hi"],
        sampleRate: 22_050,
        voices: [
          { name: "default_female", languages: ["hi"] },
          { name: "priya", languages: ["hi"] }
        ],
        state: "ready",
        running: 1,
        queued: 3,
        rejected: 7,
        restarts: 0
      },
      {
        operation: "synthesize",
        name: String.raw`en "mms"\1`,
        languages: ["en"],
        sampleRate: 16_000,
        voices: [{ name: "default_female", languages: ["en"] }],
        state: "ready"
      }
    ])
  })

  it("make the service ready if one of each operation takes requests, and anyone may read that", function* (box) {
    for (const [tiny, other, status] of [
      ["ready", "ready", 200],
      ["unloaded", "restarting", 200],
      ["loading", "refused", 200],
      ["refused", "ready", 200],
      ["restarting", "refused", 503],
      ["refused", "refused", 503]
    ] as const) {
      restart()
      whisper = { ...whisper, state: tiny, reason: "/secret/path", queued: 2 }
      zipformer = { ...idle, name: "en-zipformer", operation: "transcribe", state: other }
      const answer = yield* get(box, "/ready", true)
      expect([answer.status, answer.headers["cache-control"]]).toEqual([status, "no-store"])
      expect(answer.json()).toEqual({
        ready: status === 200,
        models: [
          { name: "tiny", operation: "transcribe", state: tiny, running: 0, queued: 2 },
          { name: "en-zipformer", operation: "transcribe", state: other, running: 0, queued: 0 },
          { name: "hi-piper", operation: "synthesize", state: "ready", running: 0, queued: 0 },
          { name: String.raw`en "mms"\1`, operation: "synthesize", state: "ready" }
        ]
      })
      expect((yield* box.send("platform", { method: "HEAD", path: "/ready" }, { failing: true })).status).toBe(status)
      expect((yield* get(box, "/health")).status).toBe(200)
    }
  })

  it("that are not ready are a value for a typed client, not an error", function* ({ service }) {
    restart()
    whisper = { ...whisper, state: "restarting" }
    zipformer = { ...idle, name: "en-zipformer", operation: "transcribe", state: "refused" }
    const client = HttpApiClient.make(PlatformApi, { baseUrl: service.platformUrl })
    const readiness = yield* Effect.flatMap(client, (platform) => platform.ready()).pipe(
      Effect.provide(FetchHttpClient.layer)
    )
    expect(readiness).toMatchObject({ ready: false, models: [{ name: "tiny", state: "restarting" }, {}, {}, {}] })
  })

  it("are counted in the metrics, with names that Prometheus can read", function* (box) {
    restart()
    piper = { ...piper, state: "loading", running: 1, queued: 3, rejected: 7, restarts: 2 }
    const { text } = yield* get(box, "/metrics")
    for (const line of [
      'speech_model_state{model="tiny",operation="transcribe",state="ready"} 1',
      'speech_model_state{model="tiny",operation="transcribe",state="refused"} 0',
      'speech_model_state{model="hi-piper",operation="synthesize",state="loading"} 1',
      'speech_model_running{model="hi-piper",operation="synthesize"} 1',
      'speech_model_queued{model="hi-piper",operation="synthesize"} 3',
      'speech_model_rejected_total{model="hi-piper",operation="synthesize"} 7',
      'speech_model_restarts_total{model="hi-piper",operation="synthesize"} 2',
      'speech_model_queued{model="tiny",operation="transcribe"} 0',
      String.raw`speech_model_state{model="en \"mms\"\\1",operation="synthesize",state="ready"} 1`
    ]) {
      expect(text).toContain(`\n${line}\n`)
    }
    expect(text).not.toContain('speech_model_queued{model="en ')
  })
})

serviceTests("the models of a service without engines", cannedService(), (it) => {
  it("say what they are, and are always ready", function* (box) {
    const models = (yield* box.ask("GET", "/models")).json()
    expect(models).toEqual([
      {
        operation: "transcribe",
        name: "known-recordings",
        family: "known-recordings",
        languages: ["hi", "en"],
        sampleRate: 8000,
        names: ["hi", "en"].flatMap((lang) =>
          ["general", "banking"].map((kind) => ({ name: `${lang}-${kind}-v2-8khz`, lang }))
        ),
        hotwords: false,
        state: "ready"
      },
      ...["default_female", "default_male"].map((name) => ({
        operation: "synthesize",
        name,
        languages: ["hi", "en"],
        sampleRate: 8000,
        voices: [{ name, languages: ["hi", "en"] }],
        state: "ready"
      }))
    ])
    expect((yield* get(box, "/ready")).json()).toMatchObject({ ready: true })
  })

  it("count the requests by operation, status and outcome, and what was delivered, until a reset", function* (box) {
    const read = Effect.map(get(box, "/metrics"), ({ headers, text }) => {
      expect(headers).toMatchObject({
        "cache-control": "no-store",
        "content-type": "text/plain; version=0.0.4; charset=utf-8"
      })
      return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
    })
    const delivered = (seconds: number, codePoints: number) => [
      `speech_transcribed_seconds_total ${seconds}`,
      `speech_synthesized_code_points_total ${codePoints}`
    ]
    expect((yield* read).slice(0, 2)).toEqual(delivered(0, 0))
    yield* box.synthesize({ text: "नमस्ते" })
    yield* box.synthesize({ text: "hi" })
    yield* box.transcribe(validForm())
    yield* box.transcribe(form(...fields, file(), field("aux", "odd")))
    yield* box.ask("PUT", "/faults", [{ status: 502, times: 1 }])
    yield* box.synthesize({ text: "hi" }, {}, { failing: true })
    yield* box.ask("GET", "/models")
    expect((yield* read).slice(0, 6)).toEqual([
      'speech_requests_total{operation="synthesize",status="200",outcome="answered"} 2',
      'speech_requests_total{operation="transcribe",status="200",outcome="answered"} 1',
      'speech_requests_total{operation="transcribe",status="400",outcome="answered"} 1',
      'speech_requests_total{operation="synthesize",status="502",outcome="faulted"} 1',
      ...delivered(1, 8)
    ])
    yield* box.service.reset()
    expect((yield* read).slice(0, 2)).toEqual(delivered(0, 0))
  })

  it("are shown to anyone without a secret, and only read", function* (box) {
    for (const path of ["/health", "/ready", "/metrics"]) {
      for (const method of ["GET", "HEAD"]) {
        const answer = yield* box.send("platform", { method, path })
        expect([answer.status, answer.headers["cache-control"]], path).toEqual([200, "no-store"])
        expect(answer.text).not.toContain(box.key)
        expect(answer.text).not.toContain(box.token)
      }
      expect((yield* box.send("platform", { method: "POST", path })).status).toBe(405)
    }
    expect((yield* get(box, "/platform/api/models")).status).toBe(401)
  })
})

import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { send } from "effect-speech-test-support/plainHttp"
import {
  field,
  fields,
  file,
  form,
  formType,
  synthesisRequest,
  transcriptionRequest,
  validForm,
  wav
} from "./support/messages.js"
import { cannedService, eventually, serviceTests } from "./support/service.js"

/** Ten credits, 4800 bytes of audio. */
const tenChars = '{"text":"ten chars!","output_format":"24000:pcm16"}'
const closing = (key: string, body: string) => synthesisRequest(key, body, { Connection: "close" })

serviceTests("a synthesis", cannedService(), (it) => {
  it("is charged before the response ends", function* ({ service, synthesize }) {
    for (let times = 0; times < 30; times++) {
      const before = (yield* service.accounts.account).credits
      yield* synthesize({ text: "a".repeat(500), output_format: "8000:pcm16" })
      expect((yield* service.accounts.account).credits).toBe(before - 500)
    }
  })

  it.each([
    ["is invalid", { text: "abc", output_format: "1:x" }, 400],
    ["whose voice fails", { text: "(fail)" }, 502],
    ["whose voice dies", { text: "(die)" }, 500],
    ["of which the voice can speak nothing", { text: "(nothing)" }, 400]
  ] as const)("that %s costs nothing", function* ({ ask, synthesize }, [, body, status]) {
    expect((yield* synthesize(body, {}, { failing: true })).status).toBe(status)
    expect((yield* ask("GET", "/usage")).json()).toEqual([])
    expect((yield* ask("GET", "/account")).json().credits).toBe(1_000_000)
    expect((yield* synthesize({ text: "a" })).status).toBe(200)
  })

  it("with a fault that cuts its audio off costs nothing", function* ({ ask, key, raw, service }) {
    const faults = [
      { status: 500 },
      { body: "<html>" },
      { reset: "answer" },
      { malformedHeader: true },
      { truncateAtByte: 0 },
      { truncateAtByte: 1 },
      { truncateAtByte: 4799 }
    ]
    for (const [index, fault] of faults.entries()) {
      yield* ask("PUT", "/faults", [fault])
      yield* raw("tts", closing(key, tenChars), { answers: 0, undescribed: true }).pipe(Effect.exit)
      yield* eventually(service.requests, (entries) => entries[index]?.outcome === "faulted")
    }
    expect((yield* ask("GET", "/account")).json().credits).toBe(1_000_000)
    expect((yield* ask("GET", "/usage")).json()).toEqual([])
  })

  it("whose whole audio was sent before the connection was closed is charged", function* ({ ask, key, raw }) {
    yield* ask("PUT", "/faults", [{ truncateAtByte: 4800 }])
    const { answer } = yield* raw("tts", closing(key, tenChars), { answers: 0 })
    expect(answer.bytes.length).toBe(4800)
    expect((yield* ask("GET", "/account")).json().credits).toBe(1_000_000 - 10)
  })

  it("that the client aborts costs nothing and releases its reserved credits", function* (box) {
    const { abandon, ask, key, service, synthesize } = box
    yield* ask("PATCH", "/account", { credits: 10 })
    yield* abandon("tts", [closing(key, '{"text":"(never)"}'), 50])
    yield* eventually(service.requests, ([entry]) => entry?.outcome === "abandoned")
    expect((yield* ask("GET", "/account")).json().credits).toBe(10)
    expect((yield* synthesize({ text: "ten chars!" })).status).toBe(200)
    expect((yield* synthesize({ text: "a" })).status).toBe(401)
  })

  it("that the client aborts during the audio costs nothing", function* ({ key, service }) {
    const headers = { "X-API-Key": key, "Content-Type": "application/json" }
    // Ten megabytes of audio: no connection buffers all of them.
    const body = [JSON.stringify({ text: "a".repeat(10_000) })]
    yield* Effect.promise(() =>
      expect(send(`${service.ttsBaseUrl}/tts/bytes`, { headers, body, leave: true })).rejects.toThrow("given up")
    )
    const [entry] = yield* eventually(service.requests, ([first]) => first?.outcome === "abandoned")
    expect(entry?.status).toBe(200)
    expect((yield* service.accounts.account).credits).toBe(1_000_000)
  })

  it("that costs more than the credit is refused", function* ({ ask, synthesize }) {
    yield* ask("PATCH", "/account", { credits: 5 })
    expect((yield* synthesize({ text: "sixsix" })).status).toBe(401)
    expect((yield* ask("GET", "/account")).json().credits).toBe(5)
    expect((yield* synthesize({ text: "fives" })).status).toBe(200)
    expect((yield* ask("GET", "/account")).json().credits).toBe(0)
  })

  it("that is under way during a reset finishes, and the new account does not pay", function* (box) {
    const { ask, service, synthesize } = box
    const call = yield* Effect.fork(synthesize({ text: "(wait)" }))
    yield* eventually(service.requests, ([entry]) => entry !== undefined && entry.request !== null)
    yield* ask("POST", "/reset")
    yield* ask("PATCH", "/account", { credits: 6 })
    // The reserved credit was of the old account, so the new one can spend all of its own.
    expect((yield* synthesize({ text: "sixsix" })).status).toBe(200)
    expect((yield* Fiber.join(call)).status).toBe(200)
    expect((yield* ask("GET", "/account")).json().credits).toBe(0)
    expect((yield* ask("GET", "/usage")).json()).toMatchObject([{ calls: 1, units: 6, credits: 6 }])
  })

  it("whose credit is lowered while it is under way takes what is left", function* ({ ask, service, synthesize }) {
    yield* ask("PATCH", "/account", { credits: 10 })
    const call = yield* Effect.fork(synthesize({ text: "(wait)1234" }))
    yield* eventually(service.requests, ([entry]) => entry !== undefined && entry.request !== null)
    yield* ask("PATCH", "/account", { credits: 3 })
    expect((yield* synthesize({ text: "a" })).status).toBe(401)
    expect((yield* Fiber.join(call)).status).toBe(200)
    expect((yield* ask("GET", "/account")).json().credits).toBe(0)
    expect((yield* ask("GET", "/usage")).json()).toMatchObject([{ calls: 1, units: 10, credits: 3 }])
  })

  it("is accepted 60 of 100 times at once if the credit covers 60", function* ({ ask, service }) {
    yield* ask("PATCH", "/account", { credits: 360 })
    const headers = { "X-API-Key": Redacted.value(service.apiKey), "Content-Type": "application/json" }
    const body = JSON.stringify({ text: "(wait)", output_format: "8000:pcm16" })
    // All are under way before the first is charged.
    const answers = yield* Effect.promise(() =>
      Promise.all(
        Array.from({ length: 100 }, async () => {
          const response = await fetch(`${service.ttsBaseUrl}/tts/bytes`, { method: "POST", headers, body })
          return { status: response.status, length: (await response.arrayBuffer()).byteLength }
        })
      )
    )
    const of = (status: number) => answers.filter((answer) => answer.status === status)
    expect(of(200).length).toBe(60)
    expect(of(200).every(({ length }) => length === 960)).toBe(true)
    expect(of(401).length).toBe(40)
    expect((yield* ask("GET", "/account")).json().credits).toBe(0)
    expect((yield* ask("GET", "/usage")).json()).toMatchObject([{ calls: 60, units: 360, credits: 360 }])
  })
})

serviceTests("a transcription", cannedService({ creditsPerSecond: 3 }), (it) => {
  it("costs as many credits as it has started seconds", function* ({ ask, transcribe }) {
    let total = 0
    for (const [samples, sampleRate, units] of [
      [0, 8000, 0],
      [1, 8000, 1],
      [7999, 8000, 1],
      [8000, 8000, 1],
      [8001, 8000, 2],
      [44_100, 44_100, 1],
      [48_000, 16_000, 3],
      [192_000, 192_000, 1],
      [4000, 4000, 1]
    ] as const) {
      total += units
      expect((yield* transcribe(form(...fields, file(wav({ sampleRate, samples }))))).status).toBe(200)
      expect((yield* ask("GET", "/account")).json().credits).toBe(1_000_000 - total * 3)
    }
    const usage = { operation: "transcribe", calls: 9, units: total, credits: total * 3 }
    expect((yield* ask("GET", "/usage")).json()).toMatchObject([usage])
  })

  it("that fails costs nothing", function* ({ ask, transcribe }) {
    expect((yield* transcribe(form(...fields))).status).toBe(400)
    expect((yield* transcribe(form(...fields, file("hello")))).status).toBe(400)
    expect((yield* transcribe(validForm(field("aux", "maybe")))).status).toBe(400)
    expect((yield* ask("GET", "/usage")).json()).toEqual([])
  })

  it("that costs more than the credit is 402", function* ({ ask, transcribe }) {
    yield* ask("PATCH", "/account", { credits: 2 })
    expect((yield* transcribe(validForm())).status).toBe(402)
    expect((yield* ask("GET", "/account")).json().credits).toBe(2)
    yield* ask("PATCH", "/account", { credits: 3 })
    expect((yield* transcribe(validForm())).status).toBe(200)
    expect((yield* ask("GET", "/account")).json().credits).toBe(0)
  })

  it("that is uploaded during a reset finishes, and the new account does not pay", function* (box) {
    const { ask, key, raw, service } = box
    const request = transcriptionRequest(key, validForm(field("aux", "true")))
    const call = yield* Effect.fork(raw("stt", [request.subarray(0, -1000), 200, request.subarray(-1000)]))
    yield* eventually(service.requests, ([entry]) => typeof entry?.keyId === "string")
    yield* ask("POST", "/reset", { fixedTime: "2020-01-01T00:00:00.000Z" })
    const { answer } = yield* Fiber.join(call)
    expect(answer.status).toBe(200)
    // Not the difference of two times of day, which would be years below 0.
    expect(answer.json().aux_info.request_time).toBeGreaterThan(0.15)
    expect((yield* ask("GET", "/usage")).json()).toEqual([])
  })

  it("is accepted once of two times at once if the credit covers one", function* ({ ask, transcribe }) {
    yield* ask("PATCH", "/account", { credits: 3 })
    // Both are under way before the first is charged.
    yield* ask("PUT", "/faults", [{ operation: "transcribe", delayMillis: 500 }])
    const answers = yield* Effect.all([transcribe(validForm()), transcribe(validForm())], { concurrency: 2 })
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 402])
    expect((yield* ask("GET", "/account")).json().credits).toBe(0)
    expect((yield* ask("GET", "/usage")).json()).toMatchObject([{ calls: 1, units: 1, credits: 3 }])
  })

  it.each([{ truncateAtByte: 10 }, { stallAtByte: 10 }, { delayMillis: 60_000 }])(
    "whose response the client does not get costs nothing: %j",
    function* ({ ask, send, transcribe, key }, fault) {
      yield* ask("PATCH", "/account", { credits: 3 })
      yield* ask("PUT", "/faults", [{ operation: "transcribe", times: 1, ...fault }])
      const headers = { "X-Api-Key": key, "Content-Type": formType }
      const request = { path: "/api/transcribe", headers, body: validForm(), timeoutMillis: 700 }
      yield* Effect.exit(send("stt", request, { failing: true }))
      expect((yield* ask("GET", "/usage")).json()).toEqual([])
      yield* eventually(transcribe(validForm()), ({ status }) => status === 200)
      expect((yield* ask("GET", "/usage")).json()).toMatchObject([{ calls: 1, units: 1, credits: 3 }])
    }
  )

  it("and a synthesis are separate in the usage", function* ({ ask, synthesize, transcribe }) {
    yield* synthesize({ text: "abc" })
    yield* transcribe(validForm())
    yield* transcribe(validForm())
    expect((yield* ask("GET", "/usage")).json()).toMatchObject([
      { operation: "synthesize", calls: 1, units: 3, credits: 3 },
      { operation: "transcribe", calls: 2, units: 2, credits: 6 }
    ])
    expect((yield* ask("GET", "/account")).json().credits).toBe(1_000_000 - 9)
  })
})

import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { send } from "../../../../test/support/plainHttp.js"
import { field, fields, file, form, formType, message, validForm, wav } from "./support/messages.js"
import { cannedService, eventually, serviceTests } from "./support/service.js"

const head = (key: string, body: string) =>
  message(
    "POST /tts/bytes HTTP/1.1",
    {
      Connection: "close",
      Host: "127.0.0.1",
      "X-API-Key": key,
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body)
    },
    body
  )

serviceTests("a synthesis", cannedService(), (it) => {
  it("is paid for by the time that the whole of it has come", function* ({ service, synthesize }) {
    for (let times = 0; times < 60; times++) {
      const before = (yield* service.accounts.account).credits
      yield* synthesize({ text: "a".repeat(500), output_format: "8000:pcm16" })
      expect((yield* service.accounts.account).credits).toBe(before - 500)
    }
    // And what was paid is not given back afterwards.
    const after = (yield* service.accounts.account).credits
    yield* Effect.promise(() => new Promise((next) => setTimeout(next, 100)))
    expect((yield* service.accounts.account).credits).toBe(after)
  })

  it.each([
    { what: "format", body: { text: "abc", output_format: "1:x" } },
    { what: "voice that speaks", body: { text: "(fail)" } },
    { what: "voice that is whole", body: { text: "(die)" } },
    { what: "voice that is heard", body: { text: "(nothing)" } }
  ])("that fails for want of a $what costs nothing", function* ({ ask, synthesize }, { body }) {
    yield* ask("POST", "/reset")
    expect((yield* synthesize(body, {}, { failing: true })).status).toBeGreaterThanOrEqual(400)
    expect((yield* ask("GET", "/usage")).json()).toEqual([])
    expect((yield* ask("GET", "/account")).json().credits).toBe(1_000_000)
  })

  it.each([
    { what: "a status in its place", fault: { status: 500 } },
    { what: "a body in its place", fault: { body: "<html>" } },
    { what: "a connection that is reset", fault: { reset: "answer" } },
    { what: "a header that is none", fault: { malformedHeader: true } },
    { what: "nothing of its audio", fault: { truncateAtByte: 0 } },
    { what: "a byte of its audio", fault: { truncateAtByte: 1 } },
    { what: "all but a byte of its audio", fault: { truncateAtByte: 4799 } }
  ])("that gives $what costs nothing", function* ({ ask, key, raw }, { fault }) {
    yield* ask("POST", "/reset")
    yield* ask("PUT", "/faults", [fault])
    const body = '{"text":"ten chars!","output_format":"24000:pcm16"}'
    yield* raw("tts", head(key, body), { answers: 0, undescribed: true }).pipe(Effect.exit)
    yield* eventually(
      Effect.map(ask("GET", "/requests"), (answer) => answer.json()[0].outcome),
      (it) => it === "faulted"
    )
    yield* ask("PUT", "/faults", [])
    expect((yield* ask("GET", "/account")).json().credits).toBe(1_000_000)
    expect((yield* ask("GET", "/usage")).json()).toEqual([])
  })

  it("whose audio came whole before the connection was cut is paid for", function* ({ ask, key, raw }) {
    yield* ask("POST", "/reset")
    yield* ask("PUT", "/faults", [{ truncateAtByte: 4800 }])
    const body = '{"text":"ten chars!","output_format":"24000:pcm16"}'
    const { answer } = yield* raw("tts", head(key, body), { answers: 0 })
    expect(answer.bytes.length).toBe(4800)
    expect((yield* ask("GET", "/account")).json().credits).toBe(1_000_000 - 10)
  })

  it("that is given up costs nothing, and what was kept for it is free again", function* ({
    abandon,
    ask,
    key,
    synthesize
  }) {
    yield* ask("POST", "/reset")
    yield* ask("PATCH", "/account", { credits: 10 })
    yield* abandon("tts", [head(key, '{"text":"(never)"}'), 50])
    const outcome = Effect.map(ask("GET", "/requests"), (answer) => answer.json()[0]?.outcome)
    yield* eventually(outcome, (it) => it === "abandoned")
    expect((yield* ask("GET", "/account")).json().credits).toBe(10)
    expect((yield* synthesize({ text: "ten chars!" })).status).toBe(200)
    expect((yield* synthesize({ text: "a" })).status).toBe(401)
  })

  it("that is given up in the middle of its audio costs nothing, and is not written down as answered", function* ({
    ask,
    key,
    service
  }) {
    yield* ask("POST", "/reset")
    const headers = { "X-API-Key": key, "Content-Type": "application/json" }
    // Ten megabytes, of which no connection holds all.
    const body = [JSON.stringify({ text: "a".repeat(10_000) })]
    yield* Effect.promise(() =>
      expect(send(`${service.ttsBaseUrl}/tts/bytes`, { headers, body, leave: true })).rejects.toThrow("given up")
    )
    const entry = Effect.map(service.requests, ([first]) => first)
    const { status } = (yield* eventually(entry, (it) => it?.outcome === "abandoned")) ?? {}
    expect(status).toBe(200)
    expect((yield* service.accounts.account).credits).toBe(1_000_000)
  })

  it("that the credit does not cover is refused whole", function* ({ ask, synthesize }) {
    yield* ask("POST", "/reset")
    yield* ask("PATCH", "/account", { credits: 5 })
    expect((yield* synthesize({ text: "sixsix" })).status).toBe(401)
    expect((yield* ask("GET", "/account")).json().credits).toBe(5)
    expect((yield* synthesize({ text: "fives" })).status).toBe(200)
    expect((yield* ask("GET", "/account")).json().credits).toBe(0)
  })

  it("is paid for by 300 of 500 at once, where the credit covers 300", function* ({ ask, service }) {
    yield* ask("POST", "/reset")
    yield* ask("PATCH", "/account", { credits: 1800 })
    const headers = { "X-API-Key": Redacted.value(service.apiKey), "Content-Type": "application/json" }
    const body = JSON.stringify({ text: "(wait)", output_format: "8000:pcm16" })
    // All of them are under way before the first is paid for. Node keeps 511 connections waiting to be taken; of more, a
    // busy machine may reset some.
    const answers = yield* Effect.promise(() =>
      Promise.all(
        Array.from({ length: 500 }, async () => {
          const response = await fetch(`${service.ttsBaseUrl}/tts/bytes`, { method: "POST", headers, body })
          return { status: response.status, length: (await response.arrayBuffer()).byteLength }
        })
      )
    )
    const of = (status: number) => answers.filter((answer) => answer.status === status)
    expect(of(200).length).toBe(300)
    expect(of(200).every(({ length }) => length === 960)).toBe(true)
    expect(of(401).length).toBe(200)
    expect((yield* ask("GET", "/account")).json().credits).toBe(0)
    expect((yield* ask("GET", "/usage")).json()).toMatchObject([{ calls: 300, units: 1800, credits: 1800 }])
  }, 60_000)
})

serviceTests("a transcription", cannedService({ creditsPerSecond: 3 }), (it) => {
  it.each([
    { samples: 0, sampleRate: 8000, seconds: 0 },
    { samples: 1, sampleRate: 8000, seconds: 1 },
    { samples: 7999, sampleRate: 8000, seconds: 1 },
    { samples: 8000, sampleRate: 8000, seconds: 1 },
    { samples: 8001, sampleRate: 8000, seconds: 2 },
    { samples: 44_100, sampleRate: 44_100, seconds: 1 },
    { samples: 48_000, sampleRate: 16_000, seconds: 3 },
    { samples: 192_000, sampleRate: 192_000, seconds: 1 },
    { samples: 4000, sampleRate: 4000, seconds: 1 }
  ])(
    "of $samples samples at $sampleRate Hz costs $seconds begun seconds",
    function* ({ ask, transcribe }, { sampleRate, samples, seconds }) {
      yield* ask("POST", "/reset")
      const answer = yield* transcribe(form(...fields, file(wav({ sampleRate, samples }))))
      expect(answer.status).toBe(200)
      expect((yield* ask("GET", "/account")).json().credits).toBe(1_000_000 - seconds * 3)
      expect((yield* ask("GET", "/usage")).json()).toMatchObject([
        { operation: "transcribe", calls: 1, units: seconds, credits: seconds * 3 }
      ])
    }
  )

  it("that fails costs nothing", function* ({ ask, transcribe }) {
    yield* ask("POST", "/reset")
    expect((yield* transcribe(form(...fields))).status).toBe(400)
    expect((yield* transcribe(form(...fields, file("hello")))).status).toBe(400)
    expect((yield* transcribe(validForm(field("aux", "maybe")))).status).toBe(400)
    expect((yield* ask("GET", "/usage")).json()).toEqual([])
  })

  it("that the credit does not cover is 402", function* ({ ask, transcribe }) {
    yield* ask("POST", "/reset")
    yield* ask("PATCH", "/account", { credits: 2 })
    expect((yield* transcribe(validForm())).status).toBe(402)
    expect((yield* ask("GET", "/account")).json().credits).toBe(2)
    yield* ask("PATCH", "/account", { credits: 3 })
    expect((yield* transcribe(validForm())).status).toBe(200)
    expect((yield* ask("GET", "/account")).json().credits).toBe(0)
  })

  it("is paid for by 60 of 100 at once, where the credit covers 60", function* ({ ask, transcribe }) {
    yield* ask("POST", "/reset")
    yield* ask("PATCH", "/account", { credits: 180 })
    // All of them are under way before the first is paid for.
    yield* ask("PUT", "/faults", [{ operation: "transcribe", delayMillis: 1000 }])
    const answers = yield* Effect.all(
      Array.from({ length: 100 }, () => transcribe(validForm())),
      { concurrency: "unbounded" }
    )
    expect(answers.filter(({ status }) => status === 200).length).toBe(60)
    yield* ask("PUT", "/faults", [])
    expect(answers.filter(({ status }) => status === 402).length).toBe(40)
    expect((yield* ask("GET", "/account")).json().credits).toBe(0)
  })

  it.each([
    { what: "cut off", fault: { truncateAtByte: 10 } },
    { what: "kept from its end", fault: { stallAtByte: 10 } },
    { what: "held back until nobody waits", fault: { delayMillis: 60_000 } }
  ])(
    "whose answer is $what costs nothing, and what was kept for it is free again",
    function* ({ ask, send, transcribe, key }, { fault }) {
      yield* ask("POST", "/reset")
      yield* ask("PATCH", "/account", { credits: 3 })
      yield* ask("PUT", "/faults", [{ operation: "transcribe", times: 1, ...fault }])
      const headers = { "X-Api-Key": key, "Content-Type": formType }
      const request = { path: "/api/transcribe", headers, body: validForm(), timeoutMillis: 500 }
      yield* Effect.exit(send("stt", request, { failing: true }))
      expect((yield* ask("GET", "/usage")).json()).toEqual([])
      const answer = yield* eventually(transcribe(validForm()), ({ status }) => status === 200)
      expect(answer.status).toBe(200)
      expect((yield* ask("GET", "/usage")).json()).toMatchObject([{ calls: 1, units: 1, credits: 3 }])
    }
  )

  it("and a synthesis are told apart in the usage", function* ({ ask, synthesize, transcribe }) {
    yield* ask("POST", "/reset")
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

import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { message, synthesisRequest, transcriptionRequest, validForm } from "./support/messages.js"
import { blackBox, cannedService, serviceTests } from "./support/service.js"

const text = '{"text":"ten chars!","output_format":"24000:pcm16"}'
/** Bytes of the audio of `text`. */
const length = 4800
const request = (key: string) => synthesisRequest(key, text, { Connection: "close", "X-Request-Id": "mine" })
const failing = { failing: true } as const
const undescribed = { failing: true, undescribed: true } as const

serviceTests("a fault", cannedService({ bodyIdle: "500 millis" }), (it) => {
  const setFaults = (...faults: ReadonlyArray<object>) =>
    Effect.flatMap(blackBox, ({ ask }) =>
      Effect.map(ask("PUT", "/faults", faults), ({ status }) => expect(status).toBe(200))
    )
  const statuses = (count: number) =>
    Effect.flatMap(blackBox, ({ synthesize }) =>
      Effect.replicateEffect(
        Effect.map(synthesize({ text: "a" }, {}, failing), ({ status }) => status),
        count
      )
    )

  it("gives an operation any status of its own, with its error body", function* ({ synthesize, transcribe }) {
    for (const status of [400, 401, 402, 403, 500, 503]) {
      yield* setFaults({ status, message: "as asked" })
      const answer = yield* transcribe(validForm(), {}, failing)
      expect(answer.status).toBe(status)
      expect(answer.json()).toEqual({ status: "error", error: expect.any(String), message: "as asked" })
    }
    for (const status of [400, 401, 500, 502]) {
      yield* setFaults({ status })
      const answer = yield* synthesize({ text: "a" }, {}, failing)
      expect([answer.status, answer.json()]).toEqual([status, { error: "this failure is an injected fault" }])
    }
  })

  it("may give any other status, with headers", function* ({ synthesize }) {
    for (const status of [204, 304, 302, 418, 429, 504, 599]) {
      yield* setFaults({ status, headers: { "Retry-After": "7" } })
      const answer = yield* synthesize({ text: "a" }, {}, undescribed)
      expect([answer.status, answer.headers["retry-after"]]).toEqual([status, "7"])
    }
  })

  it("gives any body with a 200", function* ({ synthesize, transcribe }) {
    for (const body of ["<html>502</html>", "", "{", '{"status":"error"}']) {
      yield* setFaults({ body })
      for (const answer of [
        yield* synthesize({ text: "a" }, {}, undescribed),
        yield* transcribe(validForm(), {}, undescribed)
      ]) {
        expect([answer.status, answer.text]).toEqual([200, body])
      }
    }
  })

  it("replaces and removes headers", function* ({ synthesize }) {
    yield* setFaults({ headers: { "X-Sample-Rate": "8000", "x-encoding": null, "X-Odd": "1" } })
    const answer = yield* synthesize({ text: "a" }, {}, undescribed)
    expect(answer.headers).toMatchObject({ "x-sample-rate": "8000", "x-odd": "1" })
    expect(answer.headers).not.toHaveProperty("x-encoding")
    expect(answer.bytes.length).toBe(960)
  })

  it("replaces and removes headers of a truncated response", function* ({ key, raw }) {
    const headers = { "Content-Type": null, "Content-Length": "5000", "X-Odd": "1" }
    yield* setFaults({ headers, truncateAtByte: 10 })
    const { answer } = yield* raw("tts", request(key), { answers: 0 })
    expect(answer.headers).toMatchObject({ "content-length": "5000", "x-odd": "1" })
    expect(answer.headers).not.toHaveProperty("content-type")
    expect(answer.bytes.length).toBe(10)
  })

  it("delays a response", function* ({ synthesize }) {
    yield* setFaults({ delayMillis: 100 })
    const started = performance.now()
    expect((yield* synthesize({ text: "a" })).status).toBe(200)
    expect(performance.now() - started).toBeGreaterThanOrEqual(95)
  })

  it.each(["request", "answer"])("resets the connection at the %s", function* ({ key, raw }, reset) {
    yield* setFaults({ reset })
    const { answers, ended } = yield* raw("tts", request(key), { answers: 0 })
    expect([answers, ended]).toEqual([[], "reset"])
  })

  it.each([0, 1, 1000, length - 1])(
    "closes the connection after %i bytes of the audio",
    function* ({ key, raw }, truncateAtByte) {
      yield* setFaults({ truncateAtByte })
      const { answer, ended } = yield* raw("tts", request(key), { answers: 0 })
      expect(answer.headers["content-length"]).toBe(String(length))
      expect([answer.status, answer.complete, answer.bytes.length]).toEqual([200, false, truncateAtByte])
      expect(ended).not.toBe("enough")
    }
  )

  it.each([0, 1, 1000])("stops after %i bytes of the audio", function* ({ key, service }, stallAtByte) {
    yield* setFaults({ stallAtByte })
    const headers = { "X-API-Key": key, "Content-Type": "application/json" }
    const response = yield* Effect.promise(() =>
      fetch(`${service.ttsBaseUrl}/tts/bytes`, { method: "POST", headers, body: text })
    )
    const reader = response.body?.getReader()
    const next = Effect.promise(async () => reader?.read())
    let bytes = 0
    while (bytes < stallAtByte) bytes += (yield* next)?.value?.length ?? stallAtByte + 1
    expect(bytes).toBe(stallAtByte)
    expect(yield* Effect.timeoutTo(next, { duration: 50, onSuccess: () => "more", onTimeout: () => "nothing" })).toBe(
      "nothing"
    )
    yield* Effect.promise(async () => reader?.cancel())
  })

  it("truncates an error and a transcript", function* ({ key, raw }) {
    yield* setFaults({ truncateAtByte: 5 })
    const error = yield* raw("tts", synthesisRequest(key, "{}"), { answers: 0 })
    expect(error.answer).toMatchObject({ status: 400, complete: false, text: '{"err' })
    const transcript = yield* raw("stt", transcriptionRequest(key, validForm()), { answers: 0 })
    expect(transcript.answer).toMatchObject({ complete: false, text: '{"sta' })
  })

  it("sends a malformed header", function* ({ key, raw }) {
    yield* setFaults({ malformedHeader: true })
    const received = yield* Effect.catchAllDefect(raw("tts", request(key), { answers: 0 }), (defect) =>
      Effect.succeed(String(defect))
    )
    expect(received).toContain("is not a header")
  })

  it.each([
    { fault: { nth: 3 }, expected: [200, 200, 500, 500, 500] },
    { fault: { times: 2 }, expected: [500, 500, 200, 200] },
    { fault: { nth: 2, times: 1 }, expected: [200, 500, 200, 200] },
    { fault: { every: 3 }, expected: [200, 200, 500, 200, 200, 500, 200] },
    { fault: { every: 2, nth: 1, times: 2 }, expected: [500, 200, 500, 200, 200] },
    { fault: { probability: 0 }, expected: [200, 200, 200, 200] },
    { fault: { probability: 1 }, expected: [500, 500, 500] },
    { fault: { operation: "transcribe" }, expected: [200, 200] },
    { fault: { operation: "synthesize" }, expected: [500, 500] }
  ])("with $fault gives $expected", function* ({ ask }, { expected, fault }) {
    yield* setFaults({ ...fault, status: 500 })
    expect(yield* statuses(expected.length)).toEqual(expected)
    const [{ happened }] = (yield* ask("GET", "/faults")).json()
    expect(happened).toBe(expected.filter((status) => status === 500).length)
  })

  it("of a probability happens to the same requests for the same seed", function* () {
    const statusesFor = (seed: number) =>
      Effect.zipRight(setFaults({ status: 500, probability: 0.5, seed }), statuses(24))
    const once = yield* statusesFor(7)
    expect(yield* statusesFor(7)).toEqual(once)
    expect(yield* statusesFor(8)).not.toEqual(once)
    for (const status of [200, 500]) expect(once.filter((each) => each === status).length).toBeGreaterThan(4)
  })

  it("counts each request, and only the first fault that applies happens", function* () {
    yield* setFaults({ status: 500, times: 1 }, { status: 502, nth: 3 })
    expect(yield* statuses(4)).toEqual([500, 200, 502, 502])
  })

  it("happens also if the key is wrong and the body malformed", function* ({ synthesize }) {
    yield* setFaults({ status: 500 })
    expect((yield* synthesize("{", { "X-API-Key": "a.b" }, failing)).status).toBe(500)
  })

  it("happens only after the body: a stalled body is 408", function* ({ raw }) {
    yield* setFaults({ status: 500 })
    const head = message("POST /tts/bytes HTTP/1.1", { Host: "127.0.0.1", "Content-Length": 100 }, "{")
    expect((yield* raw("tts", head, failing)).answer.status).toBe(408)
  })

  it("does not happen on other paths, methods and the platform", function* ({ ask, send }) {
    yield* setFaults({ status: 500 })
    expect((yield* send("tts", { path: "/nowhere" })).status).toBe(404)
    expect((yield* send("stt", { method: "GET", path: "/api/transcribe" })).status).toBe(405)
    expect((yield* ask("GET", "/account")).status).toBe(200)
    expect((yield* ask("GET", "/faults")).json()).toEqual([{ fault: { status: 500 }, happened: 0 }])
  })

  it("is recorded in the journal with the request id of its response", function* ({ ask }) {
    yield* setFaults({ status: 502, times: 1 })
    yield* statuses(2)
    const entries: ReadonlyArray<object> = (yield* ask("GET", "/requests")).json()
    expect(entries.slice(-2)).toMatchObject([
      { status: 502, outcome: "faulted", id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      { status: 200, outcome: "answered" }
    ])
  })

  const invalid = {
    status: [199, 600, "500", 500.5],
    delayMillis: [-1, 3_600_001],
    reset: ["now"],
    truncateAtByte: [-1],
    stallAtByte: [0.5],
    malformedHeader: [false],
    afterMillis: [-1, 0.5],
    forMillis: [0, "1"],
    headers: [{ a: 1 }, { a: "b\r\nc: d" }, { a: "ब" }, { "a b": "c" }, { "": "c" }],
    every: [0, 1.5],
    nth: [0],
    times: [0, 1.5],
    probability: [1.1, -0.1],
    operation: ["both"],
    seed: ["x"],
    odd: [1]
  }
  it.each<[faults: unknown, message: string]>([
    [[{}], "0"],
    [[{ nth: 1 }], "must say what happens"],
    [{}, ""],
    [[null], "0"],
    [[{ status: 500 }, { status: 99 }], "1.status"],
    ...Object.entries(invalid).flatMap(([name, values]) =>
      values.map((value): [unknown, string] => [[{ status: 500, [name]: value }], `0.${name}`])
    )
  ])("%j is 400, names %s and changes nothing", function* ({ ask }, [faults, message]) {
    yield* setFaults({ status: 503, nth: 1000 })
    const answer = yield* ask("PUT", "/faults", faults)
    expect(answer.status).toBe(400)
    expect(answer.json().error).toContain(message)
    expect((yield* ask("GET", "/faults")).json()).toEqual([{ fault: { status: 503, nth: 1000 }, happened: 0 }])
  })
})

import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { formType, message, validForm } from "./support/messages.js"
import { blackBox, cannedService } from "./support/service.js"

const text = '{"text":"ten chars!","output_format":"24000:pcm16"}'
const length = 4800
const request = (key: string) =>
  message(
    "POST /tts/bytes HTTP/1.1",
    {
      Host: "127.0.0.1",
      Connection: "close",
      "X-API-Key": key,
      "X-Request-Id": "mine",
      "Content-Type": "application/json",
      "Content-Length": text.length
    },
    text
  )
const asked = { failing: true } as const

layer(cannedService({ bodyIdleMillis: 1000 }), { excludeTestServices: true })("a fault", (it) => {
  /** Sets faults, and takes them away again. */
  const withFaults = <A, R>(faults: ReadonlyArray<object>, use: Effect.Effect<A, never, R>) =>
    Effect.gen(function* () {
      const { ask } = yield* blackBox
      expect((yield* ask("PUT", "/faults", faults)).status).toBe(200)
      return yield* Effect.ensuring(use, ask("PUT", "/faults", []))
    })
  const statuses = (count: number) =>
    Effect.gen(function* () {
      const { synthesize } = yield* blackBox
      const answers = yield* Effect.all(Array.from({ length: count }, () => synthesize({ text: "a" }, {}, asked)))
      return answers.map(({ status }) => status)
    })

  it.effect.each([400, 401, 402, 403, 500, 503])("of status %i is that on transcription, in its shape", (status) =>
    withFaults(
      [{ status, message: "as asked" }],
      Effect.gen(function* () {
        const { transcribe } = yield* blackBox
        const answer = yield* transcribe(validForm(), {}, asked)
        expect(answer.status).toBe(status)
        expect(answer.json()).toEqual({ status: "error", error: expect.any(String), message: "as asked" })
      })
    )
  )

  it.effect.each([400, 401, 500, 502])("of status %i is that on synthesis, in its shape and with its id", (status) =>
    withFaults(
      [{ status }],
      Effect.gen(function* () {
        const { synthesize } = yield* blackBox
        const answer = yield* synthesize({ text: "a" }, { "X-Request-Id": "mine" }, asked)
        expect(answer.status).toBe(status)
        expect(answer.json()).toEqual({ error: "this failure is an injected fault" })
        expect(answer.headers["x-request-id"]).toBe("mine")
      })
    )
  )

  it.effect.each([204, 304, 302, 418, 429, 504, 599])("may be of status %i, which nobody describes", (status) =>
    withFaults(
      [{ status, headers: { "Retry-After": "7" } }],
      Effect.gen(function* () {
        const { synthesize } = yield* blackBox
        const answer = yield* synthesize({ text: "a" }, {}, { failing: true, undescribed: true })
        expect(answer.status).toBe(status)
        expect(answer.headers["retry-after"]).toBe("7")
      })
    )
  )

  it.effect.each(["<html>502</html>", "", "{", '{"status":"error"}'])("with the body %j says that, as a 200", (body) =>
    withFaults(
      [{ body }],
      Effect.gen(function* () {
        const { synthesize, transcribe } = yield* blackBox
        for (const answer of [
          yield* synthesize({ text: "a" }, {}, { undescribed: true }),
          yield* transcribe(validForm(), {}, { undescribed: true })
        ]) {
          expect([answer.status, answer.text]).toEqual([200, body])
        }
      })
    )
  )

  it.effect("changes and leaves out headers of an answer that is otherwise right", () =>
    withFaults(
      [{ headers: { "X-Sample-Rate": "8000", "x-encoding": null, "X-Odd": "1" } }],
      Effect.gen(function* () {
        const { synthesize } = yield* blackBox
        const answer = yield* synthesize({ text: "a" }, {}, { undescribed: true })
        expect(answer.headers).toMatchObject({ "x-sample-rate": "8000", "x-odd": "1" })
        expect(answer.headers).not.toHaveProperty("x-encoding")
        expect(answer.bytes.length).toBe(960)
      })
    )
  )

  it.effect("changes and leaves out headers of an answer that it cuts off", () =>
    withFaults(
      [{ headers: { "Content-Type": null, "Content-Length": "5000", "X-Odd": "1" }, truncateAtByte: 10 }],
      Effect.gen(function* () {
        const { key, raw } = yield* blackBox
        const { answer } = yield* raw("tts", request(key), { answers: 0 })
        expect(answer.headers).toMatchObject({ "content-length": "5000", "x-odd": "1" })
        expect(answer.headers).not.toHaveProperty("content-type")
        expect(answer.bytes.length).toBe(10)
      })
    )
  )

  it.effect("keeps an answer back for as long as it says", () =>
    withFaults(
      [{ delayMillis: 300 }],
      Effect.gen(function* () {
        const { synthesize } = yield* blackBox
        const started = performance.now()
        expect((yield* synthesize({ text: "a" })).status).toBe(200)
        expect(performance.now() - started).toBeGreaterThanOrEqual(295)
      })
    )
  )

  it.effect.each(["request", "answer"])("resets the connection at the %s", (reset) =>
    withFaults(
      [{ reset }],
      Effect.gen(function* () {
        const { key, raw } = yield* blackBox
        const { answers, ended } = yield* raw("tts", request(key), { answers: 0 })
        expect([answers, ended]).toEqual([[], "reset"])
      })
    )
  )

  it.effect.each([0, 1, 1000, length - 1])("ends the connection after %i bytes of the audio", (truncateAtByte) =>
    withFaults(
      [{ truncateAtByte }],
      Effect.gen(function* () {
        const { key, raw } = yield* blackBox
        const { answer, ended } = yield* raw("tts", request(key), { answers: 0 })
        expect(answer.headers["content-length"]).toBe(String(length))
        expect([answer.status, answer.complete, answer.bytes.length]).toEqual([200, false, truncateAtByte])
        expect(ended).not.toBe("enough")
      })
    )
  )

  it.effect.each([0, 1, 1000])("sends %i bytes of the audio, and then nothing", (stallAtByte) =>
    withFaults(
      [{ stallAtByte }],
      Effect.gen(function* () {
        const { key, service } = yield* blackBox
        const received = yield* Effect.promise(async () => {
          const response = await fetch(`${service.ttsBaseUrl}/tts/bytes`, {
            method: "POST",
            headers: { "X-API-Key": key, "Content-Type": "application/json" },
            body: text,
            signal: AbortSignal.timeout(400)
          })
          let bytes = 0
          try {
            for await (const part of response.body ?? []) bytes += part.length
            return "it ended"
          } catch (error) {
            return error instanceof Error && error.name === "TimeoutError" ? bytes : error
          }
        })
        expect(received).toBe(stallAtByte)
      })
    )
  )

  it.effect("cuts an error too", () =>
    withFaults(
      [{ truncateAtByte: 5 }],
      Effect.gen(function* () {
        const { key, raw } = yield* blackBox
        const headers = { Host: "127.0.0.1", "X-API-Key": key, "Content-Type": "application/json", "Content-Length": 2 }
        const { answer } = yield* raw("tts", message("POST /tts/bytes HTTP/1.1", headers, "{}"), { answers: 0 })
        expect(answer).toMatchObject({ status: 400, complete: false, text: '{"err' })
      })
    )
  )

  it.effect("cuts a transcript too", () =>
    withFaults(
      [{ truncateAtByte: 5 }],
      Effect.gen(function* () {
        const { key, raw } = yield* blackBox
        const body = validForm()
        const headers = { Host: "127.0.0.1", "X-Api-Key": key, "Content-Type": formType, "Content-Length": body.length }
        const { answer } = yield* raw("stt", message("POST /api/transcribe HTTP/1.1", headers, body), { answers: 0 })
        expect(answer).toMatchObject({ complete: false, text: '{"sta' })
      })
    )
  )

  it.effect("answers with a header that is none", () =>
    withFaults(
      [{ malformedHeader: true }],
      Effect.gen(function* () {
        const { key, raw } = yield* blackBox
        const heard = yield* Effect.catchAllDefect(raw("tts", request(key), { answers: 0 }), (defect) =>
          Effect.succeed(String(defect))
        )
        expect(heard).toContain("is not a header")
      })
    )
  )

  it.effect.each([
    { fault: { nth: 3 }, of: 5, met: [200, 200, 500, 500, 500] },
    { fault: { times: 2 }, of: 4, met: [500, 500, 200, 200] },
    { fault: { nth: 2, times: 1 }, of: 4, met: [200, 500, 200, 200] },
    { fault: { probability: 0 }, of: 4, met: [200, 200, 200, 200] },
    { fault: { probability: 1 }, of: 3, met: [500, 500, 500] },
    { fault: { operation: "transcribe" }, of: 2, met: [200, 200] },
    { fault: { operation: "synthesize" }, of: 2, met: [500, 500] }
  ])("with $fault meets the requests that it is for", ({ fault, met, of }) =>
    withFaults(
      [{ ...fault, status: 500 }],
      Effect.gen(function* () {
        const { ask } = yield* blackBox
        expect(yield* statuses(of)).toEqual(met)
        const [{ happened }] = (yield* ask("GET", "/faults")).json()
        expect(happened).toBe(met.filter((status) => status === 500).length)
      })
    )
  )

  it.effect("of a probability meets the same requests for the same seed, and others for another", () =>
    Effect.gen(function* () {
      const met = (seed: number) => withFaults([{ status: 500, probability: 0.5, seed }], statuses(24))
      const once = yield* met(7)
      expect(yield* met(7)).toEqual(once)
      expect(yield* met(8)).not.toEqual(once)
      expect(once.filter((status) => status === 500).length).toBeGreaterThan(4)
      expect(once.filter((status) => status === 200).length).toBeGreaterThan(4)
    })
  )

  it.effect("of several is the first that meets a request, and each counts it", () =>
    withFaults(
      [
        { status: 500, times: 1 },
        { status: 502, nth: 3 }
      ],
      Effect.gen(function* () {
        expect(yield* statuses(4)).toEqual([500, 200, 502, 502])
      })
    )
  )

  it.effect("happens to a request with a wrong key, or with a body that is none", () =>
    withFaults(
      [{ status: 500 }],
      Effect.gen(function* () {
        const { synthesize } = yield* blackBox
        expect((yield* synthesize("{", { "X-API-Key": "a.b" }, asked)).status).toBe(500)
      })
    )
  )

  it.effect("waits for no body that has stopped to come", () =>
    withFaults(
      [{ status: 500 }],
      Effect.gen(function* () {
        const { raw } = yield* blackBox
        const head = message("POST /tts/bytes HTTP/1.1", { Host: "127.0.0.1", "Content-Length": 100 }, "{")
        expect((yield* raw("tts", head, asked)).answer.status).toBe(408)
      })
    )
  )

  it.effect("does not happen to what is for no operation, nor to the platform", () =>
    withFaults(
      [{ status: 500 }],
      Effect.gen(function* () {
        const { ask, send } = yield* blackBox
        expect((yield* send("tts", { path: "/nowhere" })).status).toBe(404)
        expect((yield* send("stt", { method: "GET", path: "/api/transcribe" })).status).toBe(405)
        expect((yield* ask("GET", "/account")).status).toBe(200)
        expect((yield* ask("GET", "/faults")).json()).toEqual([{ fault: { status: 500 }, happened: 0 }])
      })
    )
  )

  it.effect("is told in the journal", () =>
    withFaults(
      [{ status: 502, times: 1 }],
      Effect.gen(function* () {
        const { ask } = yield* blackBox
        yield* statuses(2)
        const entries: ReadonlyArray<object> = (yield* ask("GET", "/requests")).json()
        expect(entries.slice(-2)).toMatchObject([
          // With the id of its answer, by which a retry is known.
          { status: 502, outcome: "faulted", id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
          { status: 200, outcome: "answered" }
        ])
      })
    )
  )

  it.effect.each([
    { faults: [{}], names: "0" },
    { faults: [{ nth: 1 }], names: "must say what happens" },
    { faults: {}, names: "" },
    { faults: [null], names: "0" },
    { faults: [{ status: 500 }, { status: 99 }], names: "1.status" },
    { faults: [{ status: 199 }], names: "0.status" },
    { faults: [{ status: 600 }], names: "0.status" },
    { faults: [{ status: "500" }], names: "0.status" },
    { faults: [{ status: 500.5 }], names: "0.status" },
    { faults: [{ status: 500, nth: 0 }], names: "0.nth" },
    { faults: [{ status: 500, times: 0 }], names: "0.times" },
    { faults: [{ status: 500, times: 1.5 }], names: "0.times" },
    { faults: [{ status: 500, probability: 1.1 }], names: "0.probability" },
    { faults: [{ status: 500, probability: -0.1 }], names: "0.probability" },
    { faults: [{ status: 500, operation: "both" }], names: "0.operation" },
    { faults: [{ status: 500, seed: "x" }], names: "0.seed" },
    { faults: [{ status: 500, odd: 1 }], names: "0.odd" },
    { faults: [{ delayMillis: -1 }], names: "0.delayMillis" },
    { faults: [{ delayMillis: 3_600_001 }], names: "0.delayMillis" },
    { faults: [{ reset: "now" }], names: "0.reset" },
    { faults: [{ truncateAtByte: -1 }], names: "0.truncateAtByte" },
    { faults: [{ stallAtByte: 0.5 }], names: "0.stallAtByte" },
    { faults: [{ malformedHeader: false }], names: "0.malformedHeader" },
    { faults: [{ headers: { a: 1 } }], names: "0.headers" },
    { faults: [{ headers: { a: "b\r\nc: d" } }], names: "0.headers" },
    { faults: [{ headers: { a: "ब" } }], names: "0.headers" },
    { faults: [{ headers: { "a b": "c" } }], names: "0.headers" },
    { faults: [{ headers: { "": "c" } }], names: "0.headers" }
  ])("of $faults is 400, names $names and changes nothing", ({ faults, names }) =>
    Effect.gen(function* () {
      const { ask } = yield* blackBox
      yield* ask("PUT", "/faults", [{ status: 503, nth: 1000 }])
      const answer = yield* ask("PUT", "/faults", faults)
      expect(answer.status).toBe(400)
      expect(answer.json().error).toContain(names)
      expect((yield* ask("GET", "/faults")).json()).toEqual([{ fault: { status: 503, nth: 1000 }, happened: 0 }])
    })
  )
})

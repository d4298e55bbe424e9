/** The telemetry of calls, as a program reads it. */

import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { describe, expect, it } from "@effect/vitest"
import { SpeechMetrics } from "@effect-speech/transport"
import { TextToSpeech } from "@effect-speech/tts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { recordingTracer } from "effect-speech-test-support/telemetry"

/** A service that answers each request with a status, after a second. Without a status, the connection is lost. */
const clientOf = (baseUrl: string, status: number | undefined, concurrency = 64) =>
  Layer.provide(
    TextToSpeech.layer({ apiKey: Redacted.make("prefix.topsecret"), baseUrl, retries: 1, concurrency }),
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((request) =>
        Effect.delay(
          status === undefined
            ? Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport" }))
            : Effect.sync(() => HttpClientResponse.fromWeb(request, new Response("{}", { status }))),
          "1 second"
        )
      )
    )
  )

const settled = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.exit(effect))
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

const say = Effect.flatMap(TextToSpeech, (tts) => tts.synthesize({ text: "a text that is private", lang: "en" }))

describe("the duration of calls", () => {
  it.effect("is a histogram in seconds, by operation, error and server", () =>
    Effect.gen(function* () {
      yield* settled(say)
      const attributes = { operation: "synthesize", serverAddress: "durations.example" }
      const failed = SpeechMetrics.operationDuration({ ...attributes, errorType: "TtsBadRequest" })
      const { buckets, count, sum } = yield* Metric.value(failed)
      expect([count, sum]).toEqual([1, 1])
      const boundaries = [...buckets].map(([boundary]) => boundary)
      expect([boundaries[0], boundaries.at(-2)]).toEqual([0.005, 3600])
      expect((yield* Metric.value(SpeechMetrics.operationDuration(attributes))).count).toBe(0)
      const attempts = SpeechMetrics.attempts({ ...attributes, status: 400, errorType: "400" })
      expect((yield* Metric.value(attempts)).count).toBe(1)
    }).pipe(Effect.provide(clientOf("https://durations.example/a-path/that-is-private", 400)))
  )

  it.effect("has the waits for a turn beside it", () =>
    Effect.gen(function* () {
      yield* settled(Effect.all([Effect.either(say), Effect.either(say), Effect.either(say)], { concurrency: 3 }))
      const waits = SpeechMetrics.queueDuration({
        operation: "synthesize",
        serverAddress: "queues.example",
        serverPort: 8443
      })
      const { count, max } = yield* Metric.value(waits)
      expect([count, max]).toEqual([2, 2])
    }).pipe(Effect.provide(clientOf("https://queues.example:8443", 400, 1)))
  )
})

describe("the spans of a call", () => {
  it.effect("are of the kind client, name the server, and hold neither text, key nor path", () =>
    Effect.gen(function* () {
      const { spans, tracer } = recordingTracer()
      yield* Effect.withTracer(settled(say), tracer)
      const server = { "server.address": "spans.example", "server.port": 443 }
      expect(spans.map(({ attributes, kind, name }) => ({ attributes, kind, name }))).toMatchObject([
        {
          name: "speech.attempt",
          kind: "client",
          attributes: {
            ...server,
            "http.request.method": "POST",
            "http.response.status_code": 400,
            "error.type": "400"
          }
        },
        {
          name: "speech.synthesize",
          kind: "client",
          attributes: { ...server, "speech.operation": "synthesize", "error.type": "TtsBadRequest" }
        }
      ])
      const attributes = JSON.stringify(spans.map(({ attributes }) => attributes))
      for (const secret of ["private", "topsecret"]) expect(attributes).not.toContain(secret)
    }).pipe(Effect.provide(clientOf("https://spans.example/private", 400)))
  )
})

describe("an attempt", () => {
  it.effect.each([
    { host: "unavailable.example", status: 503, errorType: "503" },
    { host: "odd.example", status: 200, errorType: "TtsInvalidResponse" },
    { host: "gone.example", status: undefined, errorType: "TtsConnectionFailed" }
  ])("has the same error.type in its span and in the counter: $errorType", ({ errorType, host, status }) =>
    Effect.gen(function* () {
      const { spans, tracer } = recordingTracer()
      yield* Effect.withTracer(settled(say), tracer)
      const attempts = spans.filter(({ name }) => name === "speech.attempt")
      expect(attempts.length).toBeGreaterThan(0)
      for (const { attributes } of attempts) expect(attributes["error.type"]).toBe(errorType)
      const counter = SpeechMetrics.attempts({ operation: "synthesize", serverAddress: host, status, errorType })
      expect((yield* Metric.value(counter)).count).toBe(attempts.length)
    }).pipe(Effect.provide(clientOf(`https://${host}`, status)))
  )
})

it("the metrics are values of the package, and a misspelt attribute does not compile", () => {
  // @ts-expect-error: it is serverAddress
  expect(SpeechMetrics.operationDuration({ operation: "transcribe", address: "host.example" })).toBeDefined()
})

/**
 * What a person on call looks at: many calls at once over a fetch client that adds a header, a deadline of one call, retries
 * by a Schedule, an interrupted call, and the metrics and spans of all of them.
 */

import assert from "node:assert/strict"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { LocalService } from "@effect-speech/local-service"
import { AudioSource, SpeechToText } from "@effect-speech/stt"
import { SpeechMetrics } from "@effect-speech/transport"
import { TextToSpeech, type TtsError } from "@effect-speech/tts"
import { Console, Effect, Fiber, Layer, Metric, Option, Ref, Schedule, Tracer } from "effect"

/** Keeps the spans that have begun. */
export const makeSpans = Effect.map(Effect.tracer, (tracer) => {
  const spans: Array<Tracer.Span> = []
  const layer = Layer.setTracer(
    Tracer.make({
      context: tracer.context,
      span: (...options) => {
        const span = tracer.span(...options)
        spans.push(span)
        return span
      }
    })
  )
  return { spans, layer }
})

/** Fetch, with a header on each request, and a count of the requests. */
export const makeClient = (requests: Ref.Ref<number>) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) =>
      client.pipe(
        HttpClient.mapRequest(HttpClientRequest.setHeader("x-department", "timetables")),
        HttpClient.tapRequest((request) =>
          request.headers["x-department"] === "timetables" ? Ref.update(requests, (count) => count + 1) : Effect.void
        )
      )
    )
  ).pipe(Layer.provide(FetchHttpClient.layer))

export const clients = (warnings: Ref.Ref<ReadonlyArray<string>>) =>
  Layer.unwrapEffect(
    Effect.map(LocalService, ({ apiKey, sttBaseUrl, ttsBaseUrl }) =>
      Layer.merge(
        TextToSpeech.layer({
          apiKey,
          baseUrl: ttsBaseUrl,
          concurrency: "unbounded",
          retries: Schedule.spaced("50 millis").pipe(
            Schedule.intersect(Schedule.recurs(3)),
            Schedule.tapInput((error: TtsError) => Ref.update(warnings, (before) => [...before, error._tag]))
          )
        }),
        SpeechToText.layer({ apiKey, baseUrl: sttBaseUrl, concurrency: "unbounded", retries: 0 })
      )
    )
  )

export const program = (requests: Ref.Ref<number>, warnings: Ref.Ref<ReadonlyArray<string>>) =>
  Effect.gen(function* () {
    const service = yield* LocalService
    const tts = yield* TextToSpeech
    const stt = yield* SpeechToText

    yield* Effect.forEach(Array.from({ length: 100 }), (_, index) => tts.synthesize({ text: `${index}`, lang: "en" }), {
      concurrency: "unbounded"
    })

    yield* service.faults.set([{ operation: "synthesize", status: 502, times: 3 }])
    const retried = yield* tts.synthesize({ text: "after three failures", lang: "en" })
    assert.deepEqual(
      retried.call.attempts.map(({ status }) => status),
      [502, 502, 502, 200]
    )
    assert.deepEqual(yield* Ref.get(warnings), ["TtsBackendFailed", "TtsBackendFailed", "TtsBackendFailed"])

    yield* service.faults.set([{ operation: "synthesize", delayMillis: 60_000 }])
    const late = yield* tts
      .synthesize({ text: "on the phone", lang: "en" }, { deadlines: { total: "200 millis" } })
      .pipe(Effect.flip)
    assert.ok(late._tag === "TtsDeadlineExceeded" && late.phase === "total" && late.limitMillis === 200)

    yield* service.faults.set([{ operation: "transcribe", delayMillis: 60_000 }])
    const begun = yield* Effect.fork(
      stt.transcribe({ audio: AudioSource.fromBytes(new Uint8Array(1000)), model: "en-general-v2-8khz" })
    )
    yield* Effect.repeat(service.requests, {
      until: (all) => all.at(-1)?.operation === "transcribe",
      schedule: Schedule.spaced("10 millis")
    })
    yield* Fiber.interrupt(begun)
    assert.equal((yield* service.requests).at(-1)?.status, null)

    const { hostname, port } = new URL(service.ttsBaseUrl)
    const server = { operation: "synthesize", serverAddress: hostname, serverPort: Number(port) }
    const done = yield* Metric.value(SpeechMetrics.operationDuration(server))
    const exceeded = yield* Metric.value(
      SpeechMetrics.operationDuration({ ...server, errorType: "TtsDeadlineExceeded" })
    )
    const failedAttempts = yield* Metric.value(SpeechMetrics.attempts({ ...server, status: 502, errorType: "502" }))
    assert.deepEqual([done.count, exceeded.count, failedAttempts.count], [101, 1, 3])
    const interrupted = yield* Metric.value(
      SpeechMetrics.operationDuration({
        operation: "transcribe",
        serverAddress: hostname,
        serverPort: Number(new URL(service.sttBaseUrl).port),
        errorType: "interrupted"
      })
    )
    assert.equal(interrupted.count, 1)
    assert.equal(yield* Ref.get(requests), 106)
    return late
  })

export const main = Effect.gen(function* () {
  const requests = yield* Ref.make(0)
  const warnings = yield* Ref.make<ReadonlyArray<string>>([])
  const { layer, spans } = yield* makeSpans
  const live = clients(warnings).pipe(
    Layer.provideMerge(LocalService.layer()),
    Layer.provide(Layer.merge(makeClient(requests), NodeFileSystem.layer))
  )
  const late = yield* program(requests, warnings).pipe(Effect.provide(live), Effect.provide(layer))

  const named = (name: string) => spans.filter((span) => span.name === name)
  assert.equal(named("speech.synthesize").length, 102)
  assert.equal(named("speech.transcribe").length, 1)
  assert.equal(named("speech.attempt").length, 106)
  // The attempt that the deadline ended may close its connection a little later.
  assert.ok(spans.every(({ name, status }) => name === "speech.attempt" || status._tag === "Ended"))
  const calls = new Set(named("speech.synthesize").map(({ spanId }) => spanId))
  const children = named("speech.attempt").filter((span) => {
    const parent = Option.getOrUndefined(span.parent)
    return parent !== undefined && calls.has(parent.spanId)
  })
  assert.equal(children.length, 105)
  const failed = named("speech.synthesize").filter(({ attributes }) => attributes.has("error.type"))
  assert.deepEqual(
    failed.map(({ attributes }) => [attributes.get("speech.id"), attributes.get("error.type")]),
    [[late.call.sentId, late._tag]]
  )
  yield* Console.log(`ok operations ${spans.length} spans, ${yield* Ref.get(requests)} requests`)
})

NodeRuntime.runMain(main)

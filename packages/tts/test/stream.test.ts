import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { describe, expect, it } from "@effect/vitest"
import { PcmStream } from "@effect-speech/audio-codec"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { untilZero } from "effect-speech-test-support/faultyServer"
import { metricsOf, recordingTracer } from "effect-speech-test-support/telemetry"
import { audio, connect, request, sendAudio, sendChunk } from "./scriptedTts.js"

const beginning = audio.pcm16.subarray(0, 100)

describe("the report of a stream", () => {
  it.scopedLive("says billed after the last byte, also in a copy of the stream", () =>
    Effect.gen(function* () {
      const { tts } = yield* connect(sendAudio())
      const speech = yield* tts.stream(request)
      expect(yield* speech.call).toMatchObject({ sentId: "id-1", billing: "unknown" })
      yield* Stream.runDrain(Stream.take(speech.stream, 1))
      expect(yield* speech.call).toMatchObject({ billing: "unknown" })

      const complete = yield* tts.stream(request)
      const copy = { ...complete }
      yield* Stream.runDrain(complete.stream)
      const report = yield* copy.call
      expect(report).toMatchObject({ sentId: "id-1", billing: "billed", attempts: [{ status: 200 }] })
      expect(yield* complete.call).toBe(report)
    })
  )

  it.scopedLive("is that of the error, if the stream fails", () =>
    Effect.gen(function* () {
      const { tts } = yield* connect(sendChunk(beginning, "destroy", { "content-length": "4000" }))
      const speech = yield* tts.stream(request)
      const error = yield* Effect.flip(Stream.runDrain(speech.stream))
      expect(yield* speech.call).toBe(error.call)
      expect(error.call.billing).toBe("unknown")
    })
  )

  it.scopedLive("does not grow after the stream was left", () =>
    Effect.gen(function* () {
      const { tts } = yield* connect(sendChunk(beginning))
      const clock = Object.create(yield* Effect.clock) as Clock.Clock
      const left = Effect.scoped(
        Effect.tap(tts.stream(request), ({ stream }) => Stream.runDrain(Stream.take(stream, 1)))
      )
      const { call } = yield* Effect.withClock(left, clock)
      const report = yield* call
      clock.unsafeCurrentTimeNanos = () => BigInt(1e18)
      expect(yield* call).toEqual(report)
    })
  )
})

const httpClients = [
  { over: "recommended", httpClient: NodeTransport.layer },
  { over: "node", httpClient: NodeHttpClient.layer }
]

describe("the scope of a stream", () => {
  it.scoped.each(httpClients)("over the layer $over: a second run, or a run after the scope, is a defect", (each) =>
    Effect.gen(function* () {
      const { tts } = yield* connect(sendAudio(), {}, each.httpClient)
      const defectOf = (speech: PcmStream.PcmStream<unknown>) =>
        Effect.map(Effect.flip(Effect.sandbox(PcmStream.collect(speech))), String)
      const kept = yield* Effect.scoped(
        Effect.gen(function* () {
          const speech = yield* tts.stream(request)
          yield* PcmStream.collect(speech)
          expect(yield* defectOf(speech)).toContain("can be read once")
          return yield* tts.stream(request)
        })
      )
      expect(yield* defectOf(kept)).toContain("inside the scope")
    })
  )

  it.scopedLive.each(httpClients)("over the layer $over: closing it ends a running reader", ({ httpClient }) =>
    Effect.gen(function* () {
      const { tts } = yield* connect(sendChunk(beginning), {}, httpClient)
      const inner = yield* Scope.make()
      const { stream } = yield* Scope.extend(tts.stream(request), inner)
      const isReading = yield* Effect.makeLatch()
      const reader = yield* Effect.fork(Stream.runForEach(stream, () => isReading.open))
      yield* isReading.await
      yield* Scope.close(inner, Exit.void)
      const exit = yield* Fiber.await(reader)
      expect(Exit.isFailure(exit) && String(exit.cause)).toContain("inside the scope of its call")
    })
  )

  it.scopedLive("returns the connection when it closes, even if nothing was read", () =>
    Effect.gen(function* () {
      const { server, tts } = yield* connect(sendChunk(audio.pcm16))
      yield* Effect.replicateEffect(Effect.scoped(tts.stream(request)), 10)
      expect(yield* untilZero(server.connections)).toBe(0)
    })
  )
})

describe("the total deadline", () => {
  const total = { deadlines: { total: "300 millis" } } as const
  const exceeded = { _tag: "TtsDeadlineExceeded", phase: "total" }

  it.scopedLive("includes the time of a slow consumer", () =>
    Effect.gen(function* () {
      const body = Buffer.concat(Array.from({ length: 100 }, () => audio.pcm16))
      const { tts } = yield* connect(sendAudio(body, { "x-audio-duration-ms": "25000" }), total)
      const { stream } = yield* tts.stream(request)
      expect(yield* Effect.flip(Stream.runForEach(stream, () => Effect.sleep("200 millis")))).toMatchObject(exceeded)
    })
  )
})

describe("metrics and spans", () => {
  const tagIn = (cause: Cause.Cause<unknown>): string => {
    const [error] = Cause.failures(cause)
    return Predicate.hasProperty(error, "_tag") ? String(error._tag) : "no error"
  }

  const breaksOff = sendChunk(beginning, "destroy", { "content-length": "4000" })
  it.scopedLive.each([
    { how: "is read to its end", outcome: "success", respond: sendAudio() },
    { how: "breaks off", outcome: "TtsConnectionFailed", respond: breaksOff },
    { how: "ends too early", outcome: "TtsCorruptAudio", respond: sendChunk(beginning, "end") },
    { how: "is left early", outcome: "interrupted", respond: sendAudio() }
  ])("have the outcome $outcome for a stream that $how", ({ how, outcome, respond }) =>
    Effect.gen(function* () {
      const { tts } = yield* connect(respond)
      const { spans, tracer } = recordingTracer()
      const call = tts.stream(request).pipe(
        Effect.flatMap(({ stream }) => (how === "is left early" ? Stream.runHead(stream) : Stream.runDrain(stream))),
        Effect.scoped,
        Effect.exit,
        Effect.withTracer(tracer)
      )
      expect(yield* metricsOf(call)).toEqual({
        [`speech.client.operation.duration synthesize${outcome === "success" ? "" : ` ${outcome}`}`]: {
          count: 1,
          seconds: expect.any(Number)
        },
        "speech.client.attempts synthesize 200": 1
      })
      const ended = spans.map(({ exit, name, parent }) => {
        const how = Exit.match(exit, {
          onSuccess: () => "success",
          onFailure: (cause) => (Cause.isInterruptedOnly(cause) ? "interrupted" : tagIn(cause))
        })
        return `${parent === undefined ? "" : `${parent} > `}${name} ${how}`
      })
      expect(ended).toEqual(["speech.synthesize > speech.attempt success", `speech.synthesize ${outcome}`])
    })
  )
})

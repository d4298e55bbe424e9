import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as TestClock from "effect/TestClock"
import { metricsOf, recordingTracer } from "effect-speech-test-support/telemetry"
import { type End, operation, playedTransport, scripted, settled } from "./scriptedTransport.js"

describe("metrics", () => {
  it.effect("count attempts by status, and calls by outcome with their duration", () =>
    Effect.gen(function* () {
      // A clock that starts at 0 would hide a wrong sign in a duration.
      yield* TestClock.adjust("1 hour")
      const { transport } = yield* scripted([503, "ECONNREFUSED"], { retries: { retries: 2 } })
      expect(yield* metricsOf(settled(transport.run(operation())))).toEqual({
        "speech.client.attempts test 503 503": 1,
        "speech.client.attempts test Failed": 1,
        "speech.client.attempts test 200": 1,
        "speech.client.operation.duration test": { count: 1, seconds: expect.closeTo(0.6) }
      })
    })
  )

  it.effect("tell interrupted calls and defects apart", () =>
    Effect.gen(function* () {
      const waiting = yield* playedTransport(() => Effect.never)
      const interrupted = Effect.gen(function* () {
        const fiber = yield* Effect.fork(waiting.run(operation()))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(fiber)
      })
      expect(yield* metricsOf(interrupted)).toEqual({
        "speech.client.operation.duration test interrupted": { count: 1, seconds: expect.closeTo(1) }
      })
      const dying = yield* playedTransport(() => Effect.succeed(new Response("ok")))
      const accept = () => Effect.die(new Error("a defect of the operation"))
      expect(yield* metricsOf(Effect.exit(dying.run({ ...operation(), accept })))).toMatchObject({
        "speech.client.operation.duration test defect": { count: 1 }
      })
    })
  )
})

describe("spans", () => {
  it.effect("show the call with its id, and each attempt with its status and how much was sent", () =>
    Effect.gen(function* () {
      const { spans, tracer } = recordingTracer()
      const { transport } = yield* scripted([503, "ECONNREFUSED", 400], { retries: { retries: 2 } })
      yield* Effect.withTracer(settled(transport.run(operation())), tracer)
      const server = { "server.address": "host.example", "server.port": 443 }
      const attempt = (ownAttributes: object) => ({
        name: "speech.attempt",
        parent: "speech.test",
        kind: "client",
        attributes: { "speech.operation": "test", "http.request.method": "POST", ...server, ...ownAttributes },
        exit: expect.objectContaining({ _tag: "Failure" })
      })
      expect(spans.map(({ events, ...span }) => span)).toEqual([
        attempt({ "http.response.status_code": 503, "error.type": "503", "speech.sent": "all" }),
        attempt({ "http.request.resend_count": 1, "error.type": "Failed", "speech.sent": "nothing" }),
        attempt({
          "http.request.resend_count": 2,
          "http.response.status_code": 400,
          "error.type": "400",
          "speech.sent": "all"
        }),
        {
          name: "speech.test",
          parent: undefined,
          kind: "client",
          attributes: { "speech.operation": "test", "speech.id": "id-1", ...server, "error.type": "Failed" },
          exit: expect.objectContaining({ _tag: "Failure" })
        }
      ])
    })
  )

  it.effect("are absent if tracing is off", () =>
    Effect.gen(function* () {
      const { spans, tracer } = recordingTracer()
      const { transport } = yield* scripted([])
      const open = Effect.gen(function* () {
        const { pull } = yield* transport.open({ ...operation(), accept: ({ pull }) => Effect.succeed({ pull }) })
        while ((yield* pull) !== undefined);
      }).pipe(Effect.scoped, Effect.withTracer(tracer), Effect.withTracerEnabled(false))
      expect(yield* metricsOf(open)).toMatchObject({ "speech.client.operation.duration test": { count: 1 } })
      expect(spans).toEqual([])
    })
  )
})

describe("logs", () => {
  it.effect("have a debug line for each retry, with the id of the call", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.map(Logger.logfmtLogger, (line) => void lines.push(line))
      const ends: Array<End> = [503]
      const { transport } = yield* scripted(ends, { retries: { retries: 2 } })
      const logged = Logger.replace(Logger.defaultLogger, logger)
      yield* settled(transport.run(operation())).pipe(
        Logger.withMinimumLogLevel(LogLevel.Debug),
        Effect.provide(logged)
      )
      expect(lines.length).toBe(1)
      expect(lines[0]).toContain("level=DEBUG")
      expect(lines[0]).toContain('message="test failed with Failed; retry in 200 ms"')
      expect(lines[0]).toContain("speech.id=id-1")
      ends.push(503)
      yield* Effect.provide(settled(transport.run(operation())), logged)
      expect(lines.length).toBe(1)
    })
  )
})

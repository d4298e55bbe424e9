import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as Tracer from "effect/Tracer"
import { type End, operation, playedTransport, scripted, settled } from "./scriptedTransport.js"

const counts = Effect.map(Metric.snapshot, (metrics) =>
  Object.fromEntries(
    metrics.flatMap(({ metricKey, metricState }) => {
      if (!metricKey.name.startsWith("speech_") || !("count" in metricState)) return []
      const name = [metricKey.name, ...metricKey.tags.map(({ key, value }) => `${key}=${value}`)].join(" ")
      return [
        [name, { count: Number(metricState.count), sum: "sum" in metricState ? Number(metricState.sum) : undefined }]
      ]
    })
  )
)

/** What the metrics have counted more while it ran. */
const grownBy = <E, R>(calls: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const before = yield* counts
    yield* calls
    const after = Object.entries(yield* counts)
    return Object.fromEntries(
      after.flatMap(([name, { count, sum = 0 }]) => {
        const earlier = before[name]
        const grown = count - (earlier?.count ?? 0)
        const added = sum - (earlier?.sum ?? 0)
        return grown === 0 ? [] : [[name, name.includes("millis") ? `${grown}, ${added} ms` : grown]]
      })
    )
  })

describe("what is counted", () => {
  it.effect("is each attempt by its status or its loss, and each call by its outcome, with how long it took", () =>
    Effect.gen(function* () {
      // Not from nothing, which would hide what is added for what is taken away.
      yield* TestClock.adjust("1 hour")
      const { transport } = yield* scripted([503, "ECONNREFUSED"], { retries: { retries: 2 } })
      expect(yield* grownBy(settled(transport.run(operation())))).toEqual({
        "speech_attempts operation=test outcome=503": 1,
        "speech_attempts operation=test outcome=lost": 1,
        "speech_attempts operation=test outcome=200": 1,
        "speech_calls operation=test outcome=success": 1,
        "speech_call_duration_millis operation=test outcome=success": "1, 600 ms"
      })
    })
  )

  it.effect("says what it means, and only grows", () =>
    Effect.gen(function* () {
      const { transport } = yield* scripted([])
      // Of a name of its own: a metric is made once for each.
      yield* settled(transport.run({ ...operation(), name: "described" }))
      const metrics = yield* Metric.snapshot
      const keyOf = (name: string) =>
        metrics
          .map(({ metricKey }) => metricKey)
          .find((key) => key.name === name && key.tags.some(({ value }) => value === "described"))
      expect(keyOf("speech_calls")?.keyType).toMatchObject({ incremental: true })
      const descriptions = ["speech_calls", "speech_attempts", "speech_call_duration_millis"].map((name) =>
        Option.getOrUndefined(keyOf(name)?.description ?? Option.none())
      )
      expect(descriptions).toEqual([
        "Calls by outcome: success, the tag of an error, interrupted or defect",
        "Requests by outcome: the status of the response, or lost",
        "From the start of a call to its result or its error"
      ])
    })
  )

  it.effect("is a call that is interrupted or dies as that", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.orDie(playedTransport(() => Effect.never))
      const interrupted = Effect.gen(function* () {
        const fiber = yield* Effect.fork(waiting.run(operation()))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(fiber)
      })
      expect(yield* grownBy(interrupted)).toEqual({
        "speech_calls operation=test outcome=interrupted": 1,
        "speech_call_duration_millis operation=test outcome=interrupted": "1, 1000 ms"
      })
      const dying = yield* Effect.orDie(playedTransport(() => Effect.succeed(new Response("ok"))))
      const accept = () => Effect.die(new Error("a defect of the operation"))
      expect(yield* grownBy(Effect.exit(dying.run({ ...operation(), accept })))).toMatchObject({
        "speech_calls operation=test outcome=defect": 1
      })
    })
  )
})

/** A tracer that keeps the spans that have ended. */
const keepingTracer = () => {
  const spans: Array<object> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind, options) => {
      const attributes = new Map<string, unknown>()
      return {
        _tag: "Span",
        name,
        spanId: name,
        traceId: "trace",
        parent,
        context,
        links,
        kind,
        sampled: true,
        status: { _tag: "Started", startTime },
        attributes,
        attribute: (key, value) => void attributes.set(key, value),
        event: () => {},
        addLinks: () => {},
        end: (_, exit) => {
          const all = Object.fromEntries([...Object.entries(options?.attributes ?? {}), ...attributes])
          spans.push({ name, kind, ok: Exit.isSuccess(exit), ...all })
        }
      }
    },
    context: (execution) => execution()
  })
  return { spans, tracer }
}

describe("what is traced", () => {
  it.effect("is a span of the call with its id, and one of each attempt with its status and what was sent", () =>
    Effect.gen(function* () {
      const { spans, tracer } = keepingTracer()
      const { transport } = yield* scripted([503, "ECONNREFUSED", 400], { retries: { retries: 2 } })
      yield* Effect.withTracer(settled(transport.run(operation())), tracer)
      const attempt = { name: "speech.attempt", kind: "client", ok: false }
      const status = "http.response.status_code"
      expect(spans).toMatchObject([
        { ...attempt, [status]: 503, "speech.sent": "all" },
        { ...attempt, [status]: undefined, "speech.sent": "nothing" },
        { ...attempt, [status]: 400, "speech.sent": "all" },
        { name: "speech.test", kind: "internal", ok: false, "speech.id": "id-1" }
      ])
    })
  )

  it.effect("is the same of a call whose answer is read as it comes, and nothing where tracing is off", () =>
    Effect.gen(function* () {
      const { spans, tracer } = keepingTracer()
      const open = Effect.gen(function* () {
        const { transport } = yield* scripted([])
        const { pull } = yield* transport.open({ ...operation(), accept: ({ pull }) => Effect.succeed({ pull }) })
        while ((yield* pull) !== undefined);
      }).pipe(Effect.scoped, Effect.withTracer(tracer))
      const ended = { "speech_calls operation=test outcome=success": 1 }
      expect(yield* grownBy(open)).toMatchObject(ended)
      expect(spans).toMatchObject([
        { name: "speech.attempt", "http.response.status_code": 200 },
        { name: "speech.test", ok: true, "speech.id": "id-1" }
      ])
      expect(yield* grownBy(Effect.withTracerEnabled(open, false))).toMatchObject(ended)
      expect(spans.length).toBe(2)
    })
  )
})

describe("what is logged", () => {
  it.effect("is each retry, for who looks for faults, with the id of the call", () =>
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

/**
 * Spans, metrics and logs of calls. None holds a text, a transcript, an address with its path, or a response header,
 * which may quote the key.
 */

import { unnoticed } from "@effect-speech/common/Contained"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"
import type * as Tracer from "effect/Tracer"
import type { ServiceError } from "../../ServiceError.js"
import type { Call } from "./call.js"

interface NamedCall {
  readonly name: string
  readonly sentId: string
}

/**
 * One metric for each operation and outcome. `Metric.tagged` would look the metric up at every update, which costs more
 * than a call.
 */
const byOutcome = <A>(make: (labels: ReadonlyArray<MetricLabel.MetricLabel>) => A) => {
  const made = new Map<string, A>()
  return (operation: string, outcome: string): A => {
    const id = `${operation} ${outcome}`
    const known = made.get(id)
    if (known !== undefined) return known
    const metric = make([MetricLabel.make("operation", operation), MetricLabel.make("outcome", outcome)])
    made.set(id, metric)
    return metric
  }
}

const counter = (name: string, description: string) =>
  byOutcome((labels) =>
    Metric.fromMetricKey(
      MetricKey.taggedWithLabels(MetricKey.counter(name, { description, incremental: true }), labels)
    )
  )
const calls = counter("speech_calls", "Calls by outcome: success, the tag of an error, interrupted or defect")
const attempts = counter("speech_attempts", "Requests by outcome: the status of the response, or lost")
const boundaries = MetricBoundaries.exponential({ start: 10, factor: 2, count: 20 })
const durations = byOutcome((labels) =>
  Metric.fromMetricKey(
    MetricKey.taggedWithLabels(
      MetricKey.histogram(
        "speech_call_duration_millis",
        boundaries,
        "From the start of a call to its result or its error"
      ),
      labels
    )
  )
)

const outcomeOf = (exit: Exit.Exit<unknown, ServiceError>): string => {
  if (Exit.isSuccess(exit)) return "success"
  const [error] = Cause.failures(exit.cause)
  return error?._tag ?? (Cause.isInterruptedOnly(exit.cause) ? "interrupted" : "defect")
}

const tracerFailed = (cause: Cause.Cause<never>): Effect.Effect<void> =>
  unnoticed(Effect.logWarning("The tracer failed", cause))

/** Runs what a tracer of the caller does. If it throws, a warning says so, and the call goes on. */
const traced = (run: () => void): Effect.Effect<void> => Effect.catchAllCause(Effect.sync(run), tracerFailed)

/** Makes a span. `undefined`: the tracer failed. */
const makeSpan = (name: string, options: Tracer.SpanOptions): Effect.Effect<Tracer.Span | undefined> =>
  Effect.catchAllCause(Effect.makeSpan(name, { ...options, captureStackTrace: false }), (cause) =>
    Effect.as(tracerFailed(cause), undefined)
  )

const endSpan = (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
  FiberRef.getWith(FiberRef.currentTracerTimingEnabled, (isTimed) =>
    Effect.clockWith((clock) => traced(() => span.end(isTimed ? clock.unsafeCurrentTimeNanos() : 0n, exit)))
  )

/** Runs `traced` of the effect if tracing is on, else the effect alone, which costs less. */
const whileTracing = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  traced: (effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(FiberRef.get(FiberRef.currentTracerEnabled), (enabled) => (enabled ? traced(effect) : effect))

/** Runs an effect in a span, whose tracer can't change its exit as that of `Effect.withSpan` can. */
const inSpan = <A, E, R>(
  running: Effect.Effect<A, E, R>,
  name: string,
  options: Tracer.SpanOptions,
  beforeEnd: (span: Tracer.Span) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<A, E, R> =>
  Effect.flatMap(makeSpan(name, options), (span) =>
    span === undefined
      ? running
      : Effect.onExit(Effect.withParentSpan(running, span), (exit) =>
          Effect.zipRight(beforeEnd(span), endSpan(span, exit))
        )
  )

const spanOf = (operation: string): string => `speech.${operation}`
const optionsOf = (sentId: string): Tracer.SpanOptions => ({ attributes: { "speech.id": sentId } })

/** Counts a call and its duration. */
export const countCall = (
  { name }: NamedCall,
  { elapsedMillis }: Call,
  exit: Exit.Exit<unknown, ServiceError>
): Effect.Effect<void> =>
  FiberRef.getWith(FiberRef.currentMetricLabels, (labels) => {
    const outcome = outcomeOf(exit)
    calls(name, outcome).unsafeUpdate(1, labels)
    durations(name, outcome).unsafeUpdate(elapsedMillis(), labels)
    return Effect.void
  })

/** Counts an attempt, whose status is `undefined` if it had no response. */
export const countAttempt = ({ name }: NamedCall, status: number | undefined): Effect.Effect<void> =>
  Metric.update(attempts(name, status === undefined ? "lost" : String(status)), 1)

/** The span of a call. */
export const spanCall = <A, E, R>(
  running: Effect.Effect<A, E, R>,
  { name, sentId }: NamedCall
): Effect.Effect<A, E, R> => whileTracing(running, (call) => inSpan(call, spanOf(name), optionsOf(sentId)))

/** Observes a call that goes on after its result: `end` records how it ended. */
export interface ObservedCall {
  /** Observes the part of the call before its result. */
  readonly during: <A, E, R>(running: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly end: (exit: Exit.Exit<unknown, ServiceError>) => Effect.Effect<void>
}

export const beginCall = (named: NamedCall, call: Call): Effect.Effect<ObservedCall> =>
  Effect.gen(function* () {
    const isTracing = yield* FiberRef.get(FiberRef.currentTracerEnabled)
    const span = isTracing ? yield* makeSpan(spanOf(named.name), optionsOf(named.sentId)) : undefined
    return {
      during: (running) => (span === undefined ? running : Effect.withParentSpan(running, span)),
      end: (exit) =>
        Effect.zipRight(span === undefined ? Effect.void : endSpan(span, exit), countCall(named, call, exit))
    }
  })

/** The span of an attempt. */
export const spanAttempt = <A, E, R>(running: Effect.Effect<A, E, R>, call: Call): Effect.Effect<A, E, R> =>
  whileTracing(running, (attempt) => {
    const earlier = call.progress().attempts.length
    return inSpan(attempt, "speech.attempt", { kind: "client" }, (span) => {
      // An attempt that was interrupted, or that sent nothing, has no record.
      const recorded = call.progress().attempts[earlier]
      return recorded === undefined
        ? Effect.void
        : traced(() => {
            span.attribute("http.response.status_code", recorded.status)
            span.attribute("speech.sent", recorded.sent)
          })
    })
  })

export const logRetry = ({ name, sentId }: NamedCall, error: ServiceError, delayMillis: number): Effect.Effect<void> =>
  unnoticed(
    Effect.logDebug(`${name} failed with ${error._tag}; retry in ${delayMillis} ms`).pipe(
      Effect.annotateLogs("speech.id", sentId)
    )
  )

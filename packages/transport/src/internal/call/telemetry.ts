/**
 * Spans, metrics and logs of calls. None holds a text, a transcript, an address with its path, or a response header,
 * which may quote the key.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"
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

/** Runs `traced` of the effect if tracing is on, else the effect alone, which costs less. */
const whileTracing = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  traced: (effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(FiberRef.get(FiberRef.currentTracerEnabled), (enabled) => (enabled ? traced(effect) : effect))

const spanOf = (operation: string): string => `speech.${operation}`
const optionsOf = (sentId: string) => ({ attributes: { "speech.id": sentId }, captureStackTrace: false })

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
): Effect.Effect<A, E, R> => whileTracing(running, Effect.withSpan(spanOf(name), optionsOf(sentId)))

/** Observes a call that goes on after its result: `end` records how it ended. */
export interface ObservedCall {
  /** Observes the part of the call before its result. */
  readonly during: <A, E, R>(running: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly end: (exit: Exit.Exit<unknown, ServiceError>) => Effect.Effect<void>
}

export const beginCall = (named: NamedCall, call: Call): Effect.Effect<ObservedCall> =>
  Effect.gen(function* () {
    if (!(yield* FiberRef.get(FiberRef.currentTracerEnabled))) {
      return { during: (running) => running, end: (exit) => countCall(named, call, exit) }
    }
    const span = yield* Effect.makeSpan(spanOf(named.name), optionsOf(named.sentId))
    return {
      during: (running) => Effect.withParentSpan(running, span),
      end: (exit) =>
        Effect.flatMap(Clock.currentTimeNanos, (endedAt) => {
          span.end(endedAt, exit)
          return countCall(named, call, exit)
        })
    }
  })

/** The span of an attempt. */
export const spanAttempt = <A, E, R>(running: Effect.Effect<A, E, R>, call: Call): Effect.Effect<A, E, R> =>
  whileTracing(running, (attempt) => {
    const earlier = call.progress().attempts.length
    const attributed = Effect.onExit(attempt, () => {
      // An attempt that was interrupted, or that sent nothing, has no record.
      const recorded = call.progress().attempts[earlier]
      return recorded === undefined
        ? Effect.void
        : Effect.annotateCurrentSpan({ "http.response.status_code": recorded.status, "speech.sent": recorded.sent })
    })
    return Effect.withSpan(attributed, "speech.attempt", { kind: "client", captureStackTrace: false })
  })

export const logRetry = ({ name, sentId }: NamedCall, error: ServiceError, delayMillis: number): Effect.Effect<void> =>
  Effect.logDebug(`${name} failed with ${error._tag}; retry in ${delayMillis} ms`).pipe(
    Effect.annotateLogs("speech.id", sentId)
  )

/**
 * Spans, metrics and logs of calls. None holds a text, a transcript, an address with its path, or a response header,
 * which may quote the key.
 */

import { unnoticed } from "@effect-speech/common/Contained"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import type * as Tracer from "effect/Tracer"
import type { ServiceError } from "../../ServiceError.js"
import * as SpeechMetrics from "../../SpeechMetrics.js"
import type { Call } from "./call.js"

export interface NamedCall {
  readonly name: string
  readonly sentId: string
}

/** The service as attributes name it: its host and its port, and never its path. */
interface Server {
  readonly serverAddress: string
  readonly serverPort: number
}

const serverOf = ({ hostname, port, protocol }: URL): Server => ({
  serverAddress: hostname.replace(/^\[(.*)\]$/, "$1"),
  serverPort: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)
})

/** Makes each metric once: to make or to tag one at every update would cost more than a call. */
const cached = <Args extends ReadonlyArray<string | number | undefined>, A>(make: (...args: Args) => A) => {
  const made = new Map<string, A>()
  return (...args: Args): A => {
    const id = args.join(" ")
    const known = made.get(id)
    if (known !== undefined) return known
    const metric = make(...args)
    made.set(id, metric)
    return metric
  }
}

/** The attribute `error.type` of a call. `undefined`: it succeeded. */
const errorTypeOf = (exit: Exit.Exit<unknown, ServiceError>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const [error] = Cause.failures(exit.cause)
  return error?._tag ?? (Cause.isInterruptedOnly(exit.cause) ? "interrupted" : "defect")
}

/** The attribute `error.type` of an attempt: the status from 400 on, else as that of a call. */
const attemptErrorTypeOf = (status: number | undefined, exit: Exit.Exit<unknown, ServiceError>): string | undefined =>
  status !== undefined && status >= 400 ? String(status) : errorTypeOf(exit)

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

type Attributes = Readonly<Record<string, string | number | undefined>>

/** Adds the attributes that have a value. */
const annotate = (span: Tracer.Span, attributes: Attributes): Effect.Effect<void> =>
  traced(() => {
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) span.attribute(name, value)
  })

/** Runs an effect in a span, whose tracer can't change its exit as that of `Effect.withSpan` can. */
const inSpan = <A, E, R>(
  running: Effect.Effect<A, E, R>,
  name: string,
  options: Tracer.SpanOptions,
  attributesOf: (exit: Exit.Exit<A, E>) => Attributes
): Effect.Effect<A, E, R> =>
  Effect.flatMap(makeSpan(name, options), (span) =>
    span === undefined
      ? running
      : Effect.onExit(Effect.withParentSpan(running, span), (exit) =>
          Effect.zipRight(annotate(span, attributesOf(exit)), endSpan(span, exit))
        )
  )

/** Observes a call that goes on after its result: `end` records how it ended. */
export interface ObservedCall {
  /** Observes the part of the call before its result. */
  readonly during: <A, E, R>(running: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly end: (exit: Exit.Exit<unknown, ServiceError>) => Effect.Effect<void>
}

/** Measures and traces one call. */
export interface Telemetry {
  /** The span of the call. */
  readonly spanCall: <A, E extends ServiceError, R>(running: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly beginCall: Effect.Effect<ObservedCall>
  /** The span of an attempt. It has the status and the `error.type` that {@link countAttempt} counts. */
  readonly spanAttempt: <A, E extends ServiceError, R>(running: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Counts the latest attempt, once. An attempt that sent nothing, or that was interrupted before its response, has no record, and is not
   * counted.
   */
  readonly countAttempt: (exit: Exit.Exit<unknown, ServiceError>) => void
  /** Counts the call and its latest attempt, its duration, and how long it waited for its turn. */
  readonly countCall: (exit: Exit.Exit<unknown, ServiceError>) => void
}

/** Measures and traces the calls to one service. The tracing and the labels of a call are those of the fiber that makes it. */
export const makeTelemetry = (
  baseUrl: URL
): ((fiber: Fiber.RuntimeFiber<unknown, unknown>, named: NamedCall, call: Call) => Telemetry) => {
  const server = serverOf(baseUrl)
  const durations = cached((operation: string, errorType: string | undefined) =>
    SpeechMetrics.operationDuration({ operation, errorType, ...server })
  )
  const queues = cached((operation: string) => SpeechMetrics.queueDuration({ operation, ...server }))
  const attempts = cached((operation: string, status: number | undefined, errorType: string | undefined) =>
    SpeechMetrics.attempts({ operation, status, errorType, ...server })
  )
  const place = { "server.address": server.serverAddress, "server.port": server.serverPort }
  const failureOf = (exit: Exit.Exit<unknown, ServiceError>): Attributes => ({ "error.type": errorTypeOf(exit) })

  return (fiber, { name, sentId }, call) => {
    const labels = fiber.getFiberRef(FiberRef.currentMetricLabels)
    const isTracing = fiber.getFiberRef(FiberRef.currentTracerEnabled)
    const spanName = `speech.${name}`
    const optionsOfCall = (): Tracer.SpanOptions => ({
      kind: "client",
      attributes: { "speech.operation": name, "speech.id": sentId, ...place }
    })
    let counted = 0
    const countAttempt = (exit: Exit.Exit<unknown, ServiceError>): void => {
      const recorded = call.attempts()
      const latest = recorded.at(-1)
      if (latest === undefined || recorded.length === counted) return
      counted = recorded.length
      attempts(name, latest.status, attemptErrorTypeOf(latest.status, exit)).unsafeUpdate(1, labels)
    }
    const countCall = (exit: Exit.Exit<unknown, ServiceError>): void => {
      countAttempt(exit)
      durations(name, errorTypeOf(exit)).unsafeUpdate(call.elapsedMillis() / 1000, labels)
      const queuedMillis = call.queuedMillis()
      if (queuedMillis !== undefined) queues(name).unsafeUpdate(queuedMillis / 1000, labels)
    }
    return {
      countAttempt,
      countCall,
      spanCall: (running) => (isTracing ? inSpan(running, spanName, optionsOfCall(), failureOf) : running),
      beginCall: Effect.gen(function* () {
        const span = isTracing ? yield* makeSpan(spanName, optionsOfCall()) : undefined
        return {
          during: (running) => (span === undefined ? running : Effect.withParentSpan(running, span)),
          end: (exit) =>
            Effect.suspend(() => {
              countCall(exit)
              return span === undefined
                ? Effect.void
                : Effect.zipRight(annotate(span, failureOf(exit)), endSpan(span, exit))
            })
        }
      }),
      spanAttempt: (attempt) => {
        if (!isTracing) return attempt
        const earlier = call.attempts().length
        const attributes = {
          "speech.operation": name,
          "http.request.method": "POST",
          ...(earlier === 0 ? {} : { "http.request.resend_count": earlier }),
          ...place
        }
        return inSpan(attempt, "speech.attempt", { kind: "client", attributes }, (exit) => {
          const recorded = call.attempts()[earlier]
          return {
            "http.response.status_code": recorded?.status,
            "speech.sent": recorded?.sent,
            "error.type": attemptErrorTypeOf(recorded?.status, exit)
          }
        })
      }
    }
  }
}

export const logRetry = ({ name, sentId }: NamedCall, error: ServiceError, delayMillis: number): Effect.Effect<void> =>
  unnoticed(
    Effect.logDebug(`${name} failed with ${error._tag}; retry in ${delayMillis} ms`).pipe(
      Effect.annotateLogs("speech.id", sentId)
    )
  )

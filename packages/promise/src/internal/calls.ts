/**
 * Runs the calls of a client as promises, which the signal of a caller or `close` may end.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import {
  type CallSite,
  clientClosed,
  endedByClose,
  errorOf,
  invalidRequest,
  type Operation,
  toSpeechError
} from "./errors.js"

/** Who makes a call. */
export interface Caller {
  readonly site: CallSite
  readonly operation: Operation
  readonly signal: AbortSignal | undefined
  /** The file that the call writes, for its error. */
  path?: string
}

/** A call in flight. */
export interface RunningCall<A> {
  readonly promise: Promise<A>
  /** Ends it: its promise is rejected with the reason. */
  readonly end: (reason: unknown) => void
}

export interface Calls {
  readonly start: <A>(effect: Effect.Effect<A, unknown>, caller: Caller) => RunningCall<A>
  readonly run: <A>(effect: Effect.Effect<A, unknown>, caller: Caller) => Promise<A>
  /** Runs what belongs to no call, such as the making of a client, until `close`. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>
  /** Ends all calls, and waits for their ends. Later calls are rejected. */
  readonly close: () => Promise<void>
}

/** A warning, such as that `onEvent` failed, is one of the process: `--no-warnings` and `process.on("warning")` apply. */
const toProcessWarning = Logger.make(({ cause, logLevel, message }) => {
  if (LogLevel.lessThan(logLevel, LogLevel.Warning)) return
  const words = Array.isArray(message) ? message.join(" ") : String(message)
  const error = cause._tag === "Die" ? cause.defect : undefined
  process.emitWarning(error === undefined ? words : `${words}: ${error}`, "SpeechWarning")
})

const makeRuntime = (): Runtime.Runtime<never> =>
  Effect.runSync(
    Effect.runtime<never>().pipe(
      Effect.provide(Layer.mergeAll(Logger.replace(Logger.defaultLogger, toProcessWarning))),
      // Nobody can read the spans.
      Effect.withTracerEnabled(false)
    )
  )

/** A call in flight, or another effect of the client. */
interface Running {
  readonly end: () => void
  /** Set while `close` waits for its end. */
  onEnd: (() => void) | undefined
}

export const makeCalls = (): Calls => {
  const runtime = makeRuntime()
  const running = new Set<Running>()
  let isClosed = false

  const add = (end: () => void): Running => {
    const entry = { end, onEnd: undefined }
    running.add(entry)
    return entry
  }
  const remove = (entry: Running): void => {
    running.delete(entry)
    entry.onEnd?.()
  }
  const start: Calls["start"] = <A>(effect: Effect.Effect<A, unknown>, caller: Caller) => {
    const { operation, signal, site } = caller
    if (!isSignal(signal)) {
      return failed<A>(toSpeechError(invalidRequest(operation, "signal", "must be an AbortSignal"), site))
    }
    if (isClosed) return failed<A>(clientClosed(site))
    if (signal?.aborted === true) return failed<A>(signal.reason)
    const { promise, reject, resolve } = withResolvers<A>()
    let ending: { readonly reason: unknown } | undefined
    let interrupt = (): void => undefined
    const end = (reason: unknown): void => {
      ending ??= { reason }
      interrupt()
    }
    const forget = signal && onAbort(signal, end)
    const entry = add(() => end(endedByClose(site)))
    // It runs until it first waits, and a handler of its events may end it before that.
    const fiber = Runtime.runFork(runtime, effect)
    interrupt = () => fiber.unsafeInterruptAsFork(FiberId.none)
    if (ending !== undefined) interrupt()
    fiber.addObserver((exit) => {
      forget?.()
      if (Exit.isSuccess(exit)) resolve(exit.value)
      else reject(ending === undefined ? errorOf(exit.cause, site, caller.path) : ending.reason)
      remove(entry)
    })
    return { promise, end }
  }
  return {
    start,
    run: (effect, caller) => start(effect, caller).promise,
    fork: (effect) => {
      const fiber = Runtime.runFork(runtime, effect)
      const entry = add(() => fiber.unsafeInterruptAsFork(FiberId.none))
      fiber.addObserver(() => remove(entry))
      return fiber
    },
    close: async () => {
      isClosed = true
      const ends = Array.from(running, (entry) => {
        const { promise, resolve } = withResolvers<void>()
        entry.onEnd = resolve
        entry.end()
        return promise
      })
      await Promise.all(ends)
    }
  }
}

const failed = <A>(error: unknown): RunningCall<A> => ({ promise: Promise.reject(error), end: () => undefined })

/** By its form: a test runner or a polyfill may have a class of its own. A program without types may give anything. */
const isSignal = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Predicate.hasProperty(value, "aborted") &&
    typeof value.aborted === "boolean" &&
    Predicate.hasProperty(value, "addEventListener") &&
    Predicate.isFunction(value.addEventListener))

/** The calls that a signal ends. One listener for all: Node warns of a leak at the eleventh. */
const waiting = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>()

/** Runs `end` when the signal aborts. The result undoes it. */
const onAbort = (signal: AbortSignal, end: (reason: unknown) => void): (() => void) => {
  const ends = waiting.get(signal) ?? new Set()
  waiting.set(signal, ends)
  if (ends.size === 0) signal.addEventListener("abort", abortAll)
  ends.add(end)
  return () => {
    ends.delete(end)
    if (ends.size === 0) signal.removeEventListener("abort", abortAll)
  }
}

function abortAll(this: AbortSignal): void {
  for (const end of [...(waiting.get(this) ?? [])]) end(this.reason)
}

/** `Promise.withResolvers`, which Node 20 does not have. */
export const withResolvers = <A>() => {
  let resolve: (value: A) => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const promise = new Promise<A>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}

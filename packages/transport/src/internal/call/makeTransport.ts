import * as HttpClient from "@effect/platform/HttpClient"
import type { EventDelivery } from "@effect-speech/common/EventDelivery"
import * as Printable from "@effect-speech/common/Printable"
import type * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import type * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as ApiKey from "../../ApiKey.js"
import type { CallEvent, CallOptions } from "../../CallEvent.js"
import type { Attempt } from "../../CallReport.js"
import type { ResolvedDeadlines } from "../../Deadlines.js"
import type { Failure, InvalidApiKey } from "../../Failure.js"
import type { Operation, Request, Response } from "../../Operation.js"
import type { ResolvedRetries } from "../../Retries.js"
import type { Retry, ServiceError } from "../../ServiceError.js"
import { millisOf } from "../durationOption.js"
import { fillBuffer, makeBoundedBuffer } from "../http/boundedBuffer.js"
import { classifyUploadFailure } from "../http/classifyConnectionError.js"
import { makeHttpClientDriver } from "../http/httpClientDriver.js"
import { driverOf, type HttpDriver, type HttpResponse, type UploadObserver } from "../http/httpDriver.js"
import { CallTimer, DeadlineMonitor, longestSleep } from "../timer/callTimer.js"
import { type ApiKeys, makeApiKeys } from "./apiKeys.js"
import { backoffMillis, costOf } from "./backoff.js"
import { type Call, makeCall } from "./call.js"
import { makeCallQueue } from "./callQueue.js"
import type { RetryBudget } from "./retryBudget.js"
import { beginCall, countAttempt, countCall, logRetry, spanAttempt, spanCall } from "./telemetry.js"

export interface TransportOptions {
  /** The key, or an effect that reads it: once now, and again after the service refused it. */
  readonly apiKey: ApiKey.ApiKey
  /** Name of the header that carries the key. */
  readonly apiKeyHeader: string
  readonly deadlines: ResolvedDeadlines
  readonly retries: ResolvedRetries
  /** Highest number of calls that run at the same time. */
  readonly concurrency: number
}

export interface Transport {
  /** Runs an operation. `accept` must read the response before it returns. */
  readonly run: <A, E extends ServiceError, Context>(
    operation: Operation<A, E, Context>,
    options?: CallOptions
  ) => Effect.Effect<A, E>
  /**
   * Runs an operation whose result still reads the response. The call ends when `pull` fails or returns `undefined`, or
   * when the scope closes.
   */
  readonly open: <A extends Opened<E>, E extends ServiceError, Context>(
    operation: Operation<A, E, Context>,
    options?: CallOptions
  ) => Effect.Effect<Omit<A, "pull"> & Opened<E>, E, Scope.Scope>
}

/** A result that still reads the response. */
export interface Opened<E> {
  /** The next bytes, or `undefined` at the end. */
  readonly pull: Effect.Effect<Uint8Array | undefined, E>
}

/** Makes a transport whose calls share `budget`. */
export const makeTransport = (
  options: TransportOptions,
  budget: RetryBudget
): Effect.Effect<Transport, InvalidApiKey, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const shared: Shared = {
      options,
      keys: yield* makeApiKeys(options.apiKey),
      driver: driverOf(client) ?? makeHttpClientDriver(client),
      budget
    }
    const enterQueue = makeCallQueue(options.concurrency)
    const monitors = new WeakMap<Clock.Clock, DeadlineMonitor>()
    const callOf = ({ sentId }: { readonly sentId: string }, given: CallOptions | undefined) =>
      Effect.map(Effect.clock, (clock) => {
        const monitor = monitors.get(clock) ?? new DeadlineMonitor(clock, options.deadlines)
        monitors.set(clock, monitor)
        return makeCall(sentId, clock, new CallTimer(clock, options.deadlines), monitor, enterQueue, given?.onEvent)
      })

    return {
      run: (operation, callOptions) =>
        Effect.flatMap(callOf(operation, callOptions), (call) =>
          Effect.onExit(spanCall(runCall(shared, call, operation, callOptions), operation), (exit) =>
            Effect.zipRight(countCall(operation, call, exit), call.end(exit))
          )
        ),
      open: (operation, callOptions) =>
        Effect.flatMap(callOf(operation, callOptions), (call) =>
          // A call that failed or was read to its end is closed at once, even if the caller's scope stays open.
          Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              const observed = yield* beginCall(operation, call)
              const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
              // The outcome if the caller closes the scope before the end.
              let outcome: Exit.Exit<unknown, ServiceError> = Exit.interrupt(FiberId.none)
              yield* Scope.addFinalizer(
                scope,
                Effect.suspend(() => Effect.zipRight(call.end(outcome), observed.end(outcome)))
              )
              const end = (exit: Exit.Exit<unknown, ServiceError>) =>
                Effect.suspend(() => {
                  outcome = exit
                  return Scope.close(scope, Exit.void)
                })
              const { pull, ...details } = yield* restore(
                observed.during(runCall(shared, call, operation, callOptions))
              ).pipe(Effect.onError((cause) => end(Exit.failCause(cause))))
              return {
                ...details,
                pull: Effect.matchEffect(pull, {
                  onFailure: (error) => Effect.zipRight(end(Exit.fail(error)), Effect.fail(error)),
                  onSuccess: (bytes) => (bytes === undefined ? Effect.as(end(Exit.void), bytes) : Effect.succeed(bytes))
                })
              }
            })
          )
        )
    }
  })

/** The parts that all calls of a layer share. */
interface Shared {
  readonly options: TransportOptions
  readonly keys: ApiKeys
  readonly driver: HttpDriver
  readonly budget: RetryBudget
}

const runCall = <A, E extends ServiceError, Context>(
  { budget, driver, keys, options }: Shared,
  call: Call,
  operation: Operation<A, E, Context>,
  { outage }: CallOptions = {}
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const { events } = call
    const outageMillis = outage === undefined ? options.retries.outage : outageOf(outage)
    let latest: Response<E> | undefined
    const toError = (failure: Failure) =>
      operation.fail(
        failure._tag === "UploadFailed" ? classifyUploadFailure(failure) : failure,
        call.progress(),
        latest
      )

    call.start()
    const turn = call.enter()
    if (turn !== undefined) {
      if (events !== undefined && turn.ahead !== undefined) yield* events.emit({ _tag: "Queued", ahead: turn.ahead })
      yield* Effect.mapError(turn.wait, toError)
    }
    let key = keys.current()
    // A response may quote any of these, also one that the service refused.
    const usedKeys = [key]
    let keyIsNew = false
    let delayMillis = 0
    let lastCost = 0
    for (let retry = 0; ; ) {
      const sending = send(driver, call, operation, {
        delayMillis,
        header: options.apiKeyHeader,
        key
      })
      const attempt = Effect.matchEffect(sending, {
        onFailure: (failure) => Effect.fail(toError(failure)),
        onSuccess: ({ context, response }) => {
          latest = redactedResponse(response, usedKeys, call, operation)
          return operation.accept(latest, context)
        }
      })
      const outcome = yield* Effect.either(spanAttempt(attempt, call))
      if (Either.isRight(outcome)) {
        budget.giveBack(lastCost)
        return outcome.right
      }
      const error = outcome.left
      yield* call.endAttempt

      if (error.retry === "otherKey" && !keyIsNew) {
        const next = yield* Effect.mapError(call.timer.run(keys.after(key)), (failure) =>
          toError(asKeyFailure(failure))
        )
        if (!operation.repeatable || Redacted.value(next) === Redacted.value(key)) return yield* Effect.fail(error)
        key = next
        usedKeys.push(next)
        keyIsNew = true
        delayMillis = 0
        continue
      }

      const cost = costOf(error.retry, options.retries)
      if (cost === undefined || !operation.repeatable) return yield* Effect.fail(error)
      const { attempts, elapsedMillis } = call.progress()
      const askedMillis = attempts.at(-1)?.retryAfterMillis ?? 0
      // Calls that got the same Retry-After do not come back at the same time.
      delayMillis = askedMillis + backoffMillis(retry, yield* Random.next, options.retries)
      const isInOutage = isOutage(error.retry, attempts.at(-1)) && elapsedMillis + delayMillis < outageMillis
      const isTooLong = askedMillis > options.retries.longestDelay && !hasTotal(call)
      if (!isInOutage && (retry >= options.retries.times || isTooLong)) {
        return yield* Effect.fail(error)
      }
      if (delayMillis > longestDelay(call)) return yield* Effect.fail(error)
      const isInBudget = budget.take(cost)
      if (!isInBudget && !isInOutage) return yield* Effect.fail(error)
      lastCost = isInBudget ? cost : 0
      retry++
      yield* logRetry(operation, error, delayMillis)
      if (events !== undefined) {
        yield* events.emit({ _tag: "Retrying", attempt: call.progress().attempts.length + 1, delayMillis })
      }
      yield* Effect.sleep(delayMillis)
    }
  })

/** @throws RangeError if the option of the call is not a duration, or zero. */
const outageOf = (given: Duration.DurationInput): number =>
  Either.getOrThrowWith(millisOf(["outage"], given), (error) => new RangeError(String(error)))

/** If reading the key takes too long, the error names the key instead of the phase. */
const asKeyFailure = (failure: Failure): Failure =>
  failure._tag === "DeadlineExceeded" && failure.phase !== "total"
    ? { _tag: "InvalidApiKey", problem: `reading it took longer than ${failure.limitMillis} ms` }
    : failure

/** Whether the service can't be reached, or says that it is unavailable: then it has not carried out the attempt. */
const isOutage = (retry: Retry, attempt: Attempt | undefined): boolean =>
  retry === "overload" || (retry === "transient" && attempt?.status === undefined)

const hasTotal = ({ timer }: Call): boolean => Number.isFinite(timer.left)

/** The longest useful delay before a retry: until the total deadline. */
const longestDelay = ({ timer }: Call): number => Math.min(timer.left, longestSleep)

/** Runs one attempt, up to the head of its response. */
const send = <A, E extends ServiceError, Context>(
  driver: HttpDriver,
  call: Call,
  operation: Operation<A, E, Context>,
  attempt: { readonly delayMillis: number; readonly header: string; readonly key: Redacted.Redacted }
): Effect.Effect<{ readonly response: HttpResponse; readonly context: Context }, Failure> =>
  Effect.flatMap(buildRequest(call, operation, attempt.delayMillis), ({ body, context, headers, url }) => {
    const { events } = call
    const number = call.progress().attempts.length + 1
    const isUpload = !(body instanceof Uint8Array)
    const exchangeWith = (observer: UploadObserver | undefined) => {
      const exchange = driver.exchange(
        { url, body, headers: { ...headers, [attempt.header]: Redacted.value(attempt.key) } },
        call.timer,
        observer
      )
      call.sending(exchange)
      return exchange.response
    }
    const responding =
      isUpload && events !== undefined
        ? Effect.flatMap(Effect.runtime<never>(), (runtime) =>
            exchangeWith(reporting(events, runtime, number, body.byteLength))
          )
        : exchangeWith(undefined)
    const exchanged = Effect.matchEffect(responding, {
      onFailure: (failure) => {
        call.lost()
        return Effect.zipRight(countAttempt(operation, undefined), Effect.fail(failure))
      },
      onSuccess: (response) => {
        call.responded(response)
        const { status } = response
        const counted = countAttempt(operation, status)
        const answered =
          events === undefined
            ? counted
            : Effect.zipRight(counted, events.emit({ _tag: "Answered", attempt: number, status }))
        return Effect.as(answered, { response, context })
      }
    })
    if (isUpload) return exchanged
    call.timer.reach("answer")
    return events === undefined
      ? exchanged
      : Effect.zipRight(events.emit({ _tag: "Waiting", attempt: number }), exchanged)
  })

/** Emits the events of an upload, with the context and the fiber refs of the attempt. */
const reporting = (
  events: EventDelivery<CallEvent>,
  runtime: Runtime.Runtime<never>,
  attempt: number,
  totalBytes: number | undefined
): UploadObserver => {
  let sentBytes = 0
  return {
    onPiece: (byteLength) => {
      sentBytes += byteLength
      events.unsafeEmit({ _tag: "Uploading", attempt, sentBytes, totalBytes }, runtime)
    },
    onComplete: () => events.unsafeEmit({ _tag: "Waiting", attempt }, runtime)
  }
}

const buildRequest = <A, E extends ServiceError, Context>(
  call: Call,
  { request }: Operation<A, E, Context>,
  delayMillis: number
): Effect.Effect<Request<Context>, Failure> => {
  if (typeof request !== "function") {
    call.beginAttempt(undefined, delayMillis)
    return Effect.isEffect(request) ? request : Effect.succeed(request)
  }
  return Effect.flatMap(Scope.make(), (scope) => {
    call.beginAttempt(scope, delayMillis)
    return call.timer.run(request(scope))
  })
}

const errorTextLimit = 64 * 1024
const errorTextMillis = 3_000

const redactedResponse = <A, E extends ServiceError, Context>(
  { header, pull, status }: HttpResponse,
  keys: ReadonlyArray<Redacted.Redacted>,
  { progress }: Call,
  operation: Operation<A, E, Context>
): Response<E> => {
  // One key may be a prefix of another.
  const longestFirst = keys.toSorted((one, other) => Redacted.value(other).length - Redacted.value(one).length)
  const withoutKey = (text: string) => longestFirst.reduce(ApiKey.withoutKey, text)
  const redact = (text: string) => Printable.line(withoutKey(text))
  const response: Response<E> = {
    status,
    header: (name) => {
      const value = header(name.toLowerCase())
      return value === undefined || value === "" ? undefined : redact(value)
    },
    pull: Effect.mapError(pull, (failure) => operation.fail(failure, progress(), response)),
    errorText: Effect.map(firstBytes(pull), (bytes) => new TextDecoder().decode(bytes)),
    redact,
    withoutKey,
    progress
  }
  return response
}

/** The bytes that arrive within the limits; a failure of the body is ignored. */
const firstBytes = (pull: HttpResponse["pull"]): Effect.Effect<Uint8Array> =>
  Effect.suspend(() => {
    const buffer = makeBoundedBuffer(errorTextLimit)
    const reading = Effect.timeoutOption(Effect.ignore(fillBuffer(buffer, pull)), errorTextMillis)
    return Effect.map(reading, () => buffer.read().bytes)
  })

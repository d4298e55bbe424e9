/**
 * How one call is made.
 *
 * The key is put in, the request sent, and the answer handed to the operation. An attempt that failed is repeated where
 * the error says that this may help and the budget of the layer allows it; a watchdog ends what has come to a stop. The
 * HttpClient comes from the program, so that any layer will do.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as ApiKey from "./ApiKey.js"
import type { CallEvent, CallOptions } from "./CallEvent.js"
import type { ResolvedDeadlines } from "./Deadlines.js"
import type { Failure, InvalidApiKey } from "./Failure.js"
import { type ApiKeys, makeApiKeys } from "./internal/call/apiKeys.js"
import { backoffMillis, costOf, longestRetryAfter } from "./internal/call/backoff.js"
import { type Call, makeCall } from "./internal/call/call.js"
import { longestSleep, Watch, Watchdog } from "./internal/call/callTimer.js"
import { makeRetryBudget, type RetryBudget } from "./internal/call/retryBudget.js"
import { beginCall, logRetry, observeAttempt, observeCall } from "./internal/call/telemetry.js"
import { fill, makeParts } from "./internal/http/boundedBuffer.js"
import { makeHttpClientWire } from "./internal/http/httpClientDriver.js"
import { type Incoming, type Wire, WireId } from "./internal/http/httpDriver.js"
import type { Operation, Response } from "./Operation.js"
import type { ResolvedRetries } from "./Retries.js"
import type { ServiceError } from "./ServiceError.js"

export interface TransportOptions {
  /** The key, or an effect that reads it now, and again when the service refuses it. */
  readonly apiKey: ApiKey.ApiKey
  /** The name of the header that carries the key. */
  readonly apiKeyHeader: string
  readonly deadlines: ResolvedDeadlines
  readonly retries: ResolvedRetries
}

export interface Transport {
  /** Runs an operation, which has read what it needs of the answer when it has accepted it. */
  readonly run: <A, E extends ServiceError>(operation: Operation<A, E>, options?: CallOptions) => Effect.Effect<A, E>
  /**
   * The same for a result that goes on reading the answer. The call ends when a pull has failed or come to the end of it, or
   * else when the scope closes.
   */
  readonly open: <A extends Opened<E>, E extends ServiceError>(
    operation: Operation<A, E>,
    options?: CallOptions
  ) => Effect.Effect<Omit<A, "pull"> & Opened<E>, E, Scope.Scope>
  /** What is left of the budget for retries, which all calls share: from 0 to 500 tokens. */
  readonly retryTokens: Effect.Effect<number>
}

/** A result of which more is to be read. */
export interface Opened<E> {
  /** The next bytes, or nothing at a good end. */
  readonly pull: Effect.Effect<Uint8Array | undefined, E>
}

/** Reads the key, and fails where it is not one. */
export const make = (options: TransportOptions): Effect.Effect<Transport, InvalidApiKey, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const shared: Shared = {
      options,
      keys: yield* makeApiKeys(options.apiKey),
      wire: wireOf(yield* HttpClient.HttpClient),
      budget: makeRetryBudget()
    }
    const watchdogs = new WeakMap<Clock.Clock, Watchdog>()
    const callOf = ({ sentId }: { readonly sentId: string }) =>
      Effect.map(Effect.clock, (clock) => {
        const watchdog = watchdogs.get(clock) ?? new Watchdog(clock, options.deadlines)
        watchdogs.set(clock, watchdog)
        return makeCall(sentId, clock, new Watch(clock, options.deadlines), watchdog)
      })

    return {
      run: (operation, callOptions) =>
        Effect.flatMap(callOf(operation), (call) =>
          Effect.ensuring(observeCall(runCall(shared, call, operation, callOptions), operation), call.end)
        ),
      open: (operation, callOptions) =>
        Effect.flatMap(callOf(operation), (call) =>
          // A call that has failed, or been read to its end, is let go at once, and not when the caller's scope closes.
          Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              const observed = yield* beginCall(operation)
              const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
              // Whoever closes the scope before the end leaves the call early.
              let outcome: Exit.Exit<unknown, ServiceError> = Exit.interrupt(FiberId.none)
              yield* Scope.addFinalizer(
                scope,
                Effect.suspend(() => Effect.zipRight(call.end, observed.end(outcome)))
              )
              const end = (exit: Exit.Exit<unknown, ServiceError>) =>
                Effect.suspend(() => {
                  outcome = exit
                  return Scope.close(scope, Exit.void)
                })
              const { pull, ...about } = yield* restore(
                observed.during(runCall(shared, call, operation, callOptions))
              ).pipe(Effect.onError((cause) => end(Exit.failCause(cause))))
              return {
                ...about,
                pull: Effect.matchEffect(pull, {
                  onFailure: (error) => Effect.zipRight(end(Exit.fail(error)), Effect.fail(error)),
                  onSuccess: (bytes) => (bytes === undefined ? Effect.as(end(Exit.void), bytes) : Effect.succeed(bytes))
                })
              }
            })
          )
        ),
      retryTokens: Effect.sync(shared.budget.tokens)
    }
  })

/** What all calls of a layer share. */
interface Shared {
  readonly options: TransportOptions
  readonly keys: ApiKeys
  readonly wire: Wire
  readonly budget: RetryBudget
}

const runCall = <A, E extends ServiceError>(
  { budget, keys, options, wire }: Shared,
  call: Call,
  operation: Operation<A, E>,
  { onEvent }: CallOptions = {}
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const tell = (event: CallEvent) =>
      onEvent === undefined
        ? Effect.void
        : Effect.catchAllCause(
            Effect.suspend(() => onEvent(event)),
            (cause) => Effect.logWarning("onEvent failed", cause)
          )
    const inOwnWords = (failure: Failure) => operation.fail(failure, call.progress())

    yield* call.watched
    let key = keys.current()
    // The service may quote the key that it no longer takes.
    const usedKeys = [key]
    let keyIsNew = false
    let delayMillis = 0
    let lastCost = 0
    for (let retry = 0; ; ) {
      const attempt = send(wire, call, operation, {
        delayMillis,
        header: options.apiKeyHeader,
        key,
        isObserved: onEvent !== undefined,
        tell
      }).pipe(
        Effect.mapError(inOwnWords),
        Effect.flatMap((incoming) => operation.accept(responseOf(incoming, usedKeys, call, operation)))
      )
      const outcome = yield* Effect.either(observeAttempt(attempt, operation, call))
      if (Either.isRight(outcome)) {
        budget.giveBack(lastCost)
        return outcome.right
      }
      const error = outcome.left
      yield* call.endAttempt

      if (error.retry === "otherKey" && !keyIsNew) {
        const next = yield* Effect.mapError(call.watch.run(keys.after(key)), (failure) => inOwnWords(ofTheKey(failure)))
        if (!operation.repeatable || Redacted.value(next) === Redacted.value(key)) return yield* Effect.fail(error)
        key = next
        usedKeys.push(next)
        keyIsNew = true
        delayMillis = 0
        continue
      }

      const cost = costOf(error.retry, options.retries)
      if (cost === undefined || !operation.repeatable || retry >= options.retries.retries) {
        return yield* Effect.fail(error)
      }
      delayMillis = delayBefore(call, retry, yield* Random.next)
      if (delayMillis > patienceOf(call) || !budget.take(cost)) return yield* Effect.fail(error)
      retry++
      lastCost = cost
      yield* logRetry(operation, error, delayMillis)
      if (onEvent !== undefined) {
        const event = { _tag: "Retrying", attempt: call.progress().attempts.length + 1, delayMillis } as const
        yield* Effect.mapError(call.watch.run(tell(event)), inOwnWords)
        if (delayMillis > patienceOf(call)) return yield* Effect.fail(error)
      }
      yield* Effect.sleep(delayMillis)
    }
  })

/** A key that takes too long to be read is at fault, and not the phase that it is read in. */
const ofTheKey = (failure: Failure): Failure =>
  failure._tag === "DeadlineExceeded" && failure.phase !== "total"
    ? { _tag: "InvalidApiKey", problem: `reading it took longer than ${failure.limitMillis} ms` }
    : failure

const delayBefore = (call: Call, retry: number, random: number): number =>
  Math.max(call.progress().attempts.at(-1)?.retryAfterMillis ?? 0, backoffMillis(retry, random))

/** To come back before the service wants it, or too late for the caller, would be for nothing. */
const patienceOf = ({ watch }: Call): number =>
  Number.isFinite(watch.left) ? Math.min(watch.left, longestSleep) : longestRetryAfter

/** One attempt, up to the head of its answer. */
const send = <A, E extends ServiceError>(
  wire: Wire,
  call: Call,
  operation: Operation<A, E>,
  attempt: {
    readonly delayMillis: number
    readonly header: string
    readonly key: Redacted.Redacted
    readonly isObserved: boolean
    readonly tell: (event: CallEvent) => Effect.Effect<void>
  }
): Effect.Effect<Incoming, Failure> =>
  Effect.gen(function* () {
    const { isObserved, tell } = attempt
    const number = call.progress().attempts.length + 1
    const { body, headers, url } = yield* outgoingOf(call, operation, attempt.delayMillis)
    const isUpload = !(body instanceof Uint8Array)
    let sentBytes = 0
    const exchange = wire.open(
      { url, body, headers: { ...headers, [attempt.header]: Redacted.value(attempt.key) } },
      call.watch,
      isObserved
        ? {
            onChunk: (byteLength) => {
              sentBytes += byteLength
              return tell({ _tag: "Uploading", attempt: number, sentBytes, totalBytes: body.byteLength })
            },
            onComplete: tell({ _tag: "Waiting", attempt: number })
          }
        : undefined
    )
    call.sending(exchange)
    if (!isUpload) {
      call.watch.reach("answer")
      if (isObserved) yield* call.watch.run(tell({ _tag: "Waiting", attempt: number }))
    }
    const incoming = yield* Effect.tapError(exchange.answer, () => Effect.sync(call.lost))
    call.answered(incoming)
    if (isObserved) yield* call.watch.run(tell({ _tag: "Answered", attempt: number, status: incoming.status }))
    return incoming
  })

const outgoingOf = <A, E extends ServiceError>(call: Call, { request }: Operation<A, E>, delayMillis: number) => {
  if (typeof request !== "function") {
    call.begin(undefined, delayMillis)
    return Effect.succeed(request)
  }
  return Effect.flatMap(Scope.make(), (scope) => {
    call.begin(scope, delayMillis)
    return call.watch.run(request(scope))
  })
}

const wireOf = (client: HttpClient.HttpClient): Wire =>
  WireId in client ? (client[WireId] as Wire) : makeHttpClientWire(client)

const errorTextLimit = 64 * 1024
const errorTextMillis = 3_000

const responseOf = <A, E extends ServiceError>(
  { header, pull, status }: Incoming,
  keys: ReadonlyArray<Redacted.Redacted>,
  { progress }: Call,
  operation: Operation<A, E>
): Response<E> => {
  // One key may be the beginning of another.
  const longestFirst = keys.toSorted((one, other) => Redacted.value(other).length - Redacted.value(one).length)
  const withoutKey = (text: string) => longestFirst.reduce(ApiKey.withoutKey, text)
  const redact = (text: string) => ApiKey.printable(withoutKey(text))
  return {
    status,
    header: (name) => {
      const value = header(name.toLowerCase())
      return value === undefined || value === "" ? undefined : redact(value)
    },
    pull: Effect.mapError(pull, (failure) => operation.fail(failure, progress())),
    errorText: Effect.map(firstBytes(pull), (bytes) => new TextDecoder().decode(bytes)),
    redact,
    withoutKey,
    progress
  }
}

/** What has come of the body of a failure after a while; that it fails too is of no interest. */
const firstBytes = (pull: Incoming["pull"]): Effect.Effect<Uint8Array> =>
  Effect.suspend(() => {
    const parts = makeParts(errorTextLimit)
    return Effect.map(Effect.timeoutOption(Effect.ignore(fill(parts, pull)), errorTextMillis), () => parts.read().bytes)
  })

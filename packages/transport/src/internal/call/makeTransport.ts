import * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Scope from "effect/Scope"
import type { ApiKey } from "../../ApiKey.js"
import type { CallOptions } from "../../CallEvent.js"
import type { ServiceError } from "../../ServiceError.js"
import type { InvalidApiKey } from "../../unstable/Failure.js"
import type { Operation } from "../../unstable/Operation.js"
import { makeHttpClientDriver } from "../http/httpClientDriver.js"
import { driverOf } from "../http/httpDriver.js"
import { merge, type ResolvedDeadlines } from "../options/deadlines.js"
import { ofCall } from "../options/durationOption.js"
import type { ResolvedRetries } from "../options/retries.js"
import { CallTimer, DeadlineMonitor } from "../timer/callTimer.js"
import { makeApiKeys } from "./apiKeys.js"
import { type Call, makeCall } from "./call.js"
import { makeCallQueue } from "./callQueue.js"
import type { RetryBudget } from "./retryBudget.js"
import { runCall, type SharedParts } from "./runCall.js"
import { makeTelemetry, type NamedCall, type Telemetry } from "./telemetry.js"

export interface TransportOptions<R = never> {
  /** The key, or an effect that reads it: once now, and again after the service refused it. */
  readonly apiKey: ApiKey<R>
  /** Name of the header that carries the key. */
  readonly apiKeyHeader: string
  /** Where requests go. Telemetry names its host and its port. */
  readonly baseUrl: URL
  readonly deadlines: ResolvedDeadlines
  readonly retries: ResolvedRetries
  /** Highest number of calls that run at the same time. It may be infinite. */
  readonly concurrency: number
}

/**
 * Runs the operations of a client: what `Client.connect` gives.
 *
 * @since 0.1.0
 * @category models
 */
export interface Transport {
  /** Runs an operation. `accept` must read the response before it returns. */
  readonly run: <A, E extends ServiceError, Context, Reading extends E>(
    operation: Operation<A, E, Context, Reading>,
    options?: CallOptions
  ) => Effect.Effect<A, E>
  /**
   * Runs an operation whose result still reads the response. The call ends when `pull` fails or returns `undefined`, or
   * when the scope closes.
   */
  readonly open: <A, Left extends ServiceError, E extends ServiceError, Context, Reading extends E>(
    operation: Operation<A & Opened<Left>, E, Context, Reading>,
    options?: CallOptions
  ) => Effect.Effect<Omit<A, "pull"> & Opened<Left>, E, Scope.Scope>
}

/**
 * A result that still reads the response.
 *
 * @since 0.1.0
 * @category models
 */
export interface Opened<E> {
  /** The next bytes, or `undefined` at the end. */
  readonly pull: Effect.Effect<Uint8Array | undefined, E>
}

/** Makes a transport whose calls share `budget`. */
export const makeTransport = <R = never>(
  options: TransportOptions<R>,
  budget: RetryBudget
): Effect.Effect<Transport, InvalidApiKey, R | HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const shared: SharedParts = {
      apiKeyHeader: options.apiKeyHeader,
      keys: yield* makeApiKeys(options.apiKey),
      driver: driverOf(client) ?? makeHttpClientDriver(client),
      retries: options.retries,
      budget
    }
    const telemetryOf = makeTelemetry(options.baseUrl)
    const enterQueue = makeCallQueue(options.concurrency)
    const monitors = new WeakMap<Clock.Clock, DeadlineMonitor>()
    const monitorOf = (clock: Clock.Clock): DeadlineMonitor => {
      const known = monitors.get(clock)
      if (known !== undefined) return known
      const monitor = new DeadlineMonitor(clock)
      monitors.set(clock, monitor)
      return monitor
    }
    const withCall = <A, E, R>(
      named: NamedCall,
      given: CallOptions | undefined,
      use: (call: Call, telemetry: Telemetry) => Effect.Effect<A, E, R>
    ): Effect.Effect<A, E, R> =>
      Effect.withFiberRuntime((fiber) => {
        const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
        const deadlines =
          given?.deadlines === undefined ? options.deadlines : ofCall(merge(given.deadlines, options.deadlines))
        const timer = new CallTimer(clock, deadlines)
        const call = makeCall(named.sentId, clock, timer, monitorOf(clock), enterQueue, given?.onEvent)
        return use(call, telemetryOf(fiber, named, call))
      })

    return {
      run: (operation, callOptions) =>
        withCall(operation, callOptions, (call, telemetry) =>
          Effect.onExit(telemetry.spanCall(runCall(shared, call, telemetry, operation, callOptions)), (exit) => {
            telemetry.countCall(exit)
            return call.end(exit)
          })
        ),
      open: (operation, callOptions) =>
        withCall(operation, callOptions, (call, telemetry) =>
          openCall(telemetry, call, runCall(shared, call, telemetry, operation, callOptions))
        )
    }
  })

/**
 * Runs a call whose result still reads the response, and ends it when `pull` fails or returns `undefined`, or when the scope of the
 * caller closes.
 *
 * Each layer around the bytes keeps one promise, and needs what only it knows:
 *
 * | pull of                | adds                                                  | needs                             |
 * | ---------------------- | ----------------------------------------------------- | --------------------------------- |
 * | `HttpResponse`         | the deadlines, and a bound of what waits to be read   | the connection                    |
 * | `Operation.Response`   | the errors of the operation, with the report          | the attempts so far               |
 * | `accept`, such as tts' | the checks of what arrives                            | the headers of a 200              |
 * | `Opened`               | the end of the call: telemetry, its place, connection | also the failures of these checks |
 */
const openCall = <A, Left extends ServiceError, E extends ServiceError>(
  { beginCall }: Telemetry,
  call: Call,
  running: Effect.Effect<A & Opened<Left>, E>
): Effect.Effect<Omit<A, "pull"> & Opened<Left>, E, Scope.Scope> =>
  // A call that failed or was read to its end is closed at once, even if the caller's scope stays open.
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const observed = yield* beginCall
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
      const { pull, ...details } = yield* restore(observed.during(running)).pipe(
        Effect.onError((cause) => end(Exit.failCause(cause)))
      )
      return {
        ...details,
        pull: Effect.matchEffect(pull, {
          onFailure: (error) => Effect.zipRight(end(Exit.fail(error)), Effect.fail(error)),
          onSuccess: (bytes) => (bytes === undefined ? Effect.as(end(Exit.void), bytes) : Effect.succeed(bytes))
        })
      }
    })
  )

import * as HttpClient from "@effect/platform/HttpClient"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ApiKey } from "../../ApiKey.js"
import type { CallOptions } from "../../CallEvent.js"
import type { ResolvedDeadlines } from "../../Deadlines.js"
import type { InvalidApiKey } from "../../Failure.js"
import type { Operation } from "../../Operation.js"
import type { ResolvedRetries } from "../../Retries.js"
import type { ServiceError } from "../../ServiceError.js"
import { makeHttpClientDriver } from "../http/httpClientDriver.js"
import { driverOf } from "../http/httpDriver.js"
import { CallTimer, DeadlineMonitor } from "../timer/callTimer.js"
import { makeApiKeys } from "./apiKeys.js"
import { makeCall } from "./call.js"
import { makeCallQueue } from "./callQueue.js"
import { type Opened, openCall } from "./openCall.js"
import type { RetryBudget } from "./retryBudget.js"
import { runCall, type SharedParts } from "./runCall.js"
import { countCall, spanCall } from "./telemetry.js"

export interface TransportOptions {
  /** The key, or an effect that reads it: once now, and again after the service refused it. */
  readonly apiKey: ApiKey
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

/** Makes a transport whose calls share `budget`. */
export const makeTransport = (
  options: TransportOptions,
  budget: RetryBudget
): Effect.Effect<Transport, InvalidApiKey, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const shared: SharedParts = {
      apiKeyHeader: options.apiKeyHeader,
      keys: yield* makeApiKeys(options.apiKey),
      driver: driverOf(client) ?? makeHttpClientDriver(client),
      retries: options.retries,
      budget
    }
    const enterQueue = makeCallQueue(options.concurrency)
    const monitors = new WeakMap<Clock.Clock, DeadlineMonitor>()
    const newCall = ({ sentId }: { readonly sentId: string }, given: CallOptions | undefined) =>
      Effect.map(Effect.clock, (clock) => {
        const monitor = monitors.get(clock) ?? new DeadlineMonitor(clock, options.deadlines)
        monitors.set(clock, monitor)
        return makeCall(sentId, clock, new CallTimer(clock, options.deadlines), monitor, enterQueue, given?.onEvent)
      })

    return {
      run: (operation, callOptions) =>
        Effect.flatMap(newCall(operation, callOptions), (call) =>
          Effect.onExit(spanCall(runCall(shared, call, operation, callOptions), operation), (exit) =>
            Effect.zipRight(countCall(operation, call, exit), call.end(exit))
          )
        ),
      open: (operation, callOptions) =>
        Effect.flatMap(newCall(operation, callOptions), (call) =>
          openCall(call, operation, runCall(shared, call, operation, callOptions))
        )
    }
  })

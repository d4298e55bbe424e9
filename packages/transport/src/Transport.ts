/**
 * Runs calls to the service.
 *
 * For each attempt the transport adds the key, sends the request, and passes the response to the operation. It repeats a
 * failed attempt if the error allows a retry and the budget of the layer has tokens left. A monitor ends calls that
 * exceed a deadline. The program provides the HttpClient, which may be any.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as ApiKey from "./ApiKey.js"
import type { CallOptions } from "./CallEvent.js"
import type { ResolvedDeadlines } from "./Deadlines.js"
import type { InvalidApiKey } from "./Failure.js"
import { makeTransport } from "./internal/call/makeTransport.js"
import { makeRetryBudget } from "./internal/call/retryBudget.js"
import type { Operation } from "./Operation.js"
import type { ResolvedRetries } from "./Retries.js"
import type { ServiceError } from "./ServiceError.js"

export interface TransportOptions {
  /** The key, or an effect that reads it: once now, and again after the service refused it. */
  readonly apiKey: ApiKey.ApiKey
  /** Name of the header that carries the key. */
  readonly apiKeyHeader: string
  readonly deadlines: ResolvedDeadlines
  readonly retries: ResolvedRetries
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

/** Makes a transport. It reads the key, and fails if the key can't be read or has the wrong form. */
export const make = (options: TransportOptions): Effect.Effect<Transport, InvalidApiKey, HttpClient.HttpClient> =>
  makeTransport(options, makeRetryBudget())

/**
 * Runs calls to the service.
 *
 * For each attempt the transport adds the key, sends the request, and passes the response to the operation. It repeats a
 * failed attempt if the error allows a retry and the budget of the layer has tokens left. A monitor ends calls that
 * exceed a deadline. The program provides the HttpClient, which may be any.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Effect from "effect/Effect"
import type { InvalidApiKey } from "./Failure.js"
import { makeTransport, type Transport, type TransportOptions } from "./internal/call/makeTransport.js"
import { makeRetryBudget } from "./internal/call/retryBudget.js"

export type { Opened, Transport, TransportOptions } from "./internal/call/makeTransport.js"

/** Makes a transport. It reads the key, and fails if the key can't be read or has the wrong form. */
export const make = <R = never>(
  options: TransportOptions<R>
): Effect.Effect<Transport, InvalidApiKey, R | HttpClient.HttpClient> => makeTransport(options, makeRetryBudget())

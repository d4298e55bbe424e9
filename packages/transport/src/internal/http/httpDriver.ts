import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Effect from "effect/Effect"
import type { Failure, ReadFailed } from "../../unstable/Failure.js"
import type { Request } from "../../unstable/Operation.js"
import type { CallTimer } from "../timer/callTimer.js"

/** Sends requests. There are two drivers: one for undici, one for any HttpClient. */
export interface HttpDriver {
  /** Prepares one request. The observer, if there is one, follows the upload. */
  readonly exchange: (request: HttpRequest, timer: CallTimer, observer: UploadObserver | undefined) => HttpExchange
}

export type HttpRequest = Omit<Request<unknown>, "context">

/** One request and its response. */
export interface HttpExchange {
  /** Sends the request and waits for the head of the response. Run it once. If it is interrupted, `close` stops the request. */
  readonly response: Effect.Effect<HttpResponse, Failure>
  /**
   * Stops sending and receiving at once. The result waits for what still ends, however long: it is `Effect.void` if nothing does.
   * If the response was read to its end, the connection is free for the next request.
   */
  readonly close: () => Effect.Effect<void>
}

export interface HttpResponse {
  readonly status: number
  /** The value of a header, by its name in lower case. Repeated headers are joined by commas. */
  readonly header: (name: string) => string | undefined
  /** The next bytes of the body, or `undefined` at its end. */
  readonly pull: Effect.Effect<Uint8Array | undefined, ReadFailed>
}

/** Follows an upload. Neither function throws or waits. */
export interface UploadObserver {
  /** Runs when a piece is passed on. */
  readonly onPiece: (byteLength: number) => void
  /** Runs when all of the upload was passed on. */
  readonly onComplete: () => void
}

/**
 * The driver of each client object that has one, found by the identity of the object.
 *
 * A wrapper of the HttpClient must see each request in its `execute`, so a driver may replace exactly the object that it was made
 * with. A property of that object, typed or not, would also be found on a spread, an heir or a Proxy of it, and a service tag beside
 * it would stay in the context when a program provides a wrapper: both would bypass the wrapper. Another version of this package has a
 * map of its own, and uses the HttpClient instead.
 */
const drivers = new WeakMap<HttpClient.HttpClient, HttpDriver>()

/** Makes the transport use `driver` in place of exactly this client. */
export const withDriver = (client: HttpClient.HttpClient, driver: HttpDriver): HttpClient.HttpClient => {
  drivers.set(client, driver)
  return client
}

export const driverOf = (client: HttpClient.HttpClient): HttpDriver | undefined => drivers.get(client)

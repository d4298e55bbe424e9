/**
 * A transport over a scripted HttpClient, so that waiting takes no real time.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type { ApiKey } from "@effect-speech/transport"
import type { RetryOptions } from "@effect-speech/transport/Retries"
import type { Retry } from "@effect-speech/transport/ServiceError"
import type * as Failure from "@effect-speech/transport/unstable/Failure"
import type * as Operation from "@effect-speech/transport/unstable/Operation"
import * as ResponseBody from "@effect-speech/transport/unstable/ResponseBody"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { makeTransport } from "../src/internal/call/makeTransport.js"
import { makeRetryBudget, type RetryBudget } from "../src/internal/call/retryBudget.js"
import * as Concurrency from "../src/internal/options/concurrency.js"
import * as Deadlines from "../src/internal/options/deadlines.js"
import * as Retries from "../src/internal/options/retries.js"

export interface Failed {
  readonly _tag: "Failed"
  readonly retry: Retry
  readonly progress: Operation.Progress
  readonly failure?: Failure.Failure | undefined
}

export const resolvedDeadlines = (...given: Parameters<typeof Deadlines.parse>): Deadlines.ResolvedDeadlines =>
  Either.getOrThrow(Deadlines.parse(...given))

export const deadlines = resolvedDeadlines({ uploadIdle: "10 seconds", downloadIdle: "20 seconds" }, "1 minute")

export interface PlayOptions {
  readonly apiKey?: ApiKey.ApiKey | undefined
  readonly deadlines?: Deadlines.ResolvedDeadlines | undefined
  readonly retries?: RetryOptions | undefined
  readonly budget?: RetryBudget | undefined
  readonly concurrency?: number | undefined
}

export type Play = (
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<Response, HttpClientError.RequestError>

const transportOf = (options: PlayOptions) =>
  makeTransport(
    {
      apiKey: options.apiKey ?? Redacted.make("prefix.topsecret"),
      apiKeyHeader: "X-Api-Key",
      baseUrl: new URL("https://host.example"),
      deadlines: options.deadlines ?? deadlines,
      retries: Either.getOrThrow(Retries.parse(options.retries ?? { retries: 0 })),
      concurrency: Either.getOrThrow(Concurrency.parse(options))
    },
    options.budget ?? makeRetryBudget()
  )

export const playedTransport = (play: Play, options: PlayOptions = {}) =>
  Effect.orDie(
    Effect.provideService(
      transportOf(options),
      HttpClient.HttpClient,
      HttpClient.make((request) =>
        Effect.map(play(request), (response) => HttpClientResponse.fromWeb(request, response))
      )
    )
  )

/** A transport over a layer, which lasts until the scope closes. */
export const transportOver = (httpClient: Layer.Layer<HttpClient.HttpClient>, options: PlayOptions = {}) =>
  Effect.flatMap(Layer.build(httpClient), (context) => Effect.orDie(Effect.provide(transportOf(options), context)))

const retryOf = (status: number): Retry => {
  if (status === 401) return "otherKey"
  if (status === 429 || status === 503) return "overload"
  return status >= 500 ? "transient" : "never"
}

const retryOfFailure = (failure: Failure.Failure, sent: Operation.Progress["sent"]): Retry => {
  if (failure._tag !== "ConnectionFailed") return "never"
  return sent === "all" ? "ambiguous" : "transient"
}

/** Returns the text of a 200, and fails for any other status. */
export const operation = (
  body: Operation.Request["body"] = new TextEncoder().encode("hello"),
  repeatable = true,
  url = "https://host.example/"
): Operation.Operation<string, Failed> => ({
  name: "test",
  sentId: "id-1",
  request: {
    url: new URL(url),
    headers: { "Content-Type": "text/plain" },
    body,
    context: undefined
  },
  repeatable,
  accept: ({ progress, pull, status }) =>
    status === 200
      ? Effect.map(ResponseBody.collect(pull, 1000), ({ bytes }) => new TextDecoder().decode(bytes))
      : Effect.fail<Failed>({ _tag: "Failed", retry: retryOf(status), progress: progress() }),
  fail: failed,
  failReading: failed
})

const failed = (failure: Failure.Failure, progress: Operation.Progress): Failed => ({
  _tag: "Failed",
  retry: retryOfFailure(failure, progress.sent),
  progress,
  failure
})

/** The failure of a connection with this code. */
export const lost = (request: HttpClientRequest.HttpClientRequest, code: string) => {
  const cause = new Error("outer", { cause: Object.assign(new Error("inner"), { code }) })
  return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause }))
}

/** How a request ends: with a status, optionally a Retry-After, or with the code of a failed connection. */
export type End =
  | number
  | string
  | { readonly status: number; readonly retryAfter: string; readonly date?: string | undefined }

/** A transport whose requests have these ends, in order. All further requests end with 200. */
export const scripted = (ends: Array<End>, options: PlayOptions = {}) =>
  Effect.gen(function* () {
    const requests: Array<HttpClientRequest.HttpClientRequest> = []
    const budget = makeRetryBudget()
    const transport = yield* playedTransport(
      (request) => {
        requests.push(request)
        const end = ends.shift() ?? 200
        if (typeof end === "string") return lost(request, end)
        if (typeof end === "number") return Effect.succeed(new Response("ok", { status: end }))
        const { date, retryAfter, status } = end
        const headers = { "Retry-After": retryAfter, ...(date === undefined ? {} : { Date: date }) }
        return Effect.succeed(new Response("ok", { status, headers }))
      },
      { retries: {}, budget, ...options }
    )
    return { budget, requests, transport }
  })

/** Runs a call to its end, however long it waits. `random` is the jitter. Default: 1, the longest delays. */
export const settled = <A>(effect: Effect.Effect<A, Failed>, random = 1) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.either(Effect.withRandom(effect, Random.fixed([random]))))
    for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow()
    while (fiber.unsafePoll() === null) yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

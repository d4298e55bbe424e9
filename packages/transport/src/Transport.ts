/**
 * How one call is made.
 *
 * The key is read, the request built and sent, and the answer handed to the operation; a watch over the phases
 * ends a call that has come to a stop. The HttpClient comes from the program, so that any layer will do.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ApiKey from "./ApiKey.js"
import type { Attempt } from "./CallReport.js"
import type { ResolvedDeadlines } from "./Deadlines.js"
import * as Failure from "./Failure.js"
import type { Operation, Progress, Response } from "./Operation.js"
import { readAtMost } from "./ResponseBody.js"

export interface TransportOptions {
  readonly apiKey: ApiKey.ApiKey
  /** The name of the header that carries the key. */
  readonly apiKeyHeader: string
  readonly deadlines: ResolvedDeadlines
}

export interface Transport {
  /**
   * Runs an operation. What it gives may hold on to the answer (a stream does): the answer ends when the scope
   * closes.
   */
  readonly run: <A, E>(operation: Operation<A, E>) => Effect.Effect<A, E, Scope.Scope>
}

const errorTextLimit = 64 * 1024
const errorTextMillis = 10_000

export const make = (
  options: TransportOptions
): Effect.Effect<Transport, Failure.InvalidApiKey, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const key = yield* Effect.isEffect(options.apiKey) ? options.apiKey : Effect.succeed(options.apiKey)
    const problem = ApiKey.problemWith(key)
    if (problem !== undefined) return yield* Effect.fail({ problem })

    // The service is a third party: it gets no trace headers. `withScope` comes last, since it knows a request
    // by its identity.
    const client = (yield* HttpClient.HttpClient).pipe(HttpClient.withTracerPropagation(false), HttpClient.withScope)
    return {
      run: (operation) =>
        Effect.withSpan(call(client, key, options, operation), `speech.${operation.name}`, {
          attributes: { "speech.id": operation.sentId },
          captureStackTrace: false
        })
    }
  })

type ScopedClient = HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>

const call = <A, E>(
  client: ScopedClient,
  key: Redacted.Redacted,
  options: TransportOptions,
  operation: Operation<A, E>
): Effect.Effect<A, E, Scope.Scope> =>
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const attempts: Array<Attempt> = []

    const progress: Effect.Effect<Progress> = Effect.map(Clock.currentTimeMillis, (now) => ({
      sentId: operation.sentId,
      attempts: [...attempts],
      sent: attempts.at(-1)?.sent ?? "nothing",
      elapsedMillis: now - startedAt
    }))
    const failed = (failure: Failure.Failure): Effect.Effect<never, E> =>
      Effect.flatMap(progress, (reached) => Effect.fail(operation.fail(failure, reached)))

    const attempt = Effect.gen(function* () {
      const attemptAt = yield* Clock.currentTimeMillis
      const upload: Upload = { bytes: 0, complete: false, activeAt: attemptAt }
      const request = yield* operation.request
      const finish = (end: Pick<Attempt, "status" | "sent">) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          attempts.push({ ...end, elapsedMillis: now - attemptAt })
        })

      const response = yield* request.pipe(
        HttpClientRequest.setHeader(options.apiKeyHeader, Redacted.value(key)),
        (ready) => watchUpload(ready, upload),
        client.execute,
        // Only fetch heeds this: it would follow a redirect, and take the key to another host.
        Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" }),
        Effect.mapError(Failure.fromHttpClient),
        Effect.raceFirst(watchUntilAnswer(upload, startedAt, options.deadlines)),
        Effect.catchAll((failure) => Effect.zipRight(finish({ sent: sentBy(failure, upload) }), failed(failure)))
      )
      yield* finish({ status: response.status, sent: upload.complete ? "all" : "part" })
      return yield* operation.accept(
        guard(response, { key, startedAt, deadlines: options.deadlines, progress, failed })
      )
    })

    // The answer of an attempt that failed is let go at once, not when the caller's scope ends.
    return yield* Effect.acquireUseRelease(
      Effect.flatMap(Effect.scope, (scope) => Scope.fork(scope, scope.strategy)),
      (scope) => Scope.extend(attempt, scope),
      (scope, exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit))
    )
  })

/** How far the request has left this process; written by the body as it is read, read by the watch. */
interface Upload {
  bytes: number
  complete: boolean
  activeAt: number
}

const watchUpload = (
  request: HttpClientRequest.HttpClientRequest,
  upload: Upload
): HttpClientRequest.HttpClientRequest => {
  const body = request.body
  if (body._tag !== "Stream") {
    upload.complete = true
    return request
  }
  const watched = body.stream.pipe(
    Stream.tap((chunk) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        upload.bytes += chunk.byteLength
        upload.activeAt = now
      })
    ),
    Stream.concat(
      Stream.execute(
        Effect.map(Clock.currentTimeMillis, (now) => {
          upload.complete = true
          upload.activeAt = now
        })
      )
    )
  )
  return HttpClientRequest.setBody(request, HttpBody.stream(watched, body.contentType, body.contentLength))
}

const neverConnected: ReadonlySet<Failure.ConnectionReason> = new Set(["refused", "notFound", "tls"])

const sentBy = (failure: Failure.Failure, upload: Upload): Attempt["sent"] => {
  if (failure._tag === "ConnectionFailed" && neverConnected.has(failure.reason)) return "nothing"
  if (upload.complete) return "all"
  return upload.bytes === 0 ? "nothing" : "part"
}

/** Fails once the upload has paused, or the answer has been awaited, for longer than it may. */
const watchUntilAnswer = (
  upload: Upload,
  startedAt: number,
  deadlines: ResolvedDeadlines
): Effect.Effect<never, Failure.Failure> => {
  const check: Effect.Effect<never, Failure.Failure> = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const idle = upload.complete
      ? ({ phase: "answer", limitMillis: deadlines.answer, since: upload.activeAt } as const)
      : ({ phase: "upload", limitMillis: deadlines.uploadIdle, since: upload.activeAt } as const)
    const total = { phase: "total", limitMillis: deadlines.total, since: startedAt } as const
    const next = total.since + total.limitMillis < idle.since + idle.limitMillis ? total : idle
    const left = next.since + next.limitMillis - now
    if (left <= 0) {
      return Effect.fail<Failure.Failure>({
        _tag: "DeadlineExceeded",
        phase: next.phase,
        limitMillis: next.limitMillis
      })
    }
    return left === Number.POSITIVE_INFINITY ? Effect.never : Effect.zipRight(Effect.sleep(left), check)
  })
  return check
}

const guard = <E>(
  response: HttpClientResponse.HttpClientResponse,
  around: {
    readonly key: Redacted.Redacted
    readonly startedAt: number
    readonly deadlines: ResolvedDeadlines
    readonly progress: Effect.Effect<Progress>
    readonly failed: (failure: Failure.Failure) => Effect.Effect<never, E>
  }
): Response<E> => {
  const { deadlines, failed, key, progress, startedAt } = around

  const limit = Effect.map(Clock.currentTimeMillis, (now) => {
    const total = startedAt + deadlines.total - now
    return total < deadlines.downloadIdle
      ? ({ phase: "total", millis: Math.max(0, total), limitMillis: deadlines.total } as const)
      : ({ phase: "download", millis: deadlines.downloadIdle, limitMillis: deadlines.downloadIdle } as const)
  })

  const withinLimit = <A, R>(
    pull: Effect.Effect<A, Option.Option<HttpClientError.ResponseError>, R>
  ): Effect.Effect<A, Option.Option<Failure.Failure>, R> =>
    Effect.flatMap(limit, ({ limitMillis, millis, phase }) =>
      pull.pipe(
        Effect.mapError(Option.map(Failure.fromHttpClient)),
        Effect.timeoutFail({
          duration: millis,
          onTimeout: () => Option.some<Failure.Failure>({ _tag: "DeadlineExceeded", phase, limitMillis })
        })
      )
    )

  const body: Stream.Stream<Uint8Array, E> = Stream.fromPull(
    Effect.map(Stream.toPull(response.stream), withinLimit)
  ).pipe(Stream.catchAll((failure) => Stream.fromEffect(failed(failure))))

  const redact = (text: string) => ApiKey.redact(text, key)
  return {
    status: response.status,
    headers: response.headers,
    body,
    errorText: body.pipe(
      Stream.catchAll(() => Stream.empty),
      Stream.interruptAfter(errorTextMillis),
      (beginning) => readAtMost(beginning, errorTextLimit),
      Effect.map(({ bytes }) => redact(new TextDecoder().decode(bytes)))
    ),
    redact,
    progress
  }
}

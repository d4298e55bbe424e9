/**
 * How one call is made.
 *
 * The key is read, the request built and sent, and the answer handed to the operation; a watch over the phases
 * ends a call that has come to a stop. The HttpClient comes from the program, so that any layer will do.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Headers from "@effect/platform/Headers"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ApiKey from "./ApiKey.js"
import type { Attempt } from "./CallReport.js"
import type { Phase, ResolvedDeadlines } from "./Deadlines.js"
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

    // Only fetch heeds these. It would follow a redirect, and take the key to another host; and unless redirects are
    // errors, it keeps a copy of the body, which for a recording is too much.
    const fetchOptions = Option.getOrUndefined(yield* Effect.serviceOption(FetchHttpClient.RequestInit))

    const attempt = Effect.gen(function* () {
      const attemptAt = yield* Clock.currentTimeMillis
      const upload = yield* makeUpload
      const request = yield* operation.request
      const finish = (end: Pick<Attempt, "status" | "sent">) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          attempts.push({ ...end, elapsedMillis: now - attemptAt })
        })

      const response = yield* request.pipe(
        HttpClientRequest.setHeader(options.apiKeyHeader, Redacted.value(key)),
        (ready) => watchUpload(ready, upload),
        client.execute,
        Effect.provideService(FetchHttpClient.RequestInit, {
          ...fetchOptions,
          redirect: request.body._tag === "Stream" ? "error" : "manual"
        }),
        Effect.mapError(Failure.fromHttpClient),
        Effect.raceFirst(Effect.suspend(() => watchUntilAnswer(upload, startedAt, options.deadlines))),
        Effect.catchAll((failure) => Effect.zipRight(finish({ sent: sentBy(failure, upload) }), failed(failure)))
      )
      yield* finish({ status: response.status, sent: upload.complete ? "all" : "part" })
      const answer = yield* guard(response, { key, startedAt, deadlines: options.deadlines, progress, failed })
      return yield* operation.accept(answer)
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
  readonly completed: Deferred.Deferred<void>
}

const makeUpload = Effect.gen(function* () {
  const upload: Upload = {
    bytes: 0,
    complete: false,
    activeAt: yield* Clock.currentTimeMillis,
    completed: yield* Deferred.make<void>()
  }
  return upload
})

const watchUpload = (
  request: HttpClientRequest.HttpClientRequest,
  upload: Upload
): HttpClientRequest.HttpClientRequest => {
  const body = request.body
  if (body._tag !== "Stream") {
    upload.complete = true
    return request
  }
  const active = (change: () => void) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      change()
      upload.activeAt = now
    })
  const complete = active(() => {
    upload.complete = true
  })
  const watched = body.stream.pipe(
    Stream.tap((chunk) =>
      active(() => {
        upload.bytes += chunk.byteLength
      })
    ),
    Stream.concat(Stream.execute(Effect.zipRight(complete, Deferred.succeed(upload.completed, undefined))))
  )
  return HttpClientRequest.setBody(request, HttpBody.stream(watched, body.contentType, body.contentLength))
}

const sentBy = (failure: Failure.Failure, upload: Upload): Attempt["sent"] => {
  if (Failure.neverConnected(failure)) return "nothing"
  if (upload.complete) return "all"
  return upload.bytes === 0 ? "nothing" : "part"
}

const exceeded = (phase: Phase, limitMillis: number) =>
  Effect.fail<Failure.Failure>({ _tag: "DeadlineExceeded", phase, limitMillis })

const after = (
  millis: number,
  failure: Effect.Effect<never, Failure.Failure>
): Effect.Effect<never, Failure.Failure> =>
  millis === Number.POSITIVE_INFINITY ? Effect.never : Effect.zipRight(Effect.sleep(millis), failure)

/** Fails once the upload has paused, the answer has been awaited, or all of it has taken, for longer than it may. */
const watchUntilAnswer = (
  upload: Upload,
  startedAt: number,
  deadlines: ResolvedDeadlines
): Effect.Effect<never, Failure.Failure> => {
  const uploadIdle: Effect.Effect<never, Failure.Failure> = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const left = upload.activeAt + deadlines.uploadIdle - now
    return left <= 0 ? exceeded("upload", deadlines.uploadIdle) : after(left, uploadIdle)
  })
  const answer = after(deadlines.answer, exceeded("answer", deadlines.answer))
  const phases = upload.complete
    ? answer
    : Effect.zipRight(Effect.raceFirst(Deferred.await(upload.completed), uploadIdle), answer)
  if (deadlines.total === Number.POSITIVE_INFINITY) return phases
  return Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.raceFirst(phases, after(startedAt + deadlines.total - now, exceeded("total", deadlines.total)))
  )
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
): Effect.Effect<Response<E>, never, Scope.Scope> => {
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

  // A connection that is cut before its body is read can look like one that has ended well.
  const announced = Option.isNone(Headers.get(response.headers, "content-encoding"))
    ? Option.getOrUndefined(Option.map(Headers.get(response.headers, "content-length"), Number))
    : undefined
  let readable = true
  const body: Stream.Stream<Uint8Array, E> = Stream.suspend(() => {
    if (!readable) return Stream.dieMessage("The body of an answer can be read once, inside the scope of its call.")
    readable = false
    let received = 0
    return Stream.fromPull(Effect.map(Stream.toPull(response.stream), withinLimit)).pipe(
      Stream.tap((chunk) => Effect.sync(() => (received += chunk.byteLength))),
      Stream.concat(
        Stream.execute(
          Effect.suspend(() =>
            announced !== undefined && received < announced
              ? Effect.fail<Failure.Failure>({ _tag: "ConnectionFailed", reason: "cut", code: undefined })
              : Effect.void
          )
        )
      ),
      Stream.catchAll((failure) => Stream.fromEffect(failed(failure)))
    )
  })

  const redact = (text: string) => ApiKey.redact(text, key)
  const answer: Response<E> = {
    status: response.status,
    headers: response.headers,
    header: (name) => {
      const value = Option.getOrElse(Headers.get(response.headers, name), () => "")
      return value === "" ? undefined : redact(value)
    },
    body,
    errorText: body.pipe(
      Stream.catchAll(() => Stream.empty),
      Stream.interruptAfter(errorTextMillis),
      (beginning) => readAtMost(beginning, errorTextLimit),
      Effect.map(({ bytes }) => new TextDecoder().decode(bytes))
    ),
    redact,
    progress
  }
  return Effect.as(
    Effect.addFinalizer(() =>
      Effect.sync(() => {
        readable = false
      })
    ),
    answer
  )
}

import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Headers from "@effect/platform/Headers"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { DeadlineExceeded, Failure, ReadFailed, UploadFailed } from "../../unstable/Failure.js"
import { type Chunks, chunks, type Upload } from "../../unstable/Upload.js"
import { awaitBriefly } from "../timer/awaitBriefly.js"
import { type CallTimer, outOfScope } from "../timer/callTimer.js"
import { classifyConnectionError, neverConnected, toUploadFailed } from "./classifyConnectionError.js"
import type { HttpDriver, HttpRequest, HttpResponse, UploadObserver } from "./httpDriver.js"
import { makeUploadProgress } from "./uploadProgress.js"

const prototype: unknown = Object.getPrototypeOf(HttpClient.make(() => Effect.never))

/**
 * The combinators of `HttpClient` use the parts of a client, and never its `execute`. So they would bypass a wrapper that only
 * has an `execute` of its own: a spread, an object that inherits from the client, a Proxy.
 */
const withItsExecute = (given: HttpClient.HttpClient): HttpClient.HttpClient =>
  Object.getPrototypeOf(given) === prototype &&
  Object.getOwnPropertyDescriptor(given, "execute")?.value === given.execute
    ? given
    : HttpClient.makeWith<never, never, HttpClientError.HttpClientError, never>(
        Effect.flatMap((request) => given.execute(request)),
        Effect.succeed
      )

/** Uses any HttpClient. */
export const makeHttpClientDriver = (given: HttpClient.HttpClient): HttpDriver => {
  // The client's own span is off: it would hold headers of the service, which may quote the key, and it would send trace
  // headers to a third party. `withScope` must come last, because it finds a request by its identity.
  const client = withItsExecute(given).pipe(
    HttpClient.withTracerDisabledWhen(() => true),
    HttpClient.withScope
  )
  return {
    exchange: (httpRequest, timer, observer) => {
      let scope: Scope.CloseableScope | undefined
      let uploadFailure: UploadFailed | undefined
      let reader: Fiber.RuntimeFiber<unknown, unknown> | undefined
      /** The fibers that run the client, with its finalizers. */
      const running = new Set<Fiber.RuntimeFiber<unknown>>()
      let isClosed = false

      const execute = Effect.gen(function* () {
        const request = toClientRequest(httpRequest, timer, observer, {
          begin: Effect.withFiberRuntime((fiber) => {
            reader = fiber
            return isClosed ? Effect.interrupt : Effect.void
          }),
          onFailure: (failure) => {
            uploadFailure = failure
          }
        })
        // Only fetch reads these options. By default it follows a redirect, which would send the key to another host. With
        // `redirect: "manual"` it keeps a copy of a streamed body in memory, so for an upload a redirect is an error.
        const fetchOptions = Option.getOrUndefined(yield* Effect.serviceOption(FetchHttpClient.RequestInit))
        const response = yield* Effect.provideService(client.execute(request), FetchHttpClient.RequestInit, {
          ...fetchOptions,
          redirect: request.body._tag === "Stream" ? "error" : "manual"
        }).pipe(
          Effect.mapError(
            (error): Failure => uploadFailure ?? classifyConnectionError(error.cause, error._tag === "ResponseError")
          ),
          Effect.tapError((failure) =>
            Effect.sync(() => {
              if (neverConnected(failure)) timer.sent = "nothing"
            })
          )
        )
        return yield* toHttpResponse(response, run)
      })

      const run: Run = (effect) =>
        timer.run(effect, (fiber) => {
          running.add(fiber)
          fiber.addObserver(() => running.delete(fiber))
        })
      const close = () => {
        isClosed = true
        for (const fiber of running) fiber.unsafeInterruptAsFork(FiberId.none)
        // The scope first: it aborts the request, for which a finalizer of the client may wait.
        const closed = Effect.zipRight(
          scope === undefined ? Effect.void : Scope.close(scope, Exit.void),
          Effect.suspend(() => Fiber.awaitAll([...running]))
        )
        // The client may stop reading the upload without closing it: fetch of Node 26 does so if it could not connect.
        return reader === undefined
          ? Effect.asVoid(closed)
          : Effect.zipRight(closed, awaitBriefly(Fiber.interruptFork(reader), reader))
      }
      const response = Effect.flatMap(Scope.make(), (made) => {
        scope = made
        timer.sent = "nothing"
        return run(Scope.extend(execute, made))
      })
      return { response, close }
    }
  }
}

/** Runs an effect of the client within the deadlines of the call. */
type Run = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | DeadlineExceeded>

const toClientRequest = (
  { body, headers, url }: HttpRequest,
  timer: CallTimer,
  observer: UploadObserver | undefined,
  reading: ReadingObserver
): HttpClientRequest.HttpClientRequest => {
  const { "Content-Type": contentType, ...others } = headers
  const request = HttpClientRequest.post(url, { headers: others })
  if (body instanceof Uint8Array) {
    timer.sent = "all"
    return HttpClientRequest.setBody(request, HttpBody.uint8Array(body, contentType))
  }
  return HttpClientRequest.setBody(
    request,
    HttpBody.stream(observed(body, timer, observer, reading), contentType, body.byteLength)
  )
}

/** Follows the fiber that reads an upload. */
interface ReadingObserver {
  /** Runs at the start, in that fiber. */
  readonly begin: Effect.Effect<void>
  readonly onFailure: (failure: UploadFailed) => void
}

const observed = (
  upload: Upload,
  timer: CallTimer,
  observer: UploadObserver | undefined,
  { begin, onFailure }: ReadingObserver
): Stream.Stream<Uint8Array, UploadFailed> => {
  const progress = makeUploadProgress(upload.byteLength, timer, observer)
  return Stream.execute(begin).pipe(
    Stream.concat(once(chunks(upload))),
    Stream.tap((chunk) => Effect.sync(() => progress.pass(chunk.byteLength))),
    Stream.tapErrorCause((cause) => Effect.sync(() => onFailure(toUploadFailed(cause)))),
    Stream.concat(Stream.execute(Effect.sync(progress.end)))
  )
}

/** Fails if it is read twice: an upload is opened for one attempt, and its source may be used up. */
const once = (stream: Chunks): Chunks => {
  let isRead = false
  return Stream.suspend(() => {
    if (isRead) {
      const problem = "the HttpClient sent it a second time; remove its retries and use the option retries"
      return Stream.fail<UploadFailed>({ _tag: "UploadFailed", problem })
    }
    isRead = true
    return stream
  })
}

const toHttpResponse = (
  response: HttpClientResponse.HttpClientResponse,
  run: Run
): Effect.Effect<HttpResponse, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const header = (name: string) => Option.getOrUndefined(Headers.get(response.headers, name))
    // A lost connection can look like the regular end of the body, so the length is compared.
    const announced = header("content-encoding") === undefined ? Number(header("content-length")) : Number.NaN
    let received = 0
    let next: Effect.Effect<Uint8Array, Option.Option<HttpClientError.ResponseError>> | undefined
    const open = Effect.map(Scope.extend(Stream.toPull(Stream.rechunk(response.stream, 1)), scope), (pull) => {
      next = Effect.map(pull, Chunk.unsafeHead)
      return next
    })

    const step: Effect.Effect<Uint8Array | undefined, ReadFailed> = Effect.suspend(
      () => next ?? Effect.flatten(open)
    ).pipe(
      Effect.tap((chunk) => Effect.sync(() => (received += chunk.byteLength))),
      Effect.catchAll((end) => {
        if (Option.isSome(end)) return Effect.fail(classifyConnectionError(end.value.cause, true))
        return received < announced
          ? Effect.fail<ReadFailed>({ _tag: "ConnectionFailed", reason: "cut", code: undefined })
          : Effect.succeed(undefined)
      })
    )
    let isOpen = true
    yield* Effect.addFinalizer(() => Effect.sync(() => (isOpen = false)))
    const pull = Effect.suspend(() => (isOpen ? run(step) : outOfScope))
    return { status: response.status, header, pull }
  })

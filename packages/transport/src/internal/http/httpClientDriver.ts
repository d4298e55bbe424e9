import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as Headers from "@effect/platform/Headers"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { contained } from "@effect-speech/common/Contained"
import * as Channel from "effect/Channel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ReadFailed, UploadFailed } from "../../unstable/Failure.js"
import { awaitBriefly } from "../timer/awaitBriefly.js"
import type { CallTimer } from "../timer/callTimer.js"
import { classifyConnectionError, neverConnected } from "./classifyConnectionError.js"
import type { HttpDriver, HttpRequest, HttpResponse, UploadObserver } from "./httpDriver.js"
import { makeResponseQueue, type ResponseQueue, type ResponseSource } from "./responseQueue.js"
import { makeUploadStream, type ReadingObserver } from "./uploadStream.js"

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
  // `withScope` must come last, because it finds a request by its identity.
  const client = HttpClient.withScope(withItsExecute(given))
  const exchange: HttpDriver["exchange"] = (httpRequest, timer, observer) => {
    const queue = makeResponseQueue(timer)
    let scope: Scope.CloseableScope | undefined
    let uploadFailure: UploadFailed | undefined
    let reader: Fiber.RuntimeFiber<unknown, unknown> | undefined
    /** Runs the client with its finalizers: it sends the request, then reads the response. */
    let running: Fiber.RuntimeFiber<unknown> | undefined
    let isComplete = false
    let isClosed = false

    const failed = (error: HttpClientError.HttpClientError): ReadFailed =>
      uploadFailure ?? classifyConnectionError(error.cause, error._tag === "ResponseError")

    const send = (made: Scope.CloseableScope, runtime: Runtime.Runtime<never>) =>
      timer.wait<HttpResponse, ReadFailed>((resume) => {
        scope = made
        timer.sent = "nothing"
        const request = toClientRequest(httpRequest, timer, observer, {
          begin: Effect.withFiberRuntime((fiber) => {
            reader = fiber
            return isClosed ? Effect.interrupt : Effect.void
          }),
          onFailure: (failure) => {
            uploadFailure = failure
          }
        })
        const exchanging = Effect.matchEffect(client.execute(request), {
          onFailure: (error) => {
            const failure = failed(error)
            if (neverConnected(failure)) timer.sent = "nothing"
            return Effect.fail(failure)
          },
          onSuccess: (response) => {
            // Some clients convert all headers each time.
            const { headers, status } = response
            resume(Effect.succeed({ status, header: (name) => headers[name], pull: queue.pull }))
            return readBody(response.stream, headers, queue, made, failed)
          }
        })
        const fiber = Runtime.runFork(clientRuntime(runtime, made, request), contained(exchanging))
        running = fiber
        fiber.addObserver((exited) => {
          running = undefined
          const exit = Exit.flatten(exited)
          if (Exit.isSuccess(exit)) {
            isComplete = true
            return queue.end()
          }
          const failure = Effect.failCause(exit.cause)
          queue.end(failure)
          resume(failure)
        })
        return Fiber.interruptFork(fiber)
      })

    const close = (): Effect.Effect<void> => {
      isClosed = true
      queue.close()
      // Nothing is left to abort, and an abort costs as much as the rest of a short call.
      if (isComplete && (reader === undefined || reader.unsafePoll() !== null)) return Effect.void
      running?.unsafeInterruptAsFork(FiberId.none)
      // The scope first: it aborts the request, for which a finalizer of the client may wait.
      const closed = Effect.zipRight(
        scope === undefined ? Effect.void : Scope.close(scope, Exit.void),
        Effect.suspend(() => (running === undefined ? Effect.void : Effect.asVoid(Fiber.await(running))))
      )
      // The client may stop reading the upload without closing it: fetch of Node 26 does so if it could not connect.
      return reader === undefined ? closed : Effect.zipRight(closed, awaitBriefly(Fiber.interruptFork(reader), reader))
    }
    const response = Effect.flatMap(Scope.make(), (made) =>
      Effect.flatMap(Effect.runtime<never>(), (runtime) => send(made, runtime))
    )
    return { response, close }
  }
  return { exchange }
}

/** The runtime of a call, with what the client reads beside its request. */
const clientRuntime = (
  runtime: Runtime.Runtime<never>,
  scope: Scope.Scope,
  { body }: HttpClientRequest.HttpClientRequest
): Runtime.Runtime<Scope.Scope> =>
  runtime.pipe(
    Runtime.updateContext((context) =>
      context.pipe(
        Context.add(Scope.Scope, scope),
        // Only fetch reads these options. By default it follows a redirect, which would send the key to another host. With
        // `redirect: "manual"` it keeps a copy of a streamed body in memory, so for an upload a redirect is an error.
        Context.add(FetchHttpClient.RequestInit, {
          ...Option.getOrUndefined(Context.getOption(context, FetchHttpClient.RequestInit)),
          redirect: body._tag === "Stream" ? "error" : "manual"
        })
      )
    ),
    // The client's own span would hold headers of the service, which may quote the key, and it would send trace headers to a
    // third party.
    Runtime.setFiberRef(HttpClient.currentTracerDisabledWhen, () => true)
  )

/**
 * Reads a body into the queue, in the fiber of its request: a fiber for each chunk would cost more than the chunk. It waits while the
 * queue is full.
 */
const readBody = (
  stream: HttpClientResponse.HttpClientResponse["stream"],
  headers: Headers.Headers,
  queue: ResponseQueue,
  scope: Scope.Scope,
  failed: (error: HttpClientError.ResponseError) => ReadFailed
): Effect.Effect<void, ReadFailed> => {
  // A lost connection can look like the regular end of the body, so the length is compared.
  const announced = headers["content-encoding"] === undefined ? Number(headers["content-length"]) : Number.NaN
  let received = 0
  let isPaused = false
  let wake = (): void => undefined
  const source: ResponseSource = {
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
      wake()
    }
  }
  const untilResumed = Effect.async<void>((resume) => {
    wake = () => resume(Effect.void)
  })
  return Effect.flatMap(Channel.toPullIn(Stream.toChannel(stream), scope), (pull) => {
    const readNext: Effect.Effect<void, ReadFailed> = Effect.matchEffect(pull, {
      onFailure: (error) => Effect.fail(failed(error)),
      onSuccess: (next) => {
        if (Either.isLeft(next)) {
          return received < announced
            ? Effect.fail<ReadFailed>({ _tag: "ConnectionFailed", reason: "cut", code: undefined })
            : Effect.void
        }
        for (const chunk of next.right) {
          received += chunk.byteLength
          queue.add(chunk, source)
        }
        return isPaused ? Effect.zipRight(untilResumed, readNext) : readNext
      }
    })
    return readNext
  })
}

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
    HttpBody.stream(makeUploadStream(body, timer, observer, reading), contentType, body.byteLength)
  )
}

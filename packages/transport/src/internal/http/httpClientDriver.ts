import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as Scope from "effect/Scope"
import type { DeadlineExceeded, ReadFailed, UploadFailed } from "../../unstable/Failure.js"
import { awaitBriefly } from "../timer/awaitBriefly.js"
import type { CallTimer } from "../timer/callTimer.js"
import { classifyConnectionError, neverConnected } from "./classifyConnectionError.js"
import type { HttpDriver, HttpRequest, HttpResponse, UploadObserver } from "./httpDriver.js"
import { isLoopback } from "./isLoopback.js"
import { readBody } from "./readBody.js"
import { makeResponseQueue } from "./responseQueue.js"
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
    let running: Fiber.RuntimeFiber<void, ReadFailed> | undefined
    let isComplete = false
    let isClosed = false

    const failed = (cause: unknown, hasResponse: boolean): ReadFailed =>
      uploadFailure ?? classifyConnectionError(cause, hasResponse)

    const send = (made: Scope.CloseableScope, caller: Caller) =>
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
            const failure = failed(error.cause, error._tag === "ResponseError")
            if (neverConnected(failure)) timer.sent = "nothing"
            return Effect.fail(failure)
          },
          onSuccess: (response) => {
            // Some clients convert all headers each time.
            const { headers, status } = response
            resume(Effect.succeed({ status, header: (name) => headers[name], pull: queue.pull }))
            return readBody(response, headers, queue, (cause) => failed(cause, true))
          }
        })
        const fiber = Runtime.runFork(clientRuntime(caller, made, httpRequest), exchanging)
        running = fiber
        fiber.addObserver((exit) => {
          running = undefined
          if (Exit.isSuccess(exit)) {
            isComplete = true
            return queue.end()
          }
          const failure = Effect.failCause(exit.cause)
          queue.end(failure)
          resume(failure)
        })
        // The end of the attempt closes the exchange.
        return undefined
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
      Effect.withFiberRuntime<HttpResponse, ReadFailed | DeadlineExceeded>((fiber, { runtimeFlags }) =>
        send(made, { fiber, runtimeFlags })
      )
    )
    return { response, close }
  }
  return { exchange }
}

const always = () => true

/** The fetch of Bun takes a proxy from the environment also for this machine. It would see the key. Others ignore this option. */
const noProxyOfBun = { proxy: false }

/** The fiber that makes a call. */
interface Caller {
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  readonly runtimeFlags: RuntimeFlags.RuntimeFlags
}

/** The runtime of the caller, with what the client reads beside its request. Its fibers can be interrupted, whether or not the caller can. */
const clientRuntime = (
  { fiber, runtimeFlags }: Caller,
  scope: Scope.Scope,
  { body, url }: HttpRequest
): Runtime.Runtime<Scope.Scope> => {
  const context: Context.Context<never> = fiber.currentContext
  const id = fiber.id()
  return Runtime.make({
    context: context.pipe(
      Context.add(Scope.Scope, scope),
      // Only fetch reads these options. By default it follows a redirect, which would send the key to another host. With
      // `redirect: "manual"` it keeps a copy of a streamed body in memory, so for an upload a redirect is an error.
      Context.add(FetchHttpClient.RequestInit, {
        ...(isLoopback(url.hostname) ? noProxyOfBun : undefined),
        ...Option.getOrUndefined(Context.getOption(context, FetchHttpClient.RequestInit)),
        redirect: body instanceof Uint8Array ? "manual" : "error"
      })
    ),
    fiberRefs: FiberRefs.updateManyAs(fiber.getFiberRefs(), {
      entries: [
        // The client's own span would hold headers of the service, which may quote the key, and it would send trace headers to a
        // third party.
        [HttpClient.currentTracerDisabledWhen, [[id, always]]],
        // A failure is that of the call. Effect would log it before the call knows it, by a logger that may throw.
        [FiberRef.unhandledErrorLogLevel, [[id, Option.none()]]]
      ]
    }),
    runtimeFlags: RuntimeFlags.enable(runtimeFlags, RuntimeFlags.Interruption)
  })
}

const toClientRequest = (
  { body, headers, url }: HttpRequest,
  timer: CallTimer,
  observer: UploadObserver | undefined,
  reading: ReadingObserver
): HttpClientRequest.HttpClientRequest => {
  const { "Content-Type": contentType, ...others } = headers
  // A URL would be copied, and parsed once more.
  const request = HttpClientRequest.post(url.href, { headers: others })
  if (body instanceof Uint8Array) {
    timer.sent = "all"
    return HttpClientRequest.setBody(request, HttpBody.uint8Array(body, contentType))
  }
  return HttpClientRequest.setBody(
    request,
    HttpBody.stream(makeUploadStream(body, timer, observer, reading), contentType, body.byteLength)
  )
}

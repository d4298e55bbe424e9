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
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Failure, UploadFailed } from "../../Failure.js"
import type { Outgoing, Upload } from "../../Operation.js"
import { withinASecond } from "../call/awaitBriefly.js"
import { outOfScope, type Watch } from "../call/callTimer.js"
import { connectionFailed, neverConnected } from "./connectionFailed.js"
import type { Incoming, UploadObserver, Wire } from "./httpDriver.js"
import { uploadFailed } from "./uploadFailed.js"

/** Any HttpClient. */
export const makeHttpClientWire = (given: HttpClient.HttpClient): Wire => {
  // The service is a third party: without a span of the client it gets no trace headers either. Such a span would hold what
  // the service sends, which may be the key. `withScope` comes last, since it knows a request by its identity.
  const client = given.pipe(
    HttpClient.withTracerDisabledWhen(() => true),
    HttpClient.withScope
  )
  return {
    open: (outgoing, watch, observer) => {
      let scope: Scope.CloseableScope | undefined
      let uploadFailure: UploadFailed | undefined
      let reader: Fiber.RuntimeFiber<unknown, unknown> | undefined
      let isClosed = false

      const exchange = Effect.gen(function* () {
        const request = toRequest(outgoing, watch, observer, {
          begin: Effect.withFiberRuntime((fiber) => {
            reader = fiber
            return isClosed ? Effect.interrupt : Effect.void
          }),
          onFailure: (failure) => {
            uploadFailure = failure
          }
        })
        // Only fetch heeds these. It would follow a redirect, and take the key to another host; and unless redirects
        // are errors, it keeps a copy of the body, which for a recording is too much.
        const fetchOptions = Option.getOrUndefined(yield* Effect.serviceOption(FetchHttpClient.RequestInit))
        const response = yield* Effect.provideService(client.execute(request), FetchHttpClient.RequestInit, {
          ...fetchOptions,
          redirect: request.body._tag === "Stream" ? "error" : "manual"
        }).pipe(
          Effect.mapError(
            (error): Failure => uploadFailure ?? connectionFailed(error.cause, error._tag === "ResponseError")
          ),
          Effect.tapError((failure) =>
            Effect.sync(() => {
              if (neverConnected(failure)) watch.sent = "nothing"
            })
          )
        )
        return yield* toIncoming(response, watch)
      })

      const close = Effect.suspend(() => {
        isClosed = true
        const closed = scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
        // Whoever reads the upload may leave it where it is: fetch of Node 26 does where it could not connect.
        return reader === undefined
          ? closed
          : Effect.zipRight(closed, withinASecond(Fiber.interruptFork(reader), reader))
      })
      const answer = Effect.flatMap(Scope.make(), (made) => {
        scope = made
        watch.sent = "nothing"
        return watch.run(Scope.extend(exchange, made))
      })
      return { answer, close }
    }
  }
}

const toRequest = (
  { body, headers, url }: Outgoing,
  watch: Watch,
  observer: UploadObserver | undefined,
  reading: ReadingObserver
): HttpClientRequest.HttpClientRequest => {
  const { "Content-Type": contentType, ...others } = headers
  const request = HttpClientRequest.post(url, { headers: others })
  if (body instanceof Uint8Array) {
    watch.sent = "all"
    return HttpClientRequest.setBody(request, HttpBody.uint8Array(body, contentType))
  }
  return HttpClientRequest.setBody(
    request,
    HttpBody.stream(observed(body, watch, observer, reading), contentType, body.byteLength)
  )
}

/** What becomes of the reading of an upload. */
interface ReadingObserver {
  /** Runs in the fiber that reads it. */
  readonly begin: Effect.Effect<void>
  readonly onFailure: (failure: UploadFailed) => void
}

const observed = (
  { stream }: Upload,
  watch: Watch,
  observer: UploadObserver | undefined,
  { begin, onFailure }: ReadingObserver
): Stream.Stream<Uint8Array, UploadFailed> =>
  Stream.execute(begin).pipe(
    Stream.concat(once(stream)),
    Stream.tap((chunk) =>
      Effect.suspend(() => {
        watch.sent = "part"
        watch.reach("upload")
        return observer?.onChunk(chunk.byteLength) ?? Effect.void
      })
    ),
    Stream.tapErrorCause((cause) => Effect.sync(() => onFailure(uploadFailed(cause)))),
    Stream.concat(
      Stream.execute(
        Effect.suspend(() => {
          watch.sent = "all"
          watch.reach("answer")
          return observer?.onComplete ?? Effect.void
        })
      )
    )
  )

/** What was opened for one attempt is not all there a second time. */
const once = (stream: Upload["stream"]): Upload["stream"] => {
  let isRead = false
  return Stream.suspend(() => {
    if (isRead) {
      const problem = "the HttpClient sent it a second time; leave it to the option retries to repeat a call"
      return Stream.fail<UploadFailed>({ _tag: "UploadFailed", problem })
    }
    isRead = true
    return stream
  })
}

const toIncoming = (
  response: HttpClientResponse.HttpClientResponse,
  watch: Watch
): Effect.Effect<Incoming, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const header = (name: string) => Option.getOrUndefined(Headers.get(response.headers, name))
    // A connection that is cut before its body is read can look like one that has ended well.
    const announced = header("content-encoding") === undefined ? Number(header("content-length")) : Number.NaN
    let received = 0
    let next: Effect.Effect<Uint8Array, Option.Option<HttpClientError.ResponseError>> | undefined
    const open = Effect.map(Scope.extend(Stream.toPull(Stream.rechunk(response.stream, 1)), scope), (pull) => {
      next = Effect.map(pull, Chunk.unsafeHead)
      return next
    })

    const step: Effect.Effect<Uint8Array | undefined, Failure> = Effect.suspend(
      () => next ?? Effect.flatten(open)
    ).pipe(
      Effect.tap((chunk) => Effect.sync(() => (received += chunk.byteLength))),
      Effect.catchAll((end) => {
        if (Option.isSome(end)) return Effect.fail(connectionFailed(end.value.cause, true))
        return received < announced
          ? Effect.fail<Failure>({ _tag: "ConnectionFailed", reason: "cut", code: undefined })
          : Effect.succeed(undefined)
      })
    )
    let isOpen = true
    yield* Effect.addFinalizer(() => Effect.sync(() => (isOpen = false)))
    const pull = Effect.suspend(() => (isOpen ? watch.run(step) : outOfScope))
    return { status: response.status, header, pull }
  })

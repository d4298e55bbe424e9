import type { EventDelivery } from "@effect-speech/common/EventDelivery"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import type { CallEvent } from "../../CallEvent.js"
import type { ServiceError } from "../../ServiceError.js"
import type { Failure } from "../../unstable/Failure.js"
import type { Opening, Operation, Request } from "../../unstable/Operation.js"
import type { HttpDriver, HttpResponse, UploadObserver } from "../http/httpDriver.js"
import { briefly } from "../timer/awaitBriefly.js"
import type { Call } from "./call.js"

/** How one attempt is sent. */
export interface AttemptSettings {
  /** Delay after the previous attempt. */
  readonly delayMillis: number
  /** Name of the header that carries the key. */
  readonly header: string
  readonly key: Redacted.Redacted
}

/** Builds the request of one attempt, sends it, and waits for the head of the response. */
export const sendAttempt = <A, E extends ServiceError, Context, Reading extends E>(
  driver: HttpDriver,
  call: Call,
  operation: Operation<A, E, Context, Reading>,
  { delayMillis, header, key }: AttemptSettings
): Effect.Effect<{ readonly response: HttpResponse; readonly context: Context }, Failure> => {
  const send = ({ body, context, headers, url }: Request<Context>) => {
    const { events } = call
    const number = call.attempts().length + 1
    const isUpload = !(body instanceof Uint8Array)
    const exchangeWith = (observer: UploadObserver | undefined) => {
      const exchange = driver.exchange(
        { url, body, headers: { ...headers, [header]: Redacted.value(key) } },
        call.timer,
        observer
      )
      call.sending(exchange)
      return exchange.response
    }
    const responding =
      isUpload && events !== undefined
        ? Effect.flatMap(Effect.runtime<never>(), (runtime) =>
            exchangeWith(reportUpload(events, runtime, number, body.byteLength))
          )
        : exchangeWith(undefined)
    const exchanged = Effect.matchEffect(responding, {
      onFailure: (failure) => {
        call.lost()
        return Effect.fail(failure)
      },
      onSuccess: (response) => {
        call.responded(response)
        const answer = { response, context }
        return events === undefined
          ? Effect.succeed(answer)
          : Effect.as(events.emit({ _tag: "Answered", attempt: number, status: response.status }), answer)
      }
    })
    if (isUpload) return exchanged
    call.timer.reach("answer")
    return events === undefined
      ? exchanged
      : Effect.zipRight(events.emit({ _tag: "Waiting", attempt: number }), exchanged)
  }
  call.beginAttempt(delayMillis)
  const { request } = operation
  if (typeof request === "function") return Effect.flatMap(request(openingOf(call)), send)
  return Effect.isEffect(request) ? Effect.flatMap(request, send) : send(request)
}

const openingOf = (call: Call): Opening => ({
  inScope: (open) =>
    Effect.flatMap(Scope.make(), (scope) => {
      call.opening(scope)
      return call.timer.run(open(scope))
    }),
  wait: <A>(start: (done: (value: A) => void) => Effect.Effect<void>) =>
    call.timer.wait<A>((resume) => briefly(start((value) => resume(Effect.succeed(value)))))
})

/** Emits the events of an upload, with the context and the fiber refs of the attempt. */
const reportUpload = (
  events: EventDelivery<CallEvent>,
  runtime: Runtime.Runtime<never>,
  attempt: number,
  totalBytes: number | undefined
): UploadObserver => {
  let sentBytes = 0
  return {
    onPiece: (byteLength) => {
      sentBytes += byteLength
      events.unsafeEmit({ _tag: "Uploading", attempt, sentBytes, totalBytes }, runtime)
    },
    onComplete: () => events.unsafeEmit({ _tag: "Waiting", attempt }, runtime)
  }
}

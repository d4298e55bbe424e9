import type * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type { Failure } from "../../unstable/Failure.js"
import { classifyConnectionError } from "./classifyConnectionError.js"
import type { HttpDriver, HttpResponse } from "./httpDriver.js"
import { makeResponseQueue } from "./responseQueue.js"
import type { Agent } from "./undiciAgent.js"
import { makeUploadIterable, type UploadIterable } from "./uploadIterable.js"

/** The reason that undici gets when a call ends. Undici ignores it after a complete response. */
const callEnded = new Error("The call has ended.")

/**
 * Uses undici directly. Compared to undici behind an HttpClient, a call costs less, and a file is sent from one
 * reused block of memory.
 */
export const makeUndiciDriver = ({ dispatcher, stopConnecting }: Agent): HttpDriver => {
  /**
   * Number of requests without a response. Each may need a connection that is being made: undici sends a request again if the
   * first connection turns out to be closed.
   */
  let waiting = 0
  const exchange: HttpDriver["exchange"] = ({ body, headers, url }, timer, observer) => {
    const queue = makeResponseQueue(timer)
    let isWaiting = false
    let controller: Undici.Dispatcher.DispatchController | undefined
    let upload: UploadIterable | undefined
    let isClosed = false

    const setWaiting = (now: boolean): void => {
      if (now === isWaiting) return
      waiting += now ? 1 : -1
      isWaiting = now
      if (waiting === 0) stopConnecting()
    }
    const close = (): Effect.Effect<void> => {
      setWaiting(false)
      isClosed = true
      queue.close()
      controller?.abort(callEnded)
      return upload === undefined ? Effect.void : upload.close()
    }

    const handler = (
      resume: (outcome: Effect.Effect<HttpResponse, Failure>) => void
    ): Undici.Dispatcher.DispatchHandler => {
      let hasResponse = false
      return {
        onRequestStart: (started) => {
          controller = started
          if (isClosed) started.abort(callEnded)
          else if (upload === undefined) timer.sent = "all"
        },
        onResponseStart: (_, status, received) => {
          // Informational responses, such as 103 Early Hints, come before the final response.
          if (status < 200) return
          setWaiting(false)
          hasResponse = true
          resume(Effect.succeed({ status, header: headerIn(received), pull: queue.pull }))
        },
        onResponseData: (current, chunk) => queue.add(chunk, current),
        onResponseEnd: () => queue.end(),
        onResponseError: (_, error) => {
          setWaiting(false)
          const failure = upload?.failure() ?? classifyConnectionError(error, hasResponse)
          queue.end(Effect.fail(failure))
          resume(Effect.fail(failure))
        }
      }
    }

    const send = (runtime: Runtime.Runtime<never>) =>
      timer.wait<HttpResponse, Failure>((resume) => {
        if (!(body instanceof Uint8Array)) upload = makeUploadIterable(body, timer, observer, runtime)
        setWaiting(true)
        dispatcher.dispatch(
          {
            origin: url.origin,
            path: url.pathname,
            method: "POST",
            headers:
              body.byteLength === undefined ? headers : { ...headers, "Content-Length": String(body.byteLength) },
            // Undici accepts any iterable of bytes, but its types name only Node's streams.
            body: (upload?.chunks ?? body) as Uint8Array,
            // The call's own deadlines replace these.
            headersTimeout: 0,
            bodyTimeout: 0
          },
          handler(resume)
        )
        // The end of the attempt closes the exchange.
        return undefined
      })
    const response = body instanceof Uint8Array ? send(Runtime.defaultRuntime) : Effect.flatMap(Effect.runtime(), send)
    return { response, close }
  }
  return { exchange }
}

const headerIn =
  (headers: Record<string, string | Array<string> | undefined>): HttpResponse["header"] =>
  (name) => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  }

import type * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type { Failure } from "../../Failure.js"
import { type LentChunks, lendChunks, lendParts } from "./borrowedChunks.js"
import { connectionFailed } from "./connectionFailed.js"
import type { Incoming, Wire } from "./httpDriver.js"
import { makeInbox } from "./responseQueue.js"
import type { Agent } from "./undiciAgent.js"

/** What undici is told of a call that has ended; it does not heed it once the answer has come whole. */
const callEnded = new Error("The call has ended.")

/** Undici itself, with no HttpClient between: a call costs a quarter as much, and a file is sent from one block of memory. */
export const makeUndiciWire = ({ dispatcher, stopConnecting }: Agent): Wire => {
  /** How many requests wait for a connection. */
  let waiting = 0
  const open: Wire["open"] = ({ body, headers, url }, watch, observer) => {
    const inbox = makeInbox(watch)
    let isWaiting = false
    let controller: Undici.Dispatcher.DispatchController | undefined
    let upload: LentChunks | undefined
    let isClosed = false

    const setWaiting = (now: boolean): void => {
      waiting += Number(now) - Number(isWaiting)
      isWaiting = now
    }
    const close = Effect.suspend(() => {
      if (isWaiting) {
        setWaiting(false)
        if (waiting === 0) stopConnecting()
      }
      isClosed = true
      inbox.close()
      controller?.abort(callEnded)
      return upload === undefined ? Effect.void : upload.close
    })

    const handler = (
      answered: (answer: Effect.Effect<Incoming, Failure>) => void
    ): Undici.Dispatcher.DispatchHandler => {
      let hasAnswered = false
      return {
        onRequestStart: (started) => {
          controller = started
          setWaiting(false)
          if (isClosed) started.abort(callEnded)
          else if (upload === undefined) watch.sent = "all"
        },
        onResponseStart: (_, status, received) => {
          // What comes before is information (103 Early Hints, say), and not the answer.
          if (status < 200) return
          hasAnswered = true
          answered(Effect.succeed({ status, header: headerIn(received), pull: inbox.pull }))
        },
        onResponseData: (current, chunk) => inbox.add(chunk, current),
        onResponseEnd: () => inbox.end(),
        onResponseError: (_, error) => {
          setWaiting(false)
          const failure = upload?.failure() ?? connectionFailed(error, hasAnswered)
          inbox.end(failure)
          answered(Effect.fail(failure))
        }
      }
    }

    const send = (runtime: Runtime.Runtime<never>) =>
      watch.wait<Incoming>((resume) => {
        if (!(body instanceof Uint8Array)) {
          upload =
            body.parts !== undefined && observer === undefined
              ? lendParts(body.parts, watch)
              : lendChunks(body.lent ?? body.stream, watch, observer, runtime)
        }
        setWaiting(true)
        dispatcher.dispatch(
          {
            origin: url.origin,
            path: url.pathname,
            method: "POST",
            headers:
              body.byteLength === undefined ? headers : { ...headers, "Content-Length": String(body.byteLength) },
            // Undici takes any iterable of bytes; its types know of Node's streams alone.
            body: (upload?.chunks ?? body) as Uint8Array,
            // All waiting is watched by the call.
            headersTimeout: 0,
            bodyTimeout: 0
          },
          handler(resume)
        )
        return close
      })
    const answer = body instanceof Uint8Array ? send(Runtime.defaultRuntime) : Effect.flatMap(Effect.runtime(), send)
    return { answer, close }
  }
  return { open }
}

const headerIn =
  (headers: Record<string, string | Array<string> | undefined>): Incoming["header"] =>
  (name) => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  }

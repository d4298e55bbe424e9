import type * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import { connectionFailed, type Failure } from "../Failure.js"
import type { Incoming, Wire } from "./exchange.js"
import { type LentChunks, lendChunks } from "./lendChunks.js"

/** What may have come and not been read before the connection is made to wait, in bytes. */
const readAhead = 256 * 1024

const ended = Effect.succeed(undefined)
const closed = Effect.dieMessage("The body of an answer can be read once, inside the scope of its call.")

/** Undici itself, with no HttpClient between: a call costs half as much, and a file is sent from one block of memory. */
export const makeUndiciWire = (dispatcher: Undici.Dispatcher): Wire => ({
  open: (outgoing, watch, observer) => {
    let controller: Undici.Dispatcher.DispatchController | undefined
    let upload: LentChunks | undefined
    let headers: Record<string, string | Array<string> | undefined> = {}
    let status: number | undefined
    let end: "open" | "ended" | Failure = "open"
    let isClosed = false
    const chunks: Array<Uint8Array> = []
    let queued = 0
    /** Tells whoever waits for the head, or for more of the body. */
    let wake = (): void => undefined

    const close = Effect.suspend(() => {
      isClosed = true
      chunks.length = 0
      if (end === "open") controller?.abort(new Error("The call has ended."))
      return upload === undefined ? Effect.void : upload.close
    })

    const pull: Incoming["pull"] = Effect.suspend(() => {
      if (isClosed) return closed
      const chunk = chunks.shift()
      if (chunk !== undefined) {
        queued -= chunk.byteLength
        if (controller?.paused === true && queued <= readAhead / 2) controller.resume()
        return Effect.succeed(chunk)
      }
      if (end === "ended") return ended
      if (end !== "open") return Effect.fail(end)
      watch.reach("download")
      return Effect.zipRight(
        watch.wait<void>((resume) => {
          wake = () => resume(Effect.void)
          return Effect.void
        }),
        pull
      )
    })
    const incoming = (): Incoming => ({
      status: status ?? 0,
      header: (name) => {
        const value = headers[name]
        return Array.isArray(value) ? value.join(", ") : value
      },
      pull
    })

    const handler: Undici.Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started
        if (isClosed) started.abort(new Error("The call has ended."))
        else if (upload === undefined) watch.sent = "all"
      },
      onResponseStart: (_, statusCode, received) => {
        // What comes before is information (103 Early Hints, say), and not the answer.
        if (statusCode < 200) return
        status = statusCode
        headers = received
        wake()
      },
      onResponseData: (current, chunk) => {
        if (isClosed) return
        chunks.push(chunk)
        queued += chunk.byteLength
        if (queued > readAhead) current.pause()
        wake()
      },
      onResponseEnd: () => {
        end = "ended"
        wake()
      },
      onResponseError: (_, error) => {
        end = upload?.failure() ?? connectionFailed(error, status !== undefined)
        wake()
      }
    }

    const answer = watch.wait<Incoming>((resume) => {
      wake = () => {
        if (status !== undefined) resume(Effect.sync(incoming))
        else if (typeof end === "object") resume(Effect.fail(end))
      }
      const { body, url } = outgoing
      const bytes = body instanceof Uint8Array
      watch.reach(bytes ? "answer" : "upload")
      if (!bytes) upload = lendChunks(body.lent ?? body.stream, watch, observer)
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: url.pathname,
          method: "POST",
          headers:
            body.byteLength === undefined
              ? outgoing.headers
              : { ...outgoing.headers, "Content-Length": String(body.byteLength) },
          // Undici takes any iterable of bytes; its types know of Node's streams alone.
          body: (upload?.chunks ?? body) as Uint8Array,
          // All waiting is watched by the call.
          headersTimeout: 0,
          bodyTimeout: 0
        },
        handler
      )
      return close
    })
    return { answer, close }
  }
})

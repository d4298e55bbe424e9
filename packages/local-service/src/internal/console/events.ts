import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Changes, ServiceEvent } from "../journal/changes.js"
import { clearTimeout, setTimeout } from "../realTime.js"
import { sessionOf } from "./browser.js"
import type { Sessions } from "./sessions.js"

/** The most characters of events that wait for one reader. */
const capacity = 4 * 1024 * 1024

/** A browser notices by it that the connection is lost, and so does the service. */
const commentMillis = 15_000

/** How long a browser waits before it connects again. */
const retryMillis = 1000

const encode = ({ data, name }: ServiceEvent): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** Encodes each event once for all readers. */
const encoded = new WeakMap<ServiceEvent, string>()

const textOf = (event: ServiceEvent): string => {
  const text = encoded.get(event) ?? encode(event)
  encoded.set(event, text)
  return text
}

/**
 * Server-sent events (HTML, 9.2) until the client disconnects, its session ends or the service stops. A client that does not read loses its connection:
 * at most 4 MB wait for it.
 */
export const eventsResponse = (changes: Changes, sessions: Sessions) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const disconnect = () => NodeHttpServerRequest.toServerResponse(request).destroy()
    const session = sessionOf(sessions, request)
    const events = Stream.unwrapScoped(
      Effect.acquireRelease(
        Effect.sync(() => {
          const queue = openQueue(changes, disconnect)
          const unlisten = session === undefined ? undefined : sessions.onEnd(session, queue.end)
          return { ...queue, unlisten }
        }),
        ({ close, unlisten }) =>
          Effect.sync(() => {
            unlisten?.()
            close()
          })
      ).pipe(Effect.map(({ take }) => Stream.repeatEffectOption(take)))
    )
    return HttpServerResponse.stream(Stream.encodeText(events), {
      contentType: "text/event-stream",
      headers: { "Cache-Control": "no-store" }
    })
  })

/** The events that wait for a reader. */
const openQueue = (changes: Changes, disconnect: () => void) => {
  let waiting = `retry: ${retryMillis}\n\n`
  let isEnded = false
  let notify: (() => void) | undefined
  const push = (text: string) => {
    if (waiting.length + text.length > capacity) {
      close()
      disconnect()
      return
    }
    waiting += text
    notify?.()
  }
  const unlisten = changes.listen((event) => push(textOf(event)))
  const comment = setTimeout(() => {
    push(": the connection is open\n\n")
    comment.refresh()
  }, commentMillis)
  const close = () => {
    unlisten()
    clearTimeout(comment)
  }
  const end = () => {
    close()
    isEnded = true
    notify?.()
  }
  const taken = Effect.suspend(() => {
    if (isEnded) return Effect.fail(Option.none())
    const text = waiting
    waiting = ""
    return Effect.succeed(text)
  })
  const take = Effect.async<string, Option.Option<never>>((resume) => {
    if (waiting !== "" || isEnded) return resume(taken)
    notify = () => {
      notify = undefined
      resume(taken)
    }
    return Effect.sync(() => (notify = undefined))
  })
  return { take, end, close }
}

import { type IncomingMessage, request } from "node:http"
import * as Effect from "effect/Effect"
import { eventually } from "./service.js"

export interface ServerSentEvent {
  readonly name: string
  readonly data: ReturnType<typeof JSON.parse>
}

/** Connects to server-sent events, and collects them until the scope closes. */
export const listenTo = (url: string, headers: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const response = yield* Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<IncomingMessage>((resolve, reject) => {
            request(url, { headers, agent: false }).once("response", resolve).once("error", reject).end()
          })
      ),
      (incoming) => Effect.sync(() => incoming.destroy())
    )
    let text = ""
    let isOpen = true
    response.setEncoding("utf8")
    response.on("data", (part: string) => (text += part))
    response.on("error", () => undefined)
    response.on("close", () => (isOpen = false))
    const events = (): ReadonlyArray<ServerSentEvent> =>
      text
        .split("\n\n")
        .slice(0, -1)
        .flatMap((block) => {
          const [, name, data] = /^event: (\w+)\ndata: (.+)$/.exec(block) ?? []
          return name === undefined || data === undefined ? [] : [{ name, data: JSON.parse(data) }]
        })
    return {
      status: response.statusCode,
      headers: response.headers,
      events,
      /** Waits for an event. */
      until: (isIt: (event: ServerSentEvent) => boolean) => eventually(Effect.sync(events), (all) => all.some(isIt)),
      /** Waits for the end of the connection. */
      ended: eventually(
        Effect.sync(() => isOpen),
        (open) => !open
      ),
      /** Stops reading. */
      pause: () => response.pause(),
      resume: () => response.resume()
    }
  })

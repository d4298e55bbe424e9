import type * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import type { Failure } from "../../Failure.js"
import { outOfScope, type Watch } from "../call/callTimer.js"
import type { Incoming } from "./httpDriver.js"

/** What may have come and not been read before the connection is made to wait, in bytes. */
const readAhead = 256 * 1024

const nothing = Effect.succeed(undefined)

/** The body of an answer, between undici, which gives it, and whoever pulls it. */
export interface Inbox {
  readonly pull: Incoming["pull"]
  readonly add: (chunk: Uint8Array, controller: Undici.Dispatcher.DispatchController) => void
  readonly end: (failure?: Failure) => void
  readonly close: () => void
}

export const makeInbox = (watch: Watch): Inbox => {
  const chunks: Array<Uint8Array> = []
  let queued = 0
  let paused: Undici.Dispatcher.DispatchController | undefined
  let end: "open" | "ended" | "closed" | Failure = "open"
  let wake = (): void => undefined

  const pull: Incoming["pull"] = Effect.suspend(() => {
    if (end !== "closed" && watch.left <= 0) return Effect.fail(watch.totalExceeded)
    const chunk = chunks.shift()
    if (chunk !== undefined) {
      queued -= chunk.byteLength
      if (paused !== undefined && queued <= readAhead / 2) {
        paused.resume()
        paused = undefined
      }
      return Effect.succeed(chunk)
    }
    if (end === "ended") return nothing
    if (end === "closed") return outOfScope
    if (end !== "open") return Effect.fail(end)
    const more = watch.wait<void>((resume) => {
      wake = () => resume(Effect.void)
      // It may have come since it was looked for.
      if (chunks.length > 0 || end !== "open") wake()
      return Effect.void
    })
    return Effect.zipRight(more, pull)
  })
  return {
    pull,
    add: (chunk, controller) => {
      if (end === "closed") return
      chunks.push(chunk)
      queued += chunk.byteLength
      if (queued > readAhead) {
        paused = controller
        controller.pause()
      }
      wake()
    },
    end: (failure) => {
      if (end === "open") end = failure ?? "ended"
      wake()
    },
    close: () => {
      end = "closed"
      chunks.length = 0
    }
  }
}

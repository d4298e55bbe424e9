import type * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import type { ReadFailed } from "../../unstable/Failure.js"
import { type CallTimer, outOfScope } from "../timer/callTimer.js"
import type { HttpResponse } from "./httpDriver.js"

/** How many bytes may wait in the queue before the connection is paused. */
const highWaterMark = 256 * 1024

const nothing = Effect.succeed(undefined)

/** The body of a response between undici, which adds chunks, and the reader, which pulls them. */
export interface ResponseQueue {
  readonly pull: HttpResponse["pull"]
  readonly add: (chunk: Uint8Array, controller: Undici.Dispatcher.DispatchController) => void
  readonly end: (failure?: ReadFailed) => void
  readonly close: () => void
}

export const makeResponseQueue = (timer: CallTimer): ResponseQueue => {
  const chunks: Array<Uint8Array> = []
  let queued = 0
  let paused: Undici.Dispatcher.DispatchController | undefined
  let end: "open" | "ended" | "closed" | ReadFailed = "open"
  let wake = (): void => undefined

  const pull: HttpResponse["pull"] = Effect.suspend(() => {
    if (end !== "closed" && timer.left <= 0) return Effect.fail(timer.totalExceeded)
    const chunk = chunks.shift()
    if (chunk !== undefined) {
      queued -= chunk.byteLength
      if (paused !== undefined && queued <= highWaterMark / 2) {
        paused.resume()
        paused = undefined
      }
      return Effect.succeed(chunk)
    }
    if (end === "ended") return nothing
    if (end === "closed") return outOfScope
    if (end !== "open") return Effect.fail(end)
    const more = timer.wait<void>((resume) => {
      wake = () => resume(Effect.void)
      // A chunk or the end may have arrived since the check above.
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
      if (queued > highWaterMark) {
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

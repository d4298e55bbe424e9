import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { ReadFailed } from "../../unstable/Failure.js"
import { type CallTimer, outOfScope } from "../timer/callTimer.js"
import type { HttpResponse } from "./httpDriver.js"

/** How many bytes may wait in the queue before the connection is paused. */
const highWaterMark = 256 * 1024

const nothing = Effect.succeed(undefined)

/** What the chunks of a body come from. */
export interface ResponseSource {
  /** Asks for no more chunks, until `resume`. */
  readonly pause: () => void
  readonly resume: () => void
}

/** The body of a response between its source, which adds chunks, and the reader, which pulls them. */
export interface ResponseQueue {
  readonly pull: HttpResponse["pull"]
  readonly add: (chunk: Uint8Array, source: ResponseSource) => void
  /** After the chunks that wait, `pull` has this outcome. Default: the regular end of the body. */
  readonly end: (outcome?: Effect.Effect<undefined, ReadFailed>) => void
  readonly close: () => void
}

export const makeResponseQueue = (timer: CallTimer): ResponseQueue => {
  const chunks: Array<Uint8Array> = []
  let queued = 0
  let paused: ResponseSource | undefined
  /** `undefined`: more chunks may come. */
  let end: Effect.Effect<undefined, ReadFailed> | undefined
  let wake = (): void => undefined
  /** The fiber that waited last. */
  let reader: Fiber.RuntimeFiber<unknown, unknown> | undefined

  const pull: HttpResponse["pull"] = Effect.withFiberRuntime((fiber) => {
    if (end !== outOfScope && timer.left <= 0) return Effect.fail(timer.totalExceeded)
    const chunk = chunks.shift()
    if (chunk !== undefined) {
      queued -= chunk.byteLength
      if (paused !== undefined && queued <= highWaterMark / 2) {
        paused.resume()
        paused = undefined
      }
      return Effect.succeed(chunk)
    }
    if (end !== undefined) return end
    return timer.wait<Uint8Array | undefined, ReadFailed>((resume) => {
      // The timer would keep the wait of a reader that was interrupted: one for each pull with a timeout.
      if (reader !== undefined && reader.unsafePoll() !== null) wake()
      reader = fiber
      wake = () => resume(pull)
      // A chunk or the end may have arrived since the check above.
      if (chunks.length > 0 || end !== undefined) wake()
      return undefined
    })
  })
  return {
    pull,
    add: (chunk, source) => {
      if (end === outOfScope) return
      chunks.push(chunk)
      queued += chunk.byteLength
      if (queued > highWaterMark) {
        paused = source
        source.pause()
      }
      wake()
    },
    end: (outcome = nothing) => {
      end ??= outcome
      wake()
    },
    close: () => {
      end = outOfScope
      chunks.length = 0
    }
  }
}

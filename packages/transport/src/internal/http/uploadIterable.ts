import { contained } from "@effect-speech/common/Contained"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import type { UploadFailed } from "../../unstable/Failure.js"
import { chunks, reusedBlock, type Upload } from "../../unstable/Upload.js"
import { awaitBriefly } from "../timer/awaitBriefly.js"
import type { CallTimer } from "../timer/callTimer.js"
import { toUploadFailed } from "./classifyConnectionError.js"
import type { UploadObserver } from "./httpDriver.js"
import { makeUploadPieces, pieceSize } from "./uploadPieces.js"
import { makeUploadProgress, type UploadProgress } from "./uploadProgress.js"

/** An upload as undici reads it: undici asks for the next chunk after it has passed on the previous one. */
export interface UploadIterable {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Why the upload failed, if it did. */
  readonly failure: () => UploadFailed | undefined
  /** Stops reading. The result waits for what still ends. It is `Effect.void` if nothing does. */
  readonly close: () => Effect.Effect<void>
}

export const makeUploadIterable = (
  upload: Upload,
  timer: CallTimer,
  observer: UploadObserver | undefined,
  runtime: Runtime.Runtime<never>
): UploadIterable =>
  upload._tag === "Memory"
    ? fromParts(upload.parts, makeUploadProgress(upload.byteLength, timer, observer))
    : fromChunks(upload, makeUploadProgress(upload.byteLength, timer, observer), runtime)

/** Parts in memory need no stream and no fiber, which would cost more than the rest of a short call. */
const fromParts = (parts: ReadonlyArray<Uint8Array>, progress: UploadProgress): UploadIterable => {
  const pieces = makeUploadPieces()
  for (const part of parts) pieces.add(part)
  let isClosed = false
  const next = (): IteratorResult<Uint8Array, undefined> => {
    if (isClosed) return { done: true, value: undefined }
    const piece = pieces.take()
    if (piece === undefined) {
      progress.end()
      return { done: true, value: undefined }
    }
    progress.pass(piece.byteLength)
    return { done: false, value: piece }
  }
  return {
    chunks: { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(next()) }) },
    failure: () => undefined,
    close: () => {
      isClosed = true
      return Effect.void
    }
  }
}

/** Runs `send` for the chunks, as many at a time as there are. They are valid until it ends. */
const forEachChunk = (upload: Upload, send: (chunks: Iterable<Uint8Array>) => Effect.Effect<void>) => {
  if (upload._tag !== "Source") return Stream.runForEachChunk(chunks(upload), send)
  const block = reusedBlock(upload)
  const sendNext: Effect.Effect<void, UploadFailed> = Effect.flatMap(upload.fill(block), (length) =>
    length === 0 ? Effect.void : Effect.zipRight(send([block.subarray(0, length)]), sendNext)
  )
  return sendNext
}

/** One fiber reads all chunks. It waits if more than a piece is left for undici, or a part of a chunk. */
const fromChunks = (upload: Upload, progress: UploadProgress, runtime: Runtime.Runtime<never>): UploadIterable => {
  const pieces = makeUploadPieces()
  let failure: UploadFailed | undefined
  let fiber: Fiber.RuntimeFiber<Exit.Exit<void, UploadFailed>> | undefined
  /** The request of undici for the next piece. */
  let asked:
    | {
        readonly give: (result: IteratorResult<Uint8Array, undefined>) => void
        readonly fail: (error: unknown) => void
      }
    | undefined
  let wake = (): void => undefined
  let isClosed = false

  const giveNext = (): void => {
    if (asked === undefined) return
    progress.ready()
    const piece = pieces.take()
    if (piece === undefined) return
    const { give } = asked
    asked = undefined
    progress.pass(piece.byteLength)
    give({ done: false, value: piece })
  }
  const until = (condition: () => boolean): Effect.Effect<void> =>
    Effect.suspend(() =>
      condition()
        ? Effect.void
        : Effect.async((resume) => {
            wake = () => {
              if (condition()) resume(Effect.void)
            }
          })
    )
  /** Undici asks for more than all chunks so far. */
  const untilPassedOn = until(() => asked !== undefined && pieces.waiting() === 0)
  const untilRoom = until(() => pieces.waiting() < pieceSize)
  const send = (added: Iterable<Uint8Array>): Effect.Effect<void> => {
    let isCopied = true
    for (const chunk of added) isCopied = pieces.add(chunk) && isCopied
    giveNext()
    return isCopied ? untilRoom : untilPassedOn
  }
  const sending = Effect.zipRight(forEachChunk(upload, send), untilPassedOn)
  const start = (): void => {
    fiber = Runtime.runFork(runtime, contained(sending))
    fiber.addObserver((exited) => {
      const exit = Exit.flatten(exited)
      if (Exit.isSuccess(exit)) {
        progress.end()
        return asked?.give({ done: true, value: undefined })
      }
      failure = toUploadFailed(exit.cause)
      asked?.fail(new Error("The upload failed."))
    })
  }

  return {
    chunks: {
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise((give, fail) => {
            if (isClosed) return give({ done: true, value: undefined })
            // The chunks may have failed while undici passed on a piece.
            if (failure !== undefined) return fail(new Error("The upload failed."))
            asked = { give, fail }
            if (fiber === undefined) return start()
            giveNext()
            wake()
          })
      })
    },
    failure: () => failure,
    close: () => {
      isClosed = true
      const running = fiber
      fiber = undefined
      if (running === undefined || running.unsafePoll() !== null) return Effect.void
      return awaitBriefly(Fiber.interruptFork(running), running)
    }
  }
}

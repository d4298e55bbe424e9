import { getDefaultHighWaterMark } from "node:stream"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import type { UploadFailed } from "../../Failure.js"
import { withinASecond } from "../call/awaitBriefly.js"
import type { Watch } from "../call/callTimer.js"
import type { UploadObserver } from "./httpDriver.js"
import { uploadFailed } from "./uploadFailed.js"

/** A stream on its way through undici, which asks for a chunk once the one before has left the process. */
export interface LentChunks {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Why the stream has failed, if it has. */
  readonly failure: () => UploadFailed | undefined
  readonly close: Effect.Effect<void>
}

/**
 * Undici asks for more at once after a chunk that does not fill the buffer of its socket, of 64 KiB; such a chunk may still
 * lie there when the next is read into the same block, so it is copied.
 */
const socketBuffer = Math.max(64 * 1024, getDefaultHighWaterMark(false))

const keepable = (chunk: Uint8Array): Uint8Array => (chunk.byteLength >= socketBuffer ? chunk : chunk.slice())

/** What is sent at a time, in bytes: to see by, on a slow connection, that it goes on. */
const pieceSize = socketBuffer

const piecesOf = (chunk: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(chunk.byteLength / pieceSize) }, (_, index) =>
    chunk.subarray(index * pieceSize, (index + 1) * pieceSize)
  )

/** What is in memory needs neither a stream, nor a fiber to run it: for a short recording both cost more than the rest. */
export const lendParts = (parts: ReadonlyArray<Uint8Array>, watch: Watch): LentChunks => {
  const pieces = parts.flatMap(piecesOf)
  let index = 0
  let isClosed = false
  const next = (): IteratorResult<Uint8Array, undefined> => {
    if (isClosed) return { done: true, value: undefined }
    const piece = pieces[index++]
    watch.sent = piece === undefined ? "all" : "part"
    watch.reach(piece === undefined ? "answer" : "upload")
    return piece === undefined ? { done: true, value: undefined } : { done: false, value: piece }
  }
  return {
    chunks: { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(next()) }) },
    failure: () => undefined,
    close: Effect.sync(() => {
      isClosed = true
    })
  }
}

export const lendChunks = (
  stream: Stream.Stream<Uint8Array, UploadFailed>,
  watch: Watch,
  observer: UploadObserver | undefined,
  runtime: Runtime.Runtime<never>
): LentChunks => {
  let failure: UploadFailed | undefined
  let fiber: Fiber.RuntimeFiber<void, UploadFailed> | undefined
  let give: (result: IteratorResult<Uint8Array, undefined>) => void = () => undefined
  let fail: (error: unknown) => void = () => undefined
  let askForNext = (): void => undefined
  let isClosed = false

  /** Gives a chunk piece by piece, and ends when the last one has left the process. */
  const handOver = (chunk: Uint8Array) =>
    Effect.async<void>((resume) => {
      let offset = 0
      askForNext = () => {
        watch.reach("upload")
        if (offset >= chunk.byteLength) return resume(Effect.void)
        const piece = chunk.subarray(offset, offset + pieceSize)
        offset += pieceSize
        give({ done: false, value: keepable(piece) })
      }
      watch.sent = "part"
      askForNext()
    })
  const send =
    observer === undefined
      ? handOver
      : (chunk: Uint8Array) =>
          Effect.forEach(
            piecesOf(chunk),
            (piece) => Effect.zipRight(handOver(piece), observer.onChunk(piece.byteLength)),
            {
              discard: true
            }
          )
  const sending = Effect.zipRight(
    Stream.runForEach(stream, send),
    Effect.suspend(() => {
      watch.sent = "all"
      watch.reach("answer")
      return observer?.onComplete ?? Effect.void
    })
  )
  const start = (): void => {
    fiber = Runtime.runFork(runtime, Effect.interruptible(sending))
    fiber.addObserver((exit) => {
      if (Exit.isSuccess(exit)) return give({ done: true, value: undefined })
      failure = uploadFailed(exit.cause)
      fail(new Error("The upload has ended."))
    })
  }

  return {
    chunks: {
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise((resolve, reject) => {
            give = resolve
            fail = reject
            if (isClosed) resolve({ done: true, value: undefined })
            else if (fiber === undefined) start()
            else askForNext()
          })
      })
    },
    failure: () => failure,
    close: Effect.suspend(() => {
      isClosed = true
      const running = fiber
      fiber = undefined
      return running === undefined ? Effect.void : withinASecond(Fiber.interruptFork(running), running)
    })
  }
}

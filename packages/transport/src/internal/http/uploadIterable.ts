import { getDefaultHighWaterMark } from "node:stream"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import type { UploadFailed } from "../../Failure.js"
import { chunks, reusedBlock, type Upload } from "../../Upload.js"
import { awaitBriefly } from "../timer/awaitBriefly.js"
import type { CallTimer } from "../timer/callTimer.js"
import type { UploadObserver } from "./httpDriver.js"
import { piecesOf } from "./piecesOf.js"
import { toUploadFailed } from "./toUploadFailed.js"

/** An upload as undici reads it: undici asks for the next chunk after it has passed on the previous one. */
export interface UploadIterable {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Why the upload failed, if it did. */
  readonly failure: () => UploadFailed | undefined
  readonly close: Effect.Effect<void>
}

export const makeUploadIterable = (
  upload: Upload,
  timer: CallTimer,
  observer: UploadObserver | undefined,
  runtime: Runtime.Runtime<never>
): UploadIterable =>
  upload._tag === "Memory" && observer === undefined
    ? fromParts(upload.parts, timer)
    : fromChunks(upload, timer, observer, runtime)

/** Size of a socket's write buffer, in bytes. Pieces of this size show progress on a slow connection. */
const pieceSize = Math.max(64 * 1024, getDefaultHighWaterMark(false))

/**
 * Undici asks for the next chunk at once while the socket's buffer is not full. A shorter piece may then still wait in
 * that buffer when its block is reused, so it is copied. `slice` of a Buffer would share its memory.
 */
const keepable = (piece: Uint8Array): Uint8Array => (piece.byteLength >= pieceSize ? piece : new Uint8Array(piece))

/**
 * The same bytes in pieces of `pieceSize`. What is shorter, such as the head of a form, is copied together with what follows: a
 * piece is a system call, which costs more than the copy.
 */
const joined = (parts: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  let left = parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
  let block = new Uint8Array(0)
  let filled = 0
  for (const part of parts) {
    for (let at = 0; at < part.byteLength; ) {
      const length = Math.min(part.byteLength - at, pieceSize - filled)
      const bytes = part.subarray(at, at + length)
      at += length
      left -= length
      if (length === pieceSize) {
        pieces.push(bytes)
        continue
      }
      if (filled === 0) block = new Uint8Array(Math.min(pieceSize, length + left))
      block.set(bytes, filled)
      filled += length
      if (filled < block.byteLength) continue
      pieces.push(block)
      filled = 0
    }
  }
  return pieces
}

/** Parts in memory need no stream and no fiber, which would cost more than the rest of a short call. */
const fromParts = (parts: ReadonlyArray<Uint8Array>, timer: CallTimer): UploadIterable => {
  const pieces = joined(parts)
  let index = 0
  let isClosed = false
  const next = (): IteratorResult<Uint8Array, undefined> => {
    if (isClosed) return { done: true, value: undefined }
    const piece = pieces[index++]
    timer.sent = piece === undefined ? "all" : "part"
    timer.reach(piece === undefined ? "answer" : "upload")
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

/** Runs `send` for each chunk. The chunk is valid until it ends. */
const forEachChunk = (upload: Upload, send: (chunk: Uint8Array) => Effect.Effect<void>) => {
  if (upload._tag !== "Source") return Stream.runForEach(chunks(upload), send)
  const block = reusedBlock(upload)
  const sendNext: Effect.Effect<void, UploadFailed> = Effect.flatMap(upload.fill(block), (length) =>
    length === 0 ? Effect.void : Effect.zipRight(send(block.subarray(0, length)), sendNext)
  )
  return sendNext
}

const fromChunks = (
  upload: Upload,
  timer: CallTimer,
  observer: UploadObserver | undefined,
  runtime: Runtime.Runtime<never>
): UploadIterable => {
  let failure: UploadFailed | undefined
  let fiber: Fiber.RuntimeFiber<void, UploadFailed> | undefined
  let give: (result: IteratorResult<Uint8Array, undefined>) => void = () => undefined
  let fail: (error: unknown) => void = () => undefined
  let askForNext = (): void => undefined
  let isClosed = false

  /** Gives undici a chunk piece by piece, and resumes when undici asks for more than the last piece. */
  const handOver = (chunk: Uint8Array) =>
    Effect.async<void>((resume) => {
      let offset = 0
      askForNext = () => {
        timer.reach("upload")
        if (offset >= chunk.byteLength) return resume(Effect.void)
        const piece = chunk.subarray(offset, offset + pieceSize)
        offset += pieceSize
        give({ done: false, value: keepable(piece) })
      }
      timer.sent = "part"
      askForNext()
    })
  const send =
    observer === undefined
      ? handOver
      : (chunk: Uint8Array) =>
          Effect.forEach(
            piecesOf(chunk, pieceSize),
            (piece) => Effect.zipRight(handOver(piece), observer.onChunk(piece.byteLength)),
            { discard: true }
          )
  const sending = Effect.zipRight(
    forEachChunk(upload, send),
    Effect.suspend(() => {
      timer.sent = "all"
      timer.reach("answer")
      return observer?.onComplete ?? Effect.void
    })
  )
  const start = (): void => {
    fiber = Runtime.runFork(runtime, Effect.interruptible(sending))
    fiber.addObserver((exit) => {
      if (Exit.isSuccess(exit)) return give({ done: true, value: undefined })
      failure = toUploadFailed(exit.cause)
      fail(new Error("The upload failed."))
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
      return running === undefined ? Effect.void : awaitBriefly(Fiber.interruptFork(running), running)
    })
  }
}

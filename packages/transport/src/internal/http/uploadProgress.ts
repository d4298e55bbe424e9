import type { CallTimer } from "../timer/callTimer.js"
import type { UploadObserver } from "./httpDriver.js"

/** Records on the timer of a call how much of its upload was passed on to the connection. */
export interface UploadProgress {
  /** Records that the connection is ready for more. */
  readonly ready: () => void
  /** Records that a piece is passed on. */
  readonly pass: (byteLength: number) => void
  /** Records that the upload has no more pieces. */
  readonly end: () => void
}

/**
 * `byteLength` is that of the whole upload, if it is known. With its last byte the service has a complete request, which it may
 * carry out, even if the connection never asks for more. Without a length, the end completes the request.
 */
export const makeUploadProgress = (
  byteLength: number | undefined,
  timer: CallTimer,
  observer: UploadObserver | undefined
): UploadProgress => {
  let passed = 0
  let isComplete = false
  const complete = (): void => {
    isComplete = true
    timer.sent = "all"
    timer.reach("answer")
  }
  return {
    ready: () => {
      if (!isComplete) timer.reach("upload")
    },
    pass: (length) => {
      if (isComplete) return
      passed += length
      if (byteLength !== undefined && passed >= byteLength) complete()
      else {
        timer.sent = "part"
        timer.reach("upload")
      }
      observer?.onPiece(length)
      if (isComplete) observer?.onComplete()
    },
    end: () => {
      if (isComplete || passed < (byteLength ?? 0)) return
      complete()
      observer?.onComplete()
    }
  }
}

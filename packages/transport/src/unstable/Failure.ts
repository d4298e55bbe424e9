/**
 * Why a call has no usable response. An operation turns these facts into its own tagged errors.
 */
import type { Phase } from "../Deadlines.js"
import type { ConnectionReason } from "../ServiceError.js"

/**
 * Why a call has no usable response.
 *
 * @since 0.1.0
 * @category models
 */
export type Failure = ReadFailed | InvalidApiKey

/**
 * Why a response that had begun can't be read to its end. Its request may still be uploaded meanwhile.
 *
 * @since 0.1.0
 * @category models
 */
export type ReadFailed = ConnectionFailed | DeadlineExceeded | UploadFailed

/**
 * There is no response, or only a part of one.
 *
 * @since 0.1.0
 * @category models
 */
export interface ConnectionFailed {
  readonly _tag: "ConnectionFailed"
  readonly reason: ConnectionReason
  readonly code: string | undefined
}

/**
 * A phase took longer than its deadline.
 *
 * @since 0.1.0
 * @category models
 */
export interface DeadlineExceeded {
  readonly _tag: "DeadlineExceeded"
  readonly phase: Phase
  readonly limitMillis: number
}

/**
 * The key could not be read, or does not have the form of a key.
 *
 * @since 0.1.0
 * @category models
 */
export interface InvalidApiKey {
  readonly _tag: "InvalidApiKey"
  readonly problem: string
}

/**
 * The request body could not be read.
 *
 * @since 0.1.0
 * @category models
 */
export interface UploadFailed {
  readonly _tag: "UploadFailed"
  readonly problem: string
  /** The system's code, if one caused it. */
  readonly code?: string | undefined
  /** What the caller can do, if the operation knows. The operation defines the values. */
  readonly hint?: string | undefined
}

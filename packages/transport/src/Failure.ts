/**
 * Why a call has no usable response. An operation turns these facts into its own tagged errors.
 */
import * as Schema from "effect/Schema"
import type { Phase } from "./Deadlines.js"

/**
 * | reason             | means |
 * | ------------------ | ----- |
 * | `refused`          | nothing listens at the address, or there is no route to it |
 * | `notFound`         | the host name is unknown |
 * | `proxy`            | the proxy did not open the connection; `code` is the status of its response, or the system's code |
 * | `tls`              | the secure connection failed |
 * | `reset`            | the connection was closed before the response |
 * | `timeout`          | a timeout of the network or of the HttpClient |
 * | `cut`              | the connection was lost in the middle of the response |
 * | `informational`    | the service sent an unrequested `100 Continue`, which this HttpClient can't read |
 * | `closed`           | the HttpClient was closed together with its layer |
 * | `tooManyOpenFiles` | the process or the system can open no further file or socket |
 * | `unknown`          | none of these; `code` may say more |
 */
export const ConnectionReason = Schema.Literal(
  "refused",
  "notFound",
  "proxy",
  "tls",
  "reset",
  "timeout",
  "cut",
  "informational",
  "closed",
  "tooManyOpenFiles",
  "unknown"
)
export type ConnectionReason = typeof ConnectionReason.Type

export type Failure = ConnectionFailed | DeadlineExceeded | InvalidApiKey | UploadFailed

export interface ConnectionFailed {
  readonly _tag: "ConnectionFailed"
  readonly reason: ConnectionReason
  readonly code: string | undefined
}

export interface DeadlineExceeded {
  readonly _tag: "DeadlineExceeded"
  readonly phase: Phase
  readonly limitMillis: number
}

/** The key could not be read, or does not have the form of a key. */
export interface InvalidApiKey {
  readonly _tag: "InvalidApiKey"
  readonly problem: string
}

/** The request body could not be read. */
export interface UploadFailed {
  readonly _tag: "UploadFailed"
  readonly problem: string
  /** The system's code, if one caused it. */
  readonly code?: string | undefined
  /** What the caller can do, if the operation knows. The operation defines the values. */
  readonly hint?: string | undefined
}

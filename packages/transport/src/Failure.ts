/**
 * How a call can end without a usable answer. An operation turns these facts into its own tagged errors.
 */
import { SystemError } from "@effect/platform/Error"
import * as Schema from "effect/Schema"
import type { Phase } from "./Deadlines.js"

/**
 * | reason     | means |
 * | ---------- | ----- |
 * | `refused`  | nothing listens at the address, or no route leads there |
 * | `notFound` | the host name is not known |
 * | `tls`      | no secure connection could be made |
 * | `reset`    | the connection was closed before an answer came |
 * | `timeout`  | the network gave up |
 * | `cut`      | the answer ended before its end |
 * | `closed`   | the HttpClient was closed, with its layer |
 * | `unknown`  | none of these; `code` may say more |
 */
export const ConnectionReason = Schema.Literal(
  "refused",
  "notFound",
  "tls",
  "reset",
  "timeout",
  "cut",
  "closed",
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

/** A key that can't be read, or is not of the right form. */
export interface InvalidApiKey {
  readonly _tag: "InvalidApiKey"
  readonly problem: string
}

/** What was to be sent could not be read. */
export interface UploadFailed {
  readonly _tag: "UploadFailed"
  readonly problem: string
  /** What the caller can do, if the operation knows. The operation defines the values. */
  readonly hint?: string | undefined
}

/**
 * A foreign error may hold anything, the key too, so only what it is called is kept; and of a file's, why it can't be read,
 * which is one of a few words.
 */
export const nameOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return typeof error
  if (error instanceof SystemError) return `${error._tag}: ${error.reason}`
  const name = "_tag" in error ? error._tag : error instanceof Error ? error.name : undefined
  return typeof name === "string" && /^\w{1,64}$/.test(name) ? name : "object"
}

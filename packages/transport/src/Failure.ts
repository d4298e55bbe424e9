/**
 * Why a call has no usable response. An operation turns these facts into its own tagged errors.
 */
import { SystemError } from "@effect/platform/Error"
import * as Predicate from "effect/Predicate"
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

/**
 * The name of an error of another library, its only part that is safe to show: the rest may hold the key. A
 * `SystemError` also gives its reason, which is one of a few fixed words.
 */
export const errorName = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return typeof error
  if (error instanceof SystemError) return `${error._tag}: ${error.reason}`
  const name = "_tag" in error ? error._tag : error instanceof Error ? error.name : undefined
  return isIdentifier(name) ? name : "object"
}

/** Any other text of a library may hold the key. */
const isIdentifier = (text: unknown): text is string => typeof text === "string" && /^\w{1,64}$/.test(text)

/** The system's code of an error, such as `ECONNREFUSED`, from anywhere in the chain of its causes. */
export const systemCode = (error: unknown): string | undefined => {
  let current = error
  for (let depth = 0; depth < 8 && Predicate.isRecord(current); depth++) {
    if (isIdentifier(current.code)) return current.code
    const inner = Array.isArray(current.errors) ? current.errors[0] : undefined
    current = current.cause ?? inner
  }
  return undefined
}

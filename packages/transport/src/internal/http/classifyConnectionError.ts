import { errorName, systemCode } from "@effect-speech/common/SystemCode"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { ConnectionReason } from "../../ServiceError.js"
import type { ConnectionFailed, Failure, UploadFailed } from "../../unstable/Failure.js"

/**
 * The proxy did not open a connection. `code` is the status of its response, or the code of the failure. Nothing else is
 * kept, because the address of a proxy may hold a password.
 */
export class ProxyError extends Error {
  override readonly name = "ProxyError"
  readonly code: string | undefined

  constructor(code: string | undefined) {
    super("The proxy did not open the connection.")
    this.code = code
  }
}

const reasons: ReadonlyArray<readonly [RegExp, ConnectionReason]> = [
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, "refused"],
  [/^(ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, "notFound"],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, "reset"],
  [/^UND_ERR_(CLOSED|DESTROYED)$/, "closed"],
  [/^E[MN]FILE$/, "tooManyOpenFiles"],
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, "timeout"],
  [/^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$)/, "tls"]
]

const reasonOf = (code: string | undefined): ConnectionReason | undefined =>
  code === undefined ? undefined : reasons.find(([pattern]) => pattern.test(code))?.[1]

/** Whether there was never a connection, so that nothing can have been sent. */
export const neverConnected = (failure: Failure): boolean =>
  failure._tag === "ConnectionFailed" &&
  (failure.code === "UND_ERR_CONNECT_TIMEOUT" ||
    ["refused", "notFound", "tls", "proxy", "tooManyOpenFiles"].includes(failure.reason))

/** Undici and fetch refuse a `100 Continue` that they did not request. Only the message of their error tells it. */
const isInformational = (cause: unknown): boolean => {
  let current = cause
  for (let depth = 0; depth < 8 && Predicate.isRecord(current); depth++) {
    if (current.code === "UND_ERR_SOCKET" && current.message === "bad response") return true
    current = current.cause
  }
  return false
}

/**
 * Reduces a connection error to its reason and its code. The error itself may hold the key and the body, so it is
 * dropped. If the response had begun, the reason is `cut`, or `closed` if the client was closed.
 */
export const classifyConnectionError = (cause: unknown, hasResponse: boolean): ConnectionFailed => {
  const code = systemCode(cause)
  const known = reasonOf(code)
  if (cause instanceof ProxyError && known !== "tooManyOpenFiles") {
    return { _tag: "ConnectionFailed", reason: "proxy", code }
  }
  if (hasResponse) return { _tag: "ConnectionFailed", reason: known === "closed" ? known : "cut", code }
  return { _tag: "ConnectionFailed", reason: isInformational(cause) ? "informational" : (known ?? "unknown"), code }
}

/** If a recording can't be opened because of too many open files, nothing is wrong with the recording. */
export const classifyUploadFailure = (failure: UploadFailed): Failure =>
  reasonOf(failure.code) === "tooManyOpenFiles"
    ? { _tag: "ConnectionFailed", reason: "tooManyOpenFiles", code: failure.code }
    : failure

/** The failure of an upload. A defect in its source counts as a failure to read it, not as a failed connection. */
export const toUploadFailed = (cause: Cause.Cause<UploadFailed>): UploadFailed =>
  Option.getOrElse(Cause.failureOption(cause), () => {
    const error = Cause.squash(cause)
    return { _tag: "UploadFailed", problem: `reading it failed (${errorName(error)})`, code: systemCode(error) }
  })

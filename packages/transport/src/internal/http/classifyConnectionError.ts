import * as Predicate from "effect/Predicate"
import type { ConnectionFailed, ConnectionReason, Failure } from "../../Failure.js"
import { ProxyError } from "./proxyError.js"

const reasons: ReadonlyArray<readonly [RegExp, ConnectionReason]> = [
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, "refused"],
  [/^(ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, "notFound"],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, "reset"],
  [/^UND_ERR_(CLOSED|DESTROYED)$/, "closed"],
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, "timeout"],
  [/^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$)/, "tls"]
]

/** Whether there was never a connection, so that nothing can have been sent. */
export const neverConnected = (failure: Failure): boolean =>
  failure._tag === "ConnectionFailed" &&
  (failure.code === "UND_ERR_CONNECT_TIMEOUT" || ["refused", "notFound", "tls", "proxy"].includes(failure.reason))

/** The system's code, such as `ECONNREFUSED`, from anywhere in the chain of causes. */
export const codeOf = (error: unknown): string | undefined => {
  let current = error
  for (let depth = 0; depth < 8 && Predicate.isRecord(current); depth++) {
    if (typeof current.code === "string") return current.code
    const inner = Array.isArray(current.errors) ? current.errors[0] : undefined
    current = current.cause ?? inner
  }
  return undefined
}

/**
 * Reduces a connection error to its reason and its code. The error itself may hold the key and the body, so it is
 * dropped. If the response had begun, the reason is always `cut`.
 */
export const classifyConnectionError = (cause: unknown, hasResponse: boolean): ConnectionFailed => {
  const code = codeOf(cause)
  if (cause instanceof ProxyError) return { _tag: "ConnectionFailed", reason: "proxy", code }
  const known = code === undefined ? undefined : reasons.find(([pattern]) => pattern.test(code))?.[1]
  return { _tag: "ConnectionFailed", reason: hasResponse ? "cut" : (known ?? "unknown"), code }
}

import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Issue from "@effect-speech/transport/Issue"
import type { ParseError } from "effect/ParseResult"

/** The answer to a request that is not for the one operation of a listener, or `undefined` for one that is. */
export const misrouted = (
  request: HttpServerRequest.HttpServerRequest,
  method: string,
  path: string
): { readonly status: number; readonly message: string; readonly headers?: Record<string, string> } | undefined => {
  const [asked] = request.url.split("?")
  if (asked !== path) return { status: 404, message: `nothing is here; the operation is ${method} ${path}` }
  if (request.method !== method) {
    return { status: 405, message: `${path} takes ${method}`, headers: { Allow: method } }
  }
  return undefined
}

/** The first thing that is wrong with a message, beginning with the name of its field. */
export const firstIssue = (error: ParseError): string => {
  const { field, problem } = Issue.first(error)
  return `${field} ${problem}`
}

import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Issue from "@effect-speech/transport/Issue"
import * as Effect from "effect/Effect"
import type { ParseError } from "effect/ParseResult"

/** The answer to a request that is not for the one operation of a listener, or `undefined` for one that is. */
export const misrouted = (
  request: HttpServerRequest.HttpServerRequest,
  method: string,
  path: string
): { readonly status: number; readonly message: string; readonly headers?: Record<string, string> } | undefined => {
  // The target of a request may be a path or, as for a proxy, the whole address.
  const target = URL.canParse(request.url, "http://localhost") ? new URL(request.url, "http://localhost").pathname : ""
  if (target !== path) return { status: 404, message: `nothing is here; the operation is ${method} ${path}` }
  if (request.method !== method) {
    return { status: 405, message: `${path} takes ${method}`, headers: { Allow: method } }
  }
  return undefined
}

/** A value of somebody's, fit for a message. */
export const quote = (value: string): string => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)

/** The first thing that is wrong with a message, beginning with the name of its field. */
export const firstIssue = (error: ParseError): string => {
  const malformed = "the request is malformed"
  try {
    const { field, problem } = Issue.first(error.issue)
    return field === "request" || problem.length > 200 ? `${malformed}: ${field}` : `${field} ${problem}`
  } catch {
    // What is nested too deep to be read is nested too deep to be described.
    return malformed
  }
}

/** Turns a defect into an answer like any other, and leaves a trace of it in the log. */
export const recoverDefects =
  <Problem>(toProblem: (message: string) => Problem) =>
  <A, E, R>(handle: Effect.Effect<A, E, R>): Effect.Effect<A, E | Problem, R> =>
    Effect.catchAllDefect(handle, (defect) =>
      Effect.zipRight(
        Effect.logError("The local service failed", defect),
        Effect.fail(toProblem("the service failed; its log says why"))
      )
    )

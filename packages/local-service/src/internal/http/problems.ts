import type { IncomingHttpHeaders } from "node:http"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { ParseError } from "effect/ParseResult"
import type { Refusal } from "../account/refusal.js"
import { isDiskFull } from "../isDiskFull.js"
import { hideLocalKeys } from "../journal/hideKey.js"
import { firstIssue } from "../validation.js"

/** A failed request: the status, the message and the headers of its response. */
export interface Problem {
  readonly status: number
  readonly message: string
  readonly headers?: Record<string, string> | undefined
  /** For the journal: why the key, the account or the credit was refused. */
  readonly refusal?: Refusal | undefined
}

/** Makes the response to a problem, in the error format of one listener. `headers` are those of the request, as far as they are known. */
export type ProblemToResponse = (
  problem: Problem,
  headers: Readonly<IncomingHttpHeaders>
) => HttpServerResponse.HttpServerResponse

export const badRequest = (message: string): Problem => ({ status: 400, message })

/** The path of a request target, which may also be a whole URL, as a proxy receives it. */
export const requestPath = ({ url }: HttpServerRequest.HttpServerRequest): string => {
  // Without this prefix, a target that starts with two slashes would be parsed as a host.
  const whole = url.startsWith("/") ? `http://localhost${url}` : url
  return URL.canParse(whole) ? new URL(whole).pathname : ""
}

/** 404 or 405 if a request is not for the one operation of its listener. */
export const routingProblem = (request: HttpServerRequest.HttpServerRequest, path: string): Problem | undefined => {
  if (request.url !== path && requestPath(request) !== path)
    return { status: 404, message: `nothing is here; the operation is POST ${path}` }
  return request.method === "POST" ? undefined : methodNotAllowed(path, ["POST"])
}

export const methodNotAllowed = (path: string, allowed: ReadonlyArray<string>): Problem => {
  const Allow = allowed.join(", ")
  return { status: 405, message: `${path} accepts only ${Allow}`, headers: { Allow } }
}

/** A value of a request, quoted and shortened for a message. A key of the service is hidden before: most of it would stay. */
export const quote = (value: string): string => {
  const safe = hideLocalKeys(value)
  return JSON.stringify(safe.length > 60 ? `${safe.slice(0, 60)}…` : safe)
}

/** The name of a field for a message: as it is if it is an ordinary name, else quoted. */
export const formatFieldName = (field: string): string => (/^[\w[\]]{1,60}$/.test(field) ? field : quote(field))

/** The first broken rule of a message, in a sentence that begins with the name of the field. */
export const describeParseError = (error: ParseError): string => {
  const malformed = "the request is malformed"
  try {
    const { field, problem } = firstIssue(error.issue)
    if (field === "request") return `${malformed}: the body ${problem}`
    if (problem.length > 200) return `${malformed}: ${field}`
    return `${field} ${problem}`
  } catch {
    // Formatting fails if the value is nested too deep.
    return malformed
  }
}

/** Logs a defect and turns it into status 500. */
export const recoverDefects = <A, E, R>(handle: Effect.Effect<A, E, R>): Effect.Effect<A, E | Problem, R> =>
  Effect.catchAllDefect(handle, (defect) => {
    const message = isDiskFull(defect)
      ? "the disk of the service is full; free some space, and send the request again"
      : "the service failed; the cause is in its log"
    return Effect.zipRight(
      Effect.logError("The local service failed", Cause.die(defect)),
      Effect.fail<Problem>({ status: 500, message })
    )
  })

import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Issue from "@effect-speech/transport/Issue"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { ParseError } from "effect/ParseResult"

/** Why a request is not answered with what it asked for. */
export interface Problem {
  readonly status: number
  /** What the answer says. */
  readonly message: string
  readonly headers?: Record<string, string> | undefined
}

/** A problem in the words of one of the listeners, to a request of which at least these headers are known. */
export type AnswerProblem = (
  problem: Problem,
  headers: Readonly<IncomingHttpHeaders>
) => HttpServerResponse.HttpServerResponse

export const badRequest = (message: string): Problem => ({ status: 400, message })

/** The path of a request, whose target may also be the whole address, as for a proxy. */
export const pathOf = ({ url }: HttpServerRequest.HttpServerRequest): string => {
  // Two slashes at the start would be taken for a host.
  const whole = url.startsWith("/") ? `http://localhost${url}` : url
  return URL.canParse(whole) ? new URL(whole).pathname : ""
}

/** The answer to a request that is not for the one operation of a listener, or `undefined` for one that is. */
export const misrouted = (request: HttpServerRequest.HttpServerRequest, path: string): Problem | undefined => {
  if (pathOf(request) !== path) return { status: 404, message: `nothing is here; the operation is POST ${path}` }
  if (request.method !== "POST") {
    return { status: 405, message: `${path} takes POST`, headers: { Allow: "POST" } }
  }
  return undefined
}

/** A value of somebody's, fit for a message. */
export const quote = (value: string): string => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)

/** The name of a field of somebody's. */
export const nameOf = (field: string): string => (/^[\w[\]]{1,60}$/.test(field) ? field : quote(field))

/** The first thing that is wrong with a message, beginning with the name of its field. */
export const firstIssue = (error: ParseError): string => {
  const malformed = "the request is malformed"
  try {
    const { field, problem } = Issue.first(error.issue)
    if (field === "request") return `${malformed}: the body ${problem}`
    if (problem.length > 200) return `${malformed}: ${field}`
    // Whose options it names are the clients'.
    return `${field} ${problem.replace("; see additionalFields", "")}`
  } catch {
    // What is nested too deep to be read is nested too deep to be described.
    return malformed
  }
}

/** Bodies are taken as they are. */
export const encodedBody = (incoming: IncomingMessage): Problem | undefined => {
  const encoding = incoming.headers["content-encoding"] ?? "identity"
  return encoding.toLowerCase() === "identity"
    ? undefined
    : { status: 415, message: `the Content-Encoding ${quote(encoding)} is not taken; send the body as it is` }
}

export interface BodyLimits {
  /** In bytes. */
  readonly maximumBytes: number
  /** How long nothing may come of it, in milliseconds. */
  readonly idleMillis: number
}

export const tooSlow = (idleMillis: number): Problem => ({
  status: 408,
  message: `nothing of the body came for ${idleMillis / 1000} seconds`,
  headers: { Connection: "close" }
})

/** The JSON of a body. */
export const readJson = (
  request: HttpServerRequest.HttpServerRequest,
  { idleMillis, maximumBytes }: BodyLimits
): Effect.Effect<unknown, Problem> =>
  Effect.gen(function* () {
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")) {
      return yield* Effect.fail<Problem>({ status: 415, message: "the body must be application/json" })
    }
    const encoded = encodedBody(incoming)
    if (encoded !== undefined) return yield* Effect.fail(encoded)
    const bytes = yield* readBody(incoming, { idleMillis, maximumBytes })
    return yield* Effect.try({
      try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
      catch: () => badRequest("the body is not JSON in UTF-8")
    })
  })

/** By the events of Node: a stream with a deadline for each part costs more than all else that is done to read a request. */
const readBody = (
  incoming: IncomingMessage,
  { idleMillis, maximumBytes }: BodyLimits
): Effect.Effect<Buffer, Problem> =>
  Effect.async((resume) => {
    const parts: Array<Buffer> = []
    let length = 0
    const onData = (part: Buffer) => {
      idle.refresh()
      length += part.length
      if (length <= maximumBytes) parts.push(part)
      else finish(Effect.fail({ status: 413, message: `the body is larger than ${maximumBytes} bytes` }))
    }
    const onEnd = () => finish(Effect.succeed(Buffer.concat(parts)))
    const onClose = () => finish(Effect.fail(badRequest("the body ended early")))
    const stop = () => {
      clearTimeout(idle)
      // What still comes is let go, or the connection could not be used again.
      incoming.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose).resume()
    }
    const finish = (result: Effect.Effect<Buffer, Problem>) => {
      stop()
      resume(result)
    }
    const idle = setTimeout(() => finish(Effect.fail(tooSlow(idleMillis))), idleMillis)
    incoming.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose)
    return Effect.sync(stop)
  })

/** Turns a defect into an answer like any other, and leaves a trace of it in the log. */
export const recoverDefects =
  <Problem>(toProblem: (message: string) => Problem) =>
  <A, E, R>(handle: Effect.Effect<A, E, R>): Effect.Effect<A, E | Problem, R> =>
    Effect.catchAllDefect(handle, (defect) =>
      Effect.zipRight(
        Effect.logError("The local service failed", Cause.die(defect)),
        Effect.fail(toProblem("the service failed; its log says why"))
      )
    )

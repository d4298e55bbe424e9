import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import type { SignIn } from "../../Console.js"
import { AdminToken, sessionCookie } from "../../PlatformApi.js"
import type { Problem } from "../http/problems.js"
import type { Sessions } from "./sessions.js"

type Request = HttpServerRequest.HttpServerRequest

const unauthorized = (message: string) => Effect.fail<Problem>({ status: 401, message })

/**
 * Whether the page of this very origin sent a request. The cookie does not show it: a browser sends it to each port of the host, and
 * with requests of the pages of other ports. A browser that knows `Sec-Fetch-Site` sends it with each request, and a page can't set it.
 */
const isSameOrigin = ({ headers }: Request): boolean => {
  const { host, origin, "sec-fetch-site": site } = headers
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return false
  return site === undefined ? origin !== undefined : site === "same-origin"
}

const checkOrigin = (request: Request): Effect.Effect<void, Problem> =>
  isSameOrigin(request) ? Effect.void : unauthorized("the request is not from the page of this origin")

/** The name of the cookie on the port that a request came to. */
export const cookieName = (request: Request): string =>
  sessionCookie(NodeHttpServerRequest.toIncomingMessage(request).socket.localPort ?? 0)

/** Several cookies may have the name: a page of another port can set one for a path. */
const cookiesOf = (request: Request): ReadonlyArray<string> => {
  const start = `${cookieName(request)}=`
  return (request.headers.cookie ?? "")
    .split(";")
    .map((cookie) => cookie.trim())
    .flatMap((cookie) => (cookie.startsWith(start) ? [cookie.slice(start.length)] : []))
}

/** Accepts the admin token, or the cookie of a session together with the proof that the console's own page sent it. */
export const authorize = (sessions: Sessions) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { key } = AdminToken.security.adminToken
    const token = request.headers[key.toLowerCase()]
    const wrong = unauthorized(`${key} is missing or wrong`)
    if (token !== undefined) return yield* sessions.isAdminToken(token) ? Effect.void : wrong
    const cookies = cookiesOf(request)
    if (cookies.length === 0) return yield* wrong
    yield* checkOrigin(request)
    if (!cookies.some(sessions.has)) yield* unauthorized("the session has ended; sign in again")
  })

const withCookie = (request: Request, value: string, more = "") =>
  HttpServerResponse.empty({
    status: 204,
    headers: { "Set-Cookie": `${cookieName(request)}=${value}; HttpOnly; SameSite=Strict; Path=/${more}` }
  })

export const signIn = (sessions: Sessions, given: SignIn) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* checkOrigin(request)
    const cookie = sessions.begin(given)
    if (cookie !== undefined) return withCookie(request, cookie)
    return yield* unauthorized(
      given.code === undefined
        ? "the admin token is wrong"
        : "this link was used before, or is of an earlier start; sign in with the admin token, or start the service again"
    )
  })

export const signOut = (sessions: Sessions) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* checkOrigin(request)
    for (const cookie of cookiesOf(request)) sessions.end(cookie)
    return withCookie(request, "", "; Max-Age=0")
  })

import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import { AdminToken } from "../../PlatformApi.js"
import type { Problem } from "../http/problems.js"
import { isFromOwnPage } from "../http/webPages.js"
import type { SignIn } from "./messages.js"
import { sessionCookie } from "./sessionCookie.js"
import type { Sessions } from "./sessions.js"

type Request = HttpServerRequest.HttpServerRequest

const unauthorized = (message: string) => Effect.fail<Problem>({ status: 401, message })

const checkOrigin = (request: Request): Effect.Effect<void, Problem> =>
  isFromOwnPage(request.headers) ? Effect.void : unauthorized("the request is not from the page of this origin")

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

const { key } = AdminToken.security.adminToken

const tokenOf = ({ headers }: Request): string | undefined => headers[key.toLowerCase()]

/** The session of an authorized request, as its cookie. `undefined` if the admin token authorized it. */
export const sessionOf = (sessions: Sessions, request: Request): string | undefined =>
  tokenOf(request) === undefined ? cookiesOf(request).find(sessions.has) : undefined

/** Accepts the admin token, or the cookie of a session together with the proof that the console's own page sent it. */
export const authorize = (sessions: Sessions) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const token = tokenOf(request)
    const wrong = unauthorized(`${key} is missing or wrong`)
    if (token !== undefined) return yield* sessions.isAdminToken(token) ? Effect.void : wrong
    if (cookiesOf(request).length === 0) return yield* wrong
    yield* checkOrigin(request)
    if (sessionOf(sessions, request) === undefined) yield* unauthorized("the session has ended; sign in again")
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
    // A browser has one session, so that it ends in all of its tabs.
    const cookie = sessions.begin(given, cookiesOf(request).find(sessions.has))
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

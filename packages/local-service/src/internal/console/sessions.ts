import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import * as Redacted from "effect/Redacted"
import type { SignIn } from "./messages.js"

/** The codes and sessions of the console. Only their digests are kept, in memory. */
export interface Sessions {
  /** Makes a code that signs in once. */
  readonly newCode: () => Redacted.Redacted
  readonly isAdminToken: (given: string) => boolean
  /**
   * Begins a session, or continues the current one, and returns the value of its cookie. `undefined` if the code or the token is
   * wrong.
   */
  readonly begin: (signIn: SignIn, current: string | undefined) => string | undefined
  readonly has: (cookie: string) => boolean
  readonly end: (cookie: string) => void
  /** Runs `listener` when a session ends, or now if it has ended. Until the result is called. */
  readonly onEnd: (cookie: string, listener: () => void) => () => void
}

/** Beyond that the oldest end: of codes and of sessions. */
const capacity = 100

export const makeSessions = (adminToken: Redacted.Redacted): Sessions => {
  const codes = new Set<string>()
  /** The listeners that run at the end of each session. */
  const sessions = new Map<string, Set<() => void>>()
  const isAdminToken = (given: string) => timingSafeEqual(digestOf(given), digestOf(Redacted.value(adminToken)))
  const end = (session: string) => {
    const listeners = sessions.get(session) ?? []
    sessions.delete(session)
    for (const listener of listeners) listener()
  }
  const newCode = () => {
    const code = newSecret()
    codes.add(hexOf(code))
    const [oldest] = codes
    if (codes.size > capacity && oldest !== undefined) codes.delete(oldest)
    return code
  }
  const newSession = () => {
    const cookie = newSecret()
    sessions.set(hexOf(cookie), new Set())
    const [oldest] = sessions.keys()
    if (sessions.size > capacity && oldest !== undefined) end(oldest)
    return cookie
  }
  return {
    newCode: () => Redacted.make(newCode()),
    isAdminToken,
    begin: ({ code, token }, current) => {
      // A code that is found is removed, so it works once.
      const isAccepted = token === undefined ? codes.delete(hexOf(code ?? "")) : isAdminToken(token)
      return isAccepted ? (current ?? newSession()) : undefined
    },
    has: (cookie) => sessions.has(hexOf(cookie)),
    end: (cookie) => end(hexOf(cookie)),
    onEnd: (cookie, listener) => {
      const listeners = sessions.get(hexOf(cookie))
      if (listeners === undefined) listener()
      listeners?.add(listener)
      return () => listeners?.delete(listener)
    }
  }
}

const newSecret = (): string => randomBytes(24).toString("base64url")

const hexOf = (secret: string): string => digestOf(secret).toString("hex")

const digestOf = (secret: string): Buffer => createHash("sha256").update(secret).digest()

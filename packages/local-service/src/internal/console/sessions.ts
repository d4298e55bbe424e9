import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import * as Redacted from "effect/Redacted"
import type { SignIn } from "../../Console.js"

/** The codes and sessions of the console. Only their digests are kept, in memory. */
export interface Sessions {
  /** Makes a code that signs in once. */
  readonly newCode: () => Redacted.Redacted
  readonly isAdminToken: (given: string) => boolean
  /** Begins a session, and returns the value of its cookie. `undefined` if the code or the token is wrong. */
  readonly begin: (signIn: SignIn) => string | undefined
  readonly has: (cookie: string) => boolean
  readonly end: (cookie: string) => void
}

/** Beyond that the oldest end: of codes and of sessions. */
const capacity = 100

export const makeSessions = (adminToken: Redacted.Redacted): Sessions => {
  const codes = new Set<string>()
  const sessions = new Set<string>()
  const isAdminToken = (given: string) => timingSafeEqual(digestOf(given), digestOf(Redacted.value(adminToken)))
  const add = (digests: Set<string>): string => {
    const secret = randomBytes(24).toString("base64url")
    digests.add(digestOf(secret).toString("hex"))
    for (const oldest of digests) {
      if (digests.size <= capacity) break
      digests.delete(oldest)
    }
    return secret
  }
  return {
    newCode: () => Redacted.make(add(codes)),
    isAdminToken,
    begin: ({ code, token }) => {
      // A code that is found is removed, so it works once.
      const isAccepted = token === undefined ? codes.delete(digestOf(code ?? "").toString("hex")) : isAdminToken(token)
      return isAccepted ? add(sessions) : undefined
    },
    has: (cookie) => sessions.has(digestOf(cookie).toString("hex")),
    end: (cookie) => {
      sessions.delete(digestOf(cookie).toString("hex"))
    }
  }
}

const digestOf = (secret: string): Buffer => createHash("sha256").update(secret).digest()

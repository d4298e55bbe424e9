import * as Redacted from "effect/Redacted"
import { findSecrets, type Secrets, secretsOf, shortestSecret, withoutSpans } from "./findSecrets.js"

/** The secrets of each key. They are looked for in every header, so they are cached. */
const secrets = new WeakMap<Redacted.Redacted, Secrets>()

const secretsIn = (key: Redacted.Redacted): Secrets => {
  const known = secrets.get(key)
  if (known !== undefined) return known
  const value = Redacted.value(key)
  const secret = value.slice(value.indexOf(".") + 1)
  // A shorter secret may be a regular word, so it is replaced only together with its prefix.
  const made = secretsOf(secret.length < shortestSecret ? [value] : [value, secret])
  secrets.set(key, made)
  return made
}

/**
 * Removes the key and its secret from text: plain, in capitals or small letters, with white space or characters that are not seen
 * in it, in hex, in base64, escaped in URLs, JSON or HTML, and in up to four of these, one in the other. A key of fewer than 8
 * characters is removed only if it is plain or escaped.
 */
export const withoutKey = (text: string, key: Redacted.Redacted): string => {
  const found = findSecrets(text, secretsIn(key))
  return found.length === 0 ? text : withoutSpans(text, found, "<redacted>")
}

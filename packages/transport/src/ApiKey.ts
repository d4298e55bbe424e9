/**
 * Checks of an API key, and its removal from text. A key is visible ASCII of the form `<prefix>.<secret>`; the secret may
 * contain more dots.
 */

import * as Printable from "@effect-speech/common/Printable"
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { findSecrets, type Secrets, secretsOf, shortestSecret, withoutSpans } from "./internal/redaction/findSecrets.js"

/**
 * A key, or an effect that reads it, from a secret manager for example. The effect runs when the layer is built, and again
 * after the service refused the key, because a new key revokes the old one at once. It always runs with the context and the
 * FiberRefs in which the layer was built. What it requires, `R`, the layer requires.
 */
export type ApiKey<R = never> = Redacted.Redacted | Effect.Effect<Redacted.Redacted, unknown, R>

/**
 * The rule that a key breaks, or `undefined` if the key has the right form. The result never contains the key.
 */
export const problemWith = (key: Redacted.Redacted): string | undefined => {
  const value = Redacted.value(key)
  if (value === "") return "it is empty"
  if (!/^[\x21-\x7e]+$/.test(value)) return "it holds a space, a line break or a character that is not ASCII"
  if (!/^[^.]+\../.test(value)) return "it has no dot between a prefix and a secret"
  return undefined
}

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

/** {@link Printable.line}. */
export const printable: (text: string) => string = Printable.line

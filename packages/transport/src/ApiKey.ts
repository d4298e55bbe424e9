/**
 * Checks of an API key, and its removal from text. A key is visible ASCII of the form `<prefix>.<secret>`; the secret may
 * contain more dots.
 */
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Printable from "./Printable.js"

/**
 * A key, or an effect that reads it, from a secret manager for example. The effect runs when the layer is built, and again
 * after the service refused the key, because a new key revokes the old one at once. It always runs with the context and the
 * FiberRefs in which the layer was built.
 */
export type ApiKey = Redacted.Redacted | Effect.Effect<Redacted.Redacted, unknown>

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

/** A shorter secret may be a regular word, so it is replaced only together with its prefix. */
const shortestSecret = 8

/** A pattern for a character, plain or percent-encoded. Encoders differ in what they encode and in the case of the digits. */
const anyForm = (character: string): string => {
  if (/[A-Za-z0-9]/.test(character)) return character
  const hex = character.charCodeAt(0).toString(16)
  const eitherCase = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
  return `(?:\\${character}|%${eitherCase})`
}

/** The pattern of each key. It is used for every header, so it is cached. */
const patterns = new WeakMap<Redacted.Redacted, RegExp>()

const patternOf = (key: Redacted.Redacted): RegExp => {
  const known = patterns.get(key)
  if (known !== undefined) return known
  const value = Redacted.value(key)
  const secret = value.slice(value.indexOf(".") + 1)
  const forms = secret.length < shortestSecret ? [value] : [value, secret]
  const pattern = new RegExp(forms.map((form) => Array.from(form, anyForm).join("")).join("|"), "g")
  patterns.set(key, pattern)
  return pattern
}

/**
 * Removes the key and its secret, plain or percent-encoded, from text. The text must be decoded first: another encoding may
 * hide the key.
 */
export const withoutKey = (text: string, key: Redacted.Redacted): string => text.replace(patternOf(key), "<redacted>")

/** {@link Printable.line}. */
export const printable: (text: string) => string = Printable.line

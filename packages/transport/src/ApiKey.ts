/**
 * An API key is visible ASCII of the form `<prefix>.<secret>`; the secret may hold further dots.
 */
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/**
 * A key, or an effect that reads it, from a secret manager, say: when the layer is built, and once more when the
 * service refuses a key, since a new key revokes the old one at once.
 */
export type ApiKey = Redacted.Redacted | Effect.Effect<Redacted.Redacted, unknown>

/**
 * The rule that a key breaks, or `undefined` for a key of the right form. The answer never holds the key.
 */
export const problemWith = (key: Redacted.Redacted): string | undefined => {
  const value = Redacted.value(key)
  if (value === "") return "it is empty"
  if (!/^[\x21-\x7e]+$/.test(value)) return "it holds a space, a line break or a character that is not ASCII"
  if (!/^[^.]+\../.test(value)) return "it has no dot between a prefix and a secret"
  return undefined
}

/** Secrets shorter than this are replaced only as a part of the whole key, for they may be a word. */
const shortestSecret = 8

/** A character as it is, or as a URL has it: any but letters and digits may be encoded there, in either case. */
const anyForm = (character: string): string => {
  if (/[A-Za-z0-9]/.test(character)) return character
  const hex = character.charCodeAt(0).toString(16)
  const eitherCase = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
  return `(?:\\${character}|%${eitherCase})`
}

/** The pattern of each key, which is needed for every header. */
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
 * Words that came from outside without the key, and without its secret alone, as they are or as a URL has them. To be used
 * on decoded text: another encoding may hide the key.
 */
export const withoutKey = (text: string, key: Redacted.Redacted): string => text.replace(patternOf(key), "<redacted>")

/** Words without control characters, which a terminal would obey. */
export const printable = (text: string): string => text.replace(/\p{Cc}+/gu, " ")

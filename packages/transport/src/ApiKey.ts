/**
 * An API key is visible ASCII of the form `<prefix>.<secret>`; the secret may hold further dots.
 */
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** A key, or an effect that reads it (from a secret manager, say) when the layer is built. */
export type ApiKey = Redacted.Redacted | Effect.Effect<Redacted.Redacted>

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

/**
 * Words that came from outside, fit to be shown: without the key, should they quote it, and without control
 * characters, which a terminal would obey. To be used on decoded text: an encoding may hide the key.
 */
export const redact = (text: string, key: Redacted.Redacted): string =>
  text.replaceAll(Redacted.value(key), "<redacted>").replace(/\p{Cc}+/gu, " ")

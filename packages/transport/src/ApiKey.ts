/**
 * An API key, the check of its form, and text without it. A key is visible ASCII of the form `<prefix>.<secret>`; the secret may contain
 * more dots.
 */
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Redaction from "./internal/redaction/withoutKey.js"

/**
 * A key, or an effect that reads it, from a secret manager for example. The effect runs when the layer is built, and again
 * after a 401, because a new key revokes the old one at once. It always runs with the context and the FiberRefs in which the
 * layer was built. What it requires, `R`, the layer requires.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises"
 * import type { ApiKey } from "@effect-speech/transport"
 * import { Effect, Redacted } from "effect"
 *
 * // Read from a file, as secret managers mount it.
 * export const apiKey: ApiKey.ApiKey = Effect.map(
 *   Effect.tryPromise(() => readFile("/run/secrets/speech", "utf8")),
 *   (text) => Redacted.make(text.trim())
 * )
 * ```
 *
 * @since 0.1.0
 * @category models
 */
export type ApiKey<R = never> = Redacted.Redacted | Effect.Effect<Redacted.Redacted, unknown, R>

/**
 * The rule that a key breaks, or `undefined` if the key has the right form. The result never contains the key.
 *
 * The clients check it: use this function for a form or a setting of your own.
 *
 * @example
 * ```ts
 * import { ApiKey } from "@effect-speech/transport"
 * import { Redacted } from "effect"
 *
 * // `it has no dot between a prefix and a secret`
 * export const problem = ApiKey.problemWith(Redacted.make("secret"))
 * ```
 *
 * @since 0.1.0
 * @category validation
 */
export const problemWith = (key: Redacted.Redacted): string | undefined => {
  const value = Redacted.value(key)
  if (value === "") return "it is empty"
  if (!/^[\x21-\x7e]+$/.test(value)) return "it holds a space, a line break or a character that is not ASCII"
  if (!/^[^.]+\../.test(value)) return "it has no dot between a prefix and a secret"
  return undefined
}

/**
 * Removes a key and its secret from text of your own, such as a line of a log, as the clients do from all that they report: plain, in
 * capitals or small letters, with white space in it, in hex, in base64, escaped in URLs, JSON or HTML, and in up to four of these, one
 * in the other. `<redacted>` takes their place. A key of fewer than 8 characters is removed only if it is plain or escaped.
 *
 * @example
 * ```ts
 * import { ApiKey } from "@effect-speech/transport"
 * import { Effect, type Redacted } from "effect"
 *
 * export const logSafely = (text: string, key: Redacted.Redacted) => Effect.logInfo(ApiKey.withoutKey(text, key))
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const withoutKey = (text: string, key: Redacted.Redacted): string => Redaction.withoutKey(text, key)

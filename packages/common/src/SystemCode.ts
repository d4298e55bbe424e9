/**
 * The code of a system error, and the name of any error: the only parts that are safe to show. The rest may hold a key or a body.
 */
import { SystemError } from "@effect/platform/Error"
import * as Predicate from "effect/Predicate"

/** Any other text of a library may hold the key. */
const isIdentifier = (text: unknown): text is string => typeof text === "string" && /^\w{1,64}$/.test(text)

/**
 * The first code of an error and its causes, such as `ECONNREFUSED`: its property `code`, if that is at most 64 letters, digits and `_`. Of an
 * `AggregateError` without a cause, the first error counts. `undefined` if the error and its first 7 causes have none.
 *
 * @example
 * ```ts
 * import { statSync } from "node:fs"
 * import { SystemCode } from "@effect-speech/common"
 *
 * try {
 *   statSync("/no/such/file")
 * } catch (error) {
 *   console.log(SystemCode.systemCode(error)) // ENOENT
 * }
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const systemCode = (error: unknown): string | undefined => {
  let current = error
  for (let depth = 0; depth < 8 && Predicate.isRecord(current); depth++) {
    if (isIdentifier(current.code)) return current.code
    const inner = Array.isArray(current.errors) ? current.errors[0] : undefined
    current = current.cause ?? inner
  }
  return undefined
}

/**
 * The `_tag` or the `name` of an error of another library. A `SystemError` also gives its reason, which is one of a few fixed words. Of
 * anything else, it is the type, such as `string` or `object`.
 *
 * @example
 * ```ts
 * import { SystemCode } from "@effect-speech/common"
 *
 * console.log(SystemCode.errorName(new TypeError("may hold a key"))) // TypeError
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const errorName = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return typeof error
  if (error instanceof SystemError) return `${error._tag}: ${error.reason}`
  const name = "_tag" in error ? error._tag : error instanceof Error ? error.name : undefined
  return isIdentifier(name) ? name : "object"
}

/**
 * The system's code of an error, or its name if it has none.
 *
 * @example
 * ```ts
 * import { SystemCode } from "@effect-speech/common"
 *
 * console.log(SystemCode.codeOrName(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }))) // ECONNREFUSED
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const codeOrName = (error: unknown): string => systemCode(error) ?? errorName(error)

/**
 * Whether the process (`EMFILE`) or the system (`ENFILE`) has too many open files: nothing is wrong with this one.
 *
 * @example
 * ```ts
 * import { SystemCode } from "@effect-speech/common"
 *
 * console.log(SystemCode.isTooManyOpenFiles("EMFILE"), SystemCode.isTooManyOpenFiles("ENOENT")) // true false
 * ```
 *
 * @since 0.1.0
 * @category guards
 */
export const isTooManyOpenFiles = (code: string | undefined): boolean => code === "EMFILE" || code === "ENFILE"

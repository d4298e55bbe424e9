/**
 * The base URL of a service: `https://host`, optionally with a path prefix and a trailing slash.
 */
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"
import type { ClientOptions } from "../ClientOptions.js"
import { isLoopback } from "../internal/http/isLoopback.js"

/**
 * Whether plain http to other machines is allowed.
 *
 * @since 0.1.0
 * @category options
 */
export type BaseUrlOptions = Pick<ClientOptions, "allowInsecureHttp">

/**
 * Each rule that a base URL can break, with the words that follow the name of the setting in a sentence.
 *
 * @since 0.1.0
 * @category constants
 */
export const problems = {
  empty: "is empty; give one like https://host.example",
  notUrl: "is not a URL; give one like https://host.example",
  credentials: "holds a user name or a password; remove them",
  queryOrFragment: "holds a query or a fragment; remove it",
  scheme: "is neither https nor http; give one like https://host.example",
  insecureHttp: "is plain http to another machine, which would show the key; use https or allowInsecureHttp"
} as const

/**
 * The name of a rule that a base URL breaks.
 *
 * @since 0.1.0
 * @category models
 */
export type Problem = keyof typeof problems

/**
 * Reads and checks a base URL. The failure is the rule that it breaks.
 *
 * @since 0.1.0
 * @category validation
 */
export const check = (text: string, options: BaseUrlOptions = {}): Either.Either<URL, Problem> => {
  if (text.trim() === "") return Either.left("empty")
  if (!URL.canParse(text)) return Either.left("notUrl")
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return Either.left("credentials")
  if (url.search !== "" || url.hash !== "") return Either.left("queryOrFragment")
  if (url.protocol !== "https:" && url.protocol !== "http:") return Either.left("scheme")
  const isInsecure = url.protocol === "http:" && !isLoopback(url.hostname) && options.allowInsecureHttp !== true
  return isInsecure ? Either.left("insecureHttp") : Either.right(url)
}

/**
 * {@link check} with a `ConfigError` that names the setting.
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const parse = (
  name: string,
  text: string,
  options: BaseUrlOptions = {}
): Either.Either<URL, ConfigError.ConfigError> =>
  Either.mapLeft(check(text, options), (problem) => ConfigError.InvalidData([name], problems[problem]))

/**
 * Appends `path`, which begins with a slash, to the path of a base URL.
 *
 * @since 0.1.0
 * @category combinators
 */
export const resolve = (base: URL, path: string): URL => {
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/+$/, "")}${path}`
  return url
}

/**
 * The address of a host of the service: `https://host`, with or without a path prefix and a trailing slash.
 */
import * as ConfigError from "effect/ConfigError"
import * as Either from "effect/Either"

export interface BaseUrlOptions {
  /** Also send over plain http to a host that is not this machine. Default: false, since the key would be readable. */
  readonly allowInsecureHttp?: boolean | undefined
}

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname)

/** Reads and checks a base URL; `name` says in the error which one it is. */
export const parse = (
  name: string,
  text: string,
  options: BaseUrlOptions = {}
): Either.Either<URL, ConfigError.ConfigError> => {
  const refuse = (problem: string) => Either.left(ConfigError.InvalidData([name], problem))
  if (!URL.canParse(text)) return refuse("is not a URL; give one like https://host.example")
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return refuse("holds a user name or a password; remove them")
  if (url.search !== "" || url.hash !== "") return refuse("holds a query or a fragment; remove it")
  if (url.protocol !== "https:" && url.protocol !== "http:") return refuse("is neither https nor http")
  if (url.protocol === "http:" && !isLoopback(url.hostname) && options.allowInsecureHttp !== true) {
    return refuse("is plain http to another machine, which would show the key; use https or allowInsecureHttp")
  }
  return Either.right(url)
}

/** The address of `path` (which begins with a slash) below a base URL, whose own path is kept. */
export const resolve = (base: URL, path: string): URL => {
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/+$/, "")}${path}`
  return url
}

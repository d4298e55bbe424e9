import { isIPv6 } from "node:net"
import * as QueryString from "node:querystring"
import { isLoopback } from "./isLoopback.js"

/** A proxy that the environment names. */
export interface HttpProxy {
  /** Its address without credentials. A string is the code of what is wrong with the address. */
  readonly address: URL | "ERR_INVALID_URL" | "ERR_INVALID_PROTOCOL"
  /** Value of the header `Proxy-Authorization`. */
  readonly authorization: string | undefined
}

/** Returns the proxy for an address, if it has one. */
export type ProxyOf = (url: URL) => HttpProxy | undefined

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The rules of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. As for most programs, the name in lower case comes first, and an
 * empty value means none. This machine has no proxy: a proxy would show the key of a plain http request to another machine.
 */
export const proxiesIn = (environment: Environment): ProxyOf => {
  const read = (name: string) => (environment[name.toLowerCase()] ?? environment[name] ?? "").trim()
  const parsed = (name: string) => (read(name) === "" ? undefined : parse(read(name)))
  const proxies = { "https:": parsed("HTTPS_PROXY"), "http:": parsed("HTTP_PROXY") }
  const exceptions = read("NO_PROXY")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map((entry) => (isIPv6(entry) ? `[${entry}]` : entry))
  return (url) => {
    if (isLoopback(url.hostname)) return undefined
    const port = portOf(url)
    const hasNone = exceptions.some((entry) => {
      if (entry === "*") return true
      const [, name = "", onlyPort = port] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? []
      return port === onlyPort && (url.hostname === name || url.hostname.endsWith(`.${name}`))
    })
    return hasNone ? undefined : proxies[url.protocol as keyof typeof proxies]
  }
}

/** The port of an address as a number, also if it is the default. */
export const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80")

/** `proxy.example:3128` without a scheme is plain http. */
const parse = (text: string): HttpProxy => {
  const given = text.includes("://") ? text : `http://${text}`
  if (!URL.canParse(given)) return { address: "ERR_INVALID_URL", authorization: undefined }
  const { origin, password, protocol, username } = new URL(given)
  const address = protocol === "http:" || protocol === "https:" ? new URL(origin) : "ERR_INVALID_PROTOCOL"
  const credentials = Buffer.from(`${QueryString.unescape(username)}:${QueryString.unescape(password)}`).toString(
    "base64"
  )
  return { address, authorization: username === "" && password === "" ? undefined : `Basic ${credentials}` }
}

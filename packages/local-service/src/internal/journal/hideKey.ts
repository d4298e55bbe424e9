import type { IncomingHttpHeaders } from "node:http"
import * as SttContract from "@effect-speech/stt/SttContract"
import * as ApiKey from "@effect-speech/transport/ApiKey"
import * as Redacted from "effect/Redacted"

/** Removes keys from a text that the journal keeps. */
export type HideKey = (text: string) => string

/** A key of any local service, as `makeKeys` makes it. */
const localKey = /local_[0-9a-f]{12}\.[\w-]{43}/g

/** Hides the keys of local services, wherever a client has put them. */
export const hideLocalKeys: HideKey = (text) => (text.includes("local_") ? text.replace(localKey, "<redacted>") : text)

/** In characters. A shorter secret may be a regular word. */
const shortestSecret = 8

/** What a text with the key has: its part that is secret, or the whole key. */
const markOf = (key: string): string => {
  const secret = key.slice(key.indexOf(".") + 1)
  return secret.length < shortestSecret ? key : secret
}

/**
 * Hides the key that a request was sent with, and those of local services: only a text that has one takes time. Hides `others` in any
 * encoding too: another service may have quoted them.
 */
export const makeHideKey = (
  headers: Readonly<IncomingHttpHeaders>,
  others: ReadonlyArray<Redacted.Redacted>
): HideKey => {
  const given = headers[SttContract.apiKeyHeader.toLowerCase()]
  const key = typeof given === "string" ? given : ""
  const mark = markOf(key)
  const hideOwn: HideKey = (text) =>
    hideLocalKeys(mark !== "" && text.includes(mark) ? ApiKey.withoutKey(text, Redacted.make(key)) : text)
  if (others.length === 0) return hideOwn
  return (text) => (text.length < shortestSecret ? text : others.reduce(ApiKey.withoutKey, hideOwn(text)))
}

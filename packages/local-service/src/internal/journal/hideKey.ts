import type { IncomingHttpHeaders } from "node:http"
import * as SttContract from "@effect-speech/stt/SttContract"
import * as ApiKey from "@effect-speech/transport/ApiKey"
import * as Redacted from "effect/Redacted"

/** Removes keys from a text that the journal keeps. */
export type HideKey = (text: string) => string

export const hideNothing: HideKey = (text) => text

/** In characters. A shorter secret may be a regular word. */
const shortestSecret = 8

/** What a text with the key has: its part that is secret, or the whole key. */
const markOf = (key: string): string => {
  const secret = key.slice(key.indexOf(".") + 1)
  return secret.length < shortestSecret ? key : secret
}

/** Hides the key that a request was sent with, and `others`. Only a text that has a key takes time. */
export const makeHideKey = (
  headers: Readonly<IncomingHttpHeaders>,
  others: ReadonlyArray<Redacted.Redacted>
): HideKey => {
  const given = headers[SttContract.apiKeyHeader.toLowerCase()]
  const keys = [...(typeof given === "string" ? [given] : []), ...others.map(Redacted.value)]
  const marks = keys.filter((key) => key !== "").map((key) => ({ key, mark: markOf(key) }))
  return (text) =>
    marks.reduce(
      (safe, { key, mark }) => (safe.includes(mark) ? ApiKey.withoutKey(safe, Redacted.make(key)) : safe),
      text
    )
}

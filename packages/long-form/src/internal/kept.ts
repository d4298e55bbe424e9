/** Names of kept results, and digests to recognise damage. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { hex } from "./uuid.js"

/** SHA-256 in hexadecimal digits. */
export const sha256 = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)),
    (digest) => hex(new Uint8Array(digest))
  )

/** The name of a result: a digest of any JSON. The order of its fields does not count. */
export const nameOf = (content: unknown, extension: "wav" | "json"): Effect.Effect<string> =>
  Effect.map(sha256(new TextEncoder().encode(JSON.stringify(content, sorted))), (digest) => `${digest}.${extension}`)

const sorted = (_: string, value: unknown): unknown =>
  Predicate.isReadonlyRecord(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

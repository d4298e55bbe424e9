/** Names and contents of kept results. A reader checks a result by its digest, so that no store can hand it a damaged one. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const encoder = new TextEncoder()

/** SHA-256 in hexadecimal digits. */
export const sha256 = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)),
    (digest) => Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
  )

/** The name of a result, from all that decides it: any JSON. */
export const nameOf = (content: unknown, extension: "wav" | "json"): Effect.Effect<string> =>
  Effect.map(sha256(encoder.encode(JSON.stringify(content))), (digest) => `${digest}.${extension}`)

/** Encodes a JSON value together with its digest. */
export const encodeJson = (value: unknown): Effect.Effect<Uint8Array> =>
  Effect.suspend(() => {
    const json = JSON.stringify(value)
    return Effect.map(sha256(encoder.encode(json)), (digest) =>
      encoder.encode(`{"sha256":"${digest}","value":${json}}`)
    )
  })

/** Decodes what {@link encodeJson} made. None if it is damaged. */
export const decodeJson = (bytes: Uint8Array): Effect.Effect<Option.Option<unknown>> =>
  Effect.suspend(() => {
    const [, digest, json] = /^\{"sha256":"([0-9a-f]{64})","value":(.*)\}$/s.exec(new TextDecoder().decode(bytes)) ?? []
    if (json === undefined) return Effect.succeedNone
    return Effect.map(sha256(encoder.encode(json)), (actual) =>
      actual === digest ? Option.some<unknown>(JSON.parse(json)) : Option.none()
    )
  })

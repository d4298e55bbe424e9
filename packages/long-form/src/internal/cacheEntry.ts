/**
 * The file of a cached result: its key, which is also its name, and the digest that binds the two. A cache that gives bytes back gives
 * those of this key, or none.
 */
import { createHash } from "node:crypto"
import { cooperatively, type Steps } from "@effect-speech/common/Cooperative"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

/** So many bytes are hashed at once: about a millisecond. */
const hashedAtOnce = 2 ** 20

/**
 * SHA-256 in hexadecimal digits. `crypto.subtle` would take a thread for each digest, and so 40 times as long for a short one. It is the
 * digest of all parts together.
 */
export const sha256 = (...parts: ReadonlyArray<Uint8Array>): Effect.Effect<string> => cooperatively(hashing(parts))

function* hashing(parts: ReadonlyArray<Uint8Array>): Steps<string> {
  const hash = createHash("sha256")
  for (const part of parts) {
    for (let at = 0; at < part.byteLength; at += hashedAtOnce) {
      if (at > 0) yield
      hash.update(part.subarray(at, at + hashedAtOnce))
    }
  }
  return hash.digest("hex")
}

/** The key of a result: a digest of any JSON, and the kind of the result. The order of the fields does not count. */
export const cacheKey = (content: unknown, extension: "wav" | "json"): string =>
  `${createHash("sha256").update(JSON.stringify(content, sorted)).digest("hex")}.${extension}`

const sorted = (_: string, value: unknown): unknown =>
  Predicate.isReadonlyRecord(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

/** The digest of an entry. It covers the key, so that an entry under the key of another piece is damaged. */
export const digestOf = (key: string, content: Uint8Array): Effect.Effect<string> =>
  sha256(encoder.encode(key), content)

/** Audio ends with its digest. */
export const digestLength = 64

/** A transcript is JSON: its digest, and the transcription. All bytes around the transcription are these. */
export const headOf = (digest: string): string => `{"digest":"${digest}","transcription":`
export const tail = "}"
const headLength = headOf("0".repeat(digestLength)).length

/** The bytes of a transcription in its file. */
export const transcriptionIn = (file: Uint8Array): Uint8Array => file.subarray(headLength, -tail.length)

/**
 * What the digest of an entry says.
 *
 * | result    | meaning |
 * | --------- | ------- |
 * | `whole`   | it is the result of this key |
 * | `unnamed` | an earlier version wrote it: audio whose digest does not cover the key, or a transcript without a digest |
 * | `damaged` | a byte is changed or missing, or it is the result of another key |
 *
 * No damage makes a whole entry look unnamed.
 */
export const examine = (key: string, file: Uint8Array): Effect.Effect<"whole" | "unnamed" | "damaged"> =>
  Effect.gen(function* () {
    if (key.endsWith(".json")) {
      const text = decoder.decode(file)
      if (isUnnamed(text)) return "unnamed"
      const head = headOf(yield* digestOf(key, transcriptionIn(file)))
      return text.startsWith(head) && text.endsWith(tail) ? "whole" : "damaged"
    }
    const content = file.subarray(0, -digestLength)
    const digest = decoder.decode(file.subarray(-digestLength))
    if (digest === (yield* digestOf(key, content))) return "whole"
    return digest === (yield* sha256(content)) ? "unnamed" : "damaged"
  })

/** Reads an entry and its state. One that is damaged, or that of another key, counts as none. */
export const read = <E>(
  store: { readonly get: (name: string) => Effect.Effect<Option.Option<Uint8Array>, E> },
  key: string
) =>
  Effect.gen(function* () {
    const found = yield* store.get(key)
    if (Option.isNone(found)) return Option.none<{ readonly file: Uint8Array; readonly state: "whole" | "unnamed" }>()
    const state = yield* examine(key, found.value)
    return state === "damaged" ? Option.none() : Option.some({ file: found.value, state })
  })

/** An earlier version wrote the JSON of a transcription alone. */
const isUnnamed = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return Predicate.hasProperty(value, "text") && Predicate.hasProperty(value, "callId")
  } catch {
    return false
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

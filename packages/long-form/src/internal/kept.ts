/** Names of kept results, and the digest that binds a result to its name. */

import { hex } from "@effect-speech/common/Uuid"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

/** SHA-256 in hexadecimal digits. */
export const sha256 = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)),
    (digest) => hex(new Uint8Array(digest))
  )

/** The name of a result: a digest of any JSON. The order of its fields does not count. */
export const nameOf = (content: unknown, extension: "wav" | "json"): Effect.Effect<string> =>
  Effect.map(sha256(encoder.encode(JSON.stringify(content, sorted))), (digest) => `${digest}.${extension}`)

const sorted = (_: string, value: unknown): unknown =>
  Predicate.isReadonlyRecord(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

/** The digest of a kept result. It has the name in it, so that a result under the name of another piece is none. */
export const digestOf = (name: string, content: Uint8Array): Effect.Effect<string> => {
  const head = encoder.encode(name)
  const bytes = new Uint8Array(head.byteLength + content.byteLength)
  bytes.set(head)
  bytes.set(content, head.byteLength)
  return sha256(bytes)
}

/** A kept audio ends with its digest. */
export const digestLength = 64

/** A kept transcript is JSON: its digest, and the transcription. All bytes around the transcription are these. */
export const headOf = (digest: string): string => `{"digest":"${digest}","transcription":`
export const tail = "}"
const headLength = headOf("0".repeat(digestLength)).length

/** The bytes of a transcription in its file. */
export const transcriptionIn = (file: Uint8Array): Uint8Array => file.subarray(headLength, -tail.length)

/**
 * What the digest of a kept result says.
 *
 * | result    | meaning |
 * | --------- | ------- |
 * | `whole`   | it is the result of this name |
 * | `unnamed` | an earlier version kept it: audio whose digest has no name, or a transcript without a digest |
 * | `damaged` | a byte is changed or missing, or it is the result of another name |
 *
 * No damage makes a whole result look unnamed.
 */
export const examine = (name: string, file: Uint8Array): Effect.Effect<"whole" | "unnamed" | "damaged"> =>
  Effect.gen(function* () {
    if (name.endsWith(".json")) {
      const text = decoder.decode(file)
      if (isUnnamed(text)) return "unnamed"
      const head = headOf(yield* digestOf(name, transcriptionIn(file)))
      return text.startsWith(head) && text.endsWith(tail) ? "whole" : "damaged"
    }
    const content = file.subarray(0, -digestLength)
    const digest = decoder.decode(file.subarray(-digestLength))
    if (digest === (yield* digestOf(name, content))) return "whole"
    return digest === (yield* sha256(content)) ? "unnamed" : "damaged"
  })

/**
 * Whether a store gives back a result that it took. A store may keep nothing, and then no sentence may say that it does.
 * `undefined` is the name of no result.
 */
export const isKept = (
  { get }: { readonly get: (name: string) => Effect.Effect<Option.Option<Uint8Array>, unknown> },
  name: string | undefined
): Effect.Effect<boolean> =>
  name === undefined
    ? Effect.succeed(true)
    : Effect.flatMap(
        Effect.map(Effect.option(get(name)), Option.flatten),
        Option.match({
          onNone: () => Effect.succeed(false),
          onSome: (file) => Effect.map(examine(name, file), (state) => state !== "damaged")
        })
      )

/** An earlier version kept the JSON of a transcription alone. */
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

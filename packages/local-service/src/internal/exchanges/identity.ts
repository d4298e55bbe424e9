import { createHash } from "node:crypto"
import * as Contract from "@effect-speech/stt/SttContract"
import * as Predicate from "effect/Predicate"
import type { OperationName } from "../../OperationName.js"

/** The bytes of an audio file. */
export interface AudioFacts {
  readonly bytes: number
  /** SHA-256, in hex. */
  readonly sha256: string
}

/** What a request says. Its ids and its key are no part of it. */
export interface RequestContent {
  readonly operation: OperationName
  /** The JSON body of a synthesis, or the fields of a form as text: a list if a field is repeated. Without the ids. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The recording of a transcription, if it has one. */
  readonly audio?: AudioFacts | undefined
}

/** A JSON value with the keys of all objects in the order of their code units. */
export const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!Predicate.isRecord(value)) return value
  const keys = Object.keys(value).toSorted()
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key])]))
}

/** Equal values have the same text. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sortKeys(value))

/** SHA-256 in hex. Two requests with the same one are the same request. */
export const identityOf = ({ audio, fields, operation }: RequestContent): string =>
  createHash("sha256")
    .update(canonicalJson({ operation, fields, audio: audio?.sha256 ?? null }))
    .digest("hex")

/** The name of a request's file. */
export const fileNameOf = (operation: OperationName, identity: string): string =>
  `${operation}-${identity.slice(0, 16)}.json`

/** Whether a file of a folder is an exchange, by its name. The part after the operation is free. */
export const isExchangeFile = (name: string): boolean => /^(transcribe|synthesize)-.+\.json$/.test(name)

/** Whether a file has a name that {@link fileNameOf} gives. */
export const isNamedByIdentity = (name: string): boolean => /^[a-z]+-[\da-f]{16}\.json$/.test(name)

/** The fields of a form, without the id that each request has of its own. */
export const fieldsOfForm = (
  list: ReadonlyArray<readonly [name: string, value: string]>
): Readonly<Record<string, string | ReadonlyArray<string>>> => {
  const fields = new Map<string, Array<string>>()
  for (const [name, value] of list) {
    if (name !== Contract.field.transactionId) fields.set(name, [...(fields.get(name) ?? []), value])
  }
  return Object.fromEntries(
    Array.from(fields, ([name, values]): [string, string | ReadonlyArray<string>] => {
      const [first = "", ...more] = values
      return [name, more.length === 0 ? first : values]
    })
  )
}

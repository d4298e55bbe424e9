/**
 * What a run and a file are known by.
 */
import { createHash } from "node:crypto"
import * as Uuid from "@effect-speech/common/Uuid"
import * as Schema from "effect/Schema"
import { Operation } from "../../Operation.js"
import { RunId, type RunSettings } from "../../Run.js"
import type { SourceItem } from "../source/SourceItem.js"

export const encodeOperation = Schema.encodeSync(Operation)

/** A run is its operation and its source, in a store: a UUID of version 8. */
export const runIdOf = ({ byContent, operation, root }: Pick<RunSettings, "byContent" | "operation" | "root">): RunId =>
  RunId.make(
    Uuid.fromBytes(
      createHash("sha256")
        .update(JSON.stringify([root, byContent, encodeOperation(operation)]))
        .digest(),
      8
    )
  )

/** A random UUID, so that no other name space gives the same ids. */
const namespace = Buffer.from("6f0d5c1e9b1b4b5aa3c2d6a0f1c7e84d", "hex")

/** By what a file is known under its path. */
export interface FileIdentity {
  /** In bytes. */
  readonly size: number
  /** Milliseconds since 1970, as {@link wholeMillis} gives them. */
  readonly modifiedMillis: number
  /** SHA-256 of the content in hexadecimal digits, if the file is known by its content. */
  readonly content?: string | undefined
}

/**
 * A time that a store can hold and a later process reads the same: milliseconds since 1970, rounded as those of a `Date` of Node. File
 * systems have times before 1970 and far behind the last day of a `Date`; the latter become the last safe integer.
 */
export const wholeMillis = (millis: number): number =>
  Number.isNaN(millis) ? 0 : Math.max(Number.MIN_SAFE_INTEGER, Math.min(Math.round(millis), Number.MAX_SAFE_INTEGER))

/** The identity of a file as the system describes it. */
export const identityOf = ({ mtimeMs, size }: { readonly size: number; readonly mtimeMs: number }): FileIdentity => ({
  size,
  modifiedMillis: wholeMillis(mtimeMs)
})

/** Whether a file is still the one that was listed. One that is known by its content may have another time. */
export const isSame = (listed: FileIdentity, found: FileIdentity): boolean =>
  listed.size === found.size &&
  (listed.modifiedMillis === found.modifiedMillis || (listed.content !== undefined && listed.content === found.content))

/**
 * How a run makes the ids of its files: the version of their UUIDs. Those of 5 are of stores that were made by earlier versions of the
 * package.
 */
export type IdVersion = 5 | 8

/** The version of the runs that are made today. */
export const idVersion = 8 satisfies IdVersion

/**
 * The id of a file, as 32 hexadecimal digits: a UUID of the run and of what the file is known by. In version 8 its first 48 bits are those
 * of the run, so that a service can tell the files of a run.
 */
export const callIdOf = (run: string, item: SourceItem, version: IdVersion = idVersion): string => {
  const { content, modifiedMillis, path, size } = item
  const known = content === undefined ? [size, wholeMillis(modifiedMillis)] : [content]
  const digest = createHash(version === 5 ? "sha1" : "sha256")
    .update(namespace)
    .update(JSON.stringify([run, path, ...known]))
    .digest()
  if (version === 8) digest.set(Buffer.from(run.replaceAll("-", ""), "hex").subarray(0, 6))
  return Uuid.hex(Uuid.withVersion(digest, version))
}

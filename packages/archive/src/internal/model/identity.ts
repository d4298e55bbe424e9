/**
 * What a run and a file are known by.
 */
import { createHash } from "node:crypto"
import type { RunSettings } from "../../Run.js"
import type { SourceItem } from "../source/SourceItem.js"

/** A UUID of this version (RFC 9562) with the first 16 bytes of a hash, as 32 hexadecimal digits. */
const uuidOf = (hash: Buffer, version: number): string => {
  hash[6] = ((hash[6] ?? 0) & 0x0f) | (version << 4)
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return hash.toString("hex", 0, 16)
}

/** 32 hexadecimal digits as a UUID is written. */
export const toUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")

/** A run is known by where its files come from and where its results go, as a UUID of version 8. */
export const runIdOf = ({ output, root }: RunSettings): string =>
  toUuid(
    uuidOf(
      createHash("sha256")
        .update(JSON.stringify([root, output.directory]))
        .digest(),
      8
    )
  )

/** A random UUID, so that no other name space gives the same ids. */
const namespace = Buffer.from("6f0d5c1e9b1b4b5aa3c2d6a0f1c7e84d", "hex")

/** A UUID of version 5 of the run and of what the file is known by, as 32 hexadecimal digits. */
export const callIdOf = (run: string, { content, modifiedMillis, path, size }: SourceItem): string => {
  const known = content === undefined ? [size, modifiedMillis] : [content]
  const hash = createHash("sha1")
    .update(namespace)
    .update(JSON.stringify([run, path, ...known]))
  return uuidOf(hash.digest(), 5)
}

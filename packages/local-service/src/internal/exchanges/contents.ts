import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import type { AudioFacts } from "./identity.js"

/** Receives the bytes of a file. */
export interface Contents {
  /** Adds bytes. The next ones come when it has ended. */
  readonly write: (chunk: Uint8Array) => Promise<void>
}

/** Counts and hashes bytes. */
export const makeDigest = (): { readonly add: (chunk: Uint8Array) => void; readonly facts: () => AudioFacts } => {
  const hash = createHash("sha256")
  let bytes = 0
  return {
    add: (chunk) => {
      hash.update(chunk)
      bytes += chunk.length
    },
    facts: () => ({ bytes, sha256: hash.copy().digest("hex") })
  }
}

/** A part of a file, in bytes. */
export interface FilePart {
  readonly path: string
  readonly start: number
  /** The first byte after the part. */
  readonly end: number
}

export const digestOfFile = async ({ end, path, start }: FilePart): Promise<AudioFacts> => {
  const digest = makeDigest()
  if (end > start) for await (const chunk of createReadStream(path, { start, end: end - 1 })) digest.add(chunk)
  return digest.facts()
}

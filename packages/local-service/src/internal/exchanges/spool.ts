import { randomUUID } from "node:crypto"
import { type FileHandle, open, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { wallMillis } from "../realTime.js"
import { type Contents, digestOfFile, makeDigest } from "./contents.js"
import type { AudioFacts } from "./identity.js"
import { makeOne } from "./makeFolder.js"
import { partName } from "./parts.js"

/** The folder of the audio, in that of the exchanges. */
export const audioFolder = "audio"

/** In bytes, that a file has in memory. A file on disk costs more than the rest of a short call. */
const maximumInMemory = 256 * 1024

/** Enough to find the container of a recording. */
const beginningBytes = 4096

export interface SpoolOptions {
  /** The folder of the exchanges. */
  readonly folder: string
  /** Bytes that no file may hold. */
  readonly secrets: ReadonlyArray<Uint8Array>
  /** The length of the header that {@link Spool.keep} writes before the bytes. Default: 0. */
  readonly headerLength?: number | undefined
}

/** What was spooled. */
export interface Spooled extends AudioFacts {
  /** All bytes, if they are few. */
  readonly whole: Buffer | undefined
  /** The first bytes: at least 4,096, or all. */
  readonly beginning: Buffer
  readonly hasSecret: boolean
  /** Why the bytes could not be written. */
  readonly failure: unknown
}

/** Holds the bytes of a file until it is known whether and by what name they are kept. Many are on disk. */
export interface Spool extends Contents {
  readonly end: () => Promise<Spooled>
  /** Keeps the bytes in `audio/` by a name that says what they are. A file of this name with other bytes is replaced. */
  readonly keep: (name: string, header?: Uint8Array) => Promise<void>
  /** Removes what was not kept. */
  readonly discard: () => Promise<void>
}

export const makeSpool = ({ folder, headerLength = 0, secrets }: SpoolOptions): Spool => {
  const digest = makeDigest()
  const finder = makeFinder(secrets)
  const audio = join(folder, audioFolder)
  let waiting: Array<Uint8Array> = []
  let beginning = Buffer.alloc(0)
  let part: { readonly path: string; readonly file: FileHandle } | undefined
  let written = 0
  let failure: unknown
  let isDiscarded = false
  let adding = Promise.resolve()

  const openPart = async () => {
    // Only this folder: that of the exchanges may have been moved, and a new one would have a part of them.
    await makeOne(audio)
    const path = join(audio, partName(randomUUID()))
    return { path, file: await open(path, "wx") }
  }
  const flush = async () => {
    part ??= await openPart()
    for (const chunk of waiting) {
      await part.file.write(chunk, 0, chunk.length, headerLength + written)
      written += chunk.length
    }
    waiting = []
  }
  const close = async () => {
    await part?.file.close()
  }
  const remove = async () => {
    waiting = []
    await close().catch(() => undefined)
    if (part !== undefined) await rm(part.path, { force: true })
    part = undefined
  }
  const add = async () => {
    try {
      if (part !== undefined || lengthOf(waiting) > maximumInMemory) await flush()
    } catch (error) {
      failure = error
      await remove().catch(() => undefined)
    }
  }
  return {
    write: async (chunk) => {
      if (isDiscarded) return
      digest.add(chunk)
      finder.add(chunk)
      if (beginning.length < beginningBytes) beginning = Buffer.concat([beginning, chunk.subarray(0, beginningBytes)])
      if (failure !== undefined) return
      // Node may use the memory of a chunk again.
      waiting.push(Buffer.from(chunk))
      adding = add()
      await adding
    },
    end: async () => ({
      ...digest.facts(),
      beginning,
      failure,
      hasSecret: finder.found(),
      whole: part === undefined && failure === undefined ? Buffer.concat(waiting) : undefined
    }),
    keep: async (name, header = new Uint8Array(0)) => {
      const path = join(audio, name)
      const { bytes, sha256 } = digest.facts()
      const padding = header.length > 0 ? bytes % 2 : 0
      const size = header.length + bytes + padding
      const present = { path, start: header.length, end: header.length + bytes }
      // Somebody may have changed it.
      if ((await sizeOf(path)) === size && (await digestOfFile(present)).sha256 === sha256) {
        // Another recording that ends now must see that the file is in use.
        await utimes(path, new Date(wallMillis()), new Date(wallMillis()))
        return await remove()
      }
      const end = Buffer.alloc(padding)
      if (part === undefined) {
        part = await openPart()
        await writeFile(part.file, Buffer.concat([header, ...waiting, end]))
      } else {
        await part.file.write(header, 0, header.length, 0)
        await part.file.write(end, 0, end.length, header.length + bytes)
      }
      await close()
      await rename(part.path, path)
      part = undefined
    },
    discard: async () => {
      isDiscarded = true
      // A file that is still being opened would stay.
      await adding
      await remove()
    }
  }
}

const lengthOf = (chunks: ReadonlyArray<Uint8Array>) => chunks.reduce((sum, { length }) => sum + length, 0)

/** The size of a file in bytes. `undefined`: there is none. */
export const sizeOf = async (path: string): Promise<number | undefined> => {
  try {
    const found = await stat(path)
    return found.isFile() ? found.size : undefined
  } catch {
    return undefined
  }
}

/** Finds bytes in chunks, also across two of them. */
const makeFinder = (wanted: ReadonlyArray<Uint8Array>) => {
  const longest = Math.max(0, ...wanted.map(({ length }) => length))
  let last = Buffer.alloc(0)
  let found = false
  return {
    add: (chunk: Uint8Array) => {
      if (found || longest === 0) return
      const bytes = Buffer.concat([last, chunk])
      found = wanted.some((each) => bytes.includes(Buffer.from(each)))
      last = bytes.subarray(Math.max(0, bytes.length - longest + 1))
    },
    found: () => found
  }
}

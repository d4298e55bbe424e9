import { randomUUID } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdir, open, rename, rm } from "node:fs/promises"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeLimited } from "./limited.js"

/** In bytes. */
export const keptLimits = {
  /** Of all files in memory together. */
  memory: 32 * 1024 * 1024,
  /** Of all files on disk together. */
  disk: 512 * 1024 * 1024,
  /** A longer file is on disk. */
  longestInMemory: 256 * 1024
}

/** The bytes of a file. */
export interface KeptFile {
  readonly byteLength: number
  /** Fails if the file was forgotten meanwhile. */
  readonly stream: Stream.Stream<Uint8Array, unknown>
}

/** Takes the bytes of a file while they are sent or received. */
export interface KeptWriter {
  /** Wait for the result, if there is one, before you write more. */
  readonly write: (chunk: Uint8Array) => Promise<void> | undefined
  /** Keeps the first `byteLength` bytes. Default: all. */
  readonly end: (byteLength?: number) => void
  readonly discard: () => void
}

/**
 * The recordings and the speech of the latest requests: at most one for each owner. If all have more bytes than the limits, the oldest
 * are forgotten. A file that can't be written is forgotten too: it is not worth a failed call.
 */
export interface KeptFiles<Owner extends object> {
  /** Keeps the bytes themselves, not a copy. */
  readonly keep: (owner: Owner, bytes: Uint8Array) => void
  /** Moves a file of the same disk. */
  readonly move: (owner: Owner, path: string, byteLength: number) => Promise<void>
  readonly writer: (owner: Owner) => KeptWriter
  /** `undefined`: nothing is kept, or it is not whole yet. */
  readonly get: (owner: Owner) => KeptFile | undefined
  readonly forget: (owner: Owner) => void
  /** Forgets a file that is not whole: nothing more of it arrives. */
  readonly forgetPart: (owner: Owner) => void
}

interface Held<Owner> {
  readonly owner: Owner
  byteLength: number
  chunks: Array<Uint8Array>
  path: string | undefined
  isWhole: boolean
  isForgotten: boolean
  /** Ends with the latest operation on the file. `undefined`: there was none. */
  busy: Promise<void> | undefined
}

/** Keeps files until the scope closes: long ones in `directory`, by names that {@link openTemporaryFolder} removes at the next start. */
export const makeKeptFiles = <Owner extends object>(
  directory: string,
  limits = keptLimits
): Effect.Effect<KeptFiles<Owner>, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => openKeptFiles<Owner>(directory, limits)),
      ({ close }) => Effect.promise(close)
    ),
    ({ files }) => files
  )

/** Like {@link makeKeptFiles}, with its end, and with how many bytes it has. */
export const openKeptFiles = <Owner extends object>(directory: string, limits = keptLimits) => {
  const { addToDisk, addToMemory, begin, bytes, close, forget, held, moveTo, moveToDisk } = holdFiles<Owner>(
    directory,
    limits
  )
  const files: KeptFiles<Owner> = {
    keep: (owner, bytes) => {
      const one = begin(owner)
      one.isWhole = true
      addToMemory(one, bytes)
      if (bytes.length > limits.longestInMemory) moveToDisk(one)
    },
    move: async (owner, path, byteLength) => {
      const one = begin(owner)
      one.isWhole = true
      await moveTo(one, path, byteLength)
    },
    writer: (owner) => {
      const one = begin(owner)
      return {
        write: (chunk) => {
          if (one.path !== undefined || one.byteLength + chunk.length > limits.longestInMemory)
            return addToDisk(one, chunk)
          addToMemory(one, ownBytes(chunk))
          return undefined
        },
        end: (byteLength = one.byteLength) => {
          one.byteLength = byteLength
          one.isWhole = true
        },
        discard: () => forget(one)
      }
    },
    get: (owner) => {
      const one = held.get(owner)
      return one?.isWhole === true ? { byteLength: one.byteLength, stream: read(one) } : undefined
    },
    forget: (owner) => {
      const one = held.get(owner)
      if (one !== undefined) forget(one)
    },
    forgetPart: (owner) => {
      const one = held.get(owner)
      if (one?.isWhole === false) forget(one)
    }
  }
  return { files, bytes, close }
}

/** Counts the bytes of files, and removes those that are forgotten. */
const holdFiles = <Owner extends object>(directory: string, limits: typeof keptLimits) => {
  const held = new Map<Owner, Held<Owner>>()
  const removals = new Set<Promise<void>>()
  let isClosed = false

  const forget = (one: Held<Owner>) => {
    if (one.isForgotten) return
    one.isForgotten = true
    one.chunks = []
    memory.remove(one)
    disk.remove(one)
    if (held.get(one.owner) === one) held.delete(one.owner)
    if (one.busy === undefined) return
    const removal = one.busy.then(() => removeFile(one)).finally(() => removals.delete(removal))
    removals.add(removal)
  }
  const memory = makeLimited<Held<Owner>>(limits.memory, forget)
  const disk = makeLimited<Held<Owner>>(limits.disk, forget)
  /** Runs an operation on a file after those before it. */
  const next = (one: Held<Owner>, run: () => Promise<void>): Promise<void> => {
    const busy = (one.busy ?? Promise.resolve()).then(async () => {
      if (!one.isForgotten) await run().catch(() => forget(one))
    })
    one.busy = busy
    return busy
  }
  return {
    held,
    forget,
    begin: (owner: Owner): Held<Owner> => {
      const before = held.get(owner)
      if (before !== undefined) forget(before)
      const one: Held<Owner> = { ...nothing, owner, chunks: [], isForgotten: isClosed, busy: undefined }
      if (!isClosed) held.set(owner, one)
      return one
    },
    addToMemory: (one: Held<Owner>, chunk: Uint8Array) => {
      if (one.isForgotten) return
      one.chunks.push(chunk)
      one.byteLength += chunk.length
      memory.add(one, chunk.length)
    },
    /** Moves what is in memory to the file, too. */
    addToDisk: (one: Held<Owner>, chunk: Uint8Array): Promise<void> | undefined => {
      if (one.isForgotten) return undefined
      const waiting = one.chunks
      one.chunks = []
      memory.remove(one)
      const path = one.path ?? pathIn(directory)
      disk.add(one, chunk.length + (one.path === undefined ? one.byteLength : 0))
      one.path = path
      one.byteLength += chunk.length
      return next(one, () => append(directory, path, [...waiting, chunk]))
    },
    /** Its bytes count as those in memory until they are written. */
    moveToDisk: (one: Held<Owner>): void => {
      if (one.isForgotten) return
      const path = pathIn(directory)
      one.path = path
      disk.add(one, one.byteLength)
      void next(one, async () => {
        await append(directory, path, one.chunks)
        one.chunks = []
        memory.remove(one)
      })
    },
    moveTo: async (one: Held<Owner>, path: string, byteLength: number) => {
      if (one.isForgotten) return
      const target = pathIn(directory)
      one.path = target
      one.byteLength = byteLength
      disk.add(one, byteLength)
      await next(one, () => rename(path, target))
    },
    bytes: () => ({ memory: memory.total(), disk: disk.total() }),
    close: async () => {
      isClosed = true
      for (const one of held.values()) forget(one)
      while (removals.size > 0) await Promise.all(removals)
    }
  }
}

const nothing = { byteLength: 0, path: undefined, isWhole: false }

/** Node may use the memory of a chunk again, and a part of a large one would keep all of it. */
const ownBytes = (chunk: Uint8Array): Uint8Array =>
  chunk.byteLength === chunk.buffer.byteLength ? chunk : new Uint8Array(chunk)

const pathIn = (directory: string): string => `${directory}/${randomUUID()}`

const append = async (directory: string, path: string, chunks: ReadonlyArray<Uint8Array>): Promise<void> => {
  // Systems remove folders that were not used for days from their temporary folder.
  await mkdir(directory, { mode: 0o700 }).catch(() => undefined)
  const file = await open(path, "a", 0o600)
  try {
    for (const each of chunks) await file.writeFile(each)
  } finally {
    await file.close()
  }
}

const removeFile = async ({ path }: Held<unknown>): Promise<void> => {
  if (path !== undefined) await rm(path, { force: true }).catch(() => undefined)
}

const read = <Owner>(one: Held<Owner>): KeptFile["stream"] => {
  const { byteLength, chunks } = one
  if (byteLength === 0) return Stream.empty
  if (one.path === undefined) return Stream.mapConcat(Stream.make(partOf(chunks, byteLength)), (parts) => parts)
  const { path } = one
  const fromDisk = NodeStream.fromReadable<unknown, Uint8Array>(
    () => createReadStream(path, { end: byteLength - 1 }),
    (error) => error
  )
  return Stream.unwrap(
    Effect.as(
      Effect.promise(async () => one.busy),
      fromDisk
    )
  )
}

/** The first bytes of chunks. */
const partOf = (chunks: ReadonlyArray<Uint8Array>, byteLength: number): ReadonlyArray<Uint8Array> => {
  let left = byteLength
  return chunks.flatMap((chunk) => {
    const part = chunk.subarray(0, left)
    left -= part.length
    return part.length === 0 ? [] : [part]
  })
}

import { randomUUID } from "node:crypto"
import { createReadStream } from "node:fs"
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeLimited } from "./limited.js"

/** In bytes, of all files together: in memory, and on disk. */
export const keptLimits = { memory: 32 * 1024 * 1024, disk: 512 * 1024 * 1024 }

/** In bytes. A file that is written here and becomes longer is on disk: a response that is whole in memory has no more. */
const longestInMemory = 1024 * 1024

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
}

interface Held<Owner> {
  readonly owner: Owner
  byteLength: number
  chunks: Array<Uint8Array>
  path: string | undefined
  handle: FileHandle | undefined
  isWhole: boolean
  isForgotten: boolean
  /** Ends with the latest operation on the file. */
  busy: Promise<void>
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
  const held = new Map<Owner, Held<Owner>>()
  const removals = new Set<Promise<void>>()
  let isClosed = false

  const forgetOne = (one: Held<Owner>) => {
    if (one.isForgotten) return
    one.isForgotten = true
    one.chunks = []
    memory.remove(one)
    disk.remove(one)
    if (held.get(one.owner) === one) held.delete(one.owner)
    const removal = one.busy.then(() => removeFile(one)).finally(() => removals.delete(removal))
    removals.add(removal)
  }
  const memory = makeLimited<Held<Owner>>(limits.memory, forgetOne)
  const disk = makeLimited<Held<Owner>>(limits.disk, forgetOne)
  const forget = (owner: Owner) => {
    const one = held.get(owner)
    if (one !== undefined) forgetOne(one)
  }
  const begin = (owner: Owner): Held<Owner> => {
    forget(owner)
    const one: Held<Owner> = {
      owner,
      byteLength: 0,
      chunks: [],
      path: undefined,
      handle: undefined,
      isWhole: false,
      isForgotten: isClosed,
      busy: Promise.resolve()
    }
    if (!isClosed) held.set(owner, one)
    return one
  }
  /** Runs an operation on the file after those before it. */
  const next = (one: Held<Owner>, run: () => Promise<void>): Promise<void> => {
    one.busy = one.busy.then(async () => {
      if (one.isForgotten) return
      await run().catch(() => forgetOne(one))
    })
    return one.busy
  }
  const addToMemory = (one: Held<Owner>, chunk: Uint8Array) => {
    one.chunks.push(chunk)
    one.byteLength += chunk.length
    memory.add(one, chunk.length)
  }
  const addToDisk = (one: Held<Owner>, chunk: Uint8Array) => {
    const waiting = one.chunks
    one.chunks = []
    memory.remove(one)
    disk.add(one, chunk.length + (one.path === undefined ? one.byteLength : 0))
    one.path ??= pathIn(directory)
    one.byteLength += chunk.length
    return next(one, async () => {
      one.handle ??= await openFile(directory, one.path ?? "")
      for (const each of [...waiting, chunk]) await one.handle.writeFile(each)
    })
  }
  const files: KeptFiles<Owner> = {
    keep: (owner, bytes) => {
      const one = begin(owner)
      if (one.isForgotten) return
      one.isWhole = true
      addToMemory(one, bytes)
    },
    move: async (owner, path, byteLength) => {
      const one = begin(owner)
      if (one.isForgotten) return
      const target = pathIn(directory)
      one.path = target
      one.byteLength = byteLength
      one.isWhole = true
      disk.add(one, byteLength)
      await next(one, () => rename(path, target))
    },
    writer: (owner) => {
      const one = begin(owner)
      return {
        write: (chunk) => {
          if (one.isForgotten) return undefined
          if (one.path !== undefined || one.byteLength + chunk.length > longestInMemory) return addToDisk(one, chunk)
          addToMemory(one, ownBytes(chunk))
          return undefined
        },
        end: (byteLength = one.byteLength) => {
          one.byteLength = byteLength
          one.isWhole = true
          if (one.path !== undefined) void next(one, () => closeFile(one))
        },
        discard: () => forgetOne(one)
      }
    },
    get: (owner) => {
      const one = held.get(owner)
      return one?.isWhole === true ? { byteLength: one.byteLength, stream: read(one) } : undefined
    },
    forget
  }
  return {
    files,
    bytes: () => ({ memory: memory.total(), disk: disk.total() }),
    close: async () => {
      isClosed = true
      for (const one of held.values()) forgetOne(one)
      while (removals.size > 0) await Promise.all(removals)
    }
  }
}

/** Node may use the memory of a chunk again, and a part of a large one would keep all of it. */
const ownBytes = (chunk: Uint8Array): Uint8Array =>
  chunk.byteLength === chunk.buffer.byteLength ? chunk : new Uint8Array(chunk)

const pathIn = (directory: string): string => `${directory}/${randomUUID()}`

const openFile = async (directory: string, path: string): Promise<FileHandle> => {
  // Systems remove folders that were not used for days from their temporary folder.
  await mkdir(directory, { mode: 0o700 }).catch(() => undefined)
  return await open(path, "wx", 0o600)
}

const closeFile = async (one: Held<unknown>): Promise<void> => {
  await one.handle?.close()
  one.handle = undefined
}

const removeFile = async (one: Held<unknown>): Promise<void> => {
  await closeFile(one).catch(() => undefined)
  if (one.path !== undefined) await rm(one.path, { force: true }).catch(() => undefined)
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
      Effect.promise(() => one.busy),
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

import { randomUUID } from "node:crypto"
import { lstat, mkdir, readdir, rm, rmdir } from "node:fs/promises"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as PcmStream from "@effect-speech/audio-codec/PcmStream"
import { concat } from "@effect-speech/common/TypedArrays"
import type { Samples } from "@effect-speech/engine/Samples"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { isRunning } from "../isRunning.js"
import { forEachBlock, maximumWhole } from "./samples.js"

/** Mono samples: blocks from a file if there are many, else whole in memory. */
export interface StoredSamples {
  readonly length: number
  readonly samples: Samples
}

/** The memory of one thing that is on disk if there is no room for it. */
export interface MemoryShare {
  /** Whether so many bytes more fit. After `false`, put the whole on disk and call `release`. */
  readonly fits: (bytes: number) => boolean
  /** Gives the room back. The end of the scope does so too. */
  readonly release: () => void
}

/** In bytes. */
export interface ShareLimits {
  /** So much fits whatever others have. */
  readonly always: number
  /** The most that fits while there is room. */
  readonly most: number
}

/** In bytes: of all things together that have more than they always may. */
const maximumInMemory = 32 * 1024 * 1024

/** Of speech, in bytes: {@link maximumWhole} samples, and a minute at 16 kHz. */
const speechInMemory: ShareLimits = { always: 4 * maximumWhole, most: 4 * 1024 * 1024 }

const makeMemory = () => {
  let taken = 0
  return ({ always, most }: ShareLimits): Effect.Effect<MemoryShare, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => {
        let length = 0
        let own = 0
        return {
          fits: (bytes: number) => {
            length += bytes
            if (length <= always) return true
            if (length > most || taken + bytes > maximumInMemory) return false
            own += bytes
            taken += bytes
            return true
          },
          release: () => {
            taken -= own
            own = 0
          }
        }
      }),
      ({ release }) => Effect.sync(release)
    )
}

/** Temporary files for data that is too long for memory. Each is removed when its scope closes. */
export class TemporaryFiles extends Context.Tag("@effect-speech/local-service/internal/TemporaryFiles")<
  TemporaryFiles,
  {
    /** A path for a new file. The file does not exist yet. */
    readonly newPath: Effect.Effect<string, never, Scope.Scope>
    /** A share of the memory of all. */
    readonly memory: (limits: ShareLimits) => Effect.Effect<MemoryShare, never, Scope.Scope>
    /** Fails with `problem` if there are more samples than `length`. */
    readonly storeSamples: <P, E = never, R = never>(
      samples: Samples<E, R>,
      most: { readonly length: number; readonly problem: P }
    ) => Effect.Effect<StoredSamples, E | P, R | Scope.Scope>
  }
>() {}

/** No other program has a folder of this name, so a service may write and remove files there. */
export const temporaryFolderName = "effect-speech-local-service-temporary"

/** How the name of the folder of a service without a data directory begins. The id of its process follows. */
export const processFolderPrefix = "effect-speech-local-service-"

const processFolder = /^effect-speech-local-service-(\d+)-\w+$/

/** Locked while the service runs. */
export const lockName = "lock.db"

/** Folders in the system's folder of temporary files whose process seems to be gone: in another container its id means another one. */
export const leftFolders = async (parent: string): Promise<ReadonlyArray<string>> => {
  const left: Array<string> = []
  for (const entry of await readdir(parent, { withFileTypes: true })) {
    const id = processFolder.exec(entry.name)?.[1]
    if (id === undefined || !entry.isDirectory() || isRunning(Number(id))) continue
    const folder = join(parent, entry.name)
    const [{ uid }, lock] = await Promise.all([lstat(folder), lstat(join(folder, lockName)).catch(() => undefined)])
    if (uid === (process.getuid?.() ?? uid) && lock?.isFile() === true) left.push(folder)
  }
  return left
}

/** Removes the files that a service has in a folder, and the folder if it is empty then. */
export const removeLeftFolder = async (folder: string): Promise<void> => {
  await removeFiles(folder)
  for (const end of ["", "-journal"]) await rm(join(folder, `${lockName}${end}`), { force: true })
  await rmdir(folder)
}

const removeFiles = async (folder: string): Promise<void> => {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile() && fileName.test(entry.name)) await rm(join(folder, entry.name))
  }
}

const fileName = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Makes the folder of temporary files in a data directory that is locked, and removes the files of a service that was killed:
 * only those that have a name of `newPath`. It does not follow a link.
 */
export const openTemporaryFolder = async (dataDirectory: string): Promise<string> => {
  const folder = join(dataDirectory, temporaryFolderName)
  await mkdir(folder, { mode: 0o700 }).catch(async (error) => {
    if (!(await lstat(folder)).isDirectory()) throw error
  })
  await removeFiles(folder)
  return folder
}

/** @param limits Of speech in memory. */
export const makeTemporaryFiles = (
  directory: string,
  limits = speechInMemory
): Effect.Effect<TemporaryFiles["Type"], never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (fs) => {
    // Systems remove folders that were not used for days from their temporary folder. A data directory stays deleted.
    const folder = Effect.ignore(fs.makeDirectory(directory, { mode: 0o700 }))
    const newPath = Effect.acquireRelease(
      Effect.map(folder, () => `${directory}/${randomUUID()}`),
      (file) => Effect.ignore(fs.remove(file))
    )
    const memory = makeMemory()
    const format = { sampleRate: 1, channels: 1, encoding: "float32" } as const
    return {
      newPath,
      memory,
      storeSamples: (samples, most) => {
        if (samples instanceof Float32Array && samples.length <= Math.min(maximumWhole, most.length)) {
          return Effect.succeed({ length: samples.length, samples })
        }
        return Effect.gen(function* () {
          const scope = yield* Effect.scope
          const share = yield* memory(limits)
          let length = 0
          let buffered: Array<Float32Array> = []
          let written: { readonly name: string; readonly file: FileSystem.File } | undefined
          const openFile = Effect.gen(function* () {
            const name = yield* Scope.extend(newPath, scope)
            return { name, file: yield* Effect.orDie(fs.open(name, { flag: "wx", mode: 0o600 })) }
          })
          const store = (block: Float32Array) =>
            Effect.gen(function* () {
              // An empty write would never end.
              if (block.length === 0) return
              length += block.length
              if (length > most.length) return yield* Effect.fail(most.problem)
              buffered.push(block)
              if (written === undefined && share.fits(block.byteLength)) return
              written ??= yield* openFile
              for (const each of buffered) yield* Effect.orDie(written.file.writeAll(Pcm.encode(each, "float32").bytes))
              buffered = []
              share.release()
            })
          yield* Effect.scoped(forEachBlock(samples, store))
          return {
            length,
            samples:
              written === undefined
                ? concat(buffered, Float32Array)
                : Pcm.decodeStream(PcmStream.make(format, Stream.orDie(fs.stream(written.name))))
          }
        })
      }
    }
  })

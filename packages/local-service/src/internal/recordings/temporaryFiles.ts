import { randomUUID } from "node:crypto"
import { lstat, mkdir, readdir, rm } from "node:fs/promises"
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
import { forEachBlock, maximumWhole } from "./samples.js"

/** Mono samples: blocks from a file if there are many, else whole in memory. */
export interface StoredSamples {
  readonly length: number
  readonly samples: Samples
}

/** Temporary files for data that is too long for memory. Each is removed when its scope closes. */
export class TemporaryFiles extends Context.Tag("@effect-speech/local-service/internal/TemporaryFiles")<
  TemporaryFiles,
  {
    /** A path for a new file. The file does not exist yet. */
    readonly newPath: Effect.Effect<string, never, Scope.Scope>
    /** Fails with `problem` if there are more samples than `length`. */
    readonly storeSamples: <P, E = never, R = never>(
      samples: Samples<E, R>,
      most: { readonly length: number; readonly problem: P }
    ) => Effect.Effect<StoredSamples, E | P, R | Scope.Scope>
  }
>() {}

/** No other program has a folder of this name, so a service may write and remove files there. */
export const temporaryFolderName = "effect-speech-local-service-temporary"

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
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile() && fileName.test(entry.name)) await rm(join(folder, entry.name))
  }
  return folder
}

export const makeTemporaryFiles = (
  directory: string
): Effect.Effect<TemporaryFiles["Type"], never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (fs) => {
    // Systems remove folders that were not used for days from their temporary folder. A data directory stays deleted.
    const folder = Effect.ignore(fs.makeDirectory(directory, { mode: 0o700 }))
    const newPath = Effect.acquireRelease(
      Effect.map(folder, () => `${directory}/${randomUUID()}`),
      (file) => Effect.ignore(fs.remove(file))
    )
    const format = { sampleRate: 1, channels: 1, encoding: "float32" } as const
    return {
      newPath,
      storeSamples: (samples, most) => {
        if (samples instanceof Float32Array && samples.length <= Math.min(maximumWhole, most.length)) {
          return Effect.succeed({ length: samples.length, samples })
        }
        return Effect.gen(function* () {
          const scope = yield* Effect.scope
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
              if (length <= maximumWhole) return
              written ??= yield* openFile
              for (const each of buffered) yield* Effect.orDie(written.file.writeAll(Pcm.encode(each, "float32").bytes))
              buffered = []
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

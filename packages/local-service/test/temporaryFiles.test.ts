import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import { concat } from "@effect-speech/common/TypedArrays"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { openDataDirectory } from "../src/internal/account/dataDirectory.js"
import { type DecodeOptions, readRecording } from "../src/internal/recordings/recording.js"
import { forEachBlock } from "../src/internal/recordings/samples.js"
import { makeTemporaryFiles, type TemporaryFiles } from "../src/internal/recordings/temporaryFiles.js"

layer(NodeFileSystem.layer)("speech that is too long for memory", (it) => {
  it.scoped("is stored in a file that only its owner can read", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const { storeSamples } = yield* makeTemporaryFiles(folder, { always: 2 ** 20, most: 2 ** 20 })
      yield* storeSamples(new Float32Array(300_000), { length: 300_000, problem: "too long" })
      const names = yield* fs.readDirectory(folder)
      expect(names.length).toBe(1)
      expect((yield* fs.stat(`${folder}/${names[0]}`)).mode & 0o777).toBe(0o600)
    })
  )
})

layer(NodeFileSystem.layer)("the temporary folder of a service", (it) => {
  it.effect("that the system does not remove at the end, as Windows while a file in it is open, is no defect", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const remove = () => new SystemError({ module: "FileSystem", method: "remove", reason: "Busy" })
      const { temporaryFolder } = yield* openDataDirectory(undefined).pipe(
        Effect.scoped,
        Effect.provideService(FileSystem.FileSystem, { ...fs, remove })
      )
      expect(yield* fs.exists(temporaryFolder)).toBe(true)
      yield* fs.remove(temporaryFolder, { recursive: true })
    })
  )
})

layer(NodeFileSystem.layer)("a compressed recording for an engine", (it) => {
  const path = fileURLToPath(new URL("../../audio-decoder/test/recordings/join.mp3", import.meta.url))
  // At this rate a second is more than stays in memory.
  const decoding = { maximumSeconds: 10, sampleRate: 192_000 }
  const blocksOf = (options: DecodeOptions) =>
    Effect.map(readRecording(path, options, "engine"), (samples) =>
      samples instanceof Float32Array ? Stream.make(samples) : samples
    )
  const bytesOf = (blocks: Iterable<Float32Array>) => Buffer.from(concat([...blocks], Float32Array).buffer)
  const setUp = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    return {
      files: fs.readDirectory(folder),
      temporaryFiles: yield* makeTemporaryFiles(folder, { always: 2 ** 20, most: 2 ** 20 })
    }
  })

  it.scoped("is in a file until the engine has read it, with each of its samples", () =>
    Effect.gen(function* () {
      const { files, temporaryFiles } = yield* setUp
      const stored = yield* blocksOf({ ...decoding, temporaryFiles })
      expect(yield* files).toEqual([])
      const counts = new Set<number>()
      const read = yield* Stream.runCollect(
        Stream.tap(stored, () => Effect.map(files, ({ length }) => counts.add(length)))
      )
      expect([...counts, ...(yield* files)]).toEqual([1])
      const decoded = yield* Stream.runCollect(yield* blocksOf(decoding))
      expect(bytesOf(read).equals(bytesOf(decoded))).toBe(true)
    })
  )

  it.scoped("is refused before the engine reads a sample if it is too long", () =>
    Effect.gen(function* () {
      const { files, temporaryFiles } = yield* setUp
      const stored = yield* blocksOf({ ...decoding, maximumSeconds: 1.5, temporaryFiles })
      expect(yield* Effect.flip(Stream.runHead(stored))).toBe("the recording is longer than 1.5 seconds")
      expect(yield* files).toEqual([])
    })
  )

  it.scoped("is decoded although many long ones are being decoded, if it is short", () =>
    Effect.gen(function* () {
      const { temporaryFiles } = yield* setUp
      const fs = yield* FileSystem.FileSystem
      const long = `${yield* fs.makeTempDirectoryScoped()}/long.mp3`
      yield* fs.writeFile(long, Buffer.concat(Array.from({ length: 100 }, () => readFileSync(path))))
      const begun = yield* Deferred.make<void>()
      const endless: TemporaryFiles["Type"]["storeSamples"] = (samples) =>
        Effect.scoped(
          forEachBlock(samples, () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))
        ).pipe(Effect.zipRight(Effect.never))
      const slow = readRecording(
        long,
        { ...decoding, maximumSeconds: 1000, temporaryFiles: { ...temporaryFiles, storeSamples: endless } },
        "engine"
      )
      for (let at = 0; at < 10; at++)
        yield* Effect.forkScoped(Effect.flatMap(slow, (samples) => forEachBlock(samples, () => Effect.void)))
      yield* Deferred.await(begun)
      const blocks = yield* Stream.runCollect(yield* blocksOf({ ...decoding, temporaryFiles }))
      expect(blocks.length).toBeGreaterThan(0)
    })
  )
})

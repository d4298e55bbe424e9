import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeTemporaryFiles } from "../src/internal/recordings/temporaryFiles.js"

layer(NodeFileSystem.layer)("speech that is too long for memory", (it) => {
  it.scoped("is stored in a file that only its owner can read", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const { storeSamples } = yield* makeTemporaryFiles(folder)
      yield* storeSamples(new Float32Array(300_000), { length: 300_000, problem: "too long" })
      const names = yield* fs.readDirectory(folder)
      expect(names.length).toBe(1)
      expect((yield* fs.stat(`${folder}/${names[0]}`)).mode & 0o777).toBe(0o600)
    })
  )
})

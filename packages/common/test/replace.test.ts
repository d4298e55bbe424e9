import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ReplaceOptions, replace } from "../src/Files.js"

const place = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "replaced-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("a file that is replaced", () => {
  const options: ReadonlyArray<ReplaceOptions> = [{}, { folderMode: 0o700 }]
  for (const each of options) {
    it.scoped(`leaves no temporary file if its source is missing, with the options ${JSON.stringify(each)}`, () =>
      Effect.gen(function* () {
        const folder = yield* place
        const write = (name: string, fs: FileSystem.FileSystem) =>
          fs
            .writeFileString(name, "beginning", { flag: "wx" })
            .pipe(Effect.zipRight(fs.readFileString(join(folder, "missing"))), Effect.asVoid)
        const failure = yield* Effect.flip(replace(join(folder, "state"), write, each))
        expect(failure).toMatchObject({ reason: "NotFound" })
        expect(readdirSync(folder)).toEqual([])
      }).pipe(Effect.provide(NodeFileSystem.layer))
    )
  }

  it.scoped("leaves the temporary file of another process that makes the folder at the same time", () =>
    Effect.gen(function* () {
      const folder = join(yield* place, "new")
      const temporary = join(folder, "state.part")
      const seen: Array<boolean> = []
      const write = (name: string, fs: FileSystem.FileSystem) =>
        Effect.tapError(fs.writeFileString(name, "own", { flag: "wx" }), () =>
          Effect.sync(() => {
            seen.push(existsSync(temporary))
            if (seen.length > 1) return
            mkdirSync(folder)
            writeFileSync(temporary, "of the other")
          })
        )
      yield* replace(join(folder, "state"), write, { folderMode: 0o700, temporary })
      expect(seen).toEqual([false, true])
      expect(readFileSync(join(folder, "state"), "utf8")).toBe("own")
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})

import { mkdtempSync, readdirSync, rmSync } from "node:fs"
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
  const options: ReadonlyArray<ReplaceOptions> = [{}, { folderMode: 0o700 }, { temporary: "state.part" }]
  for (const { temporary, ...others } of options) {
    const title = JSON.stringify({ temporary, ...others })
    it.scoped(`leaves no temporary file if its source is missing, with the options ${title}`, () =>
      Effect.gen(function* () {
        const folder = yield* place
        const given = temporary === undefined ? others : { ...others, temporary: join(folder, temporary) }
        const write = (name: string, fs: FileSystem.FileSystem) =>
          fs
            .writeFileString(name, "beginning", { flag: "wx" })
            .pipe(Effect.zipRight(fs.readFileString(join(folder, "missing"))), Effect.asVoid)
        const failure = yield* Effect.flip(replace(join(folder, "state"), write, given))
        expect(failure).toMatchObject({ reason: "NotFound" })
        expect(readdirSync(folder)).toEqual([])
      }).pipe(Effect.provide(NodeFileSystem.layer))
    )
  }
})

import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeFolder } from "../src/Files.js"
import { makeFolderSync } from "../src/FilesSync.js"
import { systemCode } from "../src/SystemCode.js"

const ways = [
  {
    title: "with a FileSystem",
    make: (folder: string) => Effect.provide(makeFolder(folder, 0o700), NodeFileSystem.layer)
  },
  {
    title: "at once",
    make: (folder: string) => Effect.try({ try: () => makeFolderSync(folder, 0o700), catch: (error) => error })
  }
]

const place = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "folders-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe.each(ways)("a folder that is made $title", ({ make }) => {
  it.scoped("is made with those above it, for one user, and one that is there is left as it is", () =>
    Effect.gen(function* () {
      const top = yield* place
      const folder = join(top, "a", "b", "c")
      yield* Effect.all([make(folder), make(folder), make(join(top, "a", "d"))], { concurrency: "unbounded" })
      yield* make(top)
      for (const path of [folder, join(top, "a"), join(top, "a", "d")])
        assert.strictEqual(statSync(path).mode & 0o777, 0o700)
    })
  )

  it.scoped("fails below a file, and where the system makes none", () =>
    Effect.gen(function* () {
      const file = join(yield* place, "file")
      writeFileSync(file, "")
      assert.strictEqual(systemCode(yield* Effect.flip(make(join(file, "a", "b")))), "ENOTDIR")
      assert.strictEqual(systemCode(yield* Effect.flip(make(file))), "EEXIST")
      if (existsSync("/proc/self")) {
        assert.strictEqual(systemCode(yield* Effect.flip(make("/proc/new/folder"))), "ENOENT")
      }
    })
  )
})

import { execFile, execFileSync } from "node:child_process"
import { utimesSync, writeFileSync } from "node:fs"
import { promisify } from "node:util"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"

const bytes = Uint8Array.from({ length: 1000 }, (_, at) => at & 255)

describe("the file system of NodeTransport.layer", () => {
  /** Uses the file system, and a folder with the file `file`. */
  const inFolder = <A, E>(
    use: (folder: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, FileSystem.FileSystem | Scope.Scope>
  ) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      writeFileSync(`${folder}/file`, bytes)
      return yield* use(folder, fs)
    }).pipe(Effect.scoped, Effect.provide(NodeTransport.layer))

  type Use = (file: FileSystem.File) => Effect.Effect<unknown, PlatformError>
  const withoutCtime = Effect.map(({ ctimeMs, ...info }: FileSystem.File.Info & { ctimeMs?: number }) => info)
  const uses: ReadonlyArray<readonly [what: string, use: Use]> = [
    ["stat", (file) => withoutCtime(file.stat)],
    ["reads", (file) => Effect.all([file.read(new Uint8Array(600)), file.read(new Uint8Array(600))])],
    ["reads that allocate", (file) => Effect.all([file.readAlloc(600), file.readAlloc(600), file.readAlloc(600)])],
    [
      "seek",
      (file) => file.seek(300, "start").pipe(Effect.zip(file.seek(100n, "current")), Effect.zipRight(file.readAlloc(3)))
    ],
    ["sync", (file) => file.sync]
  ]

  it.scoped.each(uses)("opens files as NodeFileSystem does: %s", ([_, use]) =>
    inFolder((folder) => {
      const opened = Effect.flatMap(FileSystem.FileSystem, (fs) => Effect.flatMap(fs.open(`${folder}/file`), use))
      return Effect.gen(function* () {
        const ours = yield* Effect.provide(Effect.scoped(opened), NodeTransport.layer)
        expect(ours).toEqual(yield* Effect.provide(Effect.scoped(opened), NodeFileSystem.layer))
      })
    })
  )

  it.scoped.each([1, 600_000])("writes files as NodeFileSystem does, of %d bytes", (length) =>
    inFolder((folder) => {
      const wrote = Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = `${folder}/written`
        yield* fs.writeFile(path, new Uint8Array(length).fill(1), { flag: "wx", mode: 0o600 })
        yield* fs.writeFileString(path, "end", { flag: "a" })
        const { mode, size } = yield* fs.stat(path)
        const failures = yield* Effect.forEach(
          [path, `${folder}/missing/written`, `${folder}/file/below`, folder, "a\0b"],
          (place) => Effect.flip(fs.writeFile(place, new Uint8Array(length), { flag: "wx" }))
        )
        yield* fs.remove(path)
        return { mode, size, failures: failures.map(({ cause, ...facts }) => facts) }
      })
      return Effect.gen(function* () {
        const ours = yield* Effect.provide(wrote, NodeTransport.layer)
        expect(ours).toEqual(yield* Effect.provide(wrote, NodeFileSystem.layer))
        expect(ours.size).toBe(BigInt(length + 3))
      })
    })
  )

  it.scoped("has written a file when it is interrupted", () =>
    inFolder((folder, fs) =>
      Effect.gen(function* () {
        const path = `${folder}/written`
        const writing = yield* Effect.fork(fs.writeFileString(path, "whole"))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(writing)
        expect(yield* fs.readFileString(path)).toBe("whole")
      })
    )
  )

  it.scoped.skipIf(process.platform === "win32")(
    "waits a second for the reader of a pipe when a write is interrupted, and then writes nothing to it",
    () =>
      inFolder((folder, fs) =>
        Effect.gen(function* () {
          const pipe = `${folder}/pipe`
          execFileSync("mkfifo", [pipe])
          const writing = yield* Effect.fork(fs.writeFileString(pipe, "late"))
          yield* Effect.yieldNow()
          const interruption = yield* Effect.fork(Fiber.interrupt(writing))
          yield* TestClock.adjust("999 millis")
          expect(yield* Fiber.poll(interruption)).toEqual(Option.none())
          yield* TestClock.adjust("1 millis")
          yield* Fiber.join(interruption)
          // The write opens the pipe now that it has a reader, and closes it.
          const read = yield* Effect.promise(() => promisify(execFile)("cat", [pipe]))
          expect(read.stdout).toBe("")
        })
      )
  )

  it.scoped("fails as NodeFileSystem does", () =>
    inFolder((folder, fs) =>
      Effect.gen(function* () {
        for (const path of [`${folder}/missing`, `${folder}/file/below`, "a\0b", folder]) {
          const failed = Effect.flatMap(FileSystem.FileSystem, (fs) => Stream.runDrain(fs.stream(path))).pipe(
            Effect.flip,
            Effect.map(({ cause, ...facts }) => facts)
          )
          const ours = yield* Effect.provide(failed, NodeTransport.layer)
          expect(ours).toEqual(yield* Effect.provide(failed, NodeFileSystem.layer))
        }
        const file = yield* fs.open(`${folder}/file`)
        for (const write of [file.write(bytes), file.writeAll(bytes), file.truncate()]) {
          expect(yield* Effect.flip(write)).toMatchObject({ reason: "PermissionDenied" })
        }
      })
    )
  )

  it.scoped("opens a pipe without waiting for its writer, and tells the type of what is open", () =>
    inFolder((folder, fs) =>
      Effect.gen(function* () {
        execFileSync("mkfifo", [`${folder}/pipe`])
        for (const [path, type] of [
          [`${folder}/pipe`, "FIFO"],
          [folder, "Directory"],
          ["/dev/null", "CharacterDevice"]
        ] as const) {
          expect((yield* Effect.flatMap(fs.open(path), ({ stat }) => stat)).type).toBe(type)
          expect((yield* fs.stat(path)).type).toBe(type)
        }
      })
    )
  )

  it.scopedLive("notices a change whose time was set back", () =>
    inFolder((folder, fs) =>
      Effect.gen(function* () {
        const path = `${folder}/file`
        utimesSync(path, 1, 1)
        const file = yield* fs.open(path)
        const before = yield* file.stat
        // Deno gives the time in whole seconds.
        yield* Effect.sleep("Deno" in globalThis ? "1100 millis" : "20 millis")
        writeFileSync(path, bytes.toReversed())
        utimesSync(path, 1, 1)
        const after = yield* file.stat
        expect(after.mtime).toEqual(before.mtime)
        expect(after).not.toHaveProperty("ctimeMs", (before as { ctimeMs?: number }).ctimeMs)
      })
    )
  )
})

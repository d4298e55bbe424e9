import { execFileSync } from "node:child_process"
import fs, { copyFileSync, renameSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { afterEach, describe, expect, it } from "@effect/vitest"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { type ReadSmallFile, readerOf, type SmallFile } from "@effect-speech/transport/unstable/SmallFile"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { testFolder } from "effect-speech-test-support/effectTests"
import { vi } from "vitest"

const calls = ["stat", "open", "read", "fstat", "close"] as const

/** What runs just before a disk call of this name, and how many were made. The calls themselves are those of the system. */
const disk = { before: new Map<string, () => void>(), made: new Map<string, number>() }
/** The paths and the descriptors of the files that are read. The process makes other disk calls. */
const watched = new Set<unknown>()

const { close, fstat, open, read, stat } = fs
const original = { stat, open, read, fstat, close }
const watch =
  (name: (typeof calls)[number]) =>
  (file: unknown, ...parameters: ReadonlyArray<unknown>) => {
    if (!watched.has(file)) return Reflect.apply(original[name], fs, [file, ...parameters])
    disk.made.set(name, (disk.made.get(name) ?? 0) + 1)
    disk.before.get(name)?.()
    if (name !== "open") return Reflect.apply(original[name], fs, [file, ...parameters])
    const [flags, done] = parameters as [number, (error: unknown, descriptor: number) => void]
    return open(file as string, flags, (error, descriptor) => {
      watched.add(descriptor)
      done(error, descriptor)
    })
  }
afterEach(() => {
  disk.before.clear()
  disk.made.clear()
  watched.clear()
})
vi.doMock("node:fs", () => ({ ...fs, ...Object.fromEntries(calls.map((name) => [name, watch(name)])) }))
// Test files share a process and its modules, so this one is evaluated once more, with the watched calls.
const module = "../src/internal/files/readSmallFile.ts?watched"
const reader = (await import(module)) as typeof import("../src/internal/files/readSmallFile.js")
vi.doUnmock("node:fs")

const readSmallFile: ReadSmallFile = (path, ...parameters) => {
  watched.add(path)
  return reader.readSmallFile(path, ...parameters)
}

const folder = testFolder("small-file")
const bytes = Uint8Array.from({ length: 1000 }, (_, at) => at & 255)
let files = 0
const writeFile = () => {
  const path = `${folder}/${++files}`
  writeFileSync(path, bytes)
  return path
}

const readOnce = (path: string, longest = bytes.length) =>
  new Promise<SmallFile | undefined>((done) => void readSmallFile(path, longest, done))

describe("a small file", () => {
  it("is read whole, with the time of its latest write, in five disk calls", async () => {
    const path = writeFile()
    utimesSync(path, 1, 2)
    const file = await readOnce(path)
    expect(Buffer.compare(file?.bytes ?? Buffer.alloc(0), bytes)).toBe(0)
    expect(file?.modifiedMillis).toBe(2000)
    expect([...disk.made]).toEqual(calls.map((name) => [name, 1]))
  })

  it("is read only by exactly the file system of NodeTransport.layer", async () => {
    const of = (layer: Layer.Layer<FileSystem.FileSystem>) =>
      Effect.runPromise(Effect.provide(FileSystem.FileSystem, layer))
    const fileSystem = await of(NodeTransport.layer)
    expect(readerOf(fileSystem)).toBeDefined()
    for (const other of [FileSystem.make(fileSystem), { ...fileSystem }, await of(NodeFileSystem.layer)]) {
      expect(readerOf(other)).toBeUndefined()
    }
  })

  it("is not one that is longer, empty, missing, or no file: nothing of it is opened", async () => {
    const path = writeFile()
    execFileSync("mkfifo", [`${folder}/pipe`])
    writeFileSync(`${folder}/empty`, "")
    for (const other of [
      folder,
      `${folder}/pipe`,
      `${folder}/empty`,
      "/dev/null",
      `${folder}/missing`,
      `${path}/a`,
      "a\0b"
    ]) {
      expect([other, await readOnce(other)]).toEqual([other, undefined])
    }
    expect(await readOnce(path, bytes.length - 1)).toBeUndefined()
    expect(disk.made.get("open")).toBeUndefined()
  })

  const time = new Date(2000)
  const overwrite = (path: string) => {
    writeFileSync(path, bytes.toReversed())
    utimesSync(path, time, time)
  }
  const replace = (path: string) => {
    copyFileSync(path, `${path}.new`)
    utimesSync(`${path}.new`, time, time)
    renameSync(`${path}.new`, path)
  }
  const pipe = (path: string) => {
    execFileSync("mkfifo", [`${path}.pipe`])
    renameSync(`${path}.pipe`, path)
  }
  it.each([
    ["grows", "read", (path: string) => writeFileSync(path, bytes, { flag: "a" })],
    ["becomes shorter", "read", (path: string) => truncateSync(path, 999)],
    ["is overwritten before it is read, but keeps its size and its time", "read", overwrite],
    ["is overwritten after it was read, but keeps its size and its time", "fstat", overwrite],
    ["is replaced by another of its size and its time", "open", replace],
    ["becomes a pipe", "open", pipe],
    ["is removed", "open", (path: string) => renameSync(path, `${path}.gone`)]
  ] as const)("is not one that %s meanwhile", async (_, name, change) => {
    const path = writeFile()
    utimesSync(path, time, time)
    // The clock of a file system has steps of some milliseconds, and in Deno of a second.
    await setTimeout("Deno" in globalThis ? 1100 : 20)
    disk.before.set(name, () => change(path))
    expect(await readOnce(path)).toBeUndefined()
    expect(disk.made.get("close")).toBe(disk.made.get("read"))
  })

  it.each(calls)("is closed when its reading is stopped during %s, and is not given", async (name) => {
    const path = writeFile()
    const done = vi.fn()
    await new Promise<void>((resolve, reject) => {
      let stop: Effect.Effect<void> = Effect.void
      const stopNow = () => queueMicrotask(() => Effect.runPromise(stop).then(resolve, reject))
      disk.before.set(name, stopNow)
      stop = readSmallFile(path, bytes.length, done)
    })
    expect(done).not.toHaveBeenCalled()
    expect(disk.made.get("close")).toBe(disk.made.get("open"))
    await setTimeout(5)
    expect(done).not.toHaveBeenCalled()
  })
})

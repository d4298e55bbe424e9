import { execFileSync } from "node:child_process"
import { copyFileSync, renameSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { afterEach, describe, expect, it } from "@effect/vitest"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import { readerOf, type SmallFile } from "@effect-speech/transport/unstable/SmallFile"
import * as Effect from "effect/Effect"
import { testFolder } from "effect-speech-test-support/effectTests"
import { vi } from "vitest"

/** What runs just before a disk call of this name, and how many were made. The calls themselves are those of the system. */
const { calls, disk } = vi.hoisted(() => ({
  calls: ["stat", "open", "read", "fstat", "close"] as const,
  disk: { before: new Map<string, () => void>(), made: new Map<string, number>() }
}))
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>()
  const watched =
    (name: (typeof calls)[number]) =>
    (...parameters: ReadonlyArray<unknown>) => {
      disk.made.set(name, (disk.made.get(name) ?? 0) + 1)
      disk.before.get(name)?.()
      return Reflect.apply(fs[name], fs, parameters)
    }
  return { ...fs, ...Object.fromEntries(calls.map((name) => [name, watched(name)])) }
})
afterEach(() => {
  disk.before.clear()
  disk.made.clear()
})

const fileSystem = await Effect.runPromise(Effect.provide(FileSystem.FileSystem, NodeTransport.layer))
const readSmallFile = readerOf(fileSystem) ?? expect.fail("NodeTransport.layer has no reader")

const folder = testFolder("small-file")
const bytes = Uint8Array.from({ length: 1000 }, (_, at) => at & 255)
let files = 0
const writeFile = () => {
  const path = `${folder}/${++files}`
  writeFileSync(path, bytes)
  return path
}

const read = (path: string, longest = bytes.length) =>
  new Promise<SmallFile | undefined>((done) => void readSmallFile(path, longest, done))

describe("a small file", () => {
  it("is read whole, with the time of its latest write, in five disk calls", async () => {
    const path = writeFile()
    utimesSync(path, 1, 2)
    const file = await read(path)
    expect(Buffer.compare(file?.bytes ?? Buffer.alloc(0), bytes)).toBe(0)
    expect(file?.modifiedMillis).toBe(2000)
    expect([...disk.made]).toEqual(calls.map((name) => [name, 1]))
  })

  it("is read only by exactly the file system of NodeTransport.layer", () => {
    expect(readerOf(FileSystem.make(fileSystem))).toBeUndefined()
    expect(readerOf({ ...fileSystem })).toBeUndefined()
    expect(readerOf(Effect.runSync(Effect.provide(FileSystem.FileSystem, NodeFileSystem.layer)))).toBeUndefined()
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
      expect([other, await read(other)]).toEqual([other, undefined])
    }
    expect(await read(path, bytes.length - 1)).toBeUndefined()
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
    expect(await read(path)).toBeUndefined()
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

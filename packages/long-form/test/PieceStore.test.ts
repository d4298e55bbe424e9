import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { describe, expect } from "@effect/vitest"
import { PieceStore, PieceStoreError } from "@effect-speech/long-form"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { effectTests, testFolder } from "effect-speech-test-support/effectTests"

const folder = testFolder("pieces")

const it = effectTests()

const file = join(folder, "file")
writeFileSync(file, "")

const bytes = new Uint8Array([1, 2, 3])

/** The store in a folder, over a file system of which these functions are replaced. */
const storeIn = (path: string, replaced: Partial<FileSystem.FileSystem> = {}) =>
  Effect.provide(
    Effect.map(PieceStore, (store) => ({ ...store, reserve: store.reserve ?? (() => Effect.void) })),
    PieceStore.layerFolder(path).pipe(
      Layer.provide(
        Layer.effect(
          FileSystem.FileSystem,
          Effect.map(FileSystem.FileSystem, (fs) => ({ ...fs, ...replaced }))
        ).pipe(Layer.provide(NodeTransport.layer))
      )
    )
  )

const failing = (code: string) =>
  Effect.fail(
    new SystemError({
      module: "FileSystem",
      method: "writeFile",
      reason: "Unknown",
      cause: Object.assign(new Error("failed"), { code })
    })
  )

describe.each(["folder", "memory"])("a store in %s", (kind) => {
  const make = kind === "memory" ? Effect.provide(PieceStore, PieceStore.layerMemory) : storeIn(join(folder, "a/b"))

  it("gives what it kept last, in an array of its own", function* () {
    const store = yield* make
    expect(yield* store.get("one.wav")).toEqual(Option.none())
    yield* store.put("one.wav", bytes)
    yield* store.put("one.wav", new Uint8Array([9]))
    Option.getOrThrow(yield* store.get("one.wav"))[0] = 7
    expect(Option.map(yield* store.get("one.wav"), Array.from)).toEqual(Option.some([9]))
  })
})

describe("a store in a folder", () => {
  it.each([
    [
      "where the system makes no folder",
      existsSync("/proc/self") ? "/proc/new/pieces" : join(file, "new"),
      {},
      /can't be used/
    ],
    ["in place of a file", file, {}, /is not a folder/],
    ["where it can't write", join(folder, "denied"), { access: () => failing("EACCES") }, /no permission/]
  ] as const)("can't be opened %s, and fails before anything is paid", function* ([, path, replaced, sentence]) {
    const error = yield* Effect.flip(storeIn(path, replaced))
    expect(error).toMatchObject({ operation: "open", message: expect.stringMatching(sentence) })
  })

  it("keeps results that only their owner can read, also for the next run", function* () {
    const path = join(folder, "new/pieces")
    yield* Effect.flatMap(storeIn(path), (store) => store.put("one.wav", bytes))
    const next = yield* storeIn(path)
    expect(Option.map(yield* next.get("one.wav"), Array.from)).toEqual(Option.some([1, 2, 3]))
    expect(readdirSync(path)).toEqual(["one.wav"])
    expect([statSync(path), statSync(join(path, "one.wav"))].map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600])
  })

  it("keeps a result, which is paid for, also if another run removed the folder", function* () {
    const path = join(folder, "removed")
    const store = yield* storeIn(path)
    rmSync(path, { recursive: true })
    expect(yield* store.get("one.wav")).toEqual(Option.none())
    yield* store.put("one.wav", bytes)
    expect(Option.map(yield* store.get("one.wav"), Array.from)).toEqual(Option.some([1, 2, 3]))
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  it.each([
    [
      "ENOSPC",
      /^A piece is paid, but can't be kept and is lost: the disk of \S+ is full\. Free some space, or use a folder on another disk\.$/
    ],
    ["EACCES", /this process has no permission to read and write in/],
    ["EIO", /\(EIO\)\. Check the folder/]
  ] as const)("says what to do about %s, and leaves no part of a file", function* ([code, sentence]) {
    const path = join(folder, code)
    const store = yield* storeIn(path, { rename: () => failing(code) })
    const error = yield* Effect.flip(store.put("one.wav", bytes))
    expect(error).toBeInstanceOf(PieceStoreError)
    expect(error).toMatchObject({ operation: "put", store: path, code, message: expect.stringMatching(sentence) })
    expect(readdirSync(path)).toEqual([])
  })

  it("keeps a paid result in the room that was made for it, also if the disk has filled up meanwhile", function* () {
    const path = join(folder, "room")
    const store = yield* storeIn(path, {
      writeFile: (file, data, { flag } = {}) =>
        flag === "wx" ? failing("ENOSPC") : Effect.sync(() => writeFileSync(file, data, { flag }))
    })
    const keep = (name: string) => Effect.scoped(Effect.zipRight(store.reserve(name, 100_000), store.put(name, bytes)))
    yield* keep("one.wav")
    expect(readFileSync(join(path, "one.wav"))).toEqual(Buffer.from(bytes))
    expect(statSync(join(path, "one.wav")).mode & 0o777).toBe(0o600)
    expect(yield* Effect.flip(store.put("two.wav", bytes))).toMatchObject({ operation: "put", code: "ENOSPC" })
    expect(readdirSync(path)).toEqual(["one.wav"])
  })

  it("makes room until the scope closes, and says before a piece is sent that there is none", function* () {
    const path = join(folder, "no room")
    const store = yield* storeIn(path)
    const room = store.reserve("one.wav", 100_001)
    yield* Effect.scoped(
      Effect.zipRight(
        room,
        Effect.sync(() => {
          const [temporary = ""] = readdirSync(path)
          // A file with holes has no room.
          expect(statSync(join(path, temporary)).blocks * 512).toBeGreaterThanOrEqual(100_001)
        })
      )
    )
    expect(readdirSync(path)).toEqual([])
    const full = yield* storeIn(path, { open: () => failing("ENOSPC") })
    expect(yield* Effect.flip(Effect.scoped(full.reserve("one.wav", 1)))).toMatchObject({
      operation: "reserve",
      message: expect.stringMatching(/^A piece was not sent, since its result can't be kept: the disk of .* is full\./)
    })
    expect(readdirSync(path)).toEqual([])
  })

  it("keeps a result that is longer than its room, or whose room was removed", function* () {
    const path = join(folder, "long")
    const store = yield* storeIn(path)
    const remove = Effect.sync(() => rmSync(path, { recursive: true }))
    for (const meanwhile of [Effect.void, remove]) {
      yield* Effect.scoped(Effect.all([store.reserve("one.wav", 1), meanwhile, store.put("one.wav", bytes)]))
      expect(readFileSync(join(path, "one.wav"))).toEqual(Buffer.from(bytes))
      expect(readdirSync(path)).toEqual(["one.wav"])
    }
  })

  it("removes what a killed process left an hour ago, and nothing else", function* () {
    const path = join(folder, "left")
    const temporary = (name: string) => `${name}.${crypto.randomUUID()}.part`
    const piece = `${"0".repeat(64)}.wav`
    const [old, fresh] = [temporary(piece), temporary(`${"1".repeat(64)}.json`)]
    const others = ["my.part", temporary("film.wav"), temporary(`${"2".repeat(64)}.zip`), `${piece}.part`]
    yield* Effect.flatMap(storeIn(path), (store) => store.put(piece, bytes))
    for (const name of [old, fresh, ...others]) writeFileSync(join(path, name), "")
    const before = new Date(Date.now() - 61 * 60 * 1000)
    for (const name of [old, piece, ...others]) utimesSync(join(path, name), before, before)
    yield* storeIn(path)
    const names = readdirSync(path)
    expect(names.toSorted()).toEqual([fresh, piece, ...others].toSorted())
    expect(names.filter(PieceStore.isPieceName)).toEqual([piece])
    expect(names.filter((name) => Option.isSome(PieceStore.pieceOfTemporary(name)))).toEqual([fresh])
    expect(PieceStore.pieceOfTemporary(old)).toEqual(Option.some(piece))
  })

  const makePipe = (path: string) => Effect.sync(() => execFileSync("mkfifo", [path]))
  const others: ReadonlyArray<readonly [string, string, (path: string) => Effect.Effect<unknown, PieceStoreError>]> = [
    ["a folder", "EISDIR", storeIn],
    ...(process.platform === "win32" ? [] : [["a pipe", "ENOTREG", makePipe] as const])
  ]

  it.each(others)("does not take %s for a result, and does not wait for it", function* ([, code, make]) {
    const store = yield* storeIn(join(folder, code))
    yield* make(join(folder, code, "one.wav"))
    expect(yield* Effect.flip(store.get("one.wav"))).toMatchObject({
      operation: "get",
      code,
      message: expect.stringContaining("has the name of a piece. Remove it, or use another folder.")
    })
  })
})

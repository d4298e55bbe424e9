import { execFileSync } from "node:child_process"
import { SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect } from "@effect/vitest"
import { RecordingFile } from "@effect-speech/audio-codec"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { effectTests } from "effect-speech-test-support/effectTests"

const bytes = Uint8Array.from({ length: 700_000 }, (_, at) => (at * 31 + (at >> 13)) & 255)

/** A folder with a file, a pipe, and another folder. */
const makeFolder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const path = `${folder}/call.wav`
  yield* fs.writeFile(path, bytes)
  yield* fs.makeDirectory(`${folder}/calls`)
  execFileSync("mkfifo", [`${folder}/pipe`])
  return { fs, folder, path }
})

const collect = (file: RecordingFile.RecordingFile) =>
  Effect.map(Stream.runCollect(file.stream), (chunks) => Buffer.concat(Chunk.toArray(chunks)))

const it = effectTests(NodeFileSystem.layer)

describe("a file of a recording", () => {
  it("is read by position, and from its start as often as one likes", function* () {
    const { path } = yield* makeFolder
    const file = yield* RecordingFile.open(path)
    expect(file.byteLength).toBe(bytes.length)
    expect(Math.abs((file.modifiedMillis ?? 0) - Date.now())).toBeLessThan(60_000)
    expect((yield* file.read(699_990, 100)).byteLength).toBe(10)
    expect((yield* file.read(700_000, 100)).byteLength).toBe(0)
    const read = file.reader()
    const block = new Uint8Array(400_000)
    expect([yield* read(block), yield* read(block), yield* read(block)]).toEqual([400_000, 300_000, 0])
    for (let run = 0; run < 2; run++) expect(Buffer.compare(yield* collect(file), bytes)).toBe(0)
    expect(Buffer.from(yield* file.read(1000, 50))).toEqual(Buffer.from(bytes.subarray(1000, 1050)))
  })

  it("may be empty", function* () {
    const { fs, path } = yield* makeFolder
    yield* fs.writeFile(path, new Uint8Array(0))
    const file = yield* RecordingFile.open(path)
    expect(file.byteLength).toBe(0)
    expect((yield* collect(file)).byteLength).toBe(0)
  })

  it("that is none is an error with the code of the system", function* () {
    const { folder } = yield* makeFolder
    for (const [path, reason, code, problem] of [
      [`${folder}/missing`, "NotFound", "ENOENT", "it does not exist; check the path"],
      [`${folder}/call.wav/part`, "NotAFile", "ENOTDIR", "it is not a file"],
      [`${folder}/calls`, "NotAFile", undefined, "it is a folder; give a file"],
      [`${folder}/pipe`, "SpecialFile", undefined, "it is a pipe or a device"],
      ["/dev/null", "SpecialFile", undefined, "it is a pipe or a device"],
      ["a\0b", "NotAPath", "ERR_INVALID_ARG_VALUE", "its name is not a path"]
    ] as const) {
      const error = yield* Effect.flip(RecordingFile.open(path))
      expect(error).toMatchObject({ _tag: "RecordingFileError", path, reason, code, problem })
      expect(error.message).toBe(`${path.replace("\0", "\\u0000")} can't be read: ${problem}.`)
    }
  })

  it("that becomes a folder or a pipe before it is open is refused", function* () {
    const { folder, fs, path } = yield* makeFolder
    const looksLikeAFile = FileSystem.FileSystem.of({ ...fs, stat: () => fs.stat(path) })
    const error = yield* Effect.flip(RecordingFile.open(`${folder}/calls`)).pipe(
      Effect.provideService(FileSystem.FileSystem, looksLikeAFile)
    )
    expect(error).toMatchObject({ reason: "NotAFile", problem: "it is a folder; give a file" })
  })

  it.each([
    ["PermissionDenied", "EACCES", "PermissionDenied", "this process may not read it; check its permissions"],
    ["BadResource", "EISDIR", "NotAFile", "it is not a file"],
    ["Busy", "EBUSY", "Unreadable", "reading it failed (Busy)"],
    ["Unknown", "EMFILE", "TooManyOpenFiles", "the process has too many open files (EMFILE)"]
  ] as const)(
    "that the system does not open is an error that says what to do: %s, %s",
    function* ([given, code, reason, problem]) {
      const { fs, path } = yield* makeFolder
      const cause = Object.assign(new Error(code), { code })
      const error = new SystemError({ reason: given, module: "FileSystem", method: "open", cause })
      const refusing = FileSystem.FileSystem.of({ ...fs, open: () => Effect.fail(error) })
      const opened = Effect.provideService(RecordingFile.open(path), FileSystem.FileSystem, refusing)
      expect(yield* Effect.flip(opened)).toMatchObject({ path, reason, code, problem })
    }
  )

  it("that changes while it is read is an error", function* () {
    const { fs, path } = yield* makeFolder
    const longAgo = new Date(0)
    const grown = yield* RecordingFile.open(path)
    yield* grown.unchanged
    yield* fs.writeFile(path, Uint8Array.of(1), { flag: "a" })
    expect(yield* Effect.flip(grown.unchanged)).toMatchObject({ reason: "Changed" })
    expect(yield* Effect.flip(collect(grown))).toMatchObject({ reason: "Changed" })

    const touched = yield* RecordingFile.open(path)
    yield* fs.utimes(path, longAgo, longAgo)
    expect(yield* Effect.flip(collect(touched))).toMatchObject({ reason: "Changed" })

    const cut = yield* RecordingFile.open(path)
    yield* fs.truncate(path, 300_000)
    const problem = "it ended after 300000 of 700001 bytes"
    expect(yield* Effect.flip(collect(cut))).toMatchObject({ reason: "EndedEarly", problem })
  })
})

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { afterAll, describe, expect, it, layer } from "@effect/vitest"
import { Operation, Output, type Run } from "@effect-speech/archive"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { writeResults } from "../src/internal/output/results.js"
import { complete, outputFailed, outputUnreadable, piecesOf } from "../src/internal/output/write.js"
import { validate } from "../src/internal/service/validate.js"
import type { StoredFile } from "../src/internal/store/Store.js"
import { changedFileSystem, systemError } from "./support/double.js"
import { settings } from "./support/stores.js"

const folder = mkdtempSync(join(tmpdir(), "archive-output-"))
afterAll(() => rmSync(folder, { recursive: true }))

const result: typeof Output.TranscriptionResult.Encoded = {
  text: "One two. Three.",
  durationMillis: 3000,
  segments: [
    { start: 0, end: 1500, text: "One two." },
    { start: 1600, end: 3000, text: "Three." }
  ],
  warnings: []
}

const record = (path: string, facts: Partial<StoredFile> = {}): StoredFile => ({
  seq: 1,
  path,
  state: "done",
  size: 1,
  modifiedMillis: 0,
  attempts: 1,
  callId: "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f",
  result,
  ...facts
})

describe("the path of a result", () => {
  const pathOf = (path: string) => Output.pathOf({ directory: "/out", format: "txt" }, path)

  it("keeps the whole name, so that no two files of a source have the same", () => {
    expect(pathOf("a/b.wav")).toBe("/out/a/b.wav.txt")
    expect(["a.wav", "a.mp3", "A.wav", "a", "-a", "a\n", " a", "🙂", "CON"].map(pathOf)).toEqual([
      "/out/a.wav.txt",
      "/out/a.mp3.txt",
      "/out/A.wav.txt",
      "/out/a.txt",
      "/out/-a.txt",
      "/out/a\n.txt",
      "/out/ a.txt",
      "/out/🙂.txt",
      "/out/CON.txt"
    ])
  })

  it("fits every file system, and differs for each name", () => {
    const character = FastCheck.constantFrom("a", "ä", "क", "🙂")
    const name = FastCheck.array(character, { minLength: 1, maxLength: 300 }).map((parts) => parts.join(""))
    FastCheck.assert(
      FastCheck.property(FastCheck.uniqueArray(name, { minLength: 2 }), (names) => {
        const found = names.map((each) => pathOf(`${each}/${each}`).slice("/out/".length))
        for (const path of found) {
          for (const part of path.split("/")) {
            expect(Buffer.byteLength(part)).toBeLessThanOrEqual(255)
            expect(part).not.toMatch(/\p{Surrogate}/u)
          }
        }
        expect(new Set(found).size).toBe(names.length)
      }),
      { numRuns: 50, seed: 1 }
    )
  })

  it.each(["", "/a", "a/", "a//b", "../a", "a/../../b", "./a", "a\0"])(
    "does not lead out of the folder: %j",
    (path) => {
      expect(() => pathOf(path)).toThrow(RangeError)
    }
  )
})

/** Each write fails as on a full disk. */
const fullDisk = changedFileSystem((fs) => ({
  writeFileString: (path) => Effect.zipRight(fs.writeFile(path, new Uint8Array(1)), systemError("writeFile", "ENOSPC"))
}))

layer(NodeFileSystem.layer)("a result", (it) => {
  it.effect("is written in its format, and its kept pieces are removed", () =>
    Effect.gen(function* () {
      const directory = join(folder, "formats")
      const { callId } = record("a")
      mkdirSync(piecesOf(directory, callId), { recursive: true })
      writeFileSync(join(piecesOf(directory, callId), "piece.json"), "{}")
      for (const format of ["txt", "json", "srt", "vtt"] as const) {
        yield* complete({ directory, format }, { ...record("sub/a.wav"), inPieces: true })
      }
      const read = (format: string) => readFileSync(join(directory, `sub/a.wav.${format}`), "utf8")
      expect(read("txt")).toBe("One two. Three.\n")
      expect(JSON.parse(read("json"))).toEqual(result)
      expect(read("srt")).toContain("00:00:01,600 --> 00:00:03,000\nThree.\n")
      expect(read("vtt")).toMatch(/^WEBVTT\n/)
      expect(readdirSync(join(directory, "sub")).length).toBe(4)
      expect(readdirSync(join(directory, ".pieces"))).toEqual([])
    })
  )

  it.effect("without times is one subtitle, and an empty one has none", () =>
    Effect.gen(function* () {
      const output = { directory: join(folder, "untimed"), format: "srt" } as const
      yield* complete(output, record("a", { result: { ...result, segments: [] } }))
      yield* complete(output, record("b", { result: { ...result, segments: [], text: "" } }))
      expect(readFileSync(join(output.directory, "a.srt"), "utf8")).toBe(
        "1\n00:00:00,000 --> 00:00:03,000\nOne two. Three.\n"
      )
      expect(readFileSync(join(output.directory, "b.srt"), "utf8")).toBe("")
    })
  )

  it.effect("whose name is that of a folder is an error that says what to do, and leaves no part", () =>
    Effect.gen(function* () {
      const directory = join(folder, "taken")
      mkdirSync(join(directory, "a.txt"), { recursive: true })
      const error = yield* Effect.flip(complete({ directory, format: "txt" }, record("a")))
      expect(error).toMatchObject({ _tag: "ArchiveOutputFailed", code: "EISDIR", path: join(directory, "a.txt") })
      expect(error.message).toMatch(
        /or a folder has its name\. Rename one of them\. The result is recorded: repair writes it again, without a call\.$/
      )
      expect(readdirSync(directory)).toEqual(["a.txt"])
    })
  )

  it.effect("on a full disk is an error that says what to do, and leaves no part", () =>
    Effect.gen(function* () {
      const directory = join(folder, "full")
      const error = yield* Effect.flip(complete({ directory, format: "txt" }, record("a"))).pipe(
        Effect.provide(fullDisk)
      )
      expect(error.message).toBe(
        `${join(directory, "a.txt")} can't be written: the disk is full. Free some space. The result is recorded: repair writes it again, without a call.`
      )
      expect(readdirSync(directory)).toEqual([])
    })
  )

  it("that can't be written or read for want of open files is an error that says what to do", () => {
    for (const code of ["EMFILE", "ENFILE"]) {
      const error = Object.assign(new Error("too many open files"), { code })
      const advice = `the process has too many open files (${code}). Raise the limit of open files (ulimit -n).`
      expect(outputFailed("/out/a.txt", error, "recorded").message).toBe(
        `/out/a.txt can't be written: ${advice} The result is recorded: repair writes it again, without a call.`
      )
      expect(outputUnreadable("/out/a.wav", error).message).toBe(
        `/out/a.wav can't be read, and so not compared: ${advice}`
      )
    }
  })

  it.effect("is a line of results.jsonl without times and ids, if its file is settled", () =>
    Effect.gen(function* () {
      const directory = join(folder, "lines")
      const error = { tag: "FileGone", message: "It is gone." }
      const files = Stream.make(
        record("b\n.wav"),
        record("a", { state: "failed", error, result: undefined }),
        record("p", { state: "pending", result: undefined }),
        record("h", { state: "held", error, result: undefined })
      )
      const pending = Stream.make(record("q", { state: "pending", result: undefined }))
      yield* writeResults(directory, Stream.concat(files, pending))
      expect(readFileSync(join(directory, "results.jsonl"), "utf8").split("\n")).toEqual([
        JSON.stringify({ path: "b\n.wav", state: "done", result }),
        JSON.stringify({ path: "a", state: "failed", error }),
        JSON.stringify({ path: "h", state: "held", error }),
        ""
      ])
      const failing = writeResults(directory, Stream.concat(files, Stream.fail("away")))
      expect(yield* Effect.flip(failing)).toBe("away")
      expect(readdirSync(directory)).toEqual(["results.jsonl"])
    })
  )
})

describe("the settings of a run", () => {
  const check = (changes: Partial<Run.RunSettings>, limits: Run.Limits = {}) =>
    Effect.flip(validate({ ...settings, ...changes }, limits))
  const wrong = (operation: object) => ({ operation: operation as Operation.Operation })

  it.effect.each([
    [
      check({ operation: Operation.transcribe({ model: " " }) }),
      "operation.model must not be empty: the model decides the language"
    ],
    [
      check({ operation: Operation.transcribe({ model: "m", maximum: "5 millis" }) }),
      "operation.maximum must be from a second to an hour, in whole milliseconds"
    ],
    [
      check({ operation: Operation.transcribe({ model: "m", additionalFields: { model: "x" } }) }),
      "operation.additionalFields must not hold model, which is a field of the request itself"
    ],
    [check({ operation: Operation.synthesize({ speed: 5 }) }), "operation.speed must be a number from 0.25 to 4"],
    [
      check(wrong({ _tag: "Transcribe", model: "m", aux: true })),
      "operation.aux is not a known field; see additionalFields"
    ],
    [check({ operation: Operation.synthesize() }), "output.format must be wav for a synthesis"],
    [
      check({ output: { directory: "/out", format: "wav" } }),
      "output.format must be txt, json, srt or vtt for a transcription"
    ],
    [check({}, { maxFiles: -1 }), "limits.maxFiles must be "],
    [check({}, { callsPerSecond: 0 }), "limits.callsPerSecond must be "]
  ] as const)("are checked by the rules of the requests, before anything is listed (%#)", ([failing, problem]) =>
    Effect.gen(function* () {
      const error = yield* failing
      expect(error._tag).toBe("ArchiveRunInvalid")
      expect(error.message).toContain(`The run did not start: ${problem}`)
    })
  )
})

import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import { AudioSource, Recording } from "@effect-speech/stt"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { withOpenedFiles } from "effect-speech-test-support/openedFiles"
import { filePartOf } from "../src/internal/filePart.js"

const pathOf = (name: string): string =>
  fileURLToPath(new URL(`../../audio-codec/test/recordings/${name}`, import.meta.url))
const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(pathOf(name)))

const inspect = (source: AudioSource.AudioSource) => Effect.provide(Recording.inspect(source), NodeFileSystem.layer)

const ascii = (text: string) => new TextEncoder().encode(text)
const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))

describe("what a recording is", () => {
  it.effect.each([
    { name: "xing.mp3", container: "mp3", sampleRate: 16_000, channels: 2, durationMillis: 288 },
    { name: "stereo.m4a", container: "m4a", sampleRate: 44_100, channels: 2, durationMillis: 200 },
    { name: "opus.ogg", container: "ogg", sampleRate: 8000, channels: 1, durationMillis: 200 }
  ])("is the same from a file, from bytes, from a Blob and from a stream: $name", ({ name, ...expected }) =>
    Effect.gen(function* () {
      const bytes = bytesOf(name)
      const sources = [
        AudioSource.fromPath(pathOf(name)),
        AudioSource.fromBytes(bytes, { filename: "misnamed.flac" }),
        AudioSource.fromBlob(new Blob([new Uint8Array(bytes)])),
        AudioSource.fromStream(Stream.fromIterable(Array.from(bytes, (byte) => Uint8Array.of(byte))))
      ]
      for (const source of sources) {
        expect(yield* inspect(source)).toEqual({ ...expected, bytes: bytes.byteLength })
      }
    })
  )
})

describe("reading the header of a recording", () => {
  it.effect("takes 256 KiB of a stream, and closes it", () =>
    Effect.gen(function* () {
      let given = 0
      let closed = 0
      const endless = Stream.repeatEffect(Effect.sync(() => (given++ === 0 ? ascii("OggS") : new Uint8Array(65_536))))
      const source = AudioSource.fromStream(
        Stream.ensuring(
          endless,
          Effect.sync(() => closed++)
        )
      )
      expect(yield* inspect(source)).toEqual({ container: "ogg" })
      expect(given).toBeLessThanOrEqual(6)
      expect(closed).toBe(1)
    })
  )

  it.scoped("is no failure if a box ends far beyond the file, or if the file is cut meanwhile", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* fs.makeTempFileScoped()
      const type = joined(Uint8Array.of(0, 0, 0, 12), ascii("ftypM4A "))
      const far = joined(Uint8Array.of(0, 0, 0, 1), ascii("free"), new Uint8Array(8).fill(255))
      yield* fs.writeFile(path, joined(type, far))
      const inspecting = Recording.inspect(AudioSource.fromPath(path))
      expect(yield* inspecting).toEqual({ container: "m4a", bytes: 28 })

      yield* fs.writeFile(path, type)
      const longer = withOpenedFiles(fs, ({ stat }) => ({
        stat: Effect.map(stat, (info) => ({ ...info, size: FileSystem.Size(1000) }))
      }))
      const inspected = yield* Effect.provideService(inspecting, FileSystem.FileSystem, longer)
      expect(inspected).toEqual({ container: "m4a", bytes: 1000 })
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.effect("does not read a one-shot stream", () =>
    Effect.gen(function* () {
      let given = 0
      const bytes = Stream.fromEffect(Effect.sync(() => Uint8Array.of(given++)))
      expect(yield* inspect(AudioSource.fromOneShotStream(bytes))).toEqual({})
      expect(given).toBe(0)
    })
  )

  it.scoped("reads a few blocks of a large file, even if its header is at the end", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* fs.makeTempFileScoped()
      const tone = bytesOf("tone.m4a")
      const gap = 2 ** 32
      // The box of the samples becomes one of 4 GiB, which takes no space on the disk.
      const samplesAt = Buffer.from(tone).indexOf("mdat") - 4
      const behind = samplesAt + new DataView(tone.buffer).getUint32(samplesAt)
      const header = joined(Uint8Array.of(0, 0, 0, 1), ascii("mdat"), new Uint8Array(8))
      new DataView(header.buffer).setBigUint64(8, BigInt(gap))
      const file = yield* fs.open(path, { flag: "w" })
      yield* file.writeAll(joined(tone.subarray(0, samplesAt), header))
      yield* file.seek(FileSystem.Size(samplesAt + gap), "start")
      yield* file.writeAll(tone.subarray(behind))

      let read = 0
      const counting = withOpenedFiles(fs, ({ readAlloc }) => ({
        readAlloc: (size: FileSystem.SizeInput) => {
          read += Number(size)
          return readAlloc(size)
        }
      }))
      const recording = yield* Effect.provideService(
        Recording.inspect(AudioSource.fromPath(path)),
        FileSystem.FileSystem,
        counting
      )
      expect(recording).toMatchObject({ container: "m4a", channels: 1, durationMillis: 200 })
      expect(read).toBeGreaterThan(0)
      expect(read).toBeLessThan(10_000)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.scoped("refuses a pipe without opening it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/pipe`
      execFileSync("mkfifo", [path])
      const inspected = yield* Effect.flip(Recording.inspect(AudioSource.fromPath(path)))
      expect(inspected.message).toContain("send the stream")
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})

it("a recording is sent under a name that ends as its container does", () => {
  expect(filePartOf("call.mp3", "flac")).toEqual({ filename: "call.flac", contentType: "audio/flac" })
  expect(filePartOf("audio", "wav")).toEqual({ filename: "audio.wav", contentType: "audio/wav" })
  expect(filePartOf("v1.2", "ogg")).toEqual({ filename: "v1.2.ogg", contentType: "audio/ogg" })
  expect(filePartOf("call.WAV", "wav")).toEqual({ filename: "call.WAV", contentType: "audio/wav" })
  expect(filePartOf("call.MP3", undefined)).toEqual({ filename: "call.MP3", contentType: "audio/mpeg" })
  const unknown = "application/octet-stream"
  expect(filePartOf("a.constructor", undefined)).toEqual({ filename: "a.constructor", contentType: unknown })
  for (const filename of ["wav", ".wav", "call.wav."]) {
    expect(filePartOf(filename, undefined)).toEqual({ filename, contentType: unknown })
  }
})

import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import { sniff } from "@effect-speech/audio-codec/Container"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { AudioSource, Recording } from "@effect-speech/stt"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { filePartOf } from "../src/internal/filePart.js"

const pathOf = (name: string): string =>
  fileURLToPath(new URL(`../../audio-codec/test/recordings/${name}`, import.meta.url))
const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(pathOf(name)))

const inspect = (source: AudioSource.AudioSource) => Effect.provide(Recording.inspect(source), NodeFileSystem.layer)

const inspectBytes = (bytes: Uint8Array) => inspect(AudioSource.fromBytes(bytes))

const ascii = (text: string) => new TextEncoder().encode(text)
const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))

/**
 * A tone of 0.2 s that ffmpeg encoded, and what `ffprobe` says of it: of Opus it gives the rate and the length of what
 * the decoder gives, 48 kHz and 6.5 ms longer.
 */
const encoded = [
  { name: "cbr.mp3", container: "mp3", sampleRate: 8000, channels: 1, durationMillis: 360 },
  { name: "xing.mp3", container: "mp3", sampleRate: 16_000, channels: 2, durationMillis: 288 },
  { name: "tone.m4a", container: "m4a", sampleRate: 8000, channels: 1, durationMillis: 200 },
  { name: "stereo.m4a", container: "m4a", sampleRate: 44_100, channels: 2, durationMillis: 200 },
  { name: "fragments.m4a", container: "m4a", sampleRate: 8000, channels: 1, durationMillis: undefined },
  { name: "tone.flac", container: "flac", sampleRate: 8000, channels: 1, durationMillis: 200 },
  { name: "vorbis.ogg", container: "ogg", sampleRate: 8000, channels: 1, durationMillis: 200 },
  { name: "opus.ogg", container: "ogg", sampleRate: 8000, channels: 1, durationMillis: 200 },
  { name: "opus.webm", container: "webm", sampleRate: 8000, channels: 1, durationMillis: 208 },
  { name: "streamed.webm", container: "webm", sampleRate: 8000, channels: 1, durationMillis: undefined }
] as const

describe("what a recording is", () => {
  it.effect.each(encoded)(
    "is told for $name, from a file, from bytes, from a Blob and from a stream",
    ({ name, ...expected }) =>
      Effect.gen(function* () {
        const bytes = bytesOf(name)
        const sources = [
          AudioSource.fromPath(pathOf(name)),
          AudioSource.fromBytes(bytes),
          AudioSource.fromBlob(new Blob([new Uint8Array(bytes)])),
          AudioSource.fromStream(() => Stream.fromIterable(Array.from(bytes, (byte) => Uint8Array.of(byte))))
        ]
        for (const source of sources) {
          expect(yield* inspect(source)).toEqual({ ...expected, bytes: bytes.byteLength })
        }
      })
  )

  const format = { sampleRate: 8000, channels: 2, encoding: "alaw" } as const
  const samples = new Uint8Array(3200)
  const told = { container: "wav", sampleRate: 8000, channels: 2, durationMillis: 200 }

  it.effect.each([
    { what: "a WAV file", file: Wav.encode(format, samples) },
    { what: "one whose header was written before its length was known", file: joined(Wav.header(format), samples) },
    { what: "an RF64", file: joined(Wav.header(format, 2 ** 33), samples) }
  ])("is told for $what", ({ file }) =>
    Effect.gen(function* () {
      expect(yield* inspectBytes(file)).toEqual({ ...told, bytes: file.byteLength })
    })
  )

  it.effect("is told for a WAV file in a codec that is not read, as far as that goes", () =>
    Effect.gen(function* () {
      const file = Wav.encode(format, samples)
      file[20] = 49
      expect(yield* inspectBytes(file)).toEqual({ container: "wav", bytes: file.byteLength })
    })
  )

  it.effect("goes by the bytes and not by the name", () =>
    Effect.gen(function* () {
      const source = AudioSource.fromBytes(bytesOf("tone.flac"), { filename: "tone.mp3" })
      expect((yield* inspect(source)).container).toBe("flac")
    })
  )

  it.effect("crosses a process boundary as JSON", () =>
    Effect.gen(function* () {
      const recording = yield* inspectBytes(bytesOf("streamed.webm"))
      const json = JSON.parse(JSON.stringify(recording))
      expect(yield* Schema.decodeUnknown(Recording.Recording)(json)).toEqual(recording)
    })
  )
})

describe("looking at a recording", () => {
  it.effect("takes 256 KiB of a stream, and closes it", () =>
    Effect.gen(function* () {
      let given = 0
      let closed = 0
      const endless = Stream.repeatEffect(Effect.sync(() => (given++ === 0 ? ascii("OggS") : new Uint8Array(65_536))))
      const source = AudioSource.fromStream(() =>
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

  it.scoped("is no failure where a box of a file leads far beyond it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* fs.makeTempFileScoped()
      const far = joined(Uint8Array.of(0, 0, 0, 1), ascii("free"), new Uint8Array(8).fill(255))
      yield* fs.writeFile(path, joined(Uint8Array.of(0, 0, 0, 12), ascii("ftypM4A "), far))
      expect(yield* inspect(AudioSource.fromPath(path))).toEqual({ container: "m4a", bytes: 28 })
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.scoped("is no failure where the file is cut meanwhile", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* fs.makeTempFileScoped()
      yield* fs.writeFile(path, joined(Uint8Array.of(0, 0, 0, 12), ascii("ftypM4A ")))
      const longer = FileSystem.FileSystem.of({
        ...fs,
        stat: (file) => Effect.map(fs.stat(file), (info) => ({ ...info, size: FileSystem.Size(1000) }))
      })
      const told = yield* Effect.provideService(
        Recording.inspect(AudioSource.fromPath(path)),
        FileSystem.FileSystem,
        longer
      )
      expect(told).toEqual({ container: "m4a", bytes: 1000 })
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.effect("leaves a stream alone that can be read but once", () =>
    Effect.gen(function* () {
      let given = 0
      const bytes = Stream.fromEffect(Effect.sync(() => Uint8Array.of(given++)))
      expect(yield* inspect(AudioSource.fromOneShotStream(bytes))).toEqual({})
      expect(given).toBe(0)
    })
  )

  it.scoped("reads a few blocks of a large file, though what describes it stands at its end", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* fs.makeTempFileScoped()
      const tone = bytesOf("tone.m4a")
      const gap = 2 ** 32
      // The box with the samples becomes one of 4 GiB, which the disk need not hold.
      const samplesAt = Buffer.from(tone).indexOf("mdat") - 4
      const behind = samplesAt + new DataView(tone.buffer).getUint32(samplesAt)
      const header = joined(Uint8Array.of(0, 0, 0, 1), ascii("mdat"), new Uint8Array(8))
      new DataView(header.buffer).setBigUint64(8, BigInt(gap))
      const file = yield* fs.open(path, { flag: "w" })
      yield* file.writeAll(joined(tone.subarray(0, samplesAt), header))
      yield* file.seek(FileSystem.Size(samplesAt + gap), "start")
      yield* file.writeAll(tone.subarray(behind))

      let read = 0
      const counting = FileSystem.FileSystem.of({
        ...fs,
        open: (name, options) =>
          Effect.map(fs.open(name, options), (opened) => ({
            ...opened,
            seek: (offset: FileSystem.SizeInput, from: FileSystem.SeekMode) => opened.seek(offset, from),
            readAlloc: (size: FileSystem.SizeInput) => {
              read += Number(size)
              return opened.readAlloc(size)
            }
          }))
      })
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

  it.scoped("refuses a pipe, which may never be written to, without opening it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/pipe`
      execFileSync("mkfifo", [path])
      const told = yield* Effect.flip(Recording.inspect(AudioSource.fromPath(path)))
      expect(told.message).toContain("AudioSource.fromOneShotStream")
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.effect.each([
    { what: "does not exist", source: AudioSource.fromPath("/does/not/exist.wav"), problem: "does not exist" },
    { what: "is a folder", source: AudioSource.fromPath("/"), problem: "is a folder" },
    { what: "is empty", source: AudioSource.fromBytes(new Uint8Array(0)), problem: "is empty" },
    { what: "fails", source: AudioSource.fromStream(() => Stream.fail("oops")), problem: "its stream failed" },
    {
      what: "ends early",
      source: AudioSource.fromStream(() => Stream.make(Uint8Array.of(1)), { byteLength: 2 }),
      problem: "ended after 1 of 2"
    }
  ])("fails for one that $what", ({ problem, source }) =>
    Effect.gen(function* () {
      const told = yield* Effect.flip(inspect(source))
      expect(told._tag).toBe("SttAudioUnreadable")
      expect(told.message).toContain(problem)
    })
  )
})

describe("bytes that make no sense", () => {
  const isRecording = Schema.is(Recording.Recording)
  const makesARecording = async (bytes: Uint8Array) => {
    expect(isRecording(await Effect.runPromise(inspectBytes(bytes)))).toBe(true)
  }

  it.each(encoded)("are no failure, wherever $name is cut", async ({ name }) => {
    const bytes = bytesOf(name)
    for (let length = 1; length < bytes.byteLength; length += 3) await makesARecording(bytes.subarray(0, length))
  })

  it("are no failure, whatever is written into a recording", async () => {
    const files = encoded.map(({ name }) => bytesOf(name))
    const damage = FastCheck.array(FastCheck.tuple(FastCheck.nat(600), FastCheck.nat(255)), {
      minLength: 1,
      maxLength: 8
    })
    await FastCheck.assert(
      FastCheck.asyncProperty(FastCheck.constantFrom(...files), damage, async (file, changes) => {
        const damaged = file.slice()
        // The first bytes stay, so that it is read as what it was.
        for (const [at, byte] of changes) damaged[16 + at] = byte
        await makesARecording(damaged)
      }),
      { numRuns: 1000 }
    )
  })

  it("end the looking soon, where boxes or elements never do", async () => {
    const boxes = new Uint8Array(8_000_000)
    for (let at = 0; at < boxes.byteLength; at += 8) boxes.set([0, 0, 0, 8, 102, 116, 121, 112], at)
    const elements = new Uint8Array(8_000_000).fill(0xae)
    elements.set([0x1a, 0x45, 0xdf, 0xa3, 0x80])
    const before = performance.now()
    expect(await Effect.runPromise(inspectBytes(boxes))).toEqual({ container: "m4a", bytes: 8_000_000 })
    expect(await Effect.runPromise(inspectBytes(elements))).toEqual({ container: "webm", bytes: 8_000_000 })
    expect(performance.now() - before).toBeLessThan(2000)
  })
})

describe("the container", () => {
  it.each([
    ["a WAV file", ascii("RIFF....WAVE"), "wav"],
    ["a big-endian one", ascii("RIFX....WAVE"), "wav"],
    ["a large one", ascii("RF64....WAVE"), "wav"],
    ["a large one of broadcasters", ascii("BW64....WAVE"), "wav"],
    ["another RIFF file", ascii("RIFF....AVI "), undefined],
    ["an MP3 with a tag", ascii("ID3\x04"), "mp3"],
    ["an MP3 without", Uint8Array.of(0xff, 0xfb, 0x90, 0x00), "mp3"],
    ["an MP3 frame of a bitrate that there is not", Uint8Array.of(0xff, 0xfb, 0xf0, 0x00), undefined],
    ["AAC without a container", Uint8Array.of(0xff, 0xf1, 0x6c, 0x40), undefined],
    ["text in UTF-16", Uint8Array.of(0xff, 0xfe, 0x41, 0x00), undefined],
    ["an M4A", ascii("\0\0\0\x1cftypM4A "), "m4a"],
    ["nothing", new Uint8Array(0), undefined]
  ] as const)("of %s is told by its first bytes", (_, beginning, container) => {
    expect(sniff(beginning)).toBe(container)
  })

  it("names the part of a form, where the name of the file tells nothing or something else", () => {
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
})

import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, statSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { describe, expect, it, layer } from "@effect/vitest"
import { type AudioFormat, Pcm, PcmStream, Wav } from "@effect-speech/audio-codec"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { audio, cutAt, cuts } from "./wavArbitrary.js"
import { wavLaws } from "./wavLaws.js"

const telephony: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }
const float: AudioFormat.AudioFormat = { sampleRate: 24_000, channels: 1, encoding: "float32" }
const alaw: AudioFormat.AudioFormat = { ...telephony, encoding: "alaw" }
const mulaw: AudioFormat.AudioFormat = { ...telephony, encoding: "mulaw" }

const uint16 = (value: number) => Uint8Array.of(value, value >>> 8)
const uint32 = (value: number) => new Uint8Array(Uint32Array.of(value).buffer)
const uint64 = (value: number) => new Uint8Array(BigUint64Array.of(BigInt(value)).buffer)
const joined = (...parts: ReadonlyArray<string | Uint8Array>) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)))
const isEqual = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0

describe("the header", () => {
  const fields = (tag: number, rate: number, size: number) =>
    joined(uint16(tag), uint16(1), uint32(rate), uint32(rate * size), uint16(size), uint16(8 * size))
  const ofPcm16 = joined("WAVEfmt ", uint32(16), fields(1, 8000, 2), "data")
  const withFact = (tag: number, rate: number, size: number, frames: number) =>
    joined("WAVEfmt ", uint32(18), fields(tag, rate, size), uint16(0), "fact", uint32(4), uint32(frames), "data")
  const last = 0xfffffffe - 36
  const unknown = uint32(0xffffffff)
  const ds64 = joined(
    "WAVEds64",
    uint32(28),
    uint64(last + 2 + 72),
    uint64(last + 2),
    uint64((last + 2) / 2),
    uint32(0)
  )

  it.each([
    ["16 bits: the canonical 44 bytes", telephony, 1000, joined("RIFF", uint32(1036), ofPcm16, uint32(1000))],
    ["float", float, 4000, joined("RIFF", uint32(4050), withFact(3, 24_000, 4, 1000), uint32(4000))],
    ["A-law", alaw, 4000, joined("RIFF", uint32(4050), withFact(6, 8000, 1, 4000), uint32(4000))],
    ["mu-law", mulaw, 4000, joined("RIFF", uint32(4050), withFact(7, 8000, 1, 4000), uint32(4000))],
    ["unknown length", telephony, undefined, joined("RIFF", unknown, ofPcm16, unknown)],
    ["float of unknown length", float, undefined, joined("RIFF", unknown, withFact(3, 24_000, 4, 0), unknown)],
    ["the largest RIFF", telephony, last, joined("RIFF", uint32(0xfffffffe), ofPcm16, uint32(last))],
    ["the smallest RF64", telephony, last + 2, joined("RF64", unknown, ds64, ofPcm16.subarray(4), unknown)]
  ])("has the bytes of its format and length: %s", (_, format, length, bytes) => {
    expect(Buffer.from(Wav.header(format, length)).toString("hex")).toBe(bytes.toString("hex"))
  })

  it.each([
    { ...telephony, channels: 0 },
    { ...telephony, channels: 40_000 },
    { ...telephony, sampleRate: 8000.5 }
  ])("refuses a format that no WAV file can have", (format) => {
    expect(() => Wav.header(format)).toThrow(RangeError)
  })

  it("refuses a length that is not whole frames", () => {
    expect(() => Wav.encode(telephony, new Uint8Array(3))).toThrow("whole frames of 2 bytes")
    for (const length of [-2, 1.5, Number.NaN]) expect(() => Wav.header(telephony, length)).toThrow(RangeError)
  })
})

describe("reading the header alone", () => {
  const format = { sampleRate: 8000, channels: 2, encoding: "pcm16" } as const

  it.each([
    ["the declared length", 4000, undefined, 4000],
    ["whole frames of a shorter file", 4000, 44 + 1003, 1000],
    ["the declared length in a longer file", 4000, 44 + 5000, 4000],
    ["no length in a streamed file", undefined, undefined, undefined],
    ["the length of a streamed file of known size", undefined, 44 + 1000, 1000]
  ])("gives %s", (_, declared, fileLength, byteLength) => {
    expect(Wav.decodeHeader(Wav.header(format, declared), fileLength)).toEqual(Either.right({ format, byteLength }))
  })

  it("fails if the bytes end before the samples begin", () => {
    expect(Wav.decodeHeader(Wav.header(format, 4000).subarray(0, 40))).toMatchObject({ left: { reason: "Malformed" } })
  })
})

describe("reading", () => {
  it.each(Object.entries(wavLaws))("holds a law: %s", (_, law) => {
    FastCheck.assert(law, { numRuns: 300 })
  })

  it("as a stream does not depend on its chunks", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(audio, cuts, ({ bytes, format }, sizes) =>
        Effect.gen(function* () {
          const file = Wav.encode(format, bytes)
          const decoded = yield* Wav.decodeStream(Stream.fromIterable(cutAt(file, sizes)))
          expect(decoded.format).toEqual(format)
          expect(isEqual(yield* PcmStream.collect(decoded), bytes)).toBe(true)
        }).pipe(Effect.scoped, Effect.runPromise)
      )
    ))

  it("takes the whole frames of a file that ends early", () => {
    const cut = Wav.encode(telephony, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)).subarray(0, 44 + 5)
    expect([...Either.getOrThrow(Wav.decode(cut)).bytes]).toEqual([1, 2, 3, 4])
  })

  it("takes bits that do not fill their bytes for the upper ones", () => {
    const file = mutate(Wav.encode({ ...telephony, encoding: "pcm24" }, new Uint8Array(6)), 34, 20)
    expect(Either.getOrThrow(Wav.decode(file)).format.encoding).toBe("pcm24")
  })

  it("takes a file whose block align alone is wrong, as other readers do", () => {
    const samples = Uint8Array.of(1, 2, 3, 4)
    for (const blockAlign of [0, 1, 4]) {
      const file = mutate(Wav.encode(telephony, samples), 32, blockAlign)
      expect(Either.getOrThrow(Wav.decode(file))).toEqual({ format: telephony, bytes: samples })
    }
  })

  it.effect("ends with the data chunk, whatever follows it", () =>
    Effect.gen(function* () {
      const file = Wav.encode(telephony, Uint8Array.of(1, 2, 3, 4))
      const decoded = yield* Wav.decodeStream(Stream.concat(Stream.make(file), Stream.never))
      expect([...(yield* PcmStream.collect(decoded))]).toEqual([1, 2, 3, 4])
    }).pipe(Effect.scoped)
  )

  it.effect("twice from the same stream is a defect, and not silence", () =>
    Effect.gen(function* () {
      const decoded = yield* Wav.decodeStream(Stream.make(Wav.encode(telephony, Uint8Array.of(1, 2))))
      yield* PcmStream.collect(decoded)
      expect(String(yield* Effect.sandbox(PcmStream.collect(decoded)).pipe(Effect.flip))).toContain("only once")
    }).pipe(Effect.scoped)
  )

  it("keeps an incomplete frame when the producer reuses its block", () => {
    const decoder = Pcm.makeDecoder(telephony)
    const block = Buffer.from([1, 0, 2])
    const first = [...decoder.push(block)]
    block.fill(0xff)
    expect([...first, ...decoder.push(Uint8Array.of(0, 3, 0))]).toEqual([1, 2, 3].map((sample) => sample / 0x8000))
  })

  const escapes = String.raw`"\u001b[\u009b2" and "\u0085\u007f\u00ff\u00e9"`
  it.each([
    ["nothing at all", Buffer.alloc(0), "NotWav"],
    ["an MP3", Buffer.from("ID3\x04\x00\x00\x00\x00\x00\x00\x00\x00", "latin1"), "NotWav"],
    ["bytes that a terminal obeys", Buffer.from("\x1b[\x9b21234\x85\x7f\xffé", "latin1"), "NotWav", escapes],
    ["a file without data", Wav.encode(telephony, new Uint8Array(0)).subarray(0, 36), "Malformed"],
    ["data before the format", Buffer.from("RIFF\x00\x00\x00\x00WAVEdata\x00\x00\x00\x00", "latin1"), "Malformed"],
    ["an unsupported codec, which it names", mutate(Wav.header(telephony, 0), 20, 0x31), "Unsupported", "GSM 6.10"],
    ["no channels", mutate(Wav.header(telephony, 0), 22, 0), "Malformed"],
    ["a format that is too short", mutate(Wav.header(telephony, 0), 16, 14), "Malformed"],
    ["bits that are none of its codec's", mutate(Wav.header(float, 0), 34, 16), "Unsupported"],
    ["frames of another size than its samples", mutate(mutate(Wav.header(telephony, 0), 32, 4), 28, 0), "Unsupported"]
  ])("refuses %s with a reason and the place", (_, file, reason, found = "") => {
    const error = Either.getOrThrow(Either.flip(Wav.decode(file)))
    expect(error.reason).toBe(reason)
    expect(error.message).toContain(`at byte ${error.offset}`)
    expect(error.found).toContain(found)
    expect(JSON.parse(JSON.stringify(error)).message).toBe(error.message)
  })
})

function mutate(bytes: Uint8Array, offset: number, value: number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[offset] = value
  return changed
}

const inFolder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  return { fs, folder, path: `${folder}/speech.wav` }
})

layer(NodeFileSystem.layer)("writing a file", (it) => {
  const short = PcmStream.fromBytes(telephony, new Uint8Array(2))

  it.scoped("gives the right sizes, whether the length was known or not", () =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      for (const format of [telephony, float]) {
        const stream = Stream.make(new Uint8Array(1000), new Uint8Array(0), new Uint8Array(3000))
        for (const byteLength of [4000, undefined]) {
          const written = yield* Wav.writeFile({ format, byteLength, stream }, path)
          const file = yield* fs.readFile(path)
          expect(written.dataLength).toBe(4000)
          expect(isEqual(file, Wav.encode(format, new Uint8Array(4000)))).toBe(true)
        }
      }
      expect(yield* fs.readDirectory(folder)).toEqual(["speech.wav"])
    })
  )

  it.scoped("and repairing do so also if writing takes no position, as on Bun", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      const inOrder = FileSystem.FileSystem.of({
        ...fs,
        open: (name, options) =>
          Effect.map(fs.open(name, options), (opened) => {
            let written = 0
            const original = opened.writeAll.bind(opened)
            const writeAll = (bytes: Uint8Array) => {
              const toEnd = opened.seek(FileSystem.Size(written), "start")
              written += bytes.byteLength
              return Effect.zipRight(toEnd, original(bytes))
            }
            return Object.assign(opened, { writeAll })
          })
      })
      // Longer than one read.
      const note = new Uint8Array(700_000).fill(7)
      const samples = new Uint8Array(4000).fill(9)
      yield* Wav.writeFile({ format: telephony, stream: Stream.make(samples) }, path).pipe(
        Effect.provideService(FileSystem.FileSystem, inOrder)
      )
      const whole = Wav.encode(telephony, samples)
      expect(isEqual(yield* fs.readFile(path), whole)).toBe(true)

      const list = joined("LIST", uint32(note.byteLength), note)
      const noted = joined(whole.subarray(0, 36), list, whole.subarray(36))
      noted.writeUInt32LE(noted.byteLength - 8, 4)
      const streamed = Buffer.from(noted)
      for (const size of [4, 36 + list.byteLength + 4]) streamed.writeUInt32LE(0xffffffff, size)
      yield* fs.writeFile(path, streamed)
      yield* Effect.provideService(Wav.repair(path), FileSystem.FileSystem, inOrder)
      expect(isEqual(yield* fs.readFile(path), noted)).toBe(true)
    })
  )

  it.scoped("does not depend on the sizes of chunks", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      const samples = Uint8Array.from({ length: 2_000_000 }, (_, index) => (index * 31) >>> 7)
      const whole = Wav.encode(telephony, samples)
      const gathered = [120_000, 120_000, 120_000, 120_000, 120_000, 300_000]
      for (const sizes of [[60_000], [300_000], [2, 300_000, 100_000], [262_144], [262_142], [2_000_000], gathered]) {
        yield* Wav.writeFile({ format: telephony, stream: Stream.fromIterable(cutAt(samples, sizes)) }, path)
        expect(isEqual(yield* fs.readFile(path), whole)).toBe(true)
      }
    })
  )

  it.scoped("leaves the old file, and nothing else, if the audio fails", () =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      yield* fs.writeFileString(path, "old")
      const stream = Stream.concat(Stream.make(new Uint8Array(1000)), Stream.fail("cut"))
      const error = yield* Effect.flip(Wav.writeFile({ format: telephony, stream }, path))
      expect(error).toBe("cut")
      expect(yield* fs.readFileString(path)).toBe("old")
      expect(yield* fs.readDirectory(folder)).toEqual(["speech.wav"])
    })
  )

  it.scoped("leaves nothing if it is interrupted", () =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      const begun = yield* Deferred.make<void>()
      const stream = Stream.make(new Uint8Array(1000)).pipe(
        Stream.concat(Stream.execute(Deferred.succeed(begun, undefined))),
        Stream.concat(Stream.never)
      )
      const fiber = yield* Effect.fork(Wav.writeFile({ format: telephony, stream }, path))
      yield* Deferred.await(begun)
      expect((yield* fs.readDirectory(folder)).length).toBe(1)
      yield* Fiber.interrupt(fiber)
      expect(yield* fs.readDirectory(folder)).toEqual([])
    })
  )

  it.scoped("is not closed by an interrupt while the system writes", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      const begun = yield* Deferred.make<void>()
      const events: Array<string> = []
      const happens = (event: string) => Effect.sync(() => events.push(event))
      const slow = FileSystem.FileSystem.of({
        ...fs,
        open: (name, options) =>
          Effect.map(
            Effect.zipLeft(
              fs.open(name, options),
              Effect.addFinalizer(() => happens("closed"))
            ),
            (opened) => {
              const writeAll = () =>
                Deferred.succeed(begun, undefined).pipe(
                  Effect.zipRight(Effect.promise(() => setTimeout(20))),
                  Effect.zipRight(happens("written"))
                )
              return Object.assign(opened, { writeAll })
            }
          )
      })
      const stream = Stream.forever(Stream.make(new Uint8Array(100_000)))
      const writing = Effect.provideService(
        Wav.writeFile({ format: telephony, stream }, path),
        FileSystem.FileSystem,
        slow
      )
      const fiber = yield* Effect.fork(writing)
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      expect(events.slice(-2)).toEqual(["written", "closed"])
    })
  )

  it.scoped("leaves the old file, and nothing else, if the disk is full", () =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      yield* fs.writeFileString(path, "old")
      const full = new SystemError({
        module: "FileSystem",
        method: "writeAll",
        reason: "Unknown",
        description: "ENOSPC"
      })
      let written = 0
      const limited = FileSystem.FileSystem.of({
        ...fs,
        open: (name, options) =>
          Effect.map(fs.open(name, options), (opened) => {
            const writeAll = opened.writeAll.bind(opened)
            return Object.assign(opened, {
              writeAll: (bytes: Uint8Array) =>
                Effect.suspend(() => {
                  written += bytes.byteLength
                  return written > 600_000 ? Effect.fail(full) : writeAll(bytes)
                })
            })
          })
      })
      for (const length of [1_000_000, 5_000_000]) {
        const stream = Stream.fromIterable(cutAt(new Uint8Array(length), [100_000]))
        const writing = Wav.writeFile({ format: telephony, stream }, path)
        expect(yield* Effect.flip(Effect.provideService(writing, FileSystem.FileSystem, limited))).toBe(full)
        expect(yield* fs.readFileString(path)).toBe("old")
        expect(yield* fs.readDirectory(folder)).toEqual(["speech.wav"])
      }
    })
  )

  it.scoped("leaves the old file if the process is killed", () =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      yield* fs.writeFileString(path, "old")
      const script = fileURLToPath(new URL("./writeForever.ts", import.meta.url))
      const child = spawn(process.execPath, ["--conditions=@effect-speech/source", "--import", "tsx", script, path], {
        stdio: "inherit"
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
      const begun = () =>
        readdirSync(folder).some((name) => name.endsWith(".part") && statSync(`${folder}/${name}`).size > 1_000_000)
      yield* Effect.promise(async () => {
        while (!begun()) await setTimeout(20)
        child.kill("SIGKILL")
        await once(child, "exit")
      })
      expect(yield* fs.readFileString(path)).toBe("old")
    })
  )

  it.scoped.each([
    { what: "ends early", byteLength: 1002, actual: 1000 },
    { what: "goes on", byteLength: 998, actual: 1000 },
    { what: "ends inside a frame", byteLength: undefined, actual: 999 },
    { what: "never ends", byteLength: 5000, actual: Number.POSITIVE_INFINITY }
  ])("refuses audio that $what", ({ actual, byteLength }) =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      const endless = Stream.repeatValue(new Uint8Array(1000))
      const stream = Number.isFinite(actual) ? Stream.make(new Uint8Array(actual)) : endless
      const error = yield* Effect.flip(Wav.writeFile({ format: telephony, byteLength, stream }, path))
      expect(error).toMatchObject({ _tag: "WavError", reason: "LengthMismatch" })
      expect(yield* fs.readDirectory(folder)).toEqual([])
    })
  )

  it.scoped("copies a file that was cut short", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      const file = Wav.encode(telephony, new Uint8Array(100)).subarray(0, 44 + 51)
      const written = yield* Wav.writeFile(yield* Wav.decodeStream(Stream.make(file)), path)
      expect(written.dataLength).toBe(50)
      expect((yield* fs.readFile(path)).byteLength).toBe(94)
    })
  )

  it.scoped("takes the longest possible name", () =>
    Effect.gen(function* () {
      const { folder, fs } = yield* inFolder
      const name = `${"न".repeat(83)}.wav`
      yield* Wav.writeFile(short, `${folder}/${name}`)
      expect(yield* fs.readDirectory(folder)).toEqual([name])
    })
  )

  it.scoped("follows a link, and keeps the mode of the file that was there", () =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      const link = `${folder}/link.wav`
      yield* fs.writeFileString(path, "old", { mode: 0o600 })
      yield* fs.symlink(path, link)
      yield* Wav.writeFile(short, link)
      expect(yield* fs.readLink(link)).toBe(path)
      expect((yield* fs.stat(path)).mode & 0o777).toBe(0o600)
      expect((yield* fs.readFile(path)).byteLength).toBe(46)
    })
  )

  it.scoped("shows the new content of a private file to its owner alone, also while it is written", () =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      const modeOf = (file: string) => Effect.map(fs.stat(file), ({ mode }) => mode & 0o777)
      yield* fs.writeFileString(`${folder}/usual.wav`, "")
      const usual = yield* modeOf(`${folder}/usual.wav`)
      for (const mode of [undefined, 0o600, 0o644]) {
        if (mode !== undefined) yield* fs.chmod(path, mode)
        const written: Array<number> = []
        const look = Effect.gen(function* () {
          for (const name of yield* fs.readDirectory(folder)) {
            if (name.endsWith(".part")) written.push(yield* modeOf(`${folder}/${name}`))
          }
        })
        const stream = Stream.concat(Stream.make(new Uint8Array(600_000)), Stream.execute(look))
        yield* Wav.writeFile({ format: telephony, stream }, path)
        expect(written).toEqual([mode === undefined ? usual : 0o600])
        expect(yield* modeOf(path)).toBe(mode ?? usual)
      }
    })
  )

  it.scoped("replaces no folder, pipe or device, and makes no folder", () =>
    Effect.gen(function* () {
      const { folder, fs } = yield* inFolder
      const pipe = `${folder}/pipe`
      execFileSync("mkfifo", [pipe])
      for (const [path, reason] of [
        [folder, "BadResource"],
        [pipe, "BadResource"],
        [`${folder}/nowhere/speech.wav`, "NotFound"]
      ] as const) {
        const error = yield* Effect.flip(Wav.writeFile(short, path))
        expect(error).toMatchObject({ _tag: "SystemError", reason, pathOrDescriptor: path })
      }
      expect((yield* fs.stat(pipe)).type).toBe("FIFO")
      expect((yield* Wav.writeFile(short, "/dev/null")).dataLength).toBe(2)
      expect((yield* fs.stat("/dev/null")).type).toBe("CharacterDevice")
    })
  )
})

layer(NodeFileSystem.layer)("reading a file", (it) => {
  it.scoped("gives the length that it declares and has", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      const list = Buffer.from("LIST\x04\x00\x00\x00abcd", "latin1")
      for (const [file, length] of [
        [Buffer.concat([Wav.encode(telephony, new Uint8Array(1000)), list]), 1000],
        [Wav.encode(telephony, new Uint8Array(1000)).subarray(0, 555), 510],
        [Buffer.concat([Wav.header(telephony), new Uint8Array(333)]), 332]
      ] as const) {
        yield* fs.writeFile(path, file)
        const audio = yield* Wav.readFile(path)
        expect(audio.byteLength).toBe(length)
        expect((yield* PcmStream.collect(audio)).byteLength).toBe(length)
      }
    })
  )

  it.scoped("refuses a pipe, with advice", () =>
    Effect.gen(function* () {
      const pipe = `${(yield* inFolder).folder}/pipe`
      execFileSync("mkfifo", [pipe])
      for (const failing of [Effect.asVoid(Effect.scoped(Wav.readFile(pipe))), Effect.asVoid(Wav.repair(pipe))]) {
        const error = yield* Effect.flip(failing)
        expect(error).toMatchObject({ _tag: "SystemError", reason: "BadResource" })
        expect(error.message).toContain("decodeStream")
      }
    })
  )
})

layer(NodeFileSystem.layer)("a sink", (it) => {
  const twoChunks = Stream.make(new Uint8Array(1000), new Uint8Array(500))

  it.scoped("writes the file while the stream goes on", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      const sink = Wav.fileSink(telephony, path)
      expect(yield* Stream.runCount(Stream.tapSink(twoChunks, sink))).toBe(2)
      expect((yield* fs.readFile(path)).byteLength).toBe(1544)
    })
  )

  it.scoped("leaves no file if the stream fails, also if it is only tapped", () =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      const failing = Stream.concat(twoChunks, Stream.fail("cut" as const))
      const sink = Wav.fileSink(telephony, path)
      expect(yield* Effect.flip(Stream.run(failing, sink))).toBe("cut")
      expect(yield* Effect.flip(Stream.runDrain(Stream.tapSink(failing, sink)))).toBe("cut")
      expect(yield* fs.readDirectory(folder)).toEqual([])
    })
  )
})

layer(NodeFileSystem.layer)("repairing a file", (it) => {
  const repaired = (file: Uint8Array) =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      yield* fs.writeFile(path, file)
      const written = yield* Wav.repair(path)
      return { written, file: Buffer.from(yield* fs.readFile(path)) }
    })
  const data = Uint8Array.from({ length: 1001 }, (_, index) => index)

  it.scoped.each([
    ["pcm16, of unknown sizes", "pcm16", 1000, 0xffffffff, 0xffffffff],
    ["pcm8, of unknown sizes", "pcm8", 1001, 0xffffffff, 0xffffffff],
    ["float32, of unknown sizes", "float32", 1000, 0xffffffff, 0xffffffff],
    ["with sizes of 0 samples", "pcm16", 1000, 36, 0],
    ["with sizes of the first samples", "pcm16", 1000, 36 + 400, 400],
    ["with sizes of more samples", "pcm16", 1000, 36 + 4000, 4000]
  ] as const)("gives the file that was not streamed: %s", ([_, encoding, kept, fileSize, dataSize]) =>
    Effect.gen(function* () {
      const format: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding }
      const header = Buffer.from(Wav.header(format))
      header.writeUInt32LE(fileSize, 4)
      header.writeUInt32LE(dataSize, header.length - 4)
      const { file, written } = yield* repaired(Buffer.concat([header, data]))
      expect(isEqual(file, Wav.encode(format, data.subarray(0, kept)))).toBe(true)
      expect(written).toMatchObject({ format, dataLength: kept })
    })
  )

  it.scoped("keeps chunks before the samples, and after complete samples", () =>
    Effect.gen(function* () {
      const plain = Wav.encode(telephony, data.subarray(0, 1000))
      const list = Buffer.from("LIST\x04\x00\x00\x00abcd", "latin1")
      const whole = Buffer.concat([plain.subarray(0, 12), list, plain.subarray(12), list])
      const wrong = Buffer.from(whole)
      wrong.writeUInt32LE(0, 4)
      whole.writeUInt32LE(whole.byteLength - 8, 4)
      expect(isEqual((yield* repaired(wrong)).file, whole)).toBe(true)
      expect(isEqual((yield* repaired(whole)).file, whole)).toBe(true)
    })
  )

  it.scoped("works on a big-endian file and on an RF64", () =>
    Effect.gen(function* () {
      const streamed = Buffer.concat([bigEndian(Wav.header(telephony)), data])
      const right = bigEndian(Wav.encode(telephony, data.subarray(0, 1000)))
      expect(isEqual((yield* repaired(streamed)).file, right)).toBe(true)

      const large = Buffer.concat([Wav.header(telephony, 5_000_000_000), data])
      const { file } = yield* repaired(large)
      expect(file.readBigUInt64LE(20)).toBe(BigInt(file.byteLength - 8))
      expect(file.readBigUInt64LE(28)).toBe(1000n)
      expect(file.readBigUInt64LE(36)).toBe(500n)
      expect(Either.getOrThrow(Wav.decode(file)).bytes.byteLength).toBe(1000)
    })
  )

  it.scoped("keeps a tag that stands before the file", () =>
    Effect.gen(function* () {
      const tag = Buffer.from("ID3\x04\0\0\0\0\0\x05notes", "latin1")
      const right = Buffer.concat([tag, tag, Wav.encode(telephony, data.subarray(0, 1000))])
      const streamed = Buffer.concat([tag, tag, Wav.header(telephony), data.subarray(0, 1000)])
      expect(isEqual((yield* repaired(streamed)).file, right)).toBe(true)
      const { bytes, format } = yield* Wav.decode(right)
      expect({ format, isSame: isEqual(Buffer.from(bytes), data.subarray(0, 1000)) }).toEqual({
        format: telephony,
        isSame: true
      })
    })
  )

  it.scoped("that is not WAV is an error, and the file stays", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      yield* fs.writeFileString(path, "something else")
      expect(yield* Effect.flip(Wav.repair(path))).toMatchObject({ _tag: "WavError", reason: "NotWav" })
      expect(yield* fs.readFileString(path)).toBe("something else")
    })
  )
})

/** The same file with the numbers of its canonical header big-endian. */
function bigEndian(file: Uint8Array): Buffer {
  const changed = Buffer.from(file)
  changed.write("RIFX", 0)
  for (const offset of [4, 16, 24, 28, 40]) changed.subarray(offset, offset + 4).reverse()
  for (const offset of [20, 22, 32, 34]) changed.subarray(offset, offset + 2).reverse()
  return changed
}

it.effect.each([
  // As sox 14.4.2 writes them: the number of the format has 16 bits, and the rest of its identifier is little-endian.
  ["24 bits", 2, 24, "pcm24"],
  ["32 bits", 2, 32, "pcm32"],
  ["5 channels", 5, 16, "pcm16"]
] as const)(
  "a big-endian file with an extensible header is read, as sox writes it: %s",
  ([_, channels, bits, encoding]) =>
    Effect.gen(function* () {
      const frame = (channels * bits) / 8
      const file = Buffer.alloc(68 + 8 * frame)
      file.write("RIFX\0\0\0\0WAVEfmt \0\0\0\x28\xff\xfe", "latin1")
      file.writeUInt32BE(file.length - 8, 4)
      file.writeUInt16BE(channels, 22)
      file.writeUInt32BE(8000, 24)
      file.writeUInt32BE(8000 * frame, 28)
      file.writeUInt16BE(frame, 32)
      file.writeUInt16BE(bits, 34)
      file.writeUInt16BE(22, 36)
      file.writeUInt16BE(bits, 38)
      file.write("\0\0\0\x03\0\x01\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71data", 40, "latin1")
      file.writeUInt32BE(8 * frame, 64)
      file.writeIntBE(-2, 68, bits / 8)
      const { bytes, format } = yield* Wav.decode(file)
      expect(format).toEqual({ sampleRate: 8000, channels, encoding })
      expect(bytes.byteLength).toBe(8 * frame)
      expect(Buffer.from(bytes).readIntLE(0, bits / 8)).toBe(-2)
    })
)

const odd = Uint8Array.from({ length: 101 }, (_, index) => index)
const pcm8: AudioFormat.AudioFormat = { ...telephony, encoding: "pcm8" }
const encoded = <E>(audio: PcmStream.PcmStream<E>) =>
  Effect.map(Stream.runCollect(Wav.encodeStream(audio)), (parts) => Buffer.concat(Chunk.toArray(parts)))

it.effect("encodeStream gives the bytes of encode, as many as contentLength says", () =>
  Effect.gen(function* () {
    for (const format of [pcm8, mulaw]) {
      const audio = PcmStream.fromBytes(format, odd)
      const file = yield* encoded(audio)
      expect(file).toEqual(Buffer.from(Wav.encode(format, odd)))
      expect(Wav.contentLength(audio)).toBe(file.byteLength)
    }
    const large = { format: pcm8, byteLength: 5_000_000_001 }
    expect(Wav.contentLength(large)).toBe(Wav.header(pcm8, large.byteLength).byteLength + 5_000_000_002)
    expect(Wav.contentLength({ format: pcm8 })).toBeUndefined()
  })
)

layer(NodeFileSystem.layer)("repairing a file that another program has open", (it) => {
  const samples = new Uint8Array(4000).fill(9)
  const unfinished = Buffer.concat([Wav.header(telephony), samples])

  /** A file system in which something happens once, before a file is changed by its name or when it is open. */
  const beforeChange = (fs: FileSystem.FileSystem, happens: Effect.Effect<void, PlatformError>) =>
    Effect.map(Effect.once(happens), (once) =>
      FileSystem.FileSystem.of({
        ...fs,
        truncate: (path, length) => Effect.zipRight(once, fs.truncate(path, length)),
        open: (path, options) =>
          Effect.map(fs.open(path, options), (opened) => {
            const truncate = opened.truncate.bind(opened)
            const writeAll = opened.writeAll.bind(opened)
            return Object.assign(opened, {
              truncate: (length?: FileSystem.SizeInput) => Effect.zipRight(once, truncate(length)),
              writeAll: (bytes: Uint8Array) => Effect.zipRight(once, writeAll(bytes))
            })
          })
      })
    )

  it.scoped("keeps what a recorder appends meanwhile", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      yield* fs.writeFile(path, unfinished)
      const more = new Uint8Array(1000).fill(5)
      const growing = yield* beforeChange(fs, fs.writeFile(path, more, { flag: "a" }))
      expect((yield* Effect.provideService(Wav.repair(path), FileSystem.FileSystem, growing)).dataLength).toBe(4000)
      expect(Buffer.from((yield* fs.readFile(path)).subarray(44))).toEqual(Buffer.concat([samples, more]))
    })
  )

  it.scoped("does not change a file that takes its name meanwhile", () =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      yield* fs.writeFile(path, Buffer.concat([unfinished, Uint8Array.of(1)]))
      const other = "another file, longer than the one that was to be repaired".repeat(100)
      yield* fs.writeFileString(`${folder}/other`, other)
      const replaced = yield* beforeChange(fs, fs.rename(`${folder}/other`, path))
      yield* Effect.ignore(Effect.provideService(Wav.repair(path), FileSystem.FileSystem, replaced))
      expect(yield* fs.readFileString(path)).toBe(other)
    })
  )
})

layer(NodeFileSystem.layer)("a stream of unknown length", (it) => {
  it.scoped.each([pcm8, mulaw, alaw])("has the samples that were given, and not one more: $encoding", (format) =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      const audio = { format, stream: Stream.make(odd) }
      const streamed = yield* encoded(audio)
      expect(Buffer.from(Either.getOrThrow(Wav.decode(streamed)).bytes)).toEqual(Buffer.from(odd))
      yield* fs.writeFile(path, streamed)
      yield* Wav.repair(path)
      expect(isEqual(yield* fs.readFile(path), Wav.encode(format, odd))).toBe(true)

      const toDevice: Array<Uint8Array> = []
      const recording = FileSystem.FileSystem.of({
        ...fs,
        open: (name, options) =>
          Effect.map(fs.open(name, options), (opened) =>
            Object.assign(opened, { writeAll: (bytes: Uint8Array) => Effect.sync(() => toDevice.push(bytes.slice())) })
          )
      })
      yield* Effect.provideService(Wav.writeFile(audio, "/dev/null"), FileSystem.FileSystem, recording)
      expect(Buffer.concat(toDevice)).toEqual(streamed)
    })
  )
})

layer(NodeHttpServer.layerTest)("an HTTP response", (it) => {
  it.scoped("states its Content-Length if the length of the audio is known", () =>
    Effect.gen(function* () {
      const app = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => {
        const byteLength = url === "/known" ? odd.byteLength : undefined
        const audio = { format: mulaw, byteLength, stream: Stream.make(odd) }
        const contentLength = Wav.contentLength(audio)
        return HttpServerResponse.stream(Wav.encodeStream(audio), { contentType: "audio/wav", contentLength })
      })
      yield* HttpServer.serveEffect(app)
      for (const [url, length] of [
        ["/known", "160"],
        ["/unknown", undefined]
      ] as const) {
        const response = yield* HttpClient.get(url)
        expect(response.headers["content-length"]).toBe(length)
        const { bytes, format } = Either.getOrThrow(Wav.decode(new Uint8Array(yield* response.arrayBuffer)))
        expect(format).toEqual(mulaw)
        expect(isEqual(bytes, odd)).toBe(true)
      }
    })
  )
})

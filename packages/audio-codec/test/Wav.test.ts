import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, statSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
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
import { outcomeOf } from "./wavOutcome.js"

const telephony: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }
const float: AudioFormat.AudioFormat = { sampleRate: 24000, channels: 1, encoding: "float32" }

const ascii = (bytes: Uint8Array, from: number, to: number) => Buffer.from(bytes.subarray(from, to)).toString("latin1")
const uint32 = (bytes: Uint8Array, offset: number) => Buffer.from(bytes).readUInt32LE(offset)
const uint16 = (bytes: Uint8Array, offset: number) => Buffer.from(bytes).readUInt16LE(offset)

describe("the header", () => {
  it("of 16-bit mono is the canonical 44 bytes of the contract", () => {
    const header = Wav.header(telephony, 1000)
    expect(header.byteLength).toBe(44)
    expect(ascii(header, 0, 4)).toBe("RIFF")
    expect(uint32(header, 4)).toBe(36 + 1000)
    expect(ascii(header, 8, 16)).toBe("WAVEfmt ")
    expect(uint32(header, 16)).toBe(16)
    expect(uint16(header, 20)).toBe(1)
    expect(uint16(header, 22)).toBe(1)
    expect(uint32(header, 24)).toBe(8000)
    expect(uint32(header, 28)).toBe(16000)
    expect(uint16(header, 32)).toBe(2)
    expect(uint16(header, 34)).toBe(16)
    expect(ascii(header, 36, 40)).toBe("data")
    expect(uint32(header, 40)).toBe(1000)
  })

  it("of float has format 3 and a fact chunk with the number of frames", () => {
    const header = Wav.header(float, 4000)
    expect(header.byteLength).toBe(58)
    expect(uint16(header, 20)).toBe(3)
    expect(ascii(header, 38, 42)).toBe("fact")
    expect(uint32(header, 46)).toBe(1000)
    expect(uint32(header, 54)).toBe(4000)
  })

  it("says 0xFFFFFFFF where the length is not known", () => {
    const header = Wav.header(telephony)
    expect(uint32(header, 4)).toBe(0xffffffff)
    expect(uint32(header, 40)).toBe(0xffffffff)
  })

  it.each([
    ["alaw", 6],
    ["mulaw", 7]
  ] as const)("of %s has its format tag and a fact chunk", (encoding, tag) => {
    const header = Wav.header({ ...telephony, encoding }, 4000)
    expect(header.byteLength).toBe(58)
    expect(uint16(header, 20)).toBe(tag)
    expect(uint16(header, 34)).toBe(8)
    expect(uint32(header, 46)).toBe(4000)
  })

  it("is an RF64 from the first byte on that the 32 bits of a RIFF don't count", () => {
    const last = 0xfffffffe - 36
    expect(ascii(Wav.header(telephony, last), 0, 4)).toBe("RIFF")
    expect(uint32(Wav.header(telephony, last), 4)).toBe(0xfffffffe)

    const header = Buffer.from(Wav.header(telephony, last + 2))
    expect(header.byteLength).toBe(44 + 36)
    expect(ascii(header, 0, 4)).toBe("RF64")
    expect(uint32(header, 4)).toBe(0xffffffff)
    expect(ascii(header, 8, 16)).toBe("WAVEds64")
    expect(uint32(header, 16)).toBe(28)
    expect(header.readBigUInt64LE(20)).toBe(BigInt(last + 2 + 72))
    expect(header.readBigUInt64LE(28)).toBe(BigInt(last + 2))
    expect(header.readBigUInt64LE(36)).toBe(BigInt((last + 2) / 2))
    expect(uint32(header, 76)).toBe(0xffffffff)
  })

  it.each([
    { ...telephony, channels: 0 },
    { ...telephony, channels: 40_000 },
    { ...telephony, sampleRate: 8000.5 }
  ])("refuses a format that no WAV file can have", (format) => {
    expect(() => Wav.header(format)).toThrow(RangeError)
  })
})

describe("reading the header alone", () => {
  const format = { sampleRate: 8000, channels: 2, encoding: "pcm16" } as const

  it("gives the length of the samples as declared, or those of whole frames that are there", () => {
    const beginning = Wav.header(format, 4000)
    expect(Wav.decodeHeader(beginning)).toEqual(Either.right({ format, byteLength: 4000 }))
    expect(Wav.decodeHeader(beginning, 44 + 1003)).toEqual(Either.right({ format, byteLength: 1000 }))
    expect(Wav.decodeHeader(beginning, 44 + 5000)).toEqual(Either.right({ format, byteLength: 4000 }))
  })

  it("gives no length where the file was streamed, unless its size is known", () => {
    const beginning = Wav.header(format)
    expect(Wav.decodeHeader(beginning)).toEqual(Either.right({ format, byteLength: undefined }))
    expect(Wav.decodeHeader(beginning, 44 + 1000)).toEqual(Either.right({ format, byteLength: 1000 }))
  })

  it("says where bytes end before the samples begin", () => {
    expect(Wav.decodeHeader(Wav.header(format, 4000).subarray(0, 40))).toMatchObject({ left: { reason: "Malformed" } })
  })
})

describe("reading", () => {
  it.each(Object.entries(wavLaws))("holds what it promises: %s", (_, law) => {
    FastCheck.assert(law, { numRuns: 300 })
  })

  it.effect("as a stream gives the same however the file is cut into pieces", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(audio, cuts, ({ bytes, format }, sizes) =>
          Effect.gen(function* () {
            const file = Wav.encode(format, bytes)
            const decoded = yield* Wav.decodeStream(Stream.fromIterable(cutAt(file, sizes)))
            expect(decoded.format).toEqual(format)
            expect(Buffer.compare(yield* PcmStream.collect(decoded), bytes)).toBe(0)
          }).pipe(Effect.scoped, Effect.runPromise)
        )
      )
    )
  )

  it("skips chunks before the data and after it, odd ones with their pad byte", () => {
    const plain = Wav.encode(telephony, Uint8Array.of(1, 2, 3, 4))
    const extra = Buffer.from("LIST\x03\x00\x00\x00abc\x00", "latin1")
    const file = Buffer.concat([plain.subarray(0, 12), extra, plain.subarray(12), extra])
    expect([...Either.getOrThrow(Wav.decode(file)).bytes]).toEqual([1, 2, 3, 4])
  })

  it("takes a file that was streamed, whose data has no known size, to its end", () => {
    const file = Buffer.concat([Wav.header(telephony), Uint8Array.of(1, 2, 3, 4)])
    expect([...Either.getOrThrow(Wav.decode(file)).bytes]).toEqual([1, 2, 3, 4])
  })

  it("takes what there is of a file that ends early, in whole frames", () => {
    const file = Wav.encode(telephony, new Uint8Array(100)).subarray(0, 44 + 51)
    expect(Either.getOrThrow(Wav.decode(file)).bytes.byteLength).toBe(50)
  })

  it("takes a file whose recorder was cut off, and left its sizes at 0, to its end", () => {
    const file = Buffer.concat([Wav.header(telephony, 0), Uint8Array.of(1, 2, 3, 4)])
    file.writeUInt32LE(0, 4)
    expect([...Either.getOrThrow(Wav.decode(file)).bytes]).toEqual([1, 2, 3, 4])
  })

  it.effect("ends with the data chunk, whatever the source has after it", () =>
    Effect.gen(function* () {
      const file = Wav.encode(telephony, Uint8Array.of(1, 2, 3, 4))
      const decoded = yield* Wav.decodeStream(Stream.concat(Stream.make(file), Stream.never))
      expect([...(yield* PcmStream.collect(decoded))]).toEqual([1, 2, 3, 4])
    }).pipe(Effect.scoped)
  )

  it.effect("a second time from the same stream is a defect that says so, not silence", () =>
    Effect.gen(function* () {
      const decoded = yield* Wav.decodeStream(Stream.make(Wav.encode(telephony, Uint8Array.of(1, 2))))
      yield* PcmStream.collect(decoded)
      expect(String(yield* Effect.sandbox(PcmStream.collect(decoded)).pipe(Effect.flip))).toContain("only once")
    }).pipe(Effect.scoped)
  )

  it("keeps what it carries over when the producer uses its block again", () => {
    const decoder = Pcm.makeDecoder(telephony)
    const block = Buffer.from([1, 0, 2])
    const first = [...decoder.push(block)]
    block.fill(0xff)
    expect([...first, ...decoder.push(Uint8Array.of(0, 3, 0))]).toEqual([1, 2, 3].map((sample) => sample / 0x8000))
  })

  it("of the extensible kind finds the format inside it", () => {
    const header = Buffer.alloc(68)
    header.write("RIFF", 0)
    header.write("WAVEfmt ", 8)
    header.writeUInt32LE(40, 16)
    header.writeUInt16LE(0xfffe, 20)
    header.writeUInt16LE(2, 22)
    header.writeUInt32LE(48000, 24)
    header.writeUInt16LE(6, 32)
    header.writeUInt16LE(24, 34)
    header.writeUInt16LE(1, 44)
    header.write("data", 60)
    header.writeUInt32LE(6, 64)
    const { bytes, format } = Either.getOrThrow(Wav.decode(Buffer.concat([header, Buffer.alloc(6, 7)])))
    expect(format).toEqual({ sampleRate: 48000, channels: 2, encoding: "pcm24" })
    expect(bytes.byteLength).toBe(6)
  })

  it.each([
    ["nothing at all", Buffer.alloc(0), "NotWav"],
    ["an MP3", Buffer.from("ID3\x04\x00\x00\x00\x00\x00\x00\x00\x00", "latin1"), "NotWav"],
    ["a file without data", Wav.encode(telephony, new Uint8Array(0)).subarray(0, 36), "Malformed"],
    ["data before the format", Buffer.from("RIFF\x00\x00\x00\x00WAVEdata\x00\x00\x00\x00", "latin1"), "Malformed"],
    ["a codec that is not read here", mutate(Wav.header(telephony, 0), 20, 0x31), "Unsupported"],
    ["no channels", mutate(Wav.header(telephony, 0), 22, 0), "Malformed"],
    ["a format that is too short", mutate(Wav.header(telephony, 0), 16, 14), "Malformed"],
    ["bits that are none of its codec's", mutate(Wav.header(float, 0), 34, 16), "Unsupported"],
    ["frames of another size than its samples", mutate(Wav.header(telephony, 0), 32, 4), "Unsupported"]
  ])("refuses %s with a reason and the place", (_, file, reason) => {
    const error = Either.getOrThrow(Either.flip(Wav.decode(file)))
    expect(error.reason).toBe(reason)
    expect(error.message).toContain(`at byte ${error.offset}`)
    expect(JSON.parse(JSON.stringify(error)).message).toBe(error.message)
  })
})

function mutate(bytes: Uint8Array, offset: number, value: number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[offset] = value
  return changed
}

layer(NodeFileSystem.layer)("writing a file", (it) => {
  const inFolder = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    return { fs, folder, path: `${folder}/speech.wav` }
  })

  it.scoped("gives sizes that are the file's, of a length that was known and of one that was not", () =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      for (const format of [telephony, float]) {
        const stream = Stream.make(new Uint8Array(1000), new Uint8Array(0), new Uint8Array(3000))
        for (const byteLength of [4000, undefined]) {
          const written = yield* Wav.writeFile({ format, byteLength, stream }, path)
          const file = yield* fs.readFile(path)
          expect(written.dataLength).toBe(4000)
          expect(uint32(file, 4)).toBe(file.byteLength - 8)
          expect(file.byteLength).toBe(Wav.header(format, 4000).byteLength + 4000)
          expect(Either.getOrThrow(Wav.decode(file)).bytes.byteLength).toBe(4000)
        }
      }
      expect(yield* fs.readDirectory(folder)).toEqual(["speech.wav"])
    })
  )

  it.scoped("gives them too where writing heeds no position, as on Bun, and so does repairing", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      const inOrder = FileSystem.FileSystem.of({
        ...fs,
        open: (name, options) =>
          Effect.map(fs.open(name, options), (opened) => {
            let written = 0
            return {
              ...opened,
              seek: (offset: FileSystem.SizeInput, from: FileSystem.SeekMode) => opened.seek(offset, from),
              read: (block: Uint8Array) => opened.read(block),
              writeAll: (bytes: Uint8Array) =>
                opened.seek(FileSystem.Size(written), "start").pipe(
                  Effect.zipRight(opened.writeAll(bytes)),
                  Effect.tap(() => {
                    written += bytes.byteLength
                  })
                )
            }
          })
      })
      // What stands before the samples is longer than what is read at a time.
      const note = new Uint8Array(700_000).fill(7)
      const samples = new Uint8Array(4000).fill(9)
      yield* Wav.writeFile({ format: telephony, stream: Stream.make(samples) }, path).pipe(
        Effect.provideService(FileSystem.FileSystem, inOrder)
      )
      const whole = Wav.encode(telephony, samples)
      expect(Buffer.compare(yield* fs.readFile(path), whole)).toBe(0)

      const list = Buffer.concat([Buffer.from("LIST\0\0\0\0"), note])
      list.writeUInt32LE(note.byteLength, 4)
      const noted = Buffer.concat([whole.subarray(0, 36), list, whole.subarray(36)])
      noted.writeUInt32LE(noted.byteLength - 8, 4)
      const streamed = Buffer.from(noted)
      for (const size of [4, 36 + list.byteLength + 4]) streamed.writeUInt32LE(0xffffffff, size)
      yield* fs.writeFile(path, streamed)
      yield* Effect.provideService(Wav.repair(path), FileSystem.FileSystem, inOrder)
      expect(Buffer.compare(yield* fs.readFile(path), noted)).toBe(0)
    })
  )

  it.scoped("is the same whatever the sizes of its chunks, small ones gathered and large ones not", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      const samples = Uint8Array.from({ length: 2_000_000 }, (_, index) => (index * 31) >>> 7)
      const whole = Wav.encode(telephony, samples)
      for (const sizes of [[60_000], [300_000], [2, 300_000, 100_000], [262_144], [262_142], [2_000_000]]) {
        const chunks: Array<Uint8Array> = []
        for (let offset = 0; offset < samples.length; offset += chunks.at(-1)?.byteLength ?? 0) {
          chunks.push(samples.subarray(offset, offset + (sizes[chunks.length % sizes.length] ?? 1)))
        }
        yield* Wav.writeFile({ format: telephony, stream: Stream.fromIterable(chunks) }, path)
        expect(Buffer.compare(yield* fs.readFile(path), whole)).toBe(0)
      }
    })
  )

  it.scoped("leaves the old file, and nothing else, when the audio fails", () =>
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

  it.scoped("leaves nothing when it is interrupted", () =>
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

  it.scoped("leaves the old file when the process is killed", () =>
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
    { what: "ends inside a frame", byteLength: undefined, actual: 999 }
  ])("refuses audio that $what", ({ actual, byteLength }) =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      const stream = Stream.make(new Uint8Array(actual))
      const error = yield* Effect.flip(Wav.writeFile({ format: telephony, byteLength, stream }, path))
      expect(error).toMatchObject({ _tag: "WavError", reason: "LengthMismatch" })
      expect(yield* fs.readDirectory(folder)).toEqual([])
    })
  )

  it.scoped("a file that was cut short can be copied", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* inFolder
      const file = Wav.encode(telephony, new Uint8Array(100)).subarray(0, 44 + 51)
      const written = yield* Wav.writeFile(yield* Wav.decodeStream(Stream.make(file)), path)
      expect(written.dataLength).toBe(50)
      expect((yield* fs.readFile(path)).byteLength).toBe(94)
    })
  )

  it.scoped("stops at the first byte that is too much", () =>
    Effect.gen(function* () {
      const { path } = yield* inFolder
      const endless = Stream.repeatValue(new Uint8Array(1000))
      const error = yield* Effect.flip(Wav.writeFile({ format: telephony, byteLength: 5000, stream: endless }, path))
      expect(error).toMatchObject({ _tag: "WavError", reason: "LengthMismatch", offset: 6000 })
    })
  )

  it.scoped("takes a name as long as names can be", () =>
    Effect.gen(function* () {
      const { folder, fs } = yield* inFolder
      const name = `${"न".repeat(83)}.wav`
      yield* Wav.writeFile(PcmStream.fromBytes(telephony, new Uint8Array(2)), `${folder}/${name}`)
      expect(yield* fs.readDirectory(folder)).toEqual([name])
    })
  )

  it.scoped("follows a link, and keeps the mode of the file that was there", () =>
    Effect.gen(function* () {
      const { folder, fs, path } = yield* inFolder
      const link = `${folder}/link.wav`
      yield* fs.writeFileString(path, "old", { mode: 0o600 })
      yield* fs.symlink(path, link)
      yield* Wav.writeFile(PcmStream.fromBytes(telephony, new Uint8Array(2)), link)
      expect(yield* fs.readLink(link)).toBe(path)
      expect((yield* fs.stat(path)).mode & 0o777).toBe(0o600)
      expect((yield* fs.readFile(path)).byteLength).toBe(46)
    })
  )

  it.scoped("refuses to take the place of a folder or a pipe", () =>
    Effect.gen(function* () {
      const { folder, fs } = yield* inFolder
      const pipe = `${folder}/pipe`
      execFileSync("mkfifo", [pipe])
      for (const path of [folder, pipe]) {
        const error = yield* Effect.flip(Wav.writeFile(PcmStream.fromBytes(telephony, new Uint8Array(2)), path))
        expect(error).toMatchObject({ _tag: "SystemError", reason: "BadResource", pathOrDescriptor: path })
      }
      expect((yield* fs.stat(pipe)).type).toBe("FIFO")
    })
  )

  it.effect("into a device is not a file in its place", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const written = yield* Wav.writeFile(PcmStream.fromBytes(telephony, new Uint8Array(2)), "/dev/null")
      expect(written.dataLength).toBe(2)
      expect((yield* fs.stat("/dev/null")).type).toBe("CharacterDevice")
    })
  )

  it.scoped("fails with the file system's error where the folder is missing", () =>
    Effect.gen(function* () {
      const { folder } = yield* inFolder
      const audio = PcmStream.fromBytes(telephony, new Uint8Array(2))
      const error = yield* Effect.flip(Wav.writeFile(audio, `${folder}/nowhere/speech.wav`))
      const pathOrDescriptor = `${folder}/nowhere/speech.wav`
      expect(error).toMatchObject({ _tag: "SystemError", reason: "NotFound", pathOrDescriptor })
    })
  )
})

describe("reading what is written by others", () => {
  const samples = Uint8Array.of(1, 2, 3, 4, 5, 6)

  it("of a big-endian file gives little-endian samples", () => {
    for (const encoding of ["pcm8", "pcm16", "pcm24"] as const) {
      const format: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding }
      const expected = { pcm8: [1, 2, 3, 4, 5, 6], pcm16: [2, 1, 4, 3, 6, 5], pcm24: [3, 2, 1, 6, 5, 4] }[encoding]
      const file = bigEndian(Wav.encode(format, samples))
      for (const pieces of [[file], cutAt(file, [1]), cutAt(file, [45, 1])]) {
        expect(outcomeOf(pieces)).toEqual({ format, samples: Buffer.from(expected) })
      }
    }
  })

  it("of an RF64 takes the sizes from its ds64 chunk, and stops where they say", () => {
    const header = Buffer.from(Wav.header(telephony, 5_000_000_000))
    header.writeBigUInt64LE(4n, 28)
    const file = Buffer.concat([header, samples])
    expect([...Either.getOrThrow(Wav.decode(file)).bytes]).toEqual([1, 2, 3, 4])
    file.write("BW64", 0)
    expect([...Either.getOrThrow(Wav.decode(file)).bytes]).toEqual([1, 2, 3, 4])
  })

  it("takes an RF64 whose writer was cut off to its end", () => {
    const header = Buffer.from(Wav.header(telephony, 5_000_000_000))
    header.fill(0, 20, 44)
    expect([...Either.getOrThrow(Wav.decode(Buffer.concat([header, samples]))).bytes]).toEqual([...samples])
  })

  it("takes bits that do not fill their bytes for the upper ones of them", () => {
    const file = mutate(Wav.encode({ ...telephony, encoding: "pcm24" }, samples), 34, 20)
    expect(Either.getOrThrow(Wav.decode(file)).format.encoding).toBe("pcm24")
  })

  it("names the codec that is not read", () => {
    const error = Either.getOrThrow(Either.flip(Wav.decode(mutate(Wav.header(telephony, 0), 20, 0x31))))
    expect(error.message).toContain("found GSM 6.10")
  })
})

layer(NodeFileSystem.layer)("reading a file", (it) => {
  it.scoped("knows how long it is, as long as it says and as there is", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/a.wav`
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

  it.scoped("refuses a pipe, and says what to do instead", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const pipe = `${yield* fs.makeTempDirectoryScoped()}/pipe`
      execFileSync("mkfifo", [pipe])
      for (const failing of [Effect.asVoid(Effect.scoped(Wav.readFile(pipe))), Effect.asVoid(Wav.repair(pipe))]) {
        const error = yield* Effect.flip(failing)
        expect(error).toMatchObject({ _tag: "SystemError", reason: "BadResource" })
        expect(error.message).toContain("decodeStream")
      }
    })
  )
})

it("samples that end inside a frame are no WAV file", () => {
  expect(() => Wav.encode(telephony, new Uint8Array(3))).toThrow("whole frames of 2 bytes")
  for (const length of [-2, 1.5, Number.NaN]) expect(() => Wav.header(telephony, length)).toThrow(RangeError)
})

layer(NodeFileSystem.layer)("a sink", (it) => {
  const twoChunks = Stream.make(new Uint8Array(1000), new Uint8Array(500))

  it.scoped("writes the file that a stream passes by, which goes on", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const path = `${folder}/a.wav`
      const sink = Wav.fileSink(telephony, path)
      expect(yield* Stream.runCount(Stream.tapSink(twoChunks, sink))).toBe(2)
      expect((yield* fs.readFile(path)).byteLength).toBe(1544)
    })
  )

  it.scoped("leaves no file behind a stream that fails, also where it is only tapped", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const failing = Stream.concat(twoChunks, Stream.fail("cut" as const))
      const sink = Wav.fileSink(telephony, `${folder}/a.wav`)
      expect(yield* Effect.flip(Stream.run(failing, sink))).toBe("cut")
      expect(yield* Effect.flip(Stream.runDrain(Stream.tapSink(failing, sink)))).toBe("cut")
      expect(yield* fs.readDirectory(folder)).toEqual([])
    })
  )
})

layer(NodeFileSystem.layer)("repairing a file", (it) => {
  const repaired = (file: Uint8Array) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/a.wav`
      yield* fs.writeFile(path, file)
      const written = yield* Wav.repair(path)
      return { written, file: Buffer.from(yield* fs.readFile(path)) }
    })
  const data = Uint8Array.from({ length: 1001 }, (_, index) => index)

  it.scoped.each([
    { encoding: "pcm16" as const, kept: 1000 },
    { encoding: "pcm8" as const, kept: 1001 },
    { encoding: "float32" as const, kept: 1000 }
  ])("that was streamed gives the one that was not: $encoding", ({ encoding, kept }) =>
    Effect.gen(function* () {
      const format: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding }
      const { file, written } = yield* repaired(Buffer.concat([Wav.header(format), data]))
      expect(Buffer.compare(file, Wav.encode(format, data.subarray(0, kept)))).toBe(0)
      expect(written).toMatchObject({ format, dataLength: kept })
    })
  )

  it.scoped.each([
    { what: "never knew of its samples", size: 36, declared: 0 },
    { what: "knew of the first ones", size: 36 + 400, declared: 400 },
    { what: "meant to write more", size: 36 + 4000, declared: 4000 }
  ])("whose writer $what takes all that are there", ({ declared, size }) =>
    Effect.gen(function* () {
      const streamed = Buffer.concat([Wav.header(telephony), data])
      streamed.writeUInt32LE(size, 4)
      streamed.writeUInt32LE(declared, 40)
      const { file } = yield* repaired(streamed)
      expect(Buffer.compare(file, Wav.encode(telephony, data.subarray(0, 1000)))).toBe(0)
    })
  )

  it.scoped("keeps what stands before the samples, and after samples that are complete", () =>
    Effect.gen(function* () {
      const plain = Wav.encode(telephony, data.subarray(0, 1000))
      const list = Buffer.from("LIST\x04\x00\x00\x00abcd", "latin1")
      const whole = Buffer.concat([plain.subarray(0, 12), list, plain.subarray(12), list])
      const wrong = Buffer.from(whole)
      wrong.writeUInt32LE(0, 4)
      whole.writeUInt32LE(whole.byteLength - 8, 4)
      expect(Buffer.compare((yield* repaired(wrong)).file, whole)).toBe(0)
      expect(Buffer.compare((yield* repaired(whole)).file, whole)).toBe(0)
    })
  )

  it.scoped("works on a big-endian one and on an RF64 as they are", () =>
    Effect.gen(function* () {
      const streamed = Buffer.concat([bigEndian(Wav.header(telephony)), data])
      const right = bigEndian(Wav.encode(telephony, data.subarray(0, 1000)))
      expect(Buffer.compare((yield* repaired(streamed)).file, right)).toBe(0)

      const large = Buffer.concat([Wav.header(telephony, 5_000_000_000), data])
      const { file } = yield* repaired(large)
      expect(file.readBigUInt64LE(20)).toBe(BigInt(file.byteLength - 8))
      expect(file.readBigUInt64LE(28)).toBe(1000n)
      expect(file.readBigUInt64LE(36)).toBe(500n)
      expect(Either.getOrThrow(Wav.decode(file)).bytes.byteLength).toBe(1000)
    })
  )

  it.scoped("that is none is an error, and left alone", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/a.wav`
      yield* fs.writeFileString(path, "something else")
      expect(yield* Effect.flip(Wav.repair(path))).toMatchObject({ _tag: "WavError", reason: "NotWav" })
      expect(yield* fs.readFileString(path)).toBe("something else")
    })
  )
})

/** The same file with the numbers of its header, which has the canonical 44 bytes, big-endian. */
function bigEndian(file: Uint8Array): Buffer {
  const changed = Buffer.from(file)
  changed.write("RIFX", 0)
  for (const offset of [4, 16, 24, 28, 40]) changed.subarray(offset, offset + 4).reverse()
  for (const offset of [20, 22, 32, 34]) changed.subarray(offset, offset + 2).reverse()
  return changed
}

it.effect("encodeStream gives the bytes of encode", () =>
  Effect.gen(function* () {
    const bytes = Uint8Array.from({ length: 101 }, (_, index) => index)
    const format: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm8" }
    const parts = yield* Stream.runCollect(Wav.encodeStream(PcmStream.fromBytes(format, bytes)))
    expect(Buffer.concat(Chunk.toArray(parts))).toEqual(Buffer.from(Wav.encode(format, bytes)))
  })
)

it.effect("a file of one encoding becomes one of another, sample by sample", () =>
  Effect.gen(function* () {
    const samples = Float32Array.of(0, 0.5, -0.5, 1 / 0x8000)
    const file = Wav.encode({ ...telephony, encoding: "float32" }, Pcm.encode(samples, "float32").bytes)
    const decoded = yield* Wav.decodeStream(Stream.make(file))
    const again = yield* Pcm.collectSamples(Pcm.decodeStream(decoded))
    expect([...Pcm.decode(Pcm.encode(again, "pcm16").bytes, "pcm16")]).toEqual([...samples])
  }).pipe(Effect.scoped)
)

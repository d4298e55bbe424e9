import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, statSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect } from "@effect/vitest"
import { AudioDecoder, type AudioFormat, PcmStream, Wav } from "@effect-speech/audio-codec"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { effectTests } from "effect-speech-test-support/effectTests"
import { withOpenedFiles } from "effect-speech-test-support/openedFiles"
import { bundleProgram } from "../../../scripts/bundling.js"
import { cutAt } from "./wavArbitrary.js"
import { float, isEqual, joined, mulaw, telephony, uint32 } from "./wavFormats.js"

const it = effectTests(NodeFileSystem.layer)

const data = Uint8Array.from({ length: 1001 }, (_, index) => index)

const inFolder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const path = `${folder}/speech.wav`
  return { fs, folder, path, content: fs.readFile(path), names: fs.readDirectory(folder) }
})

const write = <E, R>(stream: Stream.Stream<Uint8Array, E, R>, path: string, byteLength?: number) =>
  Wav.writeFile(PcmStream.make(telephony, stream, { byteLength }), path)

describe("writing a file", () => {
  const short = PcmStream.fromBytes(telephony, new Uint8Array(2))

  it("gives the right sizes, whether the length was known or not", function* () {
    const { content, names, path } = yield* inFolder
    for (const format of [telephony, float]) {
      const stream = Stream.make(new Uint8Array(1000), new Uint8Array(0), new Uint8Array(3000))
      for (const byteLength of [4000, undefined]) {
        const written = yield* Wav.writeFile(PcmStream.make(format, stream, { byteLength }), path)
        expect(written.dataLength).toBe(4000)
        expect(isEqual(yield* content, Wav.encode(new Uint8Array(4000), format))).toBe(true)
      }
    }
    expect(yield* names).toEqual(["speech.wav"])
  })

  it("and repairing do so also if writing takes no position, as on Bun", function* () {
    const { content, fs, path } = yield* inFolder
    const inOrder = withOpenedFiles(fs, ({ seek, writeAll }) => {
      let written = 0
      return {
        writeAll: (bytes: Uint8Array) => {
          const toEnd = seek(FileSystem.Size(written), "start")
          written += bytes.byteLength
          return Effect.zipRight(toEnd, writeAll(bytes))
        }
      }
    })
    // Longer than one read.
    const note = new Uint8Array(700_000).fill(7)
    const samples = new Uint8Array(4000).fill(9)
    yield* Effect.provideService(write(Stream.make(samples), path), FileSystem.FileSystem, inOrder)
    const whole = Wav.encode(samples, telephony)
    expect(isEqual(yield* content, whole)).toBe(true)

    const list = joined("LIST", uint32(note.byteLength), note)
    const noted = joined(whole.subarray(0, 36), list, whole.subarray(36))
    noted.writeUInt32LE(noted.byteLength - 8, 4)
    const streamed = Buffer.from(noted)
    for (const size of [4, 36 + list.byteLength + 4]) streamed.writeUInt32LE(0xffffffff, size)
    yield* fs.writeFile(path, streamed)
    yield* Effect.provideService(Wav.repair(path), FileSystem.FileSystem, inOrder)
    expect(isEqual(yield* content, noted)).toBe(true)
  })

  it("does not depend on the sizes of chunks", function* () {
    const { content, path } = yield* inFolder
    const samples = Uint8Array.from({ length: 2_000_000 }, (_, index) => (index * 31) >>> 7)
    const whole = Wav.encode(samples, telephony)
    const gathered = [120_000, 120_000, 120_000, 120_000, 120_000, 300_000]
    for (const sizes of [[60_000], [300_000], [2, 300_000, 100_000], [262_144], [262_142], [2_000_000], gathered]) {
      yield* write(Stream.fromIterable(cutAt(samples, sizes)), path)
      expect(isEqual(yield* content, whole)).toBe(true)
    }
  })

  it("leaves nothing if it is interrupted", function* () {
    const { names, path } = yield* inFolder
    const begun = yield* Deferred.make<void>()
    const stream = Stream.make(new Uint8Array(1000)).pipe(
      Stream.concat(Stream.execute(Deferred.succeed(begun, undefined))),
      Stream.concat(Stream.never)
    )
    const fiber = yield* Effect.fork(write(stream, path))
    yield* Deferred.await(begun)
    expect((yield* names).length).toBe(1)
    yield* Fiber.interrupt(fiber)
    expect(yield* names).toEqual([])
  })

  it("is not closed by an interrupt while the system writes", function* () {
    const { fs, path } = yield* inFolder
    const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const events: Array<string> = []
    const happens = (event: string) => Effect.sync(() => events.push(event))
    const writeAll = () =>
      Deferred.succeed(begun, undefined).pipe(Effect.zipRight(Deferred.await(end)), Effect.zipRight(happens("written")))
    const closing = FileSystem.FileSystem.of({
      ...fs,
      open: (name, options) => Effect.acquireRelease(fs.open(name, options), () => happens("closed"))
    })
    const slow = withOpenedFiles(closing, () => ({ writeAll }))
    const writing = write(Stream.forever(Stream.make(new Uint8Array(100_000))), path)
    const fiber = yield* Effect.fork(Effect.provideService(writing, FileSystem.FileSystem, slow))
    yield* Deferred.await(begun)
    yield* Fiber.interruptFork(fiber)
    yield* Effect.sleep(0)
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.await(fiber)
    expect(events.slice(-2)).toEqual(["written", "closed"])
  })

  it("leaves the old file, and nothing else, if the disk is full", function* () {
    const { fs, names, path } = yield* inFolder
    yield* fs.writeFileString(path, "old")
    const full = new SystemError({
      module: "FileSystem",
      method: "writeAll",
      reason: "Unknown",
      description: "ENOSPC"
    })
    let written = 0
    const limited = withOpenedFiles(fs, ({ writeAll }) => ({
      writeAll: (bytes: Uint8Array) =>
        Effect.suspend(() => {
          written += bytes.byteLength
          return written > 600_000 ? Effect.fail(full) : writeAll(bytes)
        })
    }))
    for (const length of [1_000_000, 5_000_000]) {
      const stream = Stream.fromIterable(cutAt(new Uint8Array(length), [100_000]))
      const writing = write(stream, path)
      expect(yield* Effect.flip(Effect.provideService(writing, FileSystem.FileSystem, limited))).toBe(full)
      expect(yield* fs.readFileString(path)).toBe("old")
      expect(yield* names).toEqual(["speech.wav"])
    }
  })

  it("says of a folder that it is one, as reading, repairing and decoding do", function* () {
    const { folder } = yield* inFolder
    const errors = [
      yield* Effect.flip(Wav.writeFile(short, folder)),
      yield* Effect.flip(Effect.flatMap(Wav.readFile(folder), ({ stream }) => Stream.runDrain(stream))),
      yield* Effect.flip(Wav.repair(folder)),
      yield* Effect.flip(Effect.provide(AudioDecoder.decodeFile(folder), AudioDecoder.AudioDecoder.layerWav))
    ]
    for (const error of errors) {
      expect(error).toMatchObject({ _tag: "SystemError", reason: "BadResource", cause: { code: "EISDIR" } })
      expect(error.message).toContain("the path is a folder; give the path of a file")
    }
  })

  it("leaves the old file if the process is killed", function* () {
    const { folder, fs, path } = yield* inFolder
    yield* fs.writeFileString(path, "old")
    const script = fileURLToPath(new URL("./writeForever.ts", import.meta.url))
    const program = `${yield* fs.makeTempDirectoryScoped()}/writeForever.mjs`
    yield* Effect.promise(() => bundleProgram(script, program))
    const child = spawn(process.execPath, [program, path], { stdio: "inherit" })
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

  const chunks = (length: number) => Stream.make(new Uint8Array(length))
  const mismatch = { _tag: "WavError", reason: "LengthMismatch" }

  it.each([
    ["fails", Stream.concat(chunks(1000), Stream.fail({ _tag: "Cut" })), undefined, { _tag: "Cut" }],
    ["ends early", chunks(1000), 1002, mismatch],
    ["is too long", chunks(1000), 998, mismatch],
    ["ends inside a frame", chunks(999), undefined, mismatch],
    ["never ends", Stream.forever(chunks(1000)), 5000, mismatch]
  ] as const)("leaves the old file, and nothing else, if the audio %s", function* ([_, stream, byteLength, expected]) {
    const { fs, names, path } = yield* inFolder
    const writing = write<unknown, never>(stream, path, byteLength)
    expect(yield* Effect.flip(writing)).toMatchObject(expected)
    expect(yield* names).toEqual([])
    yield* fs.writeFileString(path, "old")
    expect(yield* Effect.flip(writing)).toMatchObject(expected)
    expect(yield* fs.readFileString(path)).toBe("old")
    expect(yield* names).toEqual(["speech.wav"])
  })

  it("takes the longest possible name", function* () {
    const { folder, names } = yield* inFolder
    const name = `${"न".repeat(83)}.wav`
    yield* Wav.writeFile(short, `${folder}/${name}`)
    expect(yield* names).toEqual([name])
  })

  it("follows a link, and keeps the mode of the file that was there", function* () {
    const { content, folder, fs, path } = yield* inFolder
    const link = `${folder}/link.wav`
    yield* fs.writeFileString(path, "old", { mode: 0o600 })
    yield* fs.symlink(path, link)
    yield* Wav.writeFile(short, link)
    expect(yield* fs.readLink(link)).toBe(path)
    expect((yield* fs.stat(path)).mode & 0o777).toBe(0o600)
    expect((yield* content).byteLength).toBe(46)
  })

  it("shows the new content of a private file to its owner alone, also while it is written", function* () {
    const { folder, fs, names, path } = yield* inFolder
    const modeOf = (file: string) => Effect.map(fs.stat(file), ({ mode }) => mode & 0o777)
    yield* fs.writeFileString(`${folder}/usual.wav`, "")
    const usual = yield* modeOf(`${folder}/usual.wav`)
    for (const mode of [undefined, 0o600, 0o644]) {
      if (mode !== undefined) yield* fs.chmod(path, mode)
      const written: Array<number> = []
      const look = Effect.gen(function* () {
        for (const name of yield* names) {
          if (name.endsWith(".part")) written.push(yield* modeOf(`${folder}/${name}`))
        }
      })
      const stream = Stream.concat(Stream.make(new Uint8Array(600_000)), Stream.execute(look))
      yield* write(stream, path)
      expect(written).toEqual([mode === undefined ? usual : 0o600])
      expect(yield* modeOf(path)).toBe(mode ?? usual)
    }
  })

  it("replaces no folder, pipe or device, and makes no folder", function* () {
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
      if (reason === "NotFound") expect(error.cause).toMatchObject({ code: "ENOENT" })
    }
    expect((yield* fs.stat(pipe)).type).toBe("FIFO")
    expect((yield* Wav.writeFile(short, "/dev/null")).dataLength).toBe(2)
    expect((yield* fs.stat("/dev/null")).type).toBe("CharacterDevice")
  })
})

describe("reading a file", () => {
  it("gives the length that it declares and has", function* () {
    const { fs, path } = yield* inFolder
    const list = Buffer.from("LIST\x04\x00\x00\x00abcd", "latin1")
    for (const [file, length] of [
      [Buffer.concat([Wav.encode(new Uint8Array(1000), telephony), list]), 1000],
      [Wav.encode(new Uint8Array(1000), telephony).subarray(0, 555), 510],
      [Buffer.concat([Wav.header(telephony), new Uint8Array(333)]), 332]
    ] as const) {
      yield* fs.writeFile(path, file)
      const audio = yield* Wav.readFile(path)
      expect(audio.byteLength).toBe(length)
      expect((yield* PcmStream.collect(audio)).byteLength).toBe(length)
    }
  })

  it("refuses a pipe, with advice", function* () {
    const pipe = `${(yield* inFolder).folder}/pipe`
    execFileSync("mkfifo", [pipe])
    for (const failing of [Effect.asVoid(Effect.scoped(Wav.readFile(pipe))), Effect.asVoid(Wav.repair(pipe))]) {
      const error = yield* Effect.flip(failing)
      expect(error).toMatchObject({ _tag: "SystemError", reason: "BadResource" })
      expect(error.message).toContain("decodeStream")
    }
  })
})

describe("a sink", () => {
  const twoChunks = Stream.make(new Uint8Array(1000), new Uint8Array(500))

  it("writes the file while the stream also goes elsewhere", function* () {
    const { content, path } = yield* inFolder
    const sink = Wav.fileSink(telephony, path)
    expect(yield* Stream.runCount(Stream.tapSink(twoChunks, sink))).toBe(2)
    expect((yield* content).byteLength).toBe(1544)
  })

  it("leaves no file if the stream fails, also if it is only tapped", function* () {
    const { names, path } = yield* inFolder
    const failing = Stream.concat(twoChunks, Stream.fail("cut" as const))
    const sink = Wav.fileSink(telephony, path)
    expect(yield* Effect.flip(Stream.run(failing, sink))).toBe("cut")
    expect(yield* Effect.flip(Stream.runDrain(Stream.tapSink(failing, sink)))).toBe("cut")
    expect(yield* names).toEqual([])
  })
})

describe("repairing a file", () => {
  const repaired = (file: Uint8Array) =>
    Effect.gen(function* () {
      const { content, fs, path } = yield* inFolder
      yield* fs.writeFile(path, file)
      const written = yield* Wav.repair(path)
      return { written, file: Buffer.from(yield* content) }
    })
  it.each([
    ["pcm16, of unknown sizes", "pcm16", 1000, 0xffffffff, 0xffffffff],
    ["pcm8, of unknown sizes", "pcm8", 1001, 0xffffffff, 0xffffffff],
    ["float32, of unknown sizes", "float32", 1000, 0xffffffff, 0xffffffff],
    ["A-law, of unknown sizes", "alaw", 1001, 0xffffffff, 0xffffffff],
    ["with sizes of 0 samples", "pcm16", 1000, 36, 0],
    ["with sizes of the first samples", "pcm16", 1000, 36 + 400, 400],
    ["with sizes of more samples", "pcm16", 1000, 36 + 4000, 4000]
  ] as const)("gives the file that was not streamed: %s", function* ([_, encoding, kept, fileSize, dataSize]) {
    const format: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding }
    const header = Buffer.from(Wav.header(format))
    header.writeUInt32LE(fileSize, 4)
    header.writeUInt32LE(dataSize, header.length - 4)
    const { file, written } = yield* repaired(Buffer.concat([header, data]))
    expect(isEqual(file, Wav.encode(data.subarray(0, kept), format))).toBe(true)
    expect(written).toMatchObject({ format, dataLength: kept })
  })

  it("keeps chunks before the samples, and after complete samples", function* () {
    const plain = Wav.encode(data.subarray(0, 1000), telephony)
    const list = Buffer.from("LIST\x04\x00\x00\x00abcd", "latin1")
    const whole = Buffer.concat([plain.subarray(0, 12), list, plain.subarray(12), list])
    const wrong = Buffer.from(whole)
    wrong.writeUInt32LE(0, 4)
    whole.writeUInt32LE(whole.byteLength - 8, 4)
    expect(isEqual((yield* repaired(wrong)).file, whole)).toBe(true)
    expect(isEqual((yield* repaired(whole)).file, whole)).toBe(true)
  })

  it("works on a big-endian file and on an RF64", function* () {
    const streamed = Buffer.concat([bigEndian(Wav.header(telephony)), data])
    const right = bigEndian(Wav.encode(data.subarray(0, 1000), telephony))
    expect(isEqual((yield* repaired(streamed)).file, right)).toBe(true)

    const large = Buffer.concat([Wav.header(telephony, 5_000_000_000), data])
    const { file } = yield* repaired(large)
    expect(file.readBigUInt64LE(20)).toBe(BigInt(file.byteLength - 8))
    expect(file.readBigUInt64LE(28)).toBe(1000n)
    expect(file.readBigUInt64LE(36)).toBe(500n)
    expect(Either.getOrThrow(Wav.decode(file)).bytes.byteLength).toBe(1000)
  })

  it("keeps a tag that stands before the file", function* () {
    const tag = Buffer.from("ID3\x04\0\0\0\0\0\x05notes", "latin1")
    const right = Buffer.concat([tag, tag, Wav.encode(data.subarray(0, 1000), telephony)])
    const streamed = Buffer.concat([tag, tag, Wav.header(telephony), data.subarray(0, 1000)])
    expect(isEqual((yield* repaired(streamed)).file, right)).toBe(true)
    const { bytes, format } = yield* Wav.decode(right)
    expect({ format, isSame: isEqual(Buffer.from(bytes), data.subarray(0, 1000)) }).toEqual({
      format: telephony,
      isSame: true
    })
  })

  it("that is not WAV is an error, and the file stays", function* () {
    const { fs, path } = yield* inFolder
    yield* fs.writeFileString(path, "something else")
    expect(yield* Effect.flip(Wav.repair(path))).toMatchObject({ _tag: "WavError", reason: "NotWav" })
    expect(yield* fs.readFileString(path)).toBe("something else")
  })
})

describe("repairing a file that another program has open", () => {
  const samples = new Uint8Array(4000).fill(9)
  const unfinished = Buffer.concat([Wav.header(telephony), samples])

  /** A file system in which something happens once, before a file is changed by its name or when it is open. */
  const beforeChange = (fs: FileSystem.FileSystem, happens: Effect.Effect<void, PlatformError>) =>
    Effect.map(Effect.once(happens), (once) =>
      withOpenedFiles(
        { ...fs, truncate: (path, length) => Effect.zipRight(once, fs.truncate(path, length)) },
        ({ truncate, writeAll }) => ({
          truncate: (length?: FileSystem.SizeInput) => Effect.zipRight(once, truncate(length)),
          writeAll: (bytes: Uint8Array) => Effect.zipRight(once, writeAll(bytes))
        })
      )
    )

  it("keeps what a recorder appends meanwhile", function* () {
    const { content, fs, path } = yield* inFolder
    yield* fs.writeFile(path, unfinished)
    const more = new Uint8Array(1000).fill(5)
    const growing = yield* beforeChange(fs, fs.writeFile(path, more, { flag: "a" }))
    expect((yield* Effect.provideService(Wav.repair(path), FileSystem.FileSystem, growing)).dataLength).toBe(4000)
    expect(Buffer.from((yield* content).subarray(44))).toEqual(Buffer.concat([samples, more]))
  })

  it("does not change a file that takes its name meanwhile", function* () {
    const { folder, fs, path } = yield* inFolder
    yield* fs.writeFile(path, Buffer.concat([unfinished, Uint8Array.of(1)]))
    const other = "another file, longer than the one that was to be repaired".repeat(100)
    yield* fs.writeFileString(`${folder}/other`, other)
    const replaced = yield* beforeChange(fs, fs.rename(`${folder}/other`, path))
    yield* Effect.ignore(Effect.provideService(Wav.repair(path), FileSystem.FileSystem, replaced))
    expect(yield* fs.readFileString(path)).toBe(other)
  })
})

describe("a device", () => {
  it("gets the samples as they come, and not one more", function* () {
    const { fs } = yield* inFolder
    const audio = PcmStream.make(mulaw, Stream.make(data))
    const toDevice: Array<Uint8Array> = []
    const recording = withOpenedFiles(fs, () => ({
      writeAll: (bytes: Uint8Array) => Effect.sync(() => toDevice.push(bytes.slice()))
    }))
    yield* Effect.provideService(Wav.writeFile(audio, "/dev/null"), FileSystem.FileSystem, recording)
    const streamed = Buffer.concat([...(yield* Stream.runCollect(Wav.encodeStream(audio)))])
    expect(Buffer.concat(toDevice)).toEqual(streamed)
    expect(Buffer.from(Either.getOrThrow(Wav.decode(streamed)).bytes)).toEqual(Buffer.from(data))
  })
})

/** The same file with the numbers of its canonical header big-endian. */
function bigEndian(file: Uint8Array): Buffer {
  const changed = Buffer.from(file)
  changed.write("RIFX", 0)
  for (const offset of [4, 16, 24, 28, 40]) changed.subarray(offset, offset + 4).reverse()
  for (const offset of [20, 22, 32, 34]) changed.subarray(offset, offset + 2).reverse()
  return changed
}

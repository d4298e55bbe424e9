import { createHash } from "node:crypto"
import { readdirSync, readlinkSync } from "node:fs"
import { createServer } from "node:net"
import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { describe, expect, it } from "@effect/vitest"
import type * as AudioFormat from "@effect-speech/audio-codec/AudioFormat"
import * as Pcm from "@effect-speech/audio-codec/Pcm"
import * as Wav from "@effect-speech/audio-codec/Wav"
import { AudioSource, Recording, type SpeechToTextOptions } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/node"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Supervisor from "effect/Supervisor"
import { untilZero } from "../../../test/support/faultyServer.js"
import {
  connect,
  fieldsOf,
  fileOf,
  model,
  type Request,
  sendStatuses,
  sttOf,
  success,
  transcribe as transcribeWith
} from "./scriptedStt.js"

/** Transcribes against a server that sends `statuses`, then 200. */
const transcribe = (asked: Partial<Request>, statuses: Array<number> = [], options?: Partial<SpeechToTextOptions>) =>
  transcribeWith(sendStatuses(...statuses), asked, options)

const stereo48k: AudioFormat.AudioFormat = { sampleRate: 48_000, channels: 2, encoding: "pcm16" }
const tone = (seconds: number, format = stereo48k): Uint8Array => {
  const samples = new Float32Array(seconds * format.sampleRate * format.channels)
  for (let at = 0; at < samples.length; at++) {
    samples[at] = 0.5 * Math.sin((2 * Math.PI * 440 * Math.floor(at / format.channels)) / format.sampleRate)
  }
  return Wav.encode(format, Pcm.encode(samples, format.encoding).bytes)
}

const wav = tone(0.1)
const inChunks = (bytes: Uint8Array, size: number) =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size)
    )
  )

/** A temporary file with `bytes`, and the file system. */
const fileWith = (bytes: Uint8Array, suffix = "") =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* fs.makeTempFileScoped({ suffix })
    yield* fs.writeFile(path, bytes)
    return { fs, path }
  }).pipe(Effect.provide(NodeTransport.layer), Effect.orDie)

/** The recommended layer over another file system. */
const withFiles = (fs: FileSystem.FileSystem) =>
  Layer.merge(NodeTransport.layer, Layer.succeed(FileSystem.FileSystem, fs))

/** A file system whose files are read by `read`. */
const reading = (
  fs: FileSystem.FileSystem,
  read: (file: FileSystem.File, block: Uint8Array) => ReturnType<FileSystem.File["read"]>
) =>
  FileSystem.FileSystem.of({
    ...fs,
    open: (path, options) =>
      Effect.map(fs.open(path, options), (opened) => ({
        ...opened,
        seek: (offset: FileSystem.SizeInput, from: FileSystem.SeekMode) => opened.seek(offset, from),
        readAlloc: (size: FileSystem.SizeInput) => opened.readAlloc(size),
        read: (block: Uint8Array) => read(opened, block)
      }))
  })

describe("a recording", () => {
  const filename = "call.wav"
  const { length: byteLength } = wav

  it.scoped.each([
    { what: "bytes", audio: () => AudioSource.fromBytes(wav, { filename }), exact: true },
    { what: "a Blob", audio: () => AudioSource.fromBlob(new Blob([wav]), { filename }), exact: true },
    { what: "a File", audio: () => AudioSource.fromBlob(new File([wav], filename)), exact: true },
    {
      what: "a stream of known length",
      audio: () => AudioSource.fromStream(() => inChunks(wav, 1000), { filename, byteLength }),
      exact: true
    },
    {
      what: "a stream of unknown length",
      audio: () => AudioSource.fromStream(() => inChunks(wav, 7), { filename }),
      exact: false
    },
    {
      what: "a one-shot stream",
      audio: () => AudioSource.fromOneShotStream(inChunks(wav, 1000), { filename }),
      exact: false
    },
    {
      what: "bytes with another ending",
      audio: () => AudioSource.fromBytes(wav, { filename: "call.mp3" }),
      exact: true
    }
  ])("of $what arrives byte for byte, with the ending of its container", ({ audio, exact }) =>
    Effect.gen(function* () {
      const { received } = yield* transcribe({ audio: audio() })
      const { bytes, headers } = fileOf(received[0])
      expect(bytes).toEqual(wav)
      expect(headers).toContain('filename="call.wav"\r\nContent-Type: audio/wav')
      expect(received[0]?.headers["content-length"]).toBe(exact ? String(received[0]?.body.byteLength) : undefined)
      expect(received[0]?.headers["transfer-encoding"]).toBe(exact ? undefined : "chunked")
    })
  )

  it.scoped.each([
    { over: "recommended", platform: NodeTransport.layer },
    { over: "node", platform: Layer.merge(NodeHttpClient.layer, NodeFileSystem.layer) }
  ])(
    "of a file arrives byte for byte over the layer $over, with the ending of its name if its container is unknown",
    ({ platform }) =>
      Effect.gen(function* () {
        const bytes = new Uint8Array(1_000_000).fill(7)
        const { path } = yield* fileWith(bytes, ".flac")
        const { server, stt } = yield* connect(undefined, {}, platform)
        yield* stt.transcribe({ model, audio: AudioSource.fromPath(path) })
        const [sent] = server.received
        expect(sent?.headers["content-length"]).toBe(String(sent?.body.byteLength))
        expect(Buffer.compare(fileOf(sent).bytes, bytes)).toBe(0)
        expect(fileOf(sent).headers).toContain("Content-Type: audio/flac")
      })
  )

  it("has the name of its file, or audio by default", () => {
    for (const path of [filename, "calls/one/call.wav", "C:\\calls\\call.wav"]) {
      expect(AudioSource.fromPath(path).filename).toBe(filename)
    }
    for (const source of [
      AudioSource.fromBytes(wav),
      AudioSource.fromBlob(new Blob([wav])),
      AudioSource.fromBlob(Object.assign(new Blob([wav]), { name: 7 })),
      AudioSource.fromStream(() => Stream.empty),
      AudioSource.fromOneShotStream(Stream.empty)
    ]) {
      expect(source.filename).toBe("audio")
    }
  })

  it.scoped("of a few bytes is sent", () =>
    Effect.gen(function* () {
      const few = Uint8Array.of(1, 2, 3)
      const { received } = yield* transcribe({
        audio: AudioSource.fromStream(() => Stream.make(few), { byteLength: 3 })
      })
      expect(fileOf(received[0]).bytes).toEqual(few)
    })
  )

  it.scopedLive.each([
    { what: "bytes", audio: AudioSource.fromBytes(wav) },
    { what: "a Blob", audio: AudioSource.fromBlob(new Blob([wav])) },
    { what: "a stream", audio: AudioSource.fromStream(() => inChunks(wav, 1000)) }
  ])("of $what is sent completely in each retry, with the same id", ({ audio }) =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe({ audio, transactionId: undefined }, [503, 500], { retries: 2 })
      expect(outcome).toMatchObject({
        right: { call: { attempts: [{ status: 503 }, { status: 500 }, { status: 200 }] } }
      })
      expect(received.map((each) => fileOf(each).bytes)).toEqual([wav, wav, wav])
      expect(new Set(received.map((each) => fieldsOf([each])[1]?.[1])).size).toBe(1)
    })
  )

  it.scoped("of a one-shot stream is sent once, by the first call", () =>
    Effect.gen(function* () {
      const audio = AudioSource.fromOneShotStream(inChunks(wav, 1000))
      const first = yield* transcribe({ audio }, [503], { retries: 2 })
      expect(first.outcome).toMatchObject({ left: { _tag: "SttUnavailable", call: { attempts: [{ status: 503 }] } } })
      const second = yield* transcribe({ audio })
      expect(second.outcome).toMatchObject({
        left: {
          _tag: "SttAudioUnreadable",
          problem: expect.stringContaining("it was read before"),
          call: { attempts: [], billing: "notBilled" }
        }
      })
      expect(second.received).toEqual([])
    })
  )

  it.scoped.each([
    { what: "a stream", audio: AudioSource.fromStream(() => inChunks(wav, 1000)) },
    { what: "bytes", audio: AudioSource.fromBytes(wav) }
  ])("of $what is not sent again by an HttpClient that retries", ({ audio }) =>
    Effect.gen(function* () {
      const retrying = Layer.effect(
        HttpClient.HttpClient,
        Effect.map(HttpClient.HttpClient, (client) => HttpClient.retryTransient(client, { times: 2 }))
      ).pipe(Layer.provide(NodeHttpClient.layer))
      const { server, stt } = yield* connect(sendStatuses(503), {}, Layer.merge(retrying, NodeFileSystem.layer))
      const error = yield* Effect.flip(stt.transcribe({ model, audio }))
      expect(error).toMatchObject({ _tag: "SttAudioUnreadable", problem: expect.stringContaining("option retries") })
      expect(server.received.map((each) => fileOf(each).bytes.length)).toEqual([wav.length])
    })
  )
})

describe("a large file", () => {
  /** Takes a request at a pace of its own, so that a client which did not wait would read on into its one block. */
  const slowServer = Effect.gen(function* () {
    const parts: Array<Buffer> = []
    let length = 0
    const server = createServer((socket) => {
      let announced = Number.POSITIVE_INFINITY
      socket.on("data", (chunk) => {
        let body = chunk
        if (announced === Number.POSITIVE_INFINITY) {
          const end = chunk.indexOf("\r\n\r\n") + 4
          announced = Number(/content-length: (\d+)/i.exec(chunk.subarray(0, end).toString("latin1"))?.[1])
          body = chunk.subarray(end)
        }
        parts.push(body)
        length += body.byteLength
        if (length >= announced) {
          const answer = JSON.stringify(success)
          socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`)
          return
        }
        socket.pause()
        setTimeout(() => socket.resume(), Math.floor(length / 1000) % 3)
      })
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return {
      url: `http://127.0.0.1:${port}`,
      /** The file of a form, which has `length` bytes. */
      fileBytes: (size: number): Uint8Array => {
        const body = Buffer.concat(parts)
        const from = body.indexOf("\r\n\r\n", body.indexOf('name="audio_file"')) + 4
        return new Uint8Array(body.subarray(from, from + size))
      }
    }
  })

  const patterned = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 13)) & 255)
  const digestOf = (data: Uint8Array) => createHash("sha256").update(data).digest("hex")

  it.scopedLive.each([
    ...[16_385, 40_000, 65_535].map((longest) => ({
      what: `short reads of ${longest} bytes`,
      longest,
      length: 3_000_000
    })),
    // An odd length, so that the last chunks are short.
    { what: "a slow server", longest: Number.POSITIVE_INFINITY, length: 5 * 1024 * 1024 + 12_345 }
  ])("arrives byte for byte from its one read buffer, with $what", ({ length, longest }) =>
    Effect.gen(function* () {
      const bytes = patterned(length)
      const server = yield* slowServer
      const { fs, path } = yield* fileWith(bytes)
      const shortReads = reading(fs, (file, block) => file.read(block.subarray(0, longest)))
      const stt = yield* sttOf(server.url, {}, withFiles(shortReads))
      yield* stt.transcribe({ model, audio: AudioSource.fromPath(path) })
      expect(digestOf(server.fileBytes(length))).toBe(digestOf(bytes))
    })
  )
})

describe("what a call opens", () => {
  const openFiles = (path: string): number =>
    readdirSync("/proc/self/fd").filter((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`) === path
      } catch {
        return false
      }
    }).length

  it.scopedLive.skipIf(process.platform !== "linux")("is closed at the end of the call", () =>
    Effect.gen(function* () {
      const { path } = yield* fileWith(tone(0.5))
      const { stt } = yield* connect(sendStatuses(200, 503, 401, 500, 200), { retries: 1 })
      let opened = 0
      let closed = 0
      const counted = AudioSource.fromStream(() =>
        Stream.acquireRelease(
          Effect.sync(() => opened++),
          () => Effect.sync(() => closed++)
        ).pipe(Stream.flatMap(() => inChunks(wav, 100)))
      )
      for (const telephony of [true, false]) {
        for (const audio of [AudioSource.fromPath(path), counted]) {
          yield* Effect.ignore(stt.transcribe({ model, audio, telephony }))
        }
      }
      expect(openFiles(path)).toBe(0)
      expect(opened).toBeGreaterThan(1)
      expect(closed).toBe(opened)
    })
  )

  it.scopedLive("does not delay the deadline, even if it can't be interrupted", () =>
    Effect.gen(function* () {
      const audio = AudioSource.fromStream(() =>
        Stream.concat(
          Stream.make(new Uint8Array(10_000)),
          Stream.fromEffect(Effect.uninterruptible(Effect.as(Effect.sleep("10 seconds"), new Uint8Array(1))))
        )
      )
      const { stt } = yield* connect(undefined, { deadlines: { uploadIdle: "300 millis" } })
      const startedAt = Date.now()
      const error = yield* Effect.flip(stt.transcribe({ model, audio }))
      expect(error).toMatchObject({ _tag: "SttDeadlineExceeded", phase: "upload" })
      expect(Date.now() - startedAt).toBeLessThan(6000)
    })
  )

  it.scopedLive("is no longer read after the call, even if the HttpClient abandons the body", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor.track
      const abandoning = HttpClient.make((sent) =>
        Effect.gen(function* () {
          if (sent.body._tag === "Stream") yield* Stream.toReadableStreamEffect(sent.body.stream)
          return yield* Effect.fail(new HttpClientError.RequestError({ request: sent, reason: "Transport" }))
        })
      )
      const platform = Layer.merge(Layer.succeed(HttpClient.HttpClient, abandoning), NodeFileSystem.layer)
      const stt = yield* sttOf("http://127.0.0.1", {}, platform)
      const call = Effect.supervised(stt.transcribe({ model, audio: AudioSource.fromBytes(wav) }), supervisor)
      expect(yield* Effect.flip(call)).toMatchObject({ _tag: "SttConnectionFailed" })
      expect(yield* untilZero(Effect.map(supervisor.value, (alive) => alive.length))).toBe(0)
    })
  )
})

describe("a file during its upload", () => {
  const sendWhile = (change: (fs: FileSystem.FileSystem, path: string) => Effect.Effect<void, PlatformError>) =>
    Effect.gen(function* () {
      const { fs, path } = yield* fileWith(wav)
      const changing = reading(fs, (file, block) => Effect.zipLeft(file.read(block), change(fs, path)))
      const { server, stt } = yield* connect(undefined, {}, withFiles(changing))
      const outcome = yield* Effect.either(stt.transcribe({ model, audio: AudioSource.fromPath(path) }))
      return { outcome, received: server.received.length }
    })
  const longAgo = new Date(0)
  const grown = new Uint8Array(wav.length + 1)
  const changed = { _tag: "SttAudioUnreadable", problem: expect.stringContaining("it changed") }

  it.scoped.each([
    { how: "grows", change: (fs: FileSystem.FileSystem, path: string) => fs.writeFile(path, grown) },
    {
      how: "grows but keeps its time",
      change: (fs: FileSystem.FileSystem, path: string) =>
        Effect.flatMap(fs.stat(path), ({ mtime }) =>
          Effect.zipRight(fs.writeFile(path, grown), fs.utimes(path, longAgo, Option.getOrThrow(mtime)))
        )
    },
    {
      how: "changes but keeps its size",
      change: (fs: FileSystem.FileSystem, path: string) => fs.utimes(path, longAgo, longAgo)
    }
  ])("that $how fails the call", ({ change }) =>
    Effect.gen(function* () {
      expect(yield* sendWhile(change)).toMatchObject({ outcome: { left: changed }, received: 0 })
    })
  )

  it.scoped("that another process reads is sent", () =>
    Effect.gen(function* () {
      const sent = yield* sendWhile((fs, path) => Effect.asVoid(fs.readFile(path)))
      expect(sent).toMatchObject({ outcome: { right: { text: success.text } }, received: 1 })
    })
  )

  it.scoped("of a file system without times is sent", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* fileWith(wav)
      const timeless = FileSystem.FileSystem.of({
        ...fs,
        stat: (file) => Effect.map(fs.stat(file), (info) => ({ ...info, mtime: Option.none() }))
      })
      const { stt } = yield* connect(undefined, {}, withFiles(timeless))
      expect((yield* stt.transcribe({ model, audio: AudioSource.fromPath(path) })).text).toBe(success.text)
    })
  )
})

describe("a source that fails", () => {
  const fromStream = AudioSource.fromStream
  const one = Uint8Array.of(1)
  const notBytes = "its stream emits something other than Uint8Array"
  const brokenBlob = (broken: object) => AudioSource.fromBlob(Object.assign(new Blob([wav]), broken))

  it.scoped.each([
    { what: "missing", audio: AudioSource.fromPath("/nowhere/call.wav"), problem: "it does not exist; check the path" },
    { what: "a folder", audio: AudioSource.fromPath("/"), problem: "it is a folder" },
    { what: "a device", audio: AudioSource.fromPath("/dev/null"), problem: "AudioSource.fromOneShotStream" },
    { what: "no path", audio: AudioSource.fromPath("a\0b"), problem: "its name is not a path" },
    { what: "no bytes", audio: AudioSource.fromBytes(new Uint8Array(0)), problem: "it is empty" },
    { what: "an empty Blob", audio: AudioSource.fromBlob(new Blob([])), problem: "it is empty" },
    { what: "an empty stream", audio: fromStream(() => Stream.empty), problem: "it is empty" },
    {
      what: "a Blob that can't be read",
      audio: brokenBlob({ slice: () => ({ arrayBuffer: () => Promise.reject(new RangeError("gone")) }) }),
      problem: "reading it failed (RangeError)"
    },
    {
      what: "a Blob that breaks off",
      audio: brokenBlob({
        stream: () => new ReadableStream({ start: (controller) => controller.error(new RangeError("gone")) })
      }),
      problem: "reading it failed (RangeError)"
    },
    {
      what: "a stream that throws",
      audio: fromStream(() => {
        throw new RangeError("no")
      }),
      problem: "its stream failed (RangeError)"
    },
    {
      what: "a stream that fails",
      audio: fromStream(() => Stream.concat(Stream.make(one), Stream.fail(new Error("disk")))),
      problem: "its stream failed"
    },
    { what: "a stream that dies", audio: fromStream(() => Stream.die("no")), problem: "its stream failed" },
    {
      what: "a stream that dies in the middle",
      audio: fromStream(() => Stream.concat(inChunks(wav, 100), Stream.die("disk"))),
      problem: "its stream failed"
    },
    {
      what: "a stream whose finalizer dies",
      audio: fromStream(() => Stream.ensuring(inChunks(wav, 100), Effect.die(new Error("closing")))),
      problem: "reading it failed (Error)"
    },
    {
      what: "a stream that interrupts itself",
      audio: fromStream(() => Stream.concat(inChunks(wav, 100), Stream.fromEffect(Effect.interrupt))),
      problem: "its stream failed"
    },
    ...["text", null].map((value) => ({
      what: `a stream of ${value}`,
      audio: fromStream(() => Stream.make(value as unknown as Uint8Array)),
      problem: notBytes
    })),
    {
      what: "a stream that is too short",
      audio: fromStream(() => Stream.make(one), { byteLength: 2 }),
      problem: "it ended after 1 of 2 bytes"
    },
    {
      what: "a stream that is too short by one byte of many",
      audio: fromStream(() => inChunks(wav, 100), { byteLength: wav.length + 1 }),
      problem: `it ended after ${wav.length} of ${wav.length + 1} bytes`
    },
    {
      what: "a stream that is too long",
      audio: fromStream(() => Stream.make(Uint8Array.of(1, 2, 3)), { byteLength: 2 }),
      problem: "it is longer than its stated 2 bytes"
    },
    ...[1.5, 0, -1].map((byteLength) => ({
      what: `a stream of ${byteLength} bytes`,
      audio: fromStream(() => Stream.make(one), { byteLength }),
      problem: `its length can't be ${byteLength} bytes`
    }))
  ])("because it is $what ends the call without a retry: $problem", ({ audio, problem }) =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe({ audio }, [], { retries: 2 })
      const error = Either.getOrThrow(Either.flip(outcome))
      expect(error).toMatchObject({
        _tag: "SttAudioUnreadable",
        message: expect.stringContaining(problem),
        retryable: false
      })
      expect(error.call.attempts.length).toBeLessThanOrEqual(1)
      expect(received).toEqual([])
    })
  )

  it.scoped("because it is an empty file ends the call", () =>
    Effect.gen(function* () {
      const { path } = yield* fileWith(new Uint8Array(0))
      const { outcome } = yield* transcribe({ audio: AudioSource.fromPath(path) })
      expect(outcome).toMatchObject({ left: { _tag: "SttAudioUnreadable", problem: "it is empty" } })
    })
  )

  it.scoped.each([
    { reason: "NotFound", problem: "it does not exist; check the path" },
    { reason: "PermissionDenied", problem: "this process may not read it; check its permissions" },
    { reason: "BadResource", problem: "it is not a file" },
    { reason: "Busy", problem: "reading it failed (Busy)" }
  ] as const)("with the reason $reason says what to do", ({ problem, reason }) =>
    Effect.gen(function* () {
      const refusing = FileSystem.layerNoop({
        stat: () => Effect.fail(new SystemError({ reason, module: "FileSystem", method: "stat" }))
      })
      const inspecting = Effect.provide(Recording.inspect(AudioSource.fromPath("calls/call.wav")), refusing)
      expect(yield* Effect.flip(inspecting)).toMatchObject({ source: "calls/call.wav", problem })
    })
  )
})

describe("telephony", () => {
  const expected: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }
  const telephony = true

  it.scoped.each([
    { what: "bytes", sourceOf: (bytes: Uint8Array) => AudioSource.fromBytes(bytes), exact: true },
    { what: "a Blob", sourceOf: (bytes: Uint8Array) => AudioSource.fromBlob(new Blob([bytes])), exact: true },
    {
      what: "a stream",
      sourceOf: (bytes: Uint8Array) => AudioSource.fromStream(() => inChunks(bytes, 999)),
      exact: false
    }
  ])("sends $what of 48 kHz stereo as 8 kHz mono, a twelfth of the size", ({ exact, sourceOf }) =>
    Effect.gen(function* () {
      const recording = tone(1)
      const { received } = yield* transcribe({ audio: sourceOf(recording), telephony })
      const { bytes, headers } = fileOf(received[0])
      const sent = yield* Wav.decode(bytes)
      expect(sent.format).toEqual(expected)
      expect(sent.bytes.byteLength).toBe(16_000)
      expect((recording.byteLength - 44) / sent.bytes.byteLength).toBe(12)
      expect(headers).toContain('filename="audio.wav"')
      expect(received[0]?.headers["content-length"]).toBe(exact ? String(received[0]?.body.byteLength) : undefined)
    })
  )

  it.scopedLive("converts a file again for a retry", () =>
    Effect.gen(function* () {
      const { path } = yield* fileWith(tone(0.5))
      const { received } = yield* transcribe({ audio: AudioSource.fromPath(path), telephony }, [503], { retries: 1 })
      const [first, second] = received.map((each) => fileOf(each).bytes)
      expect(first).toEqual(second)
      expect((yield* Wav.decode(first ?? new Uint8Array(0))).format).toEqual(expected)
      expect(received.length).toBe(2)
    })
  )

  it.scoped("skips chunks of any length before the samples", () =>
    Effect.gen(function* () {
      const plain = tone(0.1)
      const notes = new Uint8Array(8 + 200_000)
      notes.set([...new TextEncoder().encode("note"), ...new Uint8Array(Uint32Array.of(200_000).buffer)])
      const bytes = Buffer.concat([plain.subarray(0, 12), notes, plain.subarray(12)])
      bytes.writeUInt32LE(bytes.length - 8, 4)
      const { outcome, received } = yield* transcribe({ audio: AudioSource.fromBytes(bytes), telephony })
      expect(outcome).toMatchObject({ right: { warnings: [] } })
      expect((yield* Wav.decode(fileOf(received[0]).bytes)).bytes.byteLength).toBe(1600)
    })
  )

  it.scoped("converts a lower rate, and warns of it", () =>
    Effect.gen(function* () {
      const audio = AudioSource.fromBytes(tone(1, { ...stereo48k, sampleRate: 1000 }))
      const { outcome, received } = yield* transcribe({ audio, telephony })
      expect(outcome).toMatchObject({ right: { warnings: [{ _tag: "SampleRateFarFrom8kHz", sampleRate: 1000 }] } })
      expect((yield* Wav.decode(fileOf(received[0]).bytes)).bytes.byteLength).toBe(16_000)
    })
  )

  const cutStream = () => Stream.concat(inChunks(wav.subarray(0, 5000), 100), Stream.fail(new RangeError("disk")))

  it.scoped.each([
    {
      what: "FLAC",
      audio: AudioSource.fromBytes(new Uint8Array([...new TextEncoder().encode("fLaC"), 0, 0, 0, 34])),
      problem: /it is FLAC, and only WAV.*leave telephony out/
    },
    {
      what: "an unknown container",
      audio: AudioSource.fromBytes(new Uint8Array(100)),
      problem: /it is no WAV file.*leave telephony out/
    },
    {
      what: "100 Hz",
      audio: AudioSource.fromBytes(tone(1, { ...stereo48k, sampleRate: 100 })),
      problem: /100 Hz is too low/
    },
    { what: "a broken WAV", audio: AudioSource.fromBytes(tone(0.01).slice(0, 30)), problem: /can't be converted/ },
    {
      what: "a stream that fails",
      audio: AudioSource.fromStream(cutStream),
      problem: /its stream failed \(RangeError\)/
    }
  ])("refuses $what, and says what to do", ({ audio, problem }) =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe({ audio, telephony })
      expect(outcome).toMatchObject({ left: { _tag: "SttAudioUnreadable", message: expect.stringMatching(problem) } })
      expect(received).toEqual([])
    })
  )
})

it.scoped.each([
  { what: "bytes", asked: { audio: AudioSource.fromBytes(wav) } },
  { what: "a stream", asked: { audio: AudioSource.fromStream(() => inChunks(wav, 50)) } },
  {
    what: "all parts of a request",
    asked: {
      audio: AudioSource.fromBytes(wav),
      model: "en-general-v2-8khz",
      parseNumber: true,
      hotwords: [{ phrase: "UPI 2.0" }]
    },
    more: ["ParseNumberWithoutEffect", "HotwordNotSpoken"]
  },
  { what: "the converted recording", asked: { audio: AudioSource.fromBytes(wav), telephony: true }, of: [] }
])(
  "a transcription has the warnings of $what",
  ({ asked, more = [], of = ["MoreThanOneChannel", "SampleRateFarFrom8kHz"] }) =>
    Effect.gen(function* () {
      const { outcome } = yield* transcribe(asked)
      expect(Either.getOrThrow(outcome).warnings.map(({ _tag }) => _tag)).toEqual([...of, ...more])
    })
)

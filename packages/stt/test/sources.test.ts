import { readdirSync, readlinkSync } from "node:fs"
import { createServer } from "node:http"
import { setTimeout } from "node:timers/promises"
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
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Supervisor from "effect/Supervisor"
import { untilZero } from "../../../test/support/faultyServer.js"
import { loopback } from "../../../test/support/loopback.js"
import { withOpenedFiles } from "../../../test/support/openedFiles.js"
import { type Received, respondJson } from "../../../test/support/scriptedServer.js"
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

/** Chunks in one Buffer, which each chunk overwrites. */
const inOneBlock = (bytes: Uint8Array, size: number) =>
  Stream.suspend(() => {
    const block = Buffer.alloc(size)
    return Stream.map(Stream.rechunk(inChunks(bytes, size), 1), (part) => {
      block.fill(0).set(part)
      return block.subarray(0, part.length)
    })
  })

const inSharedMemory = (bytes: Uint8Array) => {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}

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

/** A file system whose reads return at most `longest` bytes, and run `after`. */
const reading = (
  fs: FileSystem.FileSystem,
  {
    after = Effect.void,
    longest = Number.POSITIVE_INFINITY
  }: { after?: Effect.Effect<void, PlatformError>; longest?: number }
) =>
  withOpenedFiles(fs, ({ read, readAlloc }) => ({
    read: (block: Uint8Array) => Effect.zipLeft(read(block.subarray(0, longest)), after),
    readAlloc: (size: FileSystem.SizeInput) => Effect.zipLeft(readAlloc(Math.min(Number(size), longest)), after)
  }))

describe("a process with too many open files", () => {
  const error = new SystemError({
    reason: "Unknown",
    module: "FileSystem",
    method: "open",
    cause: Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" })
  })

  it.scoped.each([
    ["a path", (path: string) => AudioSource.fromPath(path)],
    ["a stream", () => AudioSource.fromStream(() => Stream.fail(error))]
  ] as const)("is not told that the recording is unreadable: %s", ([_, audioOf]) =>
    Effect.gen(function* () {
      const { fs, path } = yield* fileWith(wav)
      const full = FileSystem.FileSystem.of({ ...fs, open: () => Effect.fail(error) })
      const { server, stt } = yield* connect(undefined, {}, withFiles(full))
      expect(yield* Effect.flip(stt.transcribe({ model, audio: audioOf(path) }))).toMatchObject({
        _tag: "SttConnectionFailed",
        reason: "tooManyOpenFiles",
        code: "EMFILE",
        sent: "nothing",
        retryable: true,
        message: expect.stringContaining(
          "too many open files (EMFILE). Make fewer calls at once by the option concurrency"
        ),
        call: { billing: "notBilled" }
      })
      expect(server.received).toEqual([])
    })
  )
})

describe("a recording", () => {
  const filename = "call.wav"
  const { length: byteLength } = wav

  const stream = AudioSource.fromStream

  it.scoped.each([
    ["bytes", AudioSource.fromBytes(wav, { filename }), true],
    ["a Blob", AudioSource.fromBlob(new Blob([wav]), { filename }), true],
    ["a File", AudioSource.fromBlob(new File([wav], filename)), true],
    ["a stream of known length", stream(() => inChunks(wav, 1000), { filename, byteLength }), true],
    ["a stream of unknown length", stream(() => inChunks(wav, 7), { filename }), false],
    ["a one-shot stream", AudioSource.fromOneShotStream(inChunks(wav, 1000), { filename }), false],
    ["a stream that overwrites its chunks", stream(() => inOneBlock(wav, 16), { filename }), false],
    ["shared memory", AudioSource.fromBytes(inSharedMemory(wav), { filename }), true],
    ["bytes with another ending", AudioSource.fromBytes(wav, { filename: "call.mp3" }), true]
  ] as const)("of %s arrives byte for byte, with the ending of its container", ([_, audio, exact]) =>
    Effect.gen(function* () {
      const { received } = yield* transcribe({ audio })
      const { bytes, headers } = fileOf(received[0])
      expect(Buffer.compare(bytes, wav)).toBe(0)
      expect(headers).toContain('filename="call.wav"\r\nContent-Type: audio/wav')
      expect(received[0]?.headers["content-length"]).toBe(exact ? String(received[0]?.body.byteLength) : undefined)
      expect(received[0]?.headers["transfer-encoding"]).toBe(exact ? undefined : "chunked")
    })
  )

  it.scoped.each([
    ["recommended", NodeTransport.layer],
    ["node", Layer.merge(NodeHttpClient.layer, NodeFileSystem.layer)]
  ] as const)(
    "of a file arrives byte for byte over the layer %s, with the ending of its name if its container is unknown",
    ([_, platform]) =>
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

  const few = Uint8Array.of(1, 2, 3)

  it.scopedLive.each([
    ["bytes", AudioSource.fromBytes(wav), wav],
    ["a Blob", AudioSource.fromBlob(new Blob([wav])), wav],
    ["a stream", AudioSource.fromStream(() => inChunks(wav, 1000)), wav],
    ["a stream of a few bytes", AudioSource.fromStream(() => Stream.make(few), { byteLength: 3 }), few]
  ] as const)("of %s is sent completely in each retry, with the same id", ([_, audio, bytes]) =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe({ audio, transactionId: undefined }, [503, 500], { retries: 2 })
      expect(outcome).toMatchObject({
        right: { call: { attempts: [{ status: 503 }, { status: 500 }, { status: 200 }] } }
      })
      expect(received.map((each) => Buffer.compare(fileOf(each).bytes, bytes))).toEqual([0, 0, 0])
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
    ["a stream", AudioSource.fromStream(() => inChunks(wav, 1000))],
    ["bytes", AudioSource.fromBytes(wav)]
  ] as const)("of %s is not sent again by an HttpClient that retries", ([_, audio]) =>
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

describe("a large stream", () => {
  const large = Uint8Array.from({ length: 9 * 1024 * 1024 + 12_345 }, (_, at) => (at * 31 + (at >> 13)) & 255)
  const mebibyte = 1024 * 1024
  const none = new Uint8Array(0)
  const { length: byteLength } = large
  const oneByOne = (size: number) => Stream.rechunk(inChunks(large, size), 1)

  it.scopedLive.each([
    ["chunks of 8 MiB", () => inChunks(large, 8 * mebibyte)],
    ["a chunk in one piece", () => Stream.make(large)],
    ["chunks of 100,000 bytes, each overwritten by the next", () => inOneBlock(large, 100_000)],
    ["chunks of 4 KiB", () => oneByOne(4096)],
    ["empty chunks between the others", () => Stream.intersperse(oneByOne(mebibyte), none)],
    [
      "single bytes, then the rest",
      () => Stream.concat(inChunks(large.subarray(0, 9999), 1), Stream.make(none, large.subarray(9999)))
    ]
  ] as const)("of %s arrives byte for byte, with and without a stated length", ([_, open]) =>
    Effect.gen(function* () {
      for (const options of [{ byteLength }, {}]) {
        const { outcome, received } = yield* transcribe({ audio: AudioSource.fromStream(open, options) })
        expect(outcome).toMatchObject({ right: { text: success.text } })
        expect(Buffer.compare(fileOf(received[0]).bytes, large)).toBe(0)
      }
    })
  )

  it.scopedLive(
    "that fails in the middle fails the call with the error of the stream, and no service believes it",
    () =>
      Effect.gen(function* () {
        const open = () => Stream.concat(oneByOne(mebibyte), Stream.fail(new RangeError("disk")))
        for (const options of [{ byteLength: byteLength + 1 }, {}]) {
          const { outcome, received } = yield* transcribe({ audio: AudioSource.fromStream(open, options) })
          const problem = "its stream failed (RangeError)"
          expect(outcome).toMatchObject({ left: { _tag: "SttAudioUnreadable", problem } })
          expect(received).toEqual([])
        }
      })
  )
})

describe("a stream that is recorded while it is sent", () => {
  it.scopedLive("arrives chunk by chunk, and is closed when the call is interrupted", () =>
    Effect.gen(function* () {
      const arrived = yield* Queue.unbounded<string>()
      const server = createServer((request) => {
        request.setEncoding("latin1").on("data", (text: string) => Queue.unsafeOffer(arrived, text))
      })
      const { url } = yield* loopback(server)
      const stt = yield* sttOf(url)
      const recorded = yield* Queue.unbounded<Uint8Array>()
      let isClosed = false
      const stream = Stream.ensuring(
        Stream.fromQueue(recorded),
        Effect.sync(() => (isClosed = true))
      )
      yield* Queue.offer(recorded, wav.subarray(0, 100))
      const call = yield* Effect.fork(stt.transcribe({ model, audio: AudioSource.fromOneShotStream(stream) }))
      for (const word of ["one", "two", "three"]) {
        yield* Queue.offer(recorded, new TextEncoder().encode(word))
        while (!(yield* Queue.take(arrived)).includes(word));
      }
      yield* Fiber.interrupt(call)
      expect(isClosed).toBe(true)
    })
  )
})

describe("a large file", () => {
  /** Pauses between chunks: a client that does not wait overwrites the read buffer. */
  const slowServer = Effect.gen(function* () {
    const received: Array<Received> = []
    const server = createServer(async (request, response) => {
      const parts: Array<Buffer> = []
      for await (const part of request) {
        parts.push(part)
        await setTimeout(parts.length % 3)
      }
      received.push({ method: "POST", url: "", headers: request.headers, body: Buffer.concat(parts) })
      respondJson(response, 200, success)
    })
    const { url } = yield* loopback(server)
    return { url, received }
  })

  it.scopedLive.each([
    ["short reads of 16,385 bytes", 16_385, 700_000],
    ["short reads of 40,000 bytes", 40_000, 700_000],
    ["short reads of 65,535 bytes", 65_535, 700_000],
    // An odd length, so that the last chunks are short.
    ["a slow server", Number.POSITIVE_INFINITY, 2 * 1024 * 1024 + 12_345]
  ] as const)("arrives byte for byte from its one read buffer, with %s", ([_, longest, length]) =>
    Effect.gen(function* () {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 13)) & 255)
      const server = yield* slowServer
      const { fs, path } = yield* fileWith(bytes)
      const shortReads = reading(fs, { longest })
      const stt = yield* sttOf(server.url, {}, withFiles(shortReads))
      yield* stt.transcribe({ model, audio: AudioSource.fromPath(path) })
      expect(Buffer.compare(fileOf(server.received[0]).bytes, bytes)).toBe(0)
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

  it.scopedLive("may ignore its interruption: the call still ends at its deadline", () =>
    Effect.gen(function* () {
      const { stt } = yield* connect(undefined, { deadlines: { uploadIdle: "300 millis" } })
      const uninterruptible = Effect.uninterruptible(Effect.as(Effect.sleep("10 seconds"), new Uint8Array(1)))
      const audio = AudioSource.fromStream(() =>
        Stream.concat(Stream.make(new Uint8Array(10_000)), Stream.fromEffect(uninterruptible))
      )
      const startedAt = performance.now()
      const error = yield* Effect.flip(stt.transcribe({ model, audio }))
      expect(error).toMatchObject({ _tag: "SttDeadlineExceeded", phase: "upload" })
      expect(performance.now() - startedAt).toBeLessThan(6000)
    })
  )

  it.scopedLive("is closed if the call is interrupted before the first byte", () =>
    Effect.gen(function* () {
      const { stt } = yield* connect()
      const opened = yield* Deferred.make<void>()
      let isClosed = false
      const audio = AudioSource.fromStream(() =>
        Stream.acquireRelease(Deferred.succeed(opened, undefined), () => Effect.sync(() => (isClosed = true))).pipe(
          Stream.flatMap(() => Stream.never)
        )
      )
      const call = yield* Effect.fork(stt.transcribe({ model, audio }))
      yield* Deferred.await(opened)
      yield* Fiber.interrupt(call)
      expect(isClosed).toBe(true)
    })
  )

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

  it.scopedLive.skipIf(process.platform !== "linux")(
    "is closed before the service answers, if it is a short file",
    () =>
      Effect.gen(function* () {
        const { path } = yield* fileWith(wav)
        const open: Array<number> = []
        const { stt } = yield* connect((response) => {
          open.push(openFiles(path))
          respondJson(response, 200, success)
        })
        yield* stt.transcribe({ model, audio: AudioSource.fromPath(path) })
        expect(open).toEqual([0])
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
  type Change = (fs: FileSystem.FileSystem, path: string, length: number) => Effect.Effect<void, PlatformError>
  const sendWhile = (change: Change, bytes: Uint8Array, telephony = false) =>
    Effect.gen(function* () {
      const { fs, path } = yield* fileWith(bytes)
      // The clock of a file system may have steps of some milliseconds.
      yield* Effect.promise(() => setTimeout(20))
      const changing = reading(fs, { after: Effect.suspend(() => change(fs, path, bytes.length)) })
      const { server, stt } = yield* connect(undefined, {}, withFiles(changing))
      const outcome = yield* Effect.either(stt.transcribe({ model, audio: AudioSource.fromPath(path), telephony }))
      return { outcome, received: server.received.length }
    })
  const longAgo = new Date(0)
  // One is read before it is sent, the other while it is sent.
  const recordings = [wav, tone(2)]
  const changed = { _tag: "SttAudioUnreadable", problem: expect.stringMatching(/^it (changed|ended)/) }

  const grow: Change = (fs, path, length) => fs.writeFile(path, new Uint8Array(length + 1))
  const overwrite: Change = (fs, path, length) => fs.writeFile(path, new Uint8Array(length))
  const keepTime =
    (change: Change): Change =>
    (fs, path, length) =>
      Effect.flatMap(fs.stat(path), ({ mtime }) =>
        Effect.zipRight(change(fs, path, length), fs.utimes(path, longAgo, Option.getOrThrow(mtime)))
      )

  it.scoped.each<readonly [how: string, change: Change]>([
    ["grows", grow],
    ["grows but keeps its time", keepTime(grow)],
    ["becomes shorter", (fs, path, length) => fs.writeFile(path, new Uint8Array(length - 1))],
    ["changes but keeps its size", (fs, path) => fs.utimes(path, longAgo, longAgo)],
    ["is overwritten but keeps its size and its time", keepTime(overwrite)],
    [
      "is replaced by another of its size and its time",
      (fs, path, length) =>
        fs
          .copyFile(path, `${path}.new`)
          .pipe(
            Effect.zipRight(keepTime(overwrite)(fs, `${path}.new`, length)),
            Effect.zipRight(fs.rename(`${path}.new`, path))
          )
    ]
  ])("that %s fails the call", ([_, change]) =>
    Effect.gen(function* () {
      for (const bytes of recordings) {
        expect(yield* sendWhile(change, bytes)).toMatchObject({ outcome: { left: changed }, received: 0 })
      }
    })
  )

  it.scoped("that is overwritten during its conversion fails the call", () =>
    Effect.gen(function* () {
      for (const bytes of recordings) {
        const sent = yield* sendWhile(keepTime(overwrite), bytes, true)
        expect(sent).toMatchObject({ outcome: { left: changed }, received: 0 })
      }
    })
  )

  it.scoped("that another process reads is sent", () =>
    Effect.gen(function* () {
      for (const bytes of recordings) {
        const sent = yield* sendWhile((fs, path) => Effect.asVoid(fs.readFile(path)), bytes)
        expect(sent).toMatchObject({ outcome: { right: { text: success.text } }, received: 1 })
      }
    })
  )

  it.scoped("of a file system without times is sent", () =>
    Effect.gen(function* () {
      const { fs, path } = yield* fileWith(wav)
      const timeless = withOpenedFiles(fs, ({ stat }) => ({
        stat: Effect.map(stat, (info) => ({ ...info, mtime: Option.none() }))
      }))
      const { stt } = yield* connect(undefined, {}, withFiles(timeless))
      expect((yield* stt.transcribe({ model, audio: AudioSource.fromPath(path) })).text).toBe(success.text)
    })
  )
})

describe("a source that fails", () => {
  const fromStream = AudioSource.fromStream
  const one = Uint8Array.of(1)
  const path = AudioSource.fromPath
  const throwing = () => {
    throw new RangeError("no")
  }
  const notRead = { slice: () => ({ arrayBuffer: () => Promise.reject(new RangeError("gone")) }) }
  const cut = () => new ReadableStream({ start: (controller) => controller.error(new RangeError("gone")) })
  const blob = (broken: object) => AudioSource.fromBlob(Object.assign(new Blob([wav]), broken))
  const text = "text" as unknown as Uint8Array
  const missing = null as unknown as Uint8Array
  const stream = (...parts: Array<Stream.Stream<Uint8Array, unknown>>) =>
    fromStream(() => parts.reduce((all, part) => Stream.concat(all, part)))
  const of = (byteLength: number, bytes: Stream.Stream<Uint8Array> = Stream.make(one)) =>
    fromStream(() => bytes, { byteLength })
  const some = inChunks(wav, 100)
  const closingFails = Stream.ensuring(some, Effect.die(new Error("closing")))
  const long = wav.length + 1

  it.scoped.each([
    ["missing", path("/nowhere/call.wav"), "it does not exist; check the path"],
    ["a folder", path("/"), "it is a folder"],
    ["a device", path("/dev/null"), "AudioSource.fromOneShotStream"],
    ["no path", path("a\0b"), "its name is not a path"],
    ["no bytes", AudioSource.fromBytes(new Uint8Array(0)), "it is empty"],
    ["an empty Blob", AudioSource.fromBlob(new Blob([])), "it is empty"],
    ["an empty stream", stream(Stream.empty), "it is empty"],
    ["a Blob that can't be read", blob(notRead), "reading it failed (RangeError)"],
    ["a Blob that breaks off", blob({ stream: cut }), "reading it failed (RangeError)"],
    ["a stream that throws", fromStream(throwing), "its stream failed (RangeError)"],
    ["a stream that fails", stream(Stream.make(one), Stream.fail(new Error("disk"))), "its stream failed"],
    ["a stream that dies", stream(Stream.die("no")), "its stream failed"],
    ["a stream that dies in the middle", stream(some, Stream.die("disk")), "its stream failed"],
    ["a stream whose finalizer dies", stream(closingFails), "reading it failed (Error)"],
    ["a stream that interrupts itself", stream(some, Stream.fromEffect(Effect.interrupt)), "its stream failed"],
    ["a stream of text", stream(Stream.make(text)), "its stream emits something other than Uint8Array"],
    ["a stream of null", stream(Stream.make(missing)), "its stream emits something other than Uint8Array"],
    ["a stream that is too short", of(2), "it ended after 1 of 2 bytes"],
    ["a long stream that is too short", of(long, some), `it ended after ${wav.length} of ${long} bytes`],
    ["a stream that is too long", of(2, Stream.make(Uint8Array.of(1, 2, 3))), "it is longer than its stated 2 bytes"],
    ["a stream of 1.5 bytes", of(1.5), "its length can't be 1.5 bytes"],
    ["a stream of 0 bytes", of(0), "its length can't be 0 bytes"],
    ["a stream of -1 bytes", of(-1), "its length can't be -1 bytes"]
  ] as const)("because it is %s ends the call without a retry", ([_, audio, problem]) =>
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

  const second = tone(1)

  it.scoped.each([
    ["bytes", AudioSource.fromBytes(second), true],
    ["a Blob", AudioSource.fromBlob(new Blob([second])), true],
    ["a stream", AudioSource.fromStream(() => inChunks(second, 999)), false]
  ] as const)("sends %s of 48 kHz stereo as 8 kHz mono, a twelfth of the size", ([_, audio, exact]) =>
    Effect.gen(function* () {
      const { received } = yield* transcribe({ audio, telephony })
      const { bytes, headers } = fileOf(received[0])
      const sent = yield* Wav.decode(bytes)
      expect(sent.format).toEqual(expected)
      expect(sent.bytes.byteLength).toBe(16_000)
      expect((second.byteLength - 44) / sent.bytes.byteLength).toBe(12)
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
      expect(received[0]?.headers["content-length"]).toBe(String(received[0]?.body.byteLength))
    })
  )

  const cutStream = () => Stream.concat(inChunks(wav.subarray(0, 5000), 100), Stream.fail(new RangeError("disk")))

  const { fromBytes, fromStream } = AudioSource
  const flac = Uint8Array.of(...new TextEncoder().encode("fLaC"), 0, 0, 0, 34)

  it.scoped.each([
    ["FLAC", fromBytes(flac), /it is FLAC, and only WAV.*leave telephony out/],
    ["an unknown container", fromBytes(new Uint8Array(100)), /it is no WAV file.*leave telephony out/],
    ["100 Hz", fromBytes(tone(1, { ...stereo48k, sampleRate: 100 })), /too low for speech.*100 Hz/],
    ["a WAV without samples", fromBytes(tone(0)), /it has no samples/],
    ["a stream without samples", fromStream(() => inChunks(tone(0), 10)), /it has no samples/],
    ["a broken WAV", fromBytes(tone(0.01).slice(0, 30)), /it can't be converted: this WAV file is .*[^.]\.$/],
    ["a stream that fails", fromStream(cutStream), /its stream failed \(RangeError\)/]
  ] as const)("refuses %s, and says what to do", ([_, audio, problem]) =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe({ audio, telephony })
      expect(outcome).toMatchObject({ left: { _tag: "SttAudioUnreadable", message: expect.stringMatching(problem) } })
      expect(received).toEqual([])
    })
  )
})

const lower = AudioSource.fromBytes(tone(1, { ...stereo48k, sampleRate: 1000 }))
const ofFormat = ["MoreThanOneChannel", "SampleRateFarFrom8kHz"]
const others = { model: "en-general-v2-8khz", parseNumber: true, hotwords: [{ phrase: "UPI 2.0" }] }

it.scoped.each<readonly [what: string, asked: Partial<Request>, tags: ReadonlyArray<string>]>([
  ["a stream", { audio: AudioSource.fromStream(() => inChunks(wav, 50)) }, ofFormat],
  ["all parts of a request", others, [...ofFormat, "ParseNumberWithoutEffect", "HotwordNotSpoken"]],
  ["the converted recording", { telephony: true }, []],
  ["the converted recording, at a lower rate", { audio: lower, telephony: true }, ["SampleRateFarFrom8kHz"]]
])("a transcription has the warnings of %s", ([_, asked, tags]) =>
  Effect.gen(function* () {
    const { outcome } = yield* transcribe({ audio: AudioSource.fromBytes(wav), ...asked })
    expect(Either.getOrThrow(outcome).warnings.map(({ _tag }) => _tag)).toEqual(tags)
  })
)

/** A FLAC of 8 kHz behind a tag of ID3 of so many bytes. */
const taggedFlac = (tag: number) => {
  const size = [21, 14, 7, 0].map((shift) => (tag >>> shift) & 127)
  const info = [0, 0, 0, 34, ...new Uint8Array(10), 0x01, 0xf4, 0x00, 0xf0, 0, 0, 0x0f, 0xa0, ...new Uint8Array(16)]
  const bytes = [
    ...Buffer.from("ID3\x04\0\0"),
    ...size,
    ...new Uint8Array(tag).fill(1),
    ...Buffer.from("fLaC"),
    ...info
  ]
  return Uint8Array.from([...bytes, ...new Uint8Array(3000).fill(7)])
}

it.scopedLive.each([[10], [300], [100_000], [300_000]])(
  "a FLAC behind a tag of %i bytes is sent as a FLAC, from whatever source, with all its bytes",
  ([length]) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const bytes = taggedFlac(length as number)
      const path = `${yield* fs.makeTempDirectoryScoped()}/call.mp3`
      yield* fs.writeFile(path, bytes)
      const reused = new Uint8Array(700)
      const filename = "call.mp3"
      const sources = [
        AudioSource.fromPath(path),
        AudioSource.fromBytes(bytes, { filename }),
        AudioSource.fromBlob(new Blob([Uint8Array.from(bytes)]), { filename }),
        AudioSource.fromStream(() => inChunks(bytes, 700), { filename }),
        AudioSource.fromStream(
          () =>
            Stream.map(Stream.rechunk(inChunks(bytes, 700), 1), (part) => {
              reused.set(part)
              return reused.subarray(0, part.length)
            }),
          { filename }
        ),
        AudioSource.fromStream(
          () => Stream.fromChunk(Chunk.fromIterable([bytes.subarray(0, 65), bytes.subarray(65)])),
          {
            filename
          }
        )
      ]
      for (const audio of sources) {
        const { received } = yield* transcribe({ audio })
        const part = fileOf(received[0])
        // The beginning of a stream is limited, so a tag that is longer hides what follows it.
        const name =
          length === 300_000 && audio._tag === "Stream" && audio !== sources.at(-1) ? "call.mp3" : "call.flac"
        expect(part.headers).toContain(`filename="${name}"`)
        expect(Buffer.from(bytes).equals(part.bytes)).toBe(true)
      }
    }).pipe(Effect.provide(NodeFileSystem.layer))
)

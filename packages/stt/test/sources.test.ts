import { readdirSync, readlinkSync } from "node:fs"
import { createServer } from "node:http"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { describe, expect, it } from "@effect/vitest"
import { AudioSource } from "@effect-speech/stt"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Supervisor from "effect/Supervisor"
import { untilZero } from "effect-speech-test-support/faultyServer"
import { loopback } from "effect-speech-test-support/loopback"
import { respondJson } from "effect-speech-test-support/scriptedServer"
import { fileWith, inChunks, inOneBlock, inSharedMemory, tone, wav } from "./recordings.js"
import { connect, fieldsOf, fileOf, model, sendStatuses, sttOf, success, transcribe } from "./scriptedStt.js"

describe("a recording", () => {
  const filename = "call.wav"
  const { length: byteLength } = wav

  const stream = AudioSource.fromStream

  it.scoped.each([
    ["bytes", AudioSource.fromBytes(wav, { filename }), true],
    ["a Blob", AudioSource.fromBlob(new Blob([wav]), { filename }), true],
    ["a File", AudioSource.fromBlob(new File([wav], filename)), true],
    ["a stream of known length", stream(inChunks(wav, 1000), { filename, byteLength }), true],
    ["a stream of unknown length", stream(inChunks(wav, 7), { filename }), false],
    ["a one-shot stream", AudioSource.fromOneShotStream(inChunks(wav, 1000), { filename }), false],
    ["a stream that overwrites its chunks", stream(inOneBlock(wav, 16), { filename }), false],
    ["shared memory", AudioSource.fromBytes(inSharedMemory(wav), { filename }), true],
    ["bytes with another ending", AudioSource.fromBytes(wav, { filename: "call.mp3" }), true]
  ] as const)("of %s arrives byte for byte, with the ending of its container", ([_, audio, exact]) =>
    Effect.gen(function* () {
      const { received } = yield* transcribe(undefined, { audio })
      const { bytes, headers } = fileOf(received[0])
      expect(Buffer.compare(bytes, wav)).toBe(0)
      expect(headers).toContain('filename="call.wav"\r\nContent-Type: audio/wav')
      expect(received[0]?.headers["content-length"]).toBe(exact ? String(received[0]?.body.byteLength) : undefined)
      expect(received[0]?.headers["transfer-encoding"]).toBe(exact ? undefined : "chunked")
    })
  )

  it.scoped(
    "of a file arrives byte for byte over any HttpClient, with the ending of its name if its container is unknown",
    () =>
      Effect.gen(function* () {
        const bytes = new Uint8Array(1_000_000).fill(7)
        const { path } = yield* fileWith(bytes, ".flac")
        const { server, stt } = yield* connect(undefined, {}, Layer.merge(NodeHttpClient.layer, NodeFileSystem.layer))
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
      AudioSource.fromStream(Stream.empty),
      AudioSource.fromOneShotStream(Stream.empty)
    ]) {
      expect(source.filename).toBe("audio")
    }
  })

  const few = Uint8Array.of(1, 2, 3)

  it.scopedLive.each([
    ["bytes", AudioSource.fromBytes(wav), wav],
    ["a Blob", AudioSource.fromBlob(new Blob([wav])), wav],
    ["a stream", AudioSource.fromStream(inChunks(wav, 1000)), wav],
    ["a stream of a few bytes", AudioSource.fromStream(Stream.make(few), { byteLength: 3 }), few]
  ] as const)("of %s is sent completely in each retry, with the same id", ([_, audio, bytes]) =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe(
        sendStatuses(503, 500),
        { audio, transactionId: undefined },
        {
          retries: { times: 2, firstDelay: "1 millis" }
        }
      )
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
      const first = yield* transcribe(sendStatuses(503), { audio }, { retries: 2 })
      expect(first.outcome).toMatchObject({ left: { _tag: "SttUnavailable", call: { attempts: [{ status: 503 }] } } })
      const second = yield* transcribe(undefined, { audio })
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
    ["a stream", AudioSource.fromStream(inChunks(wav, 1000))],
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
  const large = Uint8Array.from({ length: 1024 * 1024 + 12_345 }, (_, at) => (at * 31 + (at >> 13)) & 255)
  const none = new Uint8Array(0)
  const { length: byteLength } = large

  it.scopedLive.each([
    ["a chunk in one piece", () => Stream.make(large)],
    ["chunks of 100,000 bytes, each overwritten by the next", () => inOneBlock(large, 100_000)],
    ["empty chunks between the others", () => Stream.intersperse(inChunks(large, 100_000), none)],
    [
      "single bytes, then the rest",
      () => Stream.concat(inChunks(large.subarray(0, 9999), 1), Stream.make(none, large.subarray(9999)))
    ]
  ] as const)("of %s arrives byte for byte, with and without a stated length", ([_, open]) =>
    Effect.gen(function* () {
      for (const options of [{ byteLength }, {}]) {
        const { outcome, received } = yield* transcribe(undefined, { audio: AudioSource.fromStream(open(), options) })
        expect(outcome).toMatchObject({ right: { text: success.text } })
        expect(Buffer.compare(fileOf(received[0]).bytes, large)).toBe(0)
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
      const { stt } = yield* connect(undefined, { deadlines: { uploadIdle: "100 millis" } })
      const uninterruptible = Effect.uninterruptible(Effect.never)
      const audio = AudioSource.fromStream(
        Stream.concat(Stream.make(new Uint8Array(10_000)), Stream.fromEffect(uninterruptible))
      )
      const error = yield* Effect.flip(stt.transcribe({ model, audio }))
      expect(error).toMatchObject({ _tag: "SttDeadlineExceeded", phase: "upload" })
    })
  )

  it.scopedLive("is closed if the call is interrupted before the first byte", () =>
    Effect.gen(function* () {
      const { stt } = yield* connect()
      const opened = yield* Deferred.make<void>()
      let isClosed = false
      const audio = AudioSource.fromStream(
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
      const counted = AudioSource.fromStream(
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

describe("a source that fails", () => {
  const fromStream = AudioSource.fromStream
  const one = Uint8Array.of(1)
  const path = AudioSource.fromPath
  const throwing = (): Stream.Stream<Uint8Array> => {
    throw new RangeError("no")
  }
  const notRead = { slice: () => ({ arrayBuffer: () => Promise.reject(new RangeError("gone")) }) }
  const cut = () => new ReadableStream({ start: (controller) => controller.error(new RangeError("gone")) })
  const blob = (broken: object) => AudioSource.fromBlob(Object.assign(new Blob([wav]), broken))
  const text = "text" as unknown as Uint8Array
  const missing = null as unknown as Uint8Array
  const stream = (...parts: Array<Stream.Stream<Uint8Array, unknown>>) =>
    fromStream(parts.reduce((all, part) => Stream.concat(all, part)))
  const of = (byteLength: number, bytes: Stream.Stream<Uint8Array> = Stream.make(one)) =>
    fromStream(bytes, { byteLength })
  const some = inChunks(wav, 100)
  const closingFails = Stream.ensuring(some, Effect.die(new Error("closing")))
  const long = wav.length + 1

  it.scoped.each([
    ["missing", path("/nowhere/call.wav"), "it does not exist; check the path"],
    ["a folder", path("/"), "it is a folder"],
    ["a device", path("/dev/null"), "Read it as a stream, and send the stream."],
    ["no path", path("a\0b"), "its name is not a path"],
    ["no bytes", AudioSource.fromBytes(new Uint8Array(0)), "it is empty"],
    ["an empty Blob", AudioSource.fromBlob(new Blob([])), "it is empty"],
    ["an empty stream", stream(Stream.empty), "it is empty"],
    ["a Blob that can't be read", blob(notRead), "reading it failed (RangeError)"],
    ["a Blob that breaks off", blob({ stream: cut }), "reading it failed (RangeError)"],
    ["a stream that throws", fromStream(Stream.suspend(throwing)), "its stream failed (RangeError)"],
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
      const { outcome, received } = yield* transcribe(undefined, { audio }, { retries: 2 })
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
      const { outcome } = yield* transcribe(undefined, { audio: AudioSource.fromPath(path) })
      expect(outcome).toMatchObject({ left: { _tag: "SttAudioUnreadable", problem: "it is empty" } })
    })
  )
})

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

it.scopedLive.each([[10], [100_000], [300_000]])(
  "a FLAC behind a tag of %i bytes is sent as a FLAC, from whatever source, with all its bytes",
  ([length]) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const bytes = taggedFlac(length as number)
      const path = `${yield* fs.makeTempDirectoryScoped()}/call.mp3`
      yield* fs.writeFile(path, bytes)
      const filename = "call.mp3"
      const sources = [
        AudioSource.fromPath(path),
        AudioSource.fromBytes(bytes, { filename }),
        AudioSource.fromBlob(new Blob([Uint8Array.from(bytes)]), { filename }),
        AudioSource.fromStream(inChunks(bytes, 700), { filename }),
        AudioSource.fromStream(inOneBlock(bytes, 700), { filename }),
        AudioSource.fromStream(Stream.make(bytes.subarray(0, 65), bytes.subarray(65)), { filename })
      ]
      for (const audio of sources) {
        const { received } = yield* transcribe(undefined, { audio })
        const part = fileOf(received[0])
        // The beginning of a stream is limited, so a tag that is longer hides what follows it.
        const name =
          length === 300_000 && audio._tag === "Stream" && audio !== sources.at(-1) ? "call.mp3" : "call.flac"
        expect(part.headers).toContain(`filename="${name}"`)
        expect(Buffer.from(bytes).equals(part.bytes)).toBe(true)
      }
    }).pipe(Effect.provide(NodeFileSystem.layer))
)

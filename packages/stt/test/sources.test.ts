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
import { AudioSource, Recording, SpeechToText, type SpeechToTextOptions } from "@effect-speech/stt"
import * as NodeTransport from "@effect-speech/transport/node"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Supervisor from "effect/Supervisor"
import { untilNone } from "../../../test/support/faultyServer.js"
import { answerJson, type Received, scriptedServer } from "../../../test/support/scriptedServer.js"

type Request = Parameters<SpeechToText["Type"]["transcribe"]>[0]

const model = "hi-general-v2-8khz"
const success = { status: "success", text: "नमस्ते", call_id: "call-1" }

const clients = (url: string, options: Partial<SpeechToTextOptions> = {}) =>
  SpeechToText.layer({ apiKey: Redacted.make("a.b"), baseUrl: url, retries: 0, ...options }).pipe(
    Layer.provideMerge(NodeTransport.layer)
  )

/** Transcribes against a server that answers with the statuses given, and then with 200. */
const transcribe = (
  request: Omit<Request, "model">,
  statuses: Array<number> = [],
  options?: Partial<SpeechToTextOptions>
) =>
  Effect.gen(function* () {
    const server = yield* scriptedServer((response) => answerJson(response, statuses.shift() ?? 200, success))
    const outcome = yield* SpeechToText.pipe(
      Effect.flatMap((stt) => stt.transcribe({ model, ...request })),
      Effect.either,
      Effect.provide(clients(server.url, options)),
      Effect.orDie
    )
    return { outcome, received: server.received }
  })

/** The file of a form: its headers, and its bytes. */
const fileOf = ({ body, headers }: Received) => {
  const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1] ?? ""
  const from = body.indexOf("\r\n\r\n", body.indexOf('name="audio_file"')) + 4
  const head = body.subarray(body.indexOf('name="audio_file"'), from).toString("utf8")
  return { head, bytes: new Uint8Array(body.subarray(from, body.indexOf(`\r\n--${boundary}--`, from))) }
}

const only = <A>(items: ReadonlyArray<A>): A => {
  expect(items.length).toBe(1)
  return items[0] as A
}

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

const withFile = <A, E, R>(bytes: Uint8Array, use: (path: string) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* fs.makeTempFileScoped()
    yield* fs.writeFile(path, bytes)
    return yield* use(path)
  }).pipe(Effect.provide(NodeTransport.layer))

/** The files of the system, of which blocks are read as told. */
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
  it.scoped.each([
    { what: "bytes", source: () => AudioSource.fromBytes(wav, { filename: "call.wav" }), exact: true },
    { what: "a Blob", source: () => AudioSource.fromBlob(new Blob([wav]), { filename: "call.wav" }), exact: true },
    { what: "a File", source: () => AudioSource.fromBlob(new File([wav], "call.wav")), exact: true },
    {
      what: "a stream of known length",
      source: () => AudioSource.fromStream(() => inChunks(wav, 1000), { filename: "call.wav", byteLength: wav.length }),
      exact: true
    },
    {
      what: "a stream of unknown length",
      source: () => AudioSource.fromStream(() => inChunks(wav, 7), { filename: "call.wav" }),
      exact: false
    },
    {
      what: "a one-shot stream",
      source: () => AudioSource.fromOneShotStream(inChunks(wav, 1000), { filename: "call.wav" }),
      exact: false
    }
  ])("of $what arrives byte for byte", ({ exact, source }) =>
    Effect.gen(function* () {
      const { outcome, received } = yield* transcribe({ audio: source() })
      expect(Either.isRight(outcome)).toBe(true)
      const request = only(received)
      const { bytes, head } = fileOf(request)
      expect(bytes).toEqual(wav)
      expect(head).toContain('filename="call.wav"')
      expect(head).toContain("Content-Type: audio/wav")
      expect(request.headers["content-length"]).toBe(exact ? String(request.body.byteLength) : undefined)
      expect(request.headers["transfer-encoding"]).toBe(exact ? undefined : "chunked")
    })
  )

  it("is called as its file is, on whatever system", () => {
    for (const path of ["call.wav", "calls/one/call.wav", "C:\\calls\\call.wav"]) {
      expect(AudioSource.fromPath(path).filename).toBe("call.wav")
    }
    expect(AudioSource.fromBlob(new File([wav], "call.wav")).filename).toBe("call.wav")
  })

  it("is called audio where nobody says otherwise", () => {
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

  it.scoped("of a few bytes of a stream, as long as it was said to be, is sent", () =>
    Effect.gen(function* () {
      const few = Uint8Array.of(1, 2, 3)
      const { outcome, received } = yield* transcribe({
        audio: AudioSource.fromStream(() => Stream.make(few), { byteLength: 3 })
      })
      expect(Either.isRight(outcome)).toBe(true)
      expect(fileOf(only(received)).bytes).toEqual(few)
    })
  )

  it.scoped("of a file goes byte for byte over any client", () =>
    Effect.gen(function* () {
      const bytes = tone(4)
      expect(bytes.length).toBeGreaterThan(2 * 256 * 1024)
      const server = yield* scriptedServer((response) => answerJson(response, 200, success))
      yield* withFile(bytes, (path) =>
        SpeechToText.pipe(
          Effect.flatMap((stt) => stt.transcribe({ model, audio: AudioSource.fromPath(path) })),
          Effect.provide(
            SpeechToText.layer({ apiKey: Redacted.make("a.b"), baseUrl: server.url }).pipe(
              Layer.provide(Layer.merge(NodeHttpClient.layer, NodeFileSystem.layer))
            )
          )
        )
      )
      expect(Buffer.compare(fileOf(only(server.received)).bytes, bytes)).toBe(0)
    })
  )

  it.scoped("is named for what it holds, whatever it is called", () =>
    Effect.gen(function* () {
      const { received } = yield* transcribe({ audio: AudioSource.fromBytes(wav, { filename: "call.mp3" }) })
      const { head } = fileOf(only(received))
      expect(head).toContain('filename="call.wav"')
      expect(head).toContain("Content-Type: audio/wav")
    })
  )

  it.scopedLive("is sent again whole when the call is repeated", () =>
    Effect.gen(function* () {
      for (const audio of [
        AudioSource.fromBytes(wav),
        AudioSource.fromBlob(new Blob([wav])),
        AudioSource.fromStream(() => inChunks(wav, 1000))
      ]) {
        const { outcome, received } = yield* transcribe({ audio }, [503, 500], { retries: 2 })
        expect(outcome).toMatchObject({
          right: { call: { attempts: [{ status: 503 }, { status: 500 }, { status: 200 }] } }
        })
        expect(received.map((request) => fileOf(request).bytes)).toEqual([wav, wav, wav])
        const ids = received.map(({ body }) => /transaction_id"\s+([\da-f-]{36})/.exec(body.toString("latin1"))?.[1])
        expect(ids[0]).toBeDefined()
        expect(new Set(ids).size).toBe(1)
      }
    })
  )

  it.scoped("that can be read but once is sent but once, by whichever call comes first", () =>
    Effect.gen(function* () {
      const audio = AudioSource.fromOneShotStream(inChunks(wav, 1000))
      const first = yield* transcribe({ audio }, [503], { retries: 2 })
      expect(first.outcome).toMatchObject({ left: { _tag: "SttUnavailable", call: { attempts: [{ status: 503 }] } } })
      const second = yield* transcribe({ audio })
      const problem = "it was read before, and a one-shot stream can be read but once"
      expect(second.outcome).toMatchObject({
        left: { _tag: "SttAudioUnreadable", problem, call: { attempts: [], billing: "notBilled" } }
      })
      expect(second.received).toEqual([])
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

  it.live("that is read in short pieces into one block of memory arrives byte for byte too", () =>
    Effect.gen(function* () {
      const bytes = new Uint8Array(3_000_000)
      for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 31 + (at >> 13)) & 255
      const digests: Array<string> = []
      const digestOf = (data: Uint8Array) => createHash("sha256").update(data).digest("hex")
      for (const longest of [16_385, 40_000, 65_535]) {
        const server = yield* slowServer
        yield* withFile(bytes, (path) =>
          Effect.gen(function* () {
            const fs = yield* FileSystem.FileSystem
            const reluctant = reading(fs, (file, block) => file.read(block.subarray(0, longest)))
            yield* SpeechToText.pipe(
              Effect.flatMap((stt) => stt.transcribe({ model, audio: AudioSource.fromPath(path) })),
              Effect.provide(
                SpeechToText.layer({ apiKey: Redacted.make("a.b"), baseUrl: server.url }).pipe(
                  Layer.provide(Layer.succeed(FileSystem.FileSystem, reluctant)),
                  Layer.provide(NodeTransport.layer)
                )
              )
            )
          })
        )
        digests.push(digestOf(server.fileBytes(bytes.length)))
      }
      expect(digests).toEqual(digests.map(() => digestOf(bytes)))
    }).pipe(Effect.scoped)
  )

  it.live("that is read into one block of memory arrives byte for byte at a server that takes its time", () =>
    Effect.gen(function* () {
      // Of an odd length, so that the last pieces are short.
      const bytes = new Uint8Array(5 * 1024 * 1024 + 12_345)
      for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 31 + (at >> 13)) & 255
      const server = yield* slowServer
      yield* withFile(bytes, (path) =>
        SpeechToText.pipe(
          Effect.flatMap((stt) => stt.transcribe({ model, audio: AudioSource.fromPath(path) })),
          Effect.provide(clients(server.url))
        )
      )
      expect(Buffer.compare(server.fileBytes(bytes.length), bytes)).toBe(0)
    }).pipe(Effect.scoped)
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

  it.scopedLive.skipIf(process.platform !== "linux")("is closed when it ends, and not when the layer does", () =>
    withFile(tone(0.5), (path) =>
      Effect.gen(function* () {
        const statuses = [200, 503, 401, 500, 200]
        const server = yield* scriptedServer((response) => answerJson(response, statuses.shift() ?? 200, success))
        let opened = 0
        let closed = 0
        const counted = AudioSource.fromStream(() =>
          Stream.acquireRelease(
            Effect.sync(() => opened++),
            () => Effect.sync(() => closed++)
          ).pipe(Stream.flatMap(() => inChunks(wav, 100)))
        )
        yield* Effect.gen(function* () {
          const stt = yield* SpeechToText
          for (const telephony of [true, false]) {
            for (const audio of [AudioSource.fromPath(path), counted]) {
              yield* Effect.ignore(stt.transcribe({ model, audio, telephony }))
            }
          }
          expect(openFiles(path)).toBe(0)
          expect(opened).toBeGreaterThan(1)
          expect(closed).toBe(opened)
        }).pipe(Effect.provide(clients(server.url, { retries: 1 })))
      })
    )
  )

  it.live("is not waited for longer than the deadline, though it can't be interrupted", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer((response) => answerJson(response, 200, success))
      const stubborn = AudioSource.fromStream(() =>
        Stream.concat(
          Stream.make(new Uint8Array(10_000)),
          Stream.fromEffect(Effect.uninterruptible(Effect.as(Effect.sleep("10 seconds"), new Uint8Array(1))))
        )
      )
      const startedAt = Date.now()
      const told = yield* SpeechToText.pipe(
        Effect.flatMap((stt) => stt.transcribe({ model, audio: stubborn })),
        Effect.flip,
        Effect.provide(clients(server.url, { deadlines: { uploadIdle: "300 millis" } })),
        Effect.orDie
      )
      expect(told).toMatchObject({ _tag: "SttDeadlineExceeded", phase: "upload" })
      expect(Date.now() - startedAt).toBeLessThan(6000)
    }).pipe(Effect.scoped)
  )

  it.live("is not read any more when it ends, though the HttpClient leaves it where it is", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor.track
      const leaving = HttpClient.make((request) =>
        Effect.gen(function* () {
          if (request.body._tag === "Stream") yield* Stream.toReadableStreamEffect(request.body.stream)
          return yield* Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport" }))
        })
      )
      const told = yield* SpeechToText.pipe(
        Effect.flatMap((stt) => stt.transcribe({ model, audio: AudioSource.fromBytes(wav) })),
        Effect.flip,
        Effect.provide(
          SpeechToText.layer({ apiKey: Redacted.make("a.b"), baseUrl: "http://127.0.0.1", retries: 0 }).pipe(
            Layer.provide(Layer.merge(Layer.succeed(HttpClient.HttpClient, leaving), NodeFileSystem.layer))
          )
        ),
        Effect.orDie,
        Effect.supervised(supervisor)
      )
      expect(told).toMatchObject({ _tag: "SttConnectionFailed" })
      expect(yield* untilNone(Effect.map(supervisor.value, (alive) => alive.length))).toBe(0)
    })
  )
})

it.scoped.each([
  { what: "a stream", audio: AudioSource.fromStream(() => inChunks(wav, 1000)) },
  { what: "bytes", audio: AudioSource.fromBytes(wav) }
])("$what is not sent a second time by an HttpClient that repeats requests", ({ audio }) =>
  Effect.gen(function* () {
    const statuses = [503]
    const server = yield* scriptedServer((response) => answerJson(response, statuses.shift() ?? 200, success))
    const repeating = Layer.effect(
      HttpClient.HttpClient,
      Effect.map(HttpClient.HttpClient, (client) => HttpClient.retryTransient(client, { times: 2 }))
    ).pipe(Layer.provide(NodeHttpClient.layer))
    const told = yield* SpeechToText.pipe(
      Effect.flatMap((stt) => stt.transcribe({ model, audio })),
      Effect.flip,
      Effect.provide(
        SpeechToText.layer({ apiKey: Redacted.make("a.b"), baseUrl: server.url, retries: 0 }).pipe(
          Layer.provide(Layer.merge(repeating, NodeFileSystem.layer))
        )
      ),
      Effect.orDie
    )
    expect(told).toMatchObject({ _tag: "SttAudioUnreadable", message: expect.stringContaining("the option retries") })
    expect(server.received.map((request) => fileOf(request).bytes.length)).toEqual([wav.length])
  })
)

const notBytes = "its stream gives something else than bytes, each a Uint8Array"

describe("a file that changes while it is sent", () => {
  const sentWhile = (change: (fs: FileSystem.FileSystem, path: string) => Effect.Effect<void, PlatformError>) =>
    withFile(wav, (path) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const server = yield* scriptedServer((response) => answerJson(response, 200, success))
        const changing = Layer.succeed(
          FileSystem.FileSystem,
          reading(fs, (file, block) => Effect.zipLeft(file.read(block), change(fs, path)))
        )
        const outcome = yield* SpeechToText.pipe(
          Effect.flatMap((stt) => stt.transcribe({ model, audio: AudioSource.fromPath(path) })),
          Effect.either,
          Effect.provide(
            SpeechToText.layer({ apiKey: Redacted.make("a.b"), baseUrl: server.url }).pipe(Layer.provide(changing))
          ),
          Effect.orDie
        )
        return { outcome, received: server.received.length }
      })
    )
  const longAgo = new Date(0)
  const refused = {
    outcome: {
      left: { _tag: "SttAudioUnreadable", problem: "it changed while it was being sent; wait until it is written" }
    },
    received: 0
  }

  it.scoped("by growing ends the call", () =>
    Effect.gen(function* () {
      const grown = new Uint8Array(wav.length + 1)
      expect(yield* sentWhile((fs, path) => fs.writeFile(path, grown))).toMatchObject(refused)
    })
  )

  it.scoped("by growing ends the call, also where its time is the same", () =>
    Effect.gen(function* () {
      const grown = new Uint8Array(wav.length + 1)
      const told = yield* sentWhile((fs, path) =>
        Effect.flatMap(fs.stat(path), ({ mtime }) =>
          Effect.zipRight(fs.writeFile(path, grown), fs.utimes(path, longAgo, Option.getOrThrow(mtime)))
        )
      )
      expect(told).toMatchObject(refused)
    })
  )

  it.scoped("to another of the same size ends the call", () =>
    Effect.gen(function* () {
      expect(yield* sentWhile((fs, path) => fs.utimes(path, longAgo, longAgo))).toMatchObject(refused)
    })
  )

  it.scoped("by nothing but who has looked at it is sent", () =>
    Effect.gen(function* () {
      const told = yield* sentWhile((fs, path) => Effect.asVoid(fs.readFile(path)))
      expect(told).toMatchObject({ outcome: { right: { text: success.text } }, received: 1 })
    })
  )
})

it.scoped("a file whose system knows no times is sent", () =>
  withFile(wav, (path) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const timeless = FileSystem.FileSystem.of({
        ...fs,
        stat: (file) => Effect.map(fs.stat(file), (info) => ({ ...info, mtime: Option.none() }))
      })
      const server = yield* scriptedServer((response) => answerJson(response, 200, success))
      const { text } = yield* SpeechToText.pipe(
        Effect.flatMap((stt) => stt.transcribe({ model, audio: AudioSource.fromPath(path) })),
        Effect.provide(
          SpeechToText.layer({ apiKey: Redacted.make("a.b"), baseUrl: server.url }).pipe(
            Layer.provide(Layer.succeed(FileSystem.FileSystem, timeless))
          )
        )
      )
      expect(text).toBe(success.text)
    })
  )
)

describe("a source that is at fault", () => {
  it.scoped.each([
    { what: "a defect in the middle", stream: () => Stream.concat(inChunks(wav, 100), Stream.die("disk")) },
    {
      what: "a defect at its end",
      stream: () => Stream.ensuring(inChunks(wav, 100), Effect.die(new Error("closing"))),
      problem: "reading it failed (Error)"
    },
    {
      what: "an interruption of its own",
      stream: () => Stream.concat(inChunks(wav, 100), Stream.fromEffect(Effect.interrupt))
    },
    { what: "text for bytes", stream: () => Stream.make("text" as unknown as Uint8Array), problem: notBytes },
    { what: "nothing for bytes", stream: () => Stream.make(null as unknown as Uint8Array), problem: notBytes },
    {
      what: "fewer bytes than were announced",
      stream: () => inChunks(wav, 100),
      byteLength: wav.length + 1,
      problem: `it ended after ${wav.length} of ${wav.length + 1} bytes`
    }
  ])("with $what is told as such, and not tried again", ({ byteLength, problem = "its stream failed", stream }) =>
    Effect.gen(function* () {
      const audio = AudioSource.fromStream(stream, { byteLength })
      const { outcome, received } = yield* transcribe({ audio }, [], { retries: 2 })
      expect(outcome).toMatchObject({
        left: { _tag: "SttAudioUnreadable", problem: expect.stringContaining(problem) }
      })
      expect(Either.isLeft(outcome) && outcome.left.call.attempts.length).toBeLessThanOrEqual(1)
      expect(received).toEqual([])
    })
  )

  it.scoped.each([
    { what: "an empty file", bytes: new Uint8Array(0), problem: "it is empty" },
    { what: "an empty Blob", audio: AudioSource.fromBlob(new Blob([])), problem: "it is empty" },
    { what: "a name that is no path", audio: AudioSource.fromPath("a\0b"), problem: "its name is not a path" },
    {
      what: "a Blob that can't be read",
      audio: AudioSource.fromBlob(
        Object.assign(new Blob([wav]), {
          slice: () => ({ arrayBuffer: () => Promise.reject(new RangeError("gone")) })
        })
      ),
      problem: "reading it failed (RangeError)"
    },
    {
      what: "a Blob that breaks off",
      audio: AudioSource.fromBlob(
        Object.assign(new Blob([wav]), {
          stream: () => new ReadableStream({ start: (controller) => controller.error(new RangeError("gone")) })
        })
      ),
      problem: "reading it failed (RangeError)"
    }
  ])("as $what is told as such", ({ audio, bytes, problem }) =>
    withFile(bytes ?? wav, (path) =>
      Effect.gen(function* () {
        const { outcome } = yield* transcribe({ audio: audio ?? AudioSource.fromPath(path) })
        expect(outcome).toMatchObject({ left: { _tag: "SttAudioUnreadable", problem } })
      })
    )
  )

  it.scoped.each([
    { reason: "NotFound", problem: "it does not exist; check the path" },
    { reason: "PermissionDenied", problem: "this process may not read it; check its permissions" },
    { reason: "BadResource", problem: "it is not a file" },
    { reason: "Busy", problem: "reading it failed (Busy)" }
  ] as const)("as a file that is $reason is told what to do", ({ problem, reason }) =>
    Effect.gen(function* () {
      const refusing = FileSystem.layerNoop({
        stat: () => Effect.fail(new SystemError({ reason, module: "FileSystem", method: "stat" }))
      })
      const told = yield* Effect.flip(
        Effect.provide(Recording.inspect(AudioSource.fromPath("calls/call.wav")), refusing)
      )
      expect(told).toMatchObject({ source: "calls/call.wav", problem })
    })
  )

  it.scoped("as a pipe or a device is refused with what to do, without being opened", () =>
    Effect.gen(function* () {
      const { outcome } = yield* transcribe({ audio: AudioSource.fromPath("/dev/null") })
      expect(outcome).toMatchObject({ left: { message: expect.stringContaining("AudioSource.fromOneShotStream") } })
    })
  )
})

describe("telephony", () => {
  const expected: AudioFormat.AudioFormat = { sampleRate: 8000, channels: 1, encoding: "pcm16" }

  it.scoped.each([
    { what: "bytes", source: (bytes: Uint8Array) => AudioSource.fromBytes(bytes), exact: true },
    { what: "a Blob", source: (bytes: Uint8Array) => AudioSource.fromBlob(new Blob([bytes])), exact: true },
    {
      what: "a stream",
      source: (bytes: Uint8Array) => AudioSource.fromStream(() => inChunks(bytes, 999)),
      exact: false
    }
  ])("sends $what of 48 kHz stereo as mono at 8 kHz, a twelfth of the size", ({ exact, source }) =>
    Effect.gen(function* () {
      const recording = tone(1)
      const { outcome, received } = yield* transcribe({ audio: source(recording), telephony: true })
      expect(Either.isRight(outcome)).toBe(true)
      const request = only(received)
      const { bytes, head } = fileOf(request)
      const sent = yield* Wav.decode(bytes)
      expect(sent.format).toEqual(expected)
      expect(sent.bytes.byteLength).toBe(16_000)
      expect((recording.byteLength - 44) / sent.bytes.byteLength).toBe(12)
      expect(head).toContain('filename="audio.wav"')
      expect(request.headers["content-length"]).toBe(exact ? String(request.body.byteLength) : undefined)
    })
  )

  it.scopedLive("sends a file so, and again so when the call is repeated", () =>
    withFile(tone(0.5), (path) =>
      Effect.gen(function* () {
        const request = { audio: AudioSource.fromPath(path), telephony: true }
        const { received } = yield* transcribe(request, [503], { retries: 1 })
        const [first, second] = received.map((request) => fileOf(request).bytes)
        expect(first).toEqual(second)
        expect((yield* Wav.decode(first ?? new Uint8Array(0))).format).toEqual(expected)
        expect(received.length).toBe(2)
      })
    )
  )

  it.scoped("sends what has notes of any length before its samples", () =>
    Effect.gen(function* () {
      const plain = tone(0.1)
      const notes = new Uint8Array(8 + 200_000)
      notes.set([...new TextEncoder().encode("note"), ...new Uint8Array(Uint32Array.of(200_000).buffer)])
      const bytes = Buffer.concat([plain.subarray(0, 12), notes, plain.subarray(12)])
      bytes.writeUInt32LE(bytes.length - 8, 4)
      const { outcome, received } = yield* transcribe({ audio: AudioSource.fromBytes(bytes), telephony: true })
      expect(outcome).toMatchObject({ right: { warnings: [] } })
      expect((yield* Wav.decode(fileOf(only(received)).bytes)).bytes.byteLength).toBe(1600)
    })
  )

  it.scoped("brings back nothing that a low rate has lost, and warns of it", () =>
    Effect.gen(function* () {
      const audio = AudioSource.fromBytes(tone(1, { ...stereo48k, sampleRate: 1000 }))
      const { outcome, received } = yield* transcribe({ audio, telephony: true })
      expect(outcome).toMatchObject({ right: { warnings: [{ _tag: "SampleRateFarFrom8kHz", sampleRate: 1000 }] } })
      expect((yield* Wav.decode(fileOf(only(received)).bytes)).bytes.byteLength).toBe(16_000)
    })
  )

  it.scoped("tells of a stream that fails what it does of one that is sent as it is", () =>
    Effect.gen(function* () {
      const stream = () => Stream.concat(inChunks(wav.subarray(0, 5000), 100), Stream.fail(new RangeError("disk")))
      const { outcome } = yield* transcribe({ audio: AudioSource.fromStream(stream), telephony: true })
      expect(outcome).toMatchObject({ left: { problem: "its stream failed (RangeError)" } })
    })
  )

  it.scoped("refuses what is not a WAV file, or a broken one, and says what to do", () =>
    Effect.gen(function* () {
      const flac = new Uint8Array([...new TextEncoder().encode("fLaC"), 0, 0, 0, 34])
      const broken = tone(0.01).slice(0, 30)
      const cases: ReadonlyArray<readonly [Uint8Array, RegExp]> = [
        [flac, /it is FLAC, and only WAV.*leave telephony out/],
        [new Uint8Array(100), /it is no WAV file.*leave telephony out/],
        [tone(1, { ...stereo48k, sampleRate: 100 }), /100 Hz is too low/],
        [broken, /can't be converted/]
      ]
      for (const [bytes, problem] of cases) {
        const { outcome, received } = yield* transcribe({ audio: AudioSource.fromBytes(bytes), telephony: true })
        expect(outcome).toMatchObject({ left: { _tag: "SttAudioUnreadable", message: expect.stringMatching(problem) } })
        expect(received).toEqual([])
      }
    })
  )
})

describe("warnings", () => {
  const warningsOf = (request: Omit<Request, "model">, otherModel = model) =>
    Effect.gen(function* () {
      const server = yield* scriptedServer((response) => answerJson(response, 200, success))
      const { warnings } = yield* SpeechToText.pipe(
        Effect.flatMap((stt) => stt.transcribe({ ...request, model: otherModel })),
        Effect.provide(clients(server.url))
      )
      return warnings.map(({ _tag }) => _tag)
    })

  it.scoped("come with the transcript", () =>
    Effect.gen(function* () {
      const audio = AudioSource.fromBytes(wav)
      expect(yield* warningsOf({ audio })).toEqual(["MoreThanOneChannel", "SampleRateFarFrom8kHz"])
      expect(yield* warningsOf({ audio: AudioSource.fromStream(() => inChunks(wav, 50)) })).toEqual([
        "MoreThanOneChannel",
        "SampleRateFarFrom8kHz"
      ])
      const other = { audio, parseNumber: true, hotwords: [{ phrase: "UPI 2.0" }] }
      expect(yield* warningsOf(other, "en-general-v2-8khz")).toEqual([
        "MoreThanOneChannel",
        "SampleRateFarFrom8kHz",
        "ParseNumberWithoutEffect",
        "HotwordNotSpoken"
      ])
    })
  )

  it.scoped("are of what is sent: telephony leaves nothing to warn of", () =>
    Effect.gen(function* () {
      expect(yield* warningsOf({ audio: AudioSource.fromBytes(wav), telephony: true })).toEqual([])
    })
  )
})

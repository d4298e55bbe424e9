import { createServer } from "node:http"
import { setTimeout } from "node:timers/promises"
import { type PlatformError, SystemError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import { describe, expect, it } from "@effect/vitest"
import { AudioSource } from "@effect-speech/stt"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { loopback } from "effect-speech-test-support/loopback"
import { withOpenedFiles } from "effect-speech-test-support/openedFiles"
import { type Received, respondJson } from "effect-speech-test-support/scriptedServer"
import { fileWith, reading, tone, wav, withFiles } from "./recordings.js"
import { connect, fileOf, model, sttOf, success } from "./scriptedStt.js"

describe("a process with too many open files", () => {
  const error = new SystemError({
    reason: "Unknown",
    module: "FileSystem",
    method: "open",
    cause: Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" })
  })

  it.scoped.each([
    ["a path", (path: string) => AudioSource.fromPath(path)],
    ["a stream", () => AudioSource.fromStream(Stream.fail(error))]
  ] as const)("gets an error that says so, and not that the recording is unreadable: %s", ([_, audioOf]) =>
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

describe("a file that you looked at", () => {
  it.scoped.each([
    ["as it was", 0, {}, true],
    ["with another time", 0, { modifiedMillis: 1_000 }, false],
    ["with another size", 1, {}, false],
    ["large, with another time", 300_000, { modifiedMillis: 1_000 }, false]
  ] as const)("is sent only if it is still the same: %s", ([_, longer, other, isSent]) =>
    Effect.gen(function* () {
      const { fs, path } = yield* fileWith(wav)
      const { mtime, size } = yield* fs.stat(path)
      const looked = { size: Number(size), modifiedMillis: Option.getOrThrow(mtime).getTime() }
      if (longer > 0) {
        yield* fs.writeFile(path, new Uint8Array([...wav, ...new Uint8Array(longer)]))
        yield* fs.utimes(path, looked.modifiedMillis / 1_000, looked.modifiedMillis / 1_000)
      }
      const { server, stt } = yield* connect()
      const audio = AudioSource.fromPath(path, { expected: { ...looked, ...other } })
      const result = yield* Effect.either(stt.transcribe({ model, audio }))
      expect([result._tag, server.received.length]).toEqual(isSent ? ["Right", 1] : ["Left", 0])
      if (result._tag === "Left") {
        expect(result.left).toMatchObject({ _tag: "SttAudioUnreadable", call: { billing: "notBilled" } })
        expect(result.left.message).toContain("it changed after you looked at it; look at it again")
      }
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
    ["short reads of 40,000 bytes", 40_000, 300_000],
    // An odd length, so that the last chunks are short.
    ["a slow server", Number.POSITIVE_INFINITY, 1024 * 1024 + 12_345]
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

import { AsyncLocalStorage } from "node:async_hooks"
import { createReadStream } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pathToFileURL } from "node:url"
import { runInNewContext } from "node:vm"
import type { CallEvent, Recording } from "@effect-speech/promise"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { errorOf, model, startService, until } from "./service.js"

const service = startService()
const text = "नम"

let folder = ""
let wav = new Uint8Array()
const path = () => join(folder, "call.wav")

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "promise-transcribe-"))
})
// The service recognises what it spoke since its latest reset.
beforeEach(async () => {
  await using speech = service.connect()
  wav = new Uint8Array((await speech.speak(text, { outputFormat: "8000:pcm16" })).wav())
  await writeFile(path(), wav)
})
afterAll(() => rm(folder, { recursive: true }))

/** The bytes in two parts. */
const parts = () => [wav.subarray(0, 100), wav.subarray(100)]

const webStream = () =>
  new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const part of parts()) controller.enqueue(part)
      controller.close()
    }
  })

describe("a recording", () => {
  it.each<readonly [string, () => Recording]>([
    ["a path", path],
    ["a file: URL", () => pathToFileURL(path())],
    ["bytes", () => wav],
    ["a Buffer", () => Buffer.from(wav)],
    ["an ArrayBuffer", () => wav.buffer],
    ["bytes of another realm", () => runInNewContext("new Uint8Array(bytes).subarray(1)", { bytes: [0, ...wav] })],
    ["an ArrayBuffer of another realm", () => runInNewContext("new Uint8Array(bytes).buffer", { bytes: [...wav] })],
    ["a Blob", () => new Blob(parts())],
    ["a File", () => new File(parts(), "call.wav")],
    ["a ReadableStream", webStream],
    ["a stream of Node", () => createReadStream(path())],
    [
      "an async iterable",
      async function* () {
        yield* parts()
      }
    ],
    ["a Response", () => new Response(wav)],
    [
      "a Response that states its length",
      () => new Response(webStream(), { headers: { "content-length": String(wav.byteLength) } })
    ],
    [
      "a Response that was compressed",
      () => new Response(webStream(), { headers: { "content-encoding": "gzip", "content-length": "7" } })
    ]
  ])("is %s", async (_, recording) => {
    await using speech = service.connect()
    const { warnings, ...transcription } = await speech.transcribe(recording(), {
      model,
      transactionId: "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f"
    })
    expect(transcription).toMatchObject({
      text,
      transactionId: "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f",
      call: { attempts: [{ sent: "all" }] }
    })
    expect(warnings).toEqual([])
  })

  it.each<readonly [string, () => unknown, string]>([
    ["a URL of http", () => new URL("https://host.example/call.wav"), "must be a file: URL; of another address"],
    [
      "a file: URL of another machine",
      () => new URL("file://host.example/call.wav"),
      "must be the URL of a file on this machine"
    ],
    ["a Response that failed", () => new Response("no", { status: 404 }), "is a response with status 404"],
    ["a Response without a body", () => new Response(), "is a response without a body"],
    ["an empty path", () => "", "must not be empty"],
    ["nothing", () => undefined, "must be a path, a file: URL, bytes"],
    ["samples", () => new Float32Array(8), "must be a path, a file: URL, bytes"]
  ])("is not %s", async (_, recording, problem) => {
    await using speech = service.connect()
    const error = await errorOf(speech.transcribe(recording() as Recording, { model }))
    expect(error).toMatchObject({ tag: "SttInvalidRequest", facts: { field: "recording" } })
    expect(error.message).toContain(`Nothing was sent: recording ${problem}`)
  })

  it("that does not exist is an error that names the path", async () => {
    await using speech = service.connect()
    const error = await errorOf(speech.transcribe(join(folder, "none.wav"), { model }))
    expect(error).toMatchObject({
      tag: "SttAudioUnreadable",
      facts: { source: join(folder, "none.wav"), code: "ENOENT" }
    })
    expect(error.stack).toContain("transcribe.test.ts")
  })

  it.each<readonly [string, () => Recording, string]>([
    ["a stream of Node", () => createReadStream(join(folder, "none.wav")), "Error"],
    [
      "an async iterable",
      async function* () {
        yield* parts()
        throw new RangeError("no more")
      },
      "RangeError"
    ],
    [
      "a ReadableStream",
      () => new ReadableStream({ pull: (controller) => controller.error(new TypeError("cut")) }),
      "TypeError"
    ],
    ["a stream of text", () => createReadStream(path(), "utf8"), "something other than Uint8Array"]
  ])("that fails as %s is unreadable", async (_, recording, problem) => {
    // The key is read meanwhile, so the stream fails before it is read.
    await using speech = service.connect({
      apiKey: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return String(service.options().apiKey)
      }
    })
    const error = await errorOf(speech.transcribe(recording(), { model }))
    expect(error).toMatchObject({ tag: "SttAudioUnreadable", category: "recording" })
    expect(error.message).toContain(problem)
  })

  it("is read again for a retry, unless it is a stream", async () => {
    await using speech = service.connect()
    const fault = { status: 503, times: 1 }
    await service.faults(fault)
    const { call } = await speech.transcribe(path(), { model })
    expect(call.attempts.map(({ status }) => status)).toEqual([503, 200])
    await service.faults(fault)
    expect(await errorOf(speech.transcribe(createReadStream(path()), { model }))).toMatchObject({
      tag: "SttUnavailable"
    })
  })

  it("has the filename of the options in an error", async () => {
    await using speech = service.connect()
    const error = await errorOf(speech.transcribe(new Uint8Array(), { model, filename: "empty.wav" }))
    expect(error).toMatchObject({ tag: "SttAudioUnreadable", facts: { source: "empty.wav", problem: "it is empty" } })
  })
})

it.each<readonly [string, (next: () => Uint8Array | undefined) => Recording]>([
  [
    "a generator",
    async function* (next) {
      for (let part = next(); part !== undefined; part = next()) yield part
    }
  ],
  [
    "a ReadableStream",
    (next) =>
      new ReadableStream({
        pull: (controller) => {
          const part = next()
          if (part === undefined) controller.close()
          else controller.enqueue(part)
        }
      })
  ]
])("%s runs in the async context of its call", async (_, recording) => {
  await using speech = service.connect({ concurrency: 1 })
  const user = new AsyncLocalStorage<number>()
  const others: Array<number | undefined> = []
  const transcribe = (id: number) => {
    const left = parts()
    const next = () => {
      if (user.getStore() !== id) others.push(user.getStore())
      return left.shift()
    }
    return speech.transcribe(recording(next), { model })
  }
  await Promise.all(Array.from({ length: 4 }, (_, id) => user.run(id, () => transcribe(id))))
  expect(others).toEqual([])
})

describe("a stream that is not needed any more", () => {
  it("is cancelled if it is the body of a Response that failed", async () => {
    await using speech = service.connect()
    let isCancelled = false
    const cancel = () => {
      isCancelled = true
    }
    const failed = new Response(new ReadableStream({ cancel }), { status: 404 })
    await errorOf(speech.transcribe(failed, { model }))
    expect(isCancelled).toBe(true)
  })

  it.each<readonly [string, object, AbortSignal | undefined]>([
    ["an invalid request", { model: "" }, undefined],
    ["a signal that is aborted", { model }, AbortSignal.abort()]
  ])("is destroyed after %s", async (_, options, signal) => {
    await using speech = service.connect()
    const file = createReadStream(path())
    let isCancelled = false
    const cancel = () => {
      isCancelled = true
    }
    const stream = new ReadableStream({ cancel })
    await expect(speech.transcribe(file, { model, ...options, signal })).rejects.toThrow()
    await expect(speech.transcribe(stream, { model, ...options, signal })).rejects.toThrow()
    expect([file.destroyed, isCancelled]).toEqual([true, true])
  })

  it("is destroyed if the call is aborted while it waits for bytes", async () => {
    await using speech = service.connect()
    const abort = new AbortController()
    const stalled = new Readable({ read: () => undefined })
    stalled.push(wav.subarray(0, 100))
    setTimeout(() => abort.abort(new Error("enough")), 20)
    await expect(speech.transcribe(stalled, { model, signal: abort.signal })).rejects.toThrow("enough")
    expect(stalled.destroyed).toBe(true)
  })
})

describe("a transcription", () => {
  it("needs a model", async () => {
    await using speech = service.connect()
    // @ts-expect-error: a program without types may leave the options out.
    const error = await errorOf(speech.transcribe(wav))
    expect(error).toMatchObject({ tag: "SttInvalidRequest", facts: { field: "model" } })
  })

  it("has what the service says of its segments", async () => {
    await using speech = service.connect()
    const { auxInfo } = await speech.transcribe(wav, { model, aux: true, hotwords: [{ phrase: "नम" }] })
    expect(auxInfo?.segments_meta).toMatchObject([{ text, start: 0 }])
  })

  it("tells how the upload goes on", async () => {
    await using speech = service.connect()
    const events: Array<CallEvent> = []
    await speech.transcribe(path(), { model, onEvent: (event) => events.push(event) })
    await until(() => events.at(-1)?.tag === "Answered")
    expect(events.map(({ tag }) => tag)).toEqual(["Uploading", "Waiting", "Answered"])
  })
})

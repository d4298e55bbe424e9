import { AsyncLocalStorage } from "node:async_hooks"
import { mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Wav from "@effect-speech/audio-codec/Wav"
import type { CallEvent } from "@effect-speech/promise"
import * as Either from "effect/Either"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { withResolvers } from "../src/internal/calls.js"
import { bytesOf, errorOf, startService, until } from "./service.js"

const service = startService()
const asked = { lang: "hi", outputFormat: "8000:pcm16" } as const
const format = { sampleRate: 8000, channels: 1, encoding: "pcm16" }

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "promise-speak-"))
})
afterAll(() => rm(folder, { recursive: true }))

describe("a speech", () => {
  it("that is awaited is its whole audio", async () => {
    await using speech = service.connect()
    const audio = await speech.speak("नम", { ...asked, requestId: "one" })
    expect(audio).toMatchObject({ format, requestId: "one", warnings: [], call: { billing: "billed" } })
    expect(audio.durationMillis).toBeCloseTo(audio.bytes.byteLength / 16, -1)
    expect(Either.getOrThrow(Wav.decode(audio.wav()))).toMatchObject({ format, bytes: audio.bytes })
    expect(structuredClone(audio)).toEqual(audio)
  })

  it.each([
    ["read by for await", (speech: Speech) => bytesOf(speech)],
    ["read as a stream", (speech: Speech) => bytesOf(speech.stream())],
    ["read as a WAV file", async (speech: Speech) => samplesOf(await bytesOf(speech.wav()))],
    ["sent as a response", async (speech: Speech) => samplesOf(await fileIn(await speech.response()))],
    ["written to a file", async (speech: Speech) => samplesOf(await readFile((await speech.toFile(aFile())).path))],
    [
      "written to the file of a URL",
      async (speech: Speech) => samplesOf(await readFile((await speech.toFile(pathToFileURL(aFile()))).path))
    ],
    ["started, and then read", async (speech: Speech) => (await speech.start()) && bytesOf(speech)],
    ["started, and then awaited", async (speech: Speech) => (await speech.start()) && (await speech).bytes],
    [
      "started, and then written",
      async (speech: Speech) => (await speech.start()) && samplesOf(await readFile((await speech.toFile(aFile())).path))
    ]
  ])("that is %s has the same samples, and is one request", async (_, read) => {
    await using speech = service.connect()
    const samples = await read(speech.speak("नम", asked))
    expect(await service.requests()).toHaveLength(1)
    expect(samples).toEqual((await speech.speak("नम", asked)).bytes)
  })

  it("sends nothing until it is used", async () => {
    await using speech = service.connect()
    const unused = speech.speak("नम")
    const [stream, iterator] = [speech.speak("नम").stream(), speech.speak("नम")[Symbol.asyncIterator]()]
    expect(await unused.report()).toMatchObject({ sentId: "", attempts: [] })
    await stream.cancel()
    await iterator.return?.()
    expect(await service.requests()).toEqual([])
  })

  it("can be used once, and awaited again", async () => {
    await using speech = service.connect()
    const twice = speech.speak("नम", asked)
    expect(await twice).toBe(await twice)
    const error = await errorOf(twice.toFile(aFile()))
    expect(error).toMatchObject({ tag: "TtsInvalidRequest", facts: { field: "speech" } })
    expect(() => twice.stream()).toThrow("call speak again")
    await expect(twice.start()).rejects.toThrow("call speak again")
  })

  it.each(["text", ["long text"]])("sends nothing for a file that can't be written: %s", async (text) => {
    await using speech = service.connect()
    const path = join(folder, "none", "speech.wav")
    const speaking = typeof text === "string" ? speech.speak(text) : speech.speakLong(text.map((text) => ({ text })))
    const error = await errorOf(speaking.toFile(path))
    expect(error).toMatchObject({ tag: "FileFailed", facts: { path, operation: "openFile", code: "ENOENT" } })
    expect(error.call.billing).toBe("notBilled")
    expect(await service.requests()).toEqual([])
    expect((await readdir(folder)).filter((name) => name.endsWith(".part"))).toEqual([])
  })

  it.each([
    ["with a NUL character", "a\0b.wav"],
    ["with a name that is too long", `${"a".repeat(300)}.wav`],
    ["that ends as a folder", "none.wav/"]
  ])("sends nothing for an impossible path %s", async (_, name) => {
    await using speech = service.connect()
    const error = await errorOf(speech.speak("text").toFile(`${folder}/${name}`))
    expect(error).toMatchObject({ tag: "FileFailed", facts: { operation: "openFile" }, call: { billing: "notBilled" } })
    expect(await service.requests()).toEqual([])
  })

  // On Windows, most users may not make links.
  it.skipIf(process.platform === "win32")("sends nothing for a link that leads to itself", async () => {
    await using speech = service.connect()
    const path = aFile()
    await symlink(path, path)
    const error = await errorOf(speech.speak("text").toFile(path))
    expect(error).toMatchObject({ tag: "FileFailed", facts: { code: "ELOOP" }, call: { billing: "notBilled" } })
    expect(await service.requests()).toEqual([])
  })

  it("says what is known when its response begins", async () => {
    await using speech = service.connect()
    const speaking = speech.speak("नम", { ...asked, requestId: "begun" })
    expect(await speaking.start()).toMatchObject({ format, requestId: "begun", warnings: [] })
    expect(await speaking.report()).toMatchObject({ sentId: "begun", billing: "unknown" })
    await bytesOf(speaking.stream())
    expect(await speaking.report()).toMatchObject({ billing: "billed", attempts: [{ status: 200 }] })
  })

  it("is a response with the length and the headers of its WAV file", async () => {
    await using speech = service.connect()
    const response = await speech.speak("नम", asked).response({ status: 201, headers: { "cache-control": "no-store" } })
    expect(response).toMatchObject({ status: 201, ok: true })
    const file = await fileIn(response)
    expect(Object.fromEntries(response.headers)).toEqual({
      "cache-control": "no-store",
      "content-length": String(file.byteLength),
      "content-type": "audio/wav"
    })
  })

  it.each<readonly [string, string, (speech: Speech) => Promise<unknown>]>([
    ["a response that can have no body", "init", (speech) => speech.response({ status: 204 })],
    ["a response with a malformed header", "init", (speech) => speech.response({ headers: { "a b": "c" } })],
    ["a path that is no text", "path", (speech) => speech.toFile(5 as never)],
    ["a URL of http", "path", (speech) => speech.toFile(new URL("https://host.example/a.wav"))]
  ])("sends nothing for %s, and can be used then", async (_, field, use) => {
    await using speech = service.connect()
    const speaking = speech.speak("नम", asked)
    expect(await errorOf(use(speaking))).toMatchObject({ tag: "TtsInvalidRequest", facts: { field } })
    expect(await service.requests()).toEqual([])
    expect((await speaking).format).toEqual(format)
  })

  it("has catch and finally, as a promise has", async () => {
    await using speech = service.connect()
    expect(await speech.speak("").catch((error) => error)).toMatchObject({ tag: "TtsInvalidRequest" })
    let isOver = false
    await speech.speak("नम").finally(() => {
      isOver = true
    })
    expect(isOver).toBe(true)
  })

  it("is asked for with the options as they were when speak was called", async () => {
    await using speech = service.connect()
    const options = { outputFormat: "16000:float32" as "8000:pcm16" | "16000:float32", additionalFields: { a: 1 } }
    const speaking = speech.speak("नम", options)
    options.outputFormat = "8000:pcm16"
    options.additionalFields.a = Number.NaN
    expect((await speaking).format).toMatchObject({ sampleRate: 16_000, encoding: "float32" })
  })

  it.each([
    [{ lang: 1 }, "lang", "must be a string"],
    [{ voise: "x" }, "voise", "is not a known field; see additionalFields"]
  ])("with the options %j is rejected, and nothing is sent", async (options, field, problem) => {
    await using speech = service.connect()
    const error = await errorOf(speech.speak("नम", options as object))
    expect(error).toMatchObject({ tag: "TtsInvalidRequest", category: "request", facts: { field, problem } })
    expect(await service.requests()).toEqual([])
  })
})

describe("a speech that is cut", () => {
  const cut = { truncateAtByte: 1000 }

  it.each([
    ["awaited", async (speech: Speech) => speech],
    ["read", (speech: Speech) => bytesOf(speech)],
    ["read as a stream", (speech: Speech) => bytesOf(speech.stream())],
    ["written", (speech: Speech) => speech.toFile(aFile())]
  ])("fails when it is %s", async (_, use) => {
    await using speech = service.connect()
    await service.faults(cut)
    const speaking = speech.speak("नम", asked)
    const error = await errorOf(use(speaking))
    expect(error).toMatchObject({ tag: "TtsConnectionFailed", facts: { reason: "cut" }, call: { billing: "unknown" } })
    expect(await speaking.report()).toEqual(error.call)
    expect(error.stack).toContain("speak.test.ts")
  })

  it("leaves no file, and no response that looks whole", async () => {
    await using speech = service.connect()
    await service.faults(cut)
    const path = aFile()
    await errorOf(speech.speak("नम", asked).toFile(path))
    expect(await readdir(folder)).not.toContain(path.slice(folder.length + 1))
    const response = await speech.speak("नम", asked).response()
    await expect(fileIn(response)).rejects.toThrow("the response was cut off")
  })

  it("rejects a response before it begins", async () => {
    await using speech = service.connect()
    await service.faults({ status: 401 })
    expect(await errorOf(speech.speak("नम").response())).toMatchObject({ tag: "TtsUnauthorized" })
  })
})

describe("a speech that is left", () => {
  it.each([
    [
      "for await",
      async (speech: Speech) => {
        for await (const _ of speech) break
      }
    ],
    [
      "its stream",
      async (speech: Speech) => {
        const reader = speech.stream().getReader()
        await reader.read()
        await reader.cancel()
      }
    ],
    ["the body of its response, unread", async (speech: Speech) => (await speech.response()).body?.cancel()],
    [
      "its stream, while it waits",
      async (speech: Speech) => {
        const reader = speech.wav().getReader()
        await reader.read()
        await reader.read()
        const waiting = reader.read()
        await reader.cancel()
        expect(await waiting).toMatchObject({ done: true })
      }
    ]
  ])("by %s ends its call", async (_, leave) => {
    await using speech = service.connect({ concurrency: 1 })
    await service.faults({ stallAtByte: 100, times: 1 })
    await leave(speech.speak("नम", asked))
    expect((await speech.speak("नम", asked)).format).toEqual(format)
  })
})

it("a speech that is cancelled before it begins rejects with an AbortError", async () => {
  await using speech = service.connect()
  await service.faults({ delayMillis: 60_000 })
  const speaking = speech.speak("नम")
  const started = speaking.start()
  await Promise.all([
    expect(started).rejects.toMatchObject({ name: "AbortError", stack: expect.stringContaining("speak.test.ts") }),
    speaking.stream().cancel()
  ])
  await expect(speaking.report()).rejects.toThrow("cancelled before it began")
})

it.each([
  ["stream", (speech: Speech) => speech.stream().cancel()],
  ["iterator", (speech: Speech) => speech[Symbol.asyncIterator]().return?.()]
])("a speech whose unread %s is cancelled sends nothing later", async (_, leave) => {
  await using speech = service.connect()
  const speaking = speech.speak("नम")
  await leave(speaking)
  await expect(speaking.start()).rejects.toMatchObject({ name: "AbortError" })
  await expect(speaking.report()).rejects.toThrow("cancelled before it began")
  expect(await service.requests()).toEqual([])
})

describe("a signal", () => {
  it.each([5, {}])("that is %j is rejected, and does not hold close", async (signal) => {
    await using speech = service.connect()
    const error = await errorOf(speech.speak("नम", { signal: signal as AbortSignal }))
    expect(error).toMatchObject({ tag: "TtsInvalidRequest", facts: { field: "signal" } })
  })

  it("that is aborted sends nothing", async () => {
    await using speech = service.connect()
    const reason = new Error("no more")
    await expect(speech.speak("नम", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(await service.requests()).toEqual([])
  })

  it("ends a call that waits for its response", async () => {
    await using speech = service.connect({ concurrency: 1 })
    await service.faults({ delayMillis: 60_000 })
    const abort = new AbortController()
    const speaking = speech.speak("नम", {
      signal: abort.signal,
      onEvent: ({ tag }) => tag === "Waiting" && abort.abort()
    })
    await expect(speaking).rejects.toMatchObject({ name: "AbortError" })
    await service.faults()
    await speech.speak("नम")
  })

  it("ends a call that is being read, or that its reader does not read", async () => {
    await using speech = service.connect({ concurrency: 1 })
    await service.faults({ stallAtByte: 100, times: 1 })
    const abort = new AbortController()
    const reader = speech.speak("नम", { signal: abort.signal }).stream().getReader()
    await reader.read()
    const waiting = reader.read()
    abort.abort(new Error("left"))
    await expect(waiting).rejects.toThrow("left")

    const idle = new AbortController()
    const later = speech.speak("नम", { signal: idle.signal })
    await later.start()
    idle.abort(new Error("idle"))
    await speech.speak("नम")
    await expect(bytesOf(later)).rejects.toThrow("idle")
  })

  it("serves many calls at once without a warning", async () => {
    await using speech = service.connect()
    const warnings: Array<Error> = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on("warning", warn)
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 64 }, () => speech.speak("न", { ...asked, signal })))
    await new Promise(setImmediate)
    process.off("warning", warn)
    expect(warnings).toEqual([])
  })
})

describe("onEvent", () => {
  it("runs in the async context of its call", async () => {
    await using speech = service.connect({ concurrency: 2 })
    const user = new AsyncLocalStorage<number>()
    const users: Array<readonly [number, number | undefined]> = []
    const speak = (id: number) => speech.speak("न", { ...asked, onEvent: () => users.push([id, user.getStore()]) })
    await Promise.all(Array.from({ length: 8 }, (_, id) => user.run(id, async () => speak(id))))
    expect(users.length).toBeGreaterThan(8)
    expect(users.filter(([id, seen]) => id !== seen)).toEqual([])
  })

  it("gets the events in order", async () => {
    await using speech = service.connect()
    await service.faults({ status: 502, times: 1 })
    const events: Array<CallEvent> = []
    await speech.speak("नम", { onEvent: (event) => events.push(event) })
    expect(events.map(({ tag }) => tag)).toEqual(["Waiting", "Answered", "Retrying", "Waiting", "Answered"])
    expect(events[1]).toEqual({ tag: "Answered", attempt: 1, status: 502 })
  })

  it("does not affect the call by what it throws, which is a warning of the process", async () => {
    await using speech = service.connect()
    const warnings: Array<Error> = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on("warning", warn)
    const fail = () => {
      throw new Error("a mistake")
    }
    await speech.speak("नम", { onEvent: fail })
    await speech.speak("नम", { onEvent: async () => fail() })
    await until(() => warnings.length > 2)
    process.off("warning", warn)
    expect(warnings[0]).toMatchObject({ name: "SpeechWarning", message: "onEvent failed: Error: a mistake" })
  })

  it("gets no further event while its promise is pending, and the call does not wait", async () => {
    await using speech = service.connect()
    const tags: Array<string> = []
    const { promise, resolve } = withResolvers<void>()
    const onEvent = ({ tag }: CallEvent) => {
      tags.push(tag)
      return promise
    }
    await speech.speak("नम", { onEvent })
    expect(tags).toEqual(["Waiting"])
    resolve()
    await until(() => tags.length === 2)
  })
})

type Speech = ReturnType<ReturnType<typeof service.connect>["speak"]>

const fileIn = async (response: Response): Promise<Uint8Array> => new Uint8Array(await response.arrayBuffer())

const samplesOf = (file: Uint8Array): Uint8Array => new Uint8Array(Either.getOrThrow(Wav.decode(file)).bytes)

let files = 0
const aFile = (): string => join(folder, `${files++}.wav`)

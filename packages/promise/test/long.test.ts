import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Wav from "@effect-speech/audio-codec/Wav"
import type { LongSpeechEvent, LongTranscriptionEvent } from "@effect-speech/promise"
import * as Either from "effect/Either"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { bytesOf, errorOf, model, startService } from "./service.js"

const service = startService()
/** Two pieces. */
const text = "नम। मन।"
const asked = { outputFormat: "8000:pcm16", maximumCodePoints: 4 } as const

let folder = ""
let names = 0
const aPath = () => join(folder, String(names++))
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "promise-long-"))
})
afterAll(() => rm(folder, { recursive: true }))

const samplesOf = (file: Uint8Array): Uint8Array => new Uint8Array(Either.getOrThrow(Wav.decode(file)).bytes)

describe("a long speech", () => {
  it("is whole, with its pieces and its sentences", async () => {
    await using speech = service.connect()
    const audio = await speech.speakLong(text, { ...asked, requestId: "book" })
    expect(audio.pieces).toMatchObject([
      { number: 1, source: "sent", requestId: "book.001", call: { billing: "billed" } },
      { number: 2, source: "sent", requestId: "book.002" }
    ])
    expect(audio.segments).toMatchObject([{ text: "नम।" }, { text: "मन।" }])
    expect(audio.durationMillis).toBe(audio.bytes.byteLength / 16)
    expect(samplesOf(audio.wav())).toEqual(audio.bytes)
  })

  it("has the same samples in each of its uses", async () => {
    await using speech = service.connect()
    const speak = () => speech.speakLong(text, asked)
    const { bytes, wav: _, ...report } = await speak()
    expect(await bytesOf(speak())).toEqual(bytes)
    expect(samplesOf(await bytesOf(speak().wav()))).toEqual(bytes)
    const response = await speak().response()
    expect(response.headers.get("content-length")).toBe(null)
    expect(samplesOf(new Uint8Array(await response.arrayBuffer()))).toEqual(bytes)
    const file = await speak().toFile(aPath())
    expect(samplesOf(await readFile(file.path))).toEqual(bytes)
    expect(file).toMatchObject({ dataLength: bytes.byteLength, segments: report.segments, format: report.format })
  })

  it("has a report as far as it was read", async () => {
    await using speech = service.connect()
    const speaking = speech.speakLong(text, asked)
    await expect(speaking.report()).rejects.toThrow("was not used yet")
    expect(await speaking.start()).toEqual({ format: { sampleRate: 8000, channels: 1, encoding: "pcm16" } })
    expect(await speaking.report()).toMatchObject({ pieces: [], durationMillis: 0 })
    const whole = await speaking
    expect(await speaking.report()).toMatchObject({ pieces: whole.pieces, durationMillis: whole.durationMillis })
  })

  it("sends only what a folder does not keep", async () => {
    await using speech = service.connect()
    const options = { ...asked, keepIn: pathToFileURL(aPath()) }
    await service.faults({ nth: 2, status: 400 })
    const error = await errorOf(speech.speakLong(text, { ...options, concurrency: 1 }))
    expect(error).toMatchObject({
      tag: "TtsBadRequest",
      call: { piece: { tag: "TextPiece", number: 2, of: 2, kept: 1 } }
    })
    await service.faults()
    const events: Array<LongSpeechEvent> = []
    const { pieces } = await speech.speakLong(text, { ...options, onEvent: (event) => events.push(event) })
    expect(pieces.map(({ source }) => source)).toEqual(["kept", "sent"])
    expect(new Set(events.map(({ tag }) => tag))).toEqual(new Set(["Planned", "Kept", "Started", "Called", "Done"]))
    expect(events.filter(({ tag }) => tag === "Called")).toContainEqual({
      tag: "Called",
      number: 2,
      codePoints: expect.any(Number),
      event: { tag: "Answered", attempt: 1, status: 200 }
    })
  })

  it("that is left early sends no further piece", async () => {
    await using speech = service.connect()
    for await (const _ of speech.speakLong("नम। ".repeat(40), { ...asked, concurrency: 1 })) break
    expect((await service.requests()).length).toBeLessThan(8)
  })

  it("finishes and keeps what was sent, if it is aborted with a grace period", async () => {
    await using speech = service.connect()
    const keepIn = aPath()
    const abort = new AbortController()
    await service.faults({ delayMillis: 50 })
    const onEvent = ({ tag }: LongSpeechEvent) =>
      tag === "Started" && setTimeout(() => abort.abort(new Error("enough")), 20)
    const speaking = speech.speakLong("नम।", {
      ...asked,
      keepIn,
      gracePeriod: "5 seconds",
      signal: abort.signal,
      onEvent
    })
    await expect(speaking).rejects.toThrow("enough")
    expect((await readdir(keepIn)).filter((name) => name.endsWith(".wav"))).toHaveLength(1)
  })

  it("has passages with voices of their own", async () => {
    await using speech = service.connect()
    const { pieces } = await speech.speakLong([{ text: "नम।" }, { text: "मन।", voice: "default_male" }], asked)
    expect(pieces.map(({ passage, source }) => [passage, source])).toEqual([
      [0, "sent"],
      [1, "sent"]
    ])
  })

  it.each([
    [{ maximumCodePoints: 0 }, "maximumCodePoints"],
    [{ retryIfBilled: true }, "retryIfBilled"]
  ])("is rejected with the options %j", async (options, field) => {
    await using speech = service.connect()
    expect(await errorOf(speech.speakLong(text, options as object))).toMatchObject({
      tag: "TtsInvalidRequest",
      facts: { field }
    })
  })

  it("names the file and the folder that can't be written", async () => {
    await using speech = service.connect()
    const file = aPath()
    await writeFile(file, "")
    expect(await errorOf(speech.speakLong(text, { ...asked, keepIn: join(file, "in") }))).toMatchObject({
      tag: "FileFailed"
    })
    // @ts-expect-error: a program without types may give anything.
    expect(await errorOf(speech.speakLong(text, { keepIn: 5 }))).toMatchObject({
      tag: "TtsInvalidRequest",
      facts: { field: "keepIn", problem: "must be a path or a file: URL" }
    })
    expect(await errorOf(speech.speakLong(text, { keepIn: "" }))).toMatchObject({
      tag: "TtsInvalidRequest",
      facts: { field: "keepIn", problem: "must not be empty" }
    })
    expect(await errorOf(speech.speak("नम").toFile(""))).toMatchObject({
      tag: "TtsInvalidRequest",
      facts: { field: "path", problem: "must not be empty" }
    })
    const path = join(folder, "none", "book.wav")
    const error = await errorOf(speech.speakLong(text, asked).toFile(path))
    expect(error).toMatchObject({ tag: "FileFailed", category: "file", facts: { code: "ENOENT" } })
    expect(await errorOf(speech.speak("नम").toFile(path))).toMatchObject({
      tag: "FileFailed",
      facts: { code: "ENOENT" }
    })
  })
})

describe("a long transcription", () => {
  let wav = new Uint8Array()
  const pieces = { maximum: "1 second" } as const
  beforeEach(async () => {
    await using speech = service.connect()
    wav = new Uint8Array((await speech.speakLong("नम। ".repeat(4).trim(), { ...asked, maximumCodePoints: 20 })).wav())
  })

  it("joins the transcripts of its pieces", async () => {
    await using speech = service.connect()
    const events: Array<LongTranscriptionEvent> = []
    const transcript = await speech.transcribeLong(wav, { model, ...pieces, onEvent: (event) => events.push(event) })
    expect(transcript.pieces.length).toBeGreaterThan(1)
    expect(transcript).toMatchObject({ durationMillis: transcript.pieces.at(-1)?.endMillis })
    expect(events[0]).toMatchObject({ tag: "Planned" })
    expect(events.filter(({ tag }) => tag === "Done")).toHaveLength(transcript.pieces.length)
  })

  it("sends only what a folder does not keep", async () => {
    await using speech = service.connect()
    const options = { model, ...pieces, keepIn: aPath() }
    const first = await speech.transcribeLong(wav, options)
    const sent = (await service.requests()).length
    const second = await speech.transcribeLong(new Response(wav), options)
    expect(second.pieces.every(({ source }) => source === "kept")).toBe(true)
    expect([second.text, (await service.requests()).length]).toEqual([first.text, sent])
  })

  it("names the piece that failed", async () => {
    await using speech = service.connect()
    await service.faults({ operation: "transcribe", nth: 2, status: 403 })
    const error = await errorOf(speech.transcribeLong(wav, { model, ...pieces, concurrency: 1 }))
    expect(error).toMatchObject({ tag: "SttForbidden", call: { piece: { tag: "RecordingPiece", number: 2, kept: 0 } } })
  })

  it("that is not WAV is an error that says what to do without Effect", async () => {
    await using speech = service.connect()
    const flac = new TextEncoder().encode("fLaC".padEnd(64))
    const error = await errorOf(speech.transcribeLong(flac, { model }))
    expect(error).toMatchObject({
      tag: "SttAudioUnreadable",
      facts: {
        problem:
          "it can't be decoded: this recording is FLAC, and transcribeLong takes only WAV. Convert it to WAV, or send it in one request with transcribe"
      }
    })
  })

  it("is not kept in a folder without a name", async () => {
    await using speech = service.connect()
    expect(await errorOf(speech.transcribeLong(wav, { model, keepIn: "" }))).toMatchObject({
      tag: "SttInvalidRequest",
      facts: { field: "keepIn", problem: "must not be empty" }
    })
  })

  it("is rejected for a recording that is no WAV file", async () => {
    await using speech = service.connect()
    expect(await errorOf(speech.transcribeLong(new Uint8Array(100), { model }))).toMatchObject({
      tag: "SttAudioUnreadable"
    })
  })
})

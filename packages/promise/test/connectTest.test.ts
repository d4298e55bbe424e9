import { once } from "node:events"
import { createReadStream } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectTest, isSpeakError, SpeechError, type TestAnswers, type TranscribeRequest } from "../src/index.js"

/** Half a second of a tone, as `8000:pcm16`. */
const tone = new Uint8Array(
  Int16Array.from({ length: 4000 }, (_, index) => 8000 * Math.sin((2 * Math.PI * 440 * index) / 8000)).buffer
)
const audio = { bytes: tone, outputFormat: "8000:pcm16" } as const
const model = "hi-general-v2-8khz"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "connect-test-"))
})
afterAll(() => rm(folder, { recursive: true }))

describe("a text", () => {
  it("is answered with audio, in each use of a speech", async () => {
    const speech = connectTest({ speak: audio })
    const whole = await speech.speak("नमस्ते", { lang: "hi", outputFormat: "8000:pcm16" })
    expect(whole).toMatchObject({ format: { sampleRate: 8000, channels: 1, encoding: "pcm16" }, durationMillis: 500 })
    expect(Buffer.from(whole.bytes).equals(tone)).toBe(true)
    const file = await speech.speak("two").toFile(join(folder, "two.wav"))
    expect(file).toMatchObject({ dataLength: 8000, durationMillis: 500 })
    expect((await readFile(file.path)).subarray(44).equals(tone)).toBe(true)
    const response = await speech.speak("three").response()
    expect(response.headers.get("content-length")).toBe("8044")
    expect((await response.arrayBuffer()).byteLength).toBe(8044)
    expect(speech.calls.speak).toEqual([
      { text: "नमस्ते", lang: "hi", outputFormat: "8000:pcm16" },
      { text: "two" },
      { text: "three" }
    ])
  })

  it("is checked as by the client, and then it is no request", async () => {
    const speech = connectTest({ speak: audio })
    await expect(speech.speak("")).rejects.toMatchObject({ tag: "TtsInvalidRequest", facts: { field: "text" } })
    await expect(speech.speak("text", { speed: 9 })).rejects.toMatchObject({ facts: { field: "speed" } })
    expect(speech.calls.speak).toEqual([])
  })

  it("gets audio that is checked as that of the service", async () => {
    const speech = connectTest({ speak: { bytes: tone.subarray(1), outputFormat: "8000:pcm16" } })
    await expect(speech.speak("text")).rejects.toMatchObject({ tag: "TtsCorruptAudio" })
  })

  it("can fail after its audio", async () => {
    const speech = connectTest({
      speak: { ...audio, failure: SpeechError.of("TtsConnectionFailed", { reason: "cut" }) }
    })
    let received = 0
    const read = async () => {
      for await (const samples of speech.speak("text")) received += samples.byteLength
    }
    await expect(read()).rejects.toMatchObject({ tag: "TtsConnectionFailed", facts: { reason: "cut" } })
    expect(received).toBe(tone.byteLength)
    await expect(speech.speak("text").toFile(join(folder, "cut.wav"))).rejects.toMatchObject({
      facts: { reason: "cut" }
    })
    await expect(readFile(join(folder, "cut.wav"))).rejects.toThrow("ENOENT")
  })

  it("of any length is answered piece by piece", async () => {
    const speech = connectTest({ speak: audio })
    const text = "First sentence. Second sentence. Third sentence."
    const long = await speech.speakLong(text, { firstCodePoints: 20, maximumCodePoints: 20, requestId: "book" })
    const texts = new Map(speech.calls.speak.map(({ requestId, text }) => [requestId, text]))
    // The pieces are sent at once, so their order varies.
    expect(texts).toEqual(
      new Map([
        ["book.001", "First sentence."],
        ["book.002", "Second sentence."],
        ["book.003", "Third sentence."]
      ])
    )
    expect(long.segments.map((segment) => segment.text)).toEqual(text.match(/\w+ sentence\./g))
  })

  it("of any length fails with the error of a piece, which the message names", async () => {
    const speech = connectTest({
      speak: ({ text }) => (text.startsWith("Second") ? SpeechError.of("TtsUnauthorized") : audio)
    })
    const failing = speech.speakLong("First one. Second one.", { firstCodePoints: 11, maximumCodePoints: 11 })
    await expect(failing).rejects.toMatchObject({
      tag: "TtsUnauthorized",
      category: "account",
      call: { piece: { tag: "TextPiece", number: 2, of: 2 } },
      // Nothing is kept without a folder, so nothing says how to go on.
      message: expect.stringMatching(/Piece 2 of 2, from character 12 \(“Second one\.”\)\.$/)
    })
  })
})

describe("a recording", () => {
  it("is answered with a transcript, or parts of a transcription", async () => {
    const recording = join(folder, "not-there.wav")
    const warnings = [{ tag: "HotwordsIgnored", message: "The model takes none." }] as const
    const speech = connectTest({
      transcribe: ({ aux }) =>
        aux === true ? { text: "two", callId: "c-2", auxInfo: { confidence: 0.9 }, warnings } : "one"
    })
    expect(await speech.transcribe(recording, { model })).toEqual({
      text: "one",
      callId: "test-1",
      transactionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      warnings: [],
      call: expect.objectContaining({ attempts: [{ status: 200, sent: "all", delayMillis: 0, elapsedMillis: 0 }] })
    })
    const second = await speech.transcribe(recording, { model, aux: true, hotwords: [{ phrase: "दिल्ली" }] })
    expect(second).toMatchObject({ text: "two", callId: "c-2", auxInfo: { confidence: 0.9 }, warnings })
    expect(speech.calls.transcribe).toEqual([
      { recording, filename: "not-there.wav", model },
      { recording, filename: "not-there.wav", model, aux: true, hotwords: [{ phrase: "दिल्ली" }] }
    ])
    speech.clear()
    expect(speech.calls.transcribe).toEqual([])
  })

  it("arrives as bytes if it is a stream, and as a Blob if it is one", async () => {
    const speech = connectTest({ transcribe: "text" })
    const file = join(folder, "bytes.bin")
    await writeFile(file, tone)
    const stream = createReadStream(file)
    await speech.transcribe(stream, { model, filename: "call.wav" })
    if (!stream.closed) await once(stream, "close")
    await speech.transcribe(new Response(tone), { model })
    await speech.transcribe(new Blob([tone]), { model })
    const sizeOf = ({ recording }: TranscribeRequest) => (recording instanceof Blob ? recording.size : recording.length)
    expect(speech.calls.transcribe.map(sizeOf)).toEqual([8000, 8000, 8000])
    expect(speech.calls.transcribe[0]?.filename).toBe("call.wav")
  })

  it("that is empty or fails is an error of the recording, as with the client", async () => {
    const speech = connectTest({ transcribe: "text" })
    const failing = Readable.from(
      (async function* () {
        yield tone
        throw Object.assign(new Error("unplugged"), { code: "EIO" })
      })()
    )
    await expect(speech.transcribe(failing, { model })).rejects.toMatchObject({
      tag: "SttAudioUnreadable",
      facts: { source: "audio", code: "EIO" }
    })
    await expect(speech.transcribe(new Uint8Array(), { model })).rejects.toMatchObject({
      tag: "SttAudioUnreadable",
      facts: { problem: "it is empty" }
    })
    await expect(speech.transcribe(tone, { model: " " })).rejects.toMatchObject({
      tag: "SttInvalidRequest",
      facts: { field: "model" }
    })
    expect(speech.calls.transcribe).toEqual([])
  })

  it("of any length is answered piece by piece", async () => {
    const speech = connectTest({ speak: audio, transcribe: "one" })
    const recording = (await speech.speak("text")).wav()
    expect(await speech.transcribeLong(recording, { model })).toMatchObject({
      text: "one",
      durationMillis: 500,
      pieces: [{ number: 1, source: "sent", text: "one" }]
    })
  })
})

describe("an answer", () => {
  it("can be an error, whose stack has the frames of the program that called", async () => {
    const speech = connectTest({ transcribe: SpeechError.of("SttCreditExhausted", { serverMessage: "balance 0" }) })
    const program = async () => speech.transcribe(tone, { model })
    const error = await program().catch((error: unknown) => error as SpeechError)
    expect(error).toMatchObject({
      tag: "SttCreditExhausted",
      facts: { status: 402, serverMessage: "balance 0" },
      message: expect.stringContaining("balance 0")
    })
    expect((error as SpeechError).stack).toContain("at program ")
  })

  it("can be thrown, and can come later", async () => {
    const speech = connectTest({
      speak: async ({ text }) => {
        if (text === "fail") throw SpeechError.of("TtsBackendFailed")
        return audio
      }
    })
    expect((await speech.speak("text")).durationMillis).toBe(500)
    await expect(speech.speak("fail")).rejects.toMatchObject({ tag: "TtsBackendFailed", retryable: true })
  })

  it("can be an error of no service, such as that of a closed client", async () => {
    const closed = SpeechError.of("ClientClosed")
    await expect(connectTest({ speak: closed }).speak("text")).rejects.toBe(closed)
  })

  it("that never comes ends with the signal, or with the client", async () => {
    const speech = connectTest({ transcribe: () => new Promise(() => undefined) })
    const controller = new AbortController()
    const aborted = speech.transcribe(tone, { model, signal: controller.signal })
    controller.abort(new Error("enough"))
    await expect(aborted).rejects.toThrow("enough")
    const pending = speech.transcribe(tone, { model })
    await Promise.all([speech.close(), expect(pending).rejects.toMatchObject({ tag: "ClientClosed" })])
  })

  it("that is missing or of another form is a mistake in the test, which the error explains", async () => {
    const none = connectTest()
    await expect(none.speak("text")).rejects.toThrow(
      /speak was called, and there is no answer for it; give one, such as/
    )
    await expect(none.transcribe(tone, { model })).rejects.toThrow(/transcribe: "the transcript"/)
    const wrong = { speak: "text", transcribe: 5 } as unknown as Parameters<typeof connectTest>[0]
    await expect(connectTest(wrong).speak("text")).rejects.toThrow(/an answer for speak is like/)
    await expect(connectTest(wrong).transcribe(tone, { model })).rejects.toThrow(/an answer for transcribe is like/)
    const other = connectTest({ speak: SpeechError.of("SttForbidden") })
    await expect(other.speak("text")).rejects.toThrow("connectTest: speak never fails with SttForbidden.")
    expect(isSpeakError(await other.speak("text").catch((error: unknown) => error))).toBe(false)
    expect(() => connectTest({ speek: audio } as object)).toThrow(
      "speek is not an operation; give speak or transcribe."
    )
    expect(() => connectTest(null as unknown as object)).toThrow("answers must be an object.")
  })

  it("whose function fails by a bug rejects with that bug", async () => {
    const bug = new TypeError("x is not a function")
    const speech = connectTest({
      speak: () => {
        throw bug
      }
    })
    await expect(speech.speak("text")).rejects.toBe(bug)
  })

  it("that is an error of the program rejects with that error, given or thrown", async () => {
    const error = new Error("the disk is full")
    const speech = connectTest({ speak: () => error, transcribe: error } as unknown as TestAnswers)
    await expect(speech.speak("text")).rejects.toBe(error)
    await expect(speech.transcribe(tone, { model })).rejects.toBe(error)
  })
})

import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect } from "@effect/vitest"
import { AudioDecoder } from "@effect-speech/audio-codec/AudioDecoder"
import { LongTranscription, PieceStore, SegmentReader } from "@effect-speech/long-form"
import {
  AudioSource,
  SpeechToText,
  SttAudioUnreadable,
  SttCreditExhausted,
  SttInvalidRequest,
  type TestAnswer,
  type TranscriptionRequest
} from "@effect-speech/stt"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { effectTests } from "effect-speech-test-support/effectTests"
import { bytesOf, evenWords, requestOf, speak, textOf, transactionId, transcriptOf, wordsOf } from "./words.js"

const platform = Layer.mergeAll(NodeFileSystem.layer, PieceStore.layerMemory, AudioDecoder.layerWav)
const it = effectTests(Layer.merge(SpeechToText.layerTest("नमस्ते"), platform))

/** A service that answers so, over a new store, and what it received. */
const serviceOf = (answer: TestAnswer = transcriptOf) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(Layer.merge(SpeechToText.layerTest(answer), platform))
    return {
      calls: Effect.provide(SpeechToText.calls, context),
      transcribe: (request: LongTranscription.Request, options?: LongTranscription.Options) =>
        Effect.provide(LongTranscription.transcribe(request, { maximum: "2 seconds", ...options }), context)
    }
  })

/** Transcribes over a new service and a new store. */
const transcribe = (request: LongTranscription.Request, options?: LongTranscription.Options, answer?: TestAnswer) =>
  Effect.flatMap(serviceOf(answer), (service) => service.transcribe(request, options))

const words = evenWords(18)
const file = speak(words)

describe("a long recording", () => {
  it("becomes one transcript, with the times of the whole", function* () {
    const result = yield* transcribe(requestOf(file))
    expect(result.text).toBe(textOf(words))
    expect(result.segments).toEqual(
      words.map(({ end, start, word }) => ({
        startMillis: expect.closeTo(start, -1),
        endMillis: expect.closeTo(end, -1),
        text: `w${word}`,
        confidence: 0.25,
        times: "service"
      }))
    )
    expect(result).toMatchObject({ durationMillis: 9000, confidence: 0.5, warnings: [], transactionId })
  })

  it("is sent in pieces that follow each other, under ids made from its own", function* () {
    const { calls, transcribe } = yield* serviceOf()
    const { pieces } = yield* transcribe(requestOf(file))
    expect(pieces.length).toBeGreaterThan(3)
    expect(pieces.map(({ number }) => number)).toEqual(pieces.map((_, index) => index + 1))
    expect(pieces.map(({ startMillis }) => startMillis)).toEqual([
      0,
      ...pieces.slice(0, -1).map(({ endMillis }) => endMillis)
    ])
    expect(pieces.every(({ endMillis, startMillis }) => endMillis - startMillis <= 2000)).toBe(true)
    expect(pieces.at(-1)).toMatchObject({ endMillis: 9000, ending: "end", source: "sent" })
    const sent = (yield* calls).map((call) => call.transactionId)
    expect(sent.toSorted()).toEqual(pieces.map((piece) => piece.transactionId).toSorted())
    expect(pieces.every(({ call, transactionId }) => call?.sentId === transactionId)).toBe(true)
  })

  it("is sent in pieces whose ids and filenames say which recording they are of, and where they start", function* () {
    const { calls, transcribe } = yield* serviceOf()
    const { pieces } = yield* transcribe({
      ...requestOf(file),
      audio: AudioSource.fromBytes(file, { filename: "a.b.MP3" })
    })
    const expected = pieces.map(({ number, startMillis }) => `a.b.piece-${number}-at-${startMillis}.wav`)
    expect((yield* calls).map(({ audio }) => audio.filename).toSorted()).toEqual(expected.toSorted())
    expect(new Set(pieces.map((piece) => piece.transactionId)).size).toBe(pieces.length)
    for (const piece of pieces) expect(piece.transactionId).toMatch(/^7f3c0f3e-1b2a-8c5d-[89ab][\da-f]{3}-[\da-f]{12}$/)
    // By Python: the first 8 bytes of the id, then those of hashlib.sha256(uuid.UUID(transactionId).bytes + b"1").digest()[8:16]
    expect(pieces[0]?.transactionId).toBe("7f3c0f3e-1b2a-8c5d-b723-5b6beda37f3b")
  })

  it.each([
    { filename: "", name: "recording" },
    { filename: ".wav", name: "recording" },
    { filename: "call of 2026.11.26", name: "call of 2026.11.26" },
    { filename: 'नमस्ते "a"\\b/c\n.flac', name: "नमस्ते -a-b-c-" },
    { filename: `${"न".repeat(150)}.wav`, name: "न".repeat(100) }
  ])("with the filename $filename sends its pieces as $name", function* ({ filename, name }) {
    const { calls, transcribe } = yield* serviceOf()
    const bytes = speak(evenWords(2))
    yield* transcribe({ ...requestOf(bytes), audio: AudioSource.fromBytes(bytes, { filename }) })
    expect((yield* calls).map(({ audio }) => audio.filename)).toEqual([`${name}.piece-1-at-0.wav`])
  })

  it("has no word that is cut, and no other words, wherever its pauses are", function* () {
    const lengths = FastCheck.array(
      FastCheck.tuple(FastCheck.integer({ min: 60, max: 400 }), FastCheck.integer({ min: 200, max: 600 })),
      { minLength: 1, maxLength: 10 }
    )
    const samples = FastCheck.sample(FastCheck.tuple(lengths, FastCheck.integer({ min: 2000, max: 4000 })), {
      numRuns: 8,
      seed: 19
    })
    for (const [spoken, maximum] of samples) {
      const all = wordsOf(spoken)
      const { segments, text } = yield* transcribe(requestOf(speak(all)), { maximum })
      expect(text).toBe(textOf(all))
      expect(segments.every(({ startMillis }, index) => Math.abs(startMillis - (all[index]?.start ?? 0)) < 5)).toBe(
        true
      )
    }
  })

  it("weights the confidence of a piece by its duration, and has none if the service gives none", function* () {
    const { confidence, pieces } = yield* transcribe(requestOf(file), {}, (request) => ({
      auxInfo: { confidence: bytesOf(request).byteLength / 1e6 }
    }))
    const weighted = pieces.reduce(
      (sum, { confidence = 0, endMillis, startMillis }) => sum + confidence * (endMillis - startMillis),
      0
    )
    expect(confidence).toBeCloseTo(weighted / 9000)
    expect((yield* transcribe(requestOf(file), {}, "नमस्ते")).confidence).toBeUndefined()
  })

  it("tells what happens to each piece", function* () {
    const { transcribe } = yield* serviceOf()
    const events: Array<LongTranscription.Event> = []
    const options = {
      concurrency: 1,
      onEvent: (event: LongTranscription.Event) => Effect.sync(() => void events.push(event))
    }
    const recording = requestOf(speak(evenWords(5)))
    const { pieces } = yield* transcribe(recording, options)
    const places = pieces.map(({ endMillis, number, startMillis }) => ({ number, startMillis, endMillis }))
    expect(events).toEqual([
      { _tag: "Planned", durationMillis: 2500 },
      ...places.flatMap((place) => [
        { _tag: "Started", ...place },
        { _tag: "Done", ...place }
      ])
    ])
    events.length = 0
    yield* transcribe(recording, options)
    expect(events.slice(1)).toEqual(places.map((place) => ({ _tag: "Kept", ...place })))
  })

  it.each([
    ["concurrency", {}, { concurrency: 0, maximum: 999 }, "must be a whole number from 1 to 1000"],
    ["concurrency", {}, { concurrency: "4" }, "must be a whole number from 1 to 1000"],
    ["maximum", {}, { maximum: 999, outage: 0 }, 'must be a duration from "1 second" to "1 hour"'],
    ["outage", {}, { outage: 0 }, 'must be a duration longer than zero, such as "5 minutes"'],
    ["pieceMillis", {}, { pieceMillis: 60_000, concurrency: 2 }, "is not a known option"],
    ["retryIfBilled", {}, { retryIfBilled: "no" }, "must be true or false"],
    ["gracePeriod", {}, { gracePeriod: "25 sec" }, 'must be a duration, such as "25 seconds", or an effect'],
    ["gracePeriod", {}, { gracePeriod: -1 }, 'must be a duration, such as "25 seconds", or an effect'],
    ["onEvent", {}, { onEvent: Effect.void }, "must be a function"],
    ["segments", {}, { segments: { start: "start" } }, "must be a function"],
    ["model", { model: " " }, {}, expect.any(String)],
    ["language", { language: "hi" }, {}, "is not a known field; see additionalFields"],
    ["telephony", { telephony: true }, {}, "is not a known field; a long recording is always converted"]
  ])("is not opened if the field %s is invalid, the first of several", function* ([field, change, options, problem]) {
    const audio = AudioSource.fromStream(Stream.die("it was opened"))
    const invalid = options as LongTranscription.Options
    const error = yield* Effect.flip(transcribe({ ...requestOf(file), audio, ...change }, invalid))
    expect(error).toBeInstanceOf(SttInvalidRequest)
    expect(error).toMatchObject({ field, problem })
  })
})

describe("the segments of a long recording", () => {
  const one = requestOf(speak(evenWords(3)))

  it.each([
    ["SegmentTimesUnread", [{ confidence: 1 }], "option segments"],
    ["SegmentTextsDiffer", [{ start: 0, end: 1, text: "एक" }], "do not have the words"]
  ] as const)(
    "are whole pieces if they can't be used, and the warning %s says so",
    function* ([_tag, segments_meta, words]) {
      const answer = { text: "एक दो", auxInfo: { confidence: 0.75, segments_meta } }
      const { segments, warnings } = yield* transcribe(one, {}, answer)
      expect(segments).toEqual([{ startMillis: 0, endMillis: 1500, text: "एक दो", confidence: 0.75, times: "piece" }])
      expect(warnings).toEqual([{ _tag, pieces: 1, message: expect.stringContaining(words) }])
    }
  )

  it("are read by the reader that you give", function* () {
    const segments = SegmentReader.fields({ start: "times.0", end: "times.1", text: "said", unit: "millis" })
    const answer = { text: "एक", auxInfo: { segments_meta: [{ times: [100, 200], said: "एक", confidence: 2 }] } }
    const result = yield* transcribe(one, { segments }, answer)
    expect(result.segments).toEqual([
      { startMillis: 100, endMillis: 200, text: "एक", confidence: undefined, times: "service" }
    ])
    expect(result.warnings).toEqual([])
  })

  it.each([
    ["undefined", undefined, true],
    ["false, and nothing is sent twice for it", false, false]
  ] as const)("have times if aux is not declined: %s", function* ([, aux, sent]) {
    const { calls, transcribe } = yield* serviceOf()
    yield* transcribe({ ...one, aux })
    expect((yield* calls).map((call) => call.aux)).toEqual([sent])
  })
})

describe("a piece that fails", () => {
  it("is named by the error of its call, with its times, what is kept and what is left", function* () {
    const failing = (request: TranscriptionRequest) =>
      transcriptOf(request).text.split(" ").includes("w5") ? new SttCreditExhausted() : transcriptOf(request)
    const error = yield* Effect.flip(transcribe(requestOf(file), { concurrency: 1 }, failing))
    if (error._tag !== "SttCreditExhausted") throw error
    const { piece } = error.call
    const kept = (piece?.number ?? 0) - 1
    expect(kept).toBeGreaterThan(0)
    if (piece?._tag !== "RecordingPiece") throw error
    expect(piece).toMatchObject({ wholeMillis: 9000, kept, leftMillis: 9000 - piece.startMillis })
    expect(error.message).toMatch(
      /\(402\)\. Top it up; .* Piece \d, from 0:00:0\d to 0:00:0\d of 0:00:09\. To go on, run it again: \d pieces? (is|are) kept, and the rest is 0:00:0\d of audio\.$/
    )
  })

  it("keeps the message of its call if it is the whole recording", function* () {
    const error = yield* Effect.flip(transcribe(requestOf(speak(evenWords(2))), {}, new SttCreditExhausted()))
    expect(error.message).toBe(new SttCreditExhausted().message)
  })
})

it("a transcript that was kept is that of the same samples, options and service only", function* () {
  const stt = yield* SpeechToText
  const changes: ReadonlyArray<Partial<TranscriptionRequest> & { readonly baseUrl?: string }> = [
    {},
    { model: "ta-general-v2-8khz" },
    { hotwords: [{ phrase: "दिल्ली" }] },
    { parseNumber: true },
    { additionalFields: { speakers: "2" } },
    { audio: AudioSource.fromBytes(speak(evenWords(3)), { filename: `${crypto.randomUUID()}.wav` }) },
    { baseUrl: "https://other.example" }
  ]
  for (const { baseUrl = "https://one.example", ...change } of [...changes, ...changes]) {
    const request = { ...requestOf(speak(evenWords(2))), ...change, transactionId: crypto.randomUUID() }
    yield* Effect.provideService(LongTranscription.transcribe(request), SpeechToText, { ...stt, baseUrl })
  }
  expect(yield* SpeechToText.calls).toHaveLength(changes.length)
})

describe("a recording", () => {
  const spoken = evenWords(6)
  const bytes = speak(spoken)
  const chunks = () =>
    Stream.fromIterable([bytes.subarray(0, 1001), bytes.subarray(1001, 30_000), bytes.subarray(30_000)])

  it("comes from a file, bytes, a blob or a stream, also one that can be read only once", function* () {
    const fs = yield* FileSystem.FileSystem
    const path = `${yield* fs.makeTempDirectoryScoped()}/call.wav`
    yield* fs.writeFile(path, bytes)
    for (const audio of [
      AudioSource.fromPath(path),
      AudioSource.fromBytes(bytes),
      AudioSource.fromBlob(new Blob([new Uint8Array(bytes)])),
      AudioSource.fromStream(chunks()),
      AudioSource.fromStream(chunks(), { byteLength: bytes.byteLength }),
      AudioSource.fromOneShotStream(chunks())
    ]) {
      const result = yield* transcribe({ ...requestOf(bytes), audio })
      expect([result.text, result.durationMillis, result.warnings], audio._tag).toEqual([textOf(spoken), 3000, []])
    }
  })

  it.each([
    { sampleRate: 4000, channels: 1, encoding: "pcm16" },
    { sampleRate: 11_025, channels: 2, encoding: "float32" },
    { sampleRate: 44_100, channels: 2, encoding: "pcm16" },
    { sampleRate: 48_000, channels: 6, encoding: "pcm24" },
    { sampleRate: 192_000, channels: 1, encoding: "pcm32" },
    { sampleRate: 8000, channels: 2, encoding: "alaw" }
  ] as const)("may have $sampleRate Hz, $channels channels, and be $encoding", function* (format) {
    const loud = spoken.map((word) => ({ ...word, word: word.word * 6 }))
    const { durationMillis, text, warnings } = yield* transcribe(requestOf(speak(loud, { format })))
    expect([text, durationMillis]).toEqual([textOf(loud), 3000])
    expect(warnings.map(({ _tag }) => _tag)).toEqual(format.sampleRate === 4000 ? ["SampleRateFarFrom8kHz"] : [])
  })

  it("of a second, or of a millisecond, is one piece", function* () {
    const second = yield* transcribe(requestOf(speak(evenWords(2))))
    expect([second.text, second.pieces.length]).toEqual(["w0 w1", 1])
    const short = yield* transcribe(requestOf(speak([{ word: 30, start: 0, end: 1 }], { tail: 0 })))
    expect([short.pieces.length, short.durationMillis]).toEqual([1, 1])
  })

  it("is not sent where it is digital silence, and a warning says so if that is all", function* () {
    const { calls, transcribe } = yield* serviceOf()
    const silence = yield* transcribe(requestOf(speak([], { tail: 5000 })))
    expect(silence).toMatchObject({ text: "", durationMillis: 5000, segments: [], confidence: undefined })
    expect(silence.pieces.every(({ source }) => source === "silence")).toBe(true)
    expect(silence.warnings).toMatchObject([{ _tag: "NothingButSilence" }])
    expect(yield* calls).toEqual([])
    const late = spoken.map(({ end, start, word }) => ({ word, start: start + 9000, end: end + 9000 }))
    const { segments, text, warnings } = yield* transcribe(requestOf(speak(late)))
    expect([text, segments[0]?.startMillis, warnings]).toEqual([textOf(spoken), 9000, []])
    expect((yield* calls).length).toBeLessThan(5)
  })

  it("in which nothing is recognised says why once", function* () {
    const warning = { _tag: "NothingRecognised", notice: "only its own", message: "Nothing was recognised." } as const
    const result = yield* transcribe(requestOf(file), {}, { text: "", warnings: [warning] })
    expect(result).toMatchObject({ text: "", segments: [], warnings: [warning] })
    expect(result.pieces.length).toBeGreaterThan(3)
  })

  it("that was cut off is transcribed as far as it goes, and a warning says so", function* () {
    const { durationMillis, text, warnings } = yield* transcribe(requestOf(bytes.subarray(0, 44 + 16_000)))
    expect([text, durationMillis]).toEqual(["w0 w1", 1000])
    expect(warnings).toMatchObject([{ _tag: "RecordingEndsEarly", missingMillis: 2000 }])
    const cut = bytes.subarray(0, 44 + 16_000)
    const inChunks = AudioSource.fromStream(Stream.make(cut.subarray(0, 20), cut.subarray(20, 40), cut.subarray(40)))
    expect((yield* transcribe({ ...requestOf(cut), audio: inChunks })).warnings).toEqual(warnings)
  })

  const slow = speak([], { format: { sampleRate: 500, channels: 1, encoding: "pcm16" } })
  const failing = AudioSource.fromStream(Stream.concat(chunks(), Stream.fail("lost")))

  it.each([
    ["is empty", "", "it is empty"],
    ["does not exist", AudioSource.fromPath("/no/such/file.wav"), "it does not exist"],
    ["is text", "not a recording", "this is not a recording"],
    ["is damaged", bytes.subarray(0, 30), "it can't be decoded"],
    ["has no samples", bytes.subarray(0, 44), "it has no samples"],
    ["is at 500 Hz", slow, "too low"],
    ["has no decoder", "fLaC0123456789", "@effect-speech/audio-decoder"],
    ["ends early", AudioSource.fromStream(chunks(), { byteLength: 99_999 }), "it ended after 48044 of 99999 bytes"],
    ["fails while it is read", failing, "its stream failed"]
  ] as const)("that %s can't be transcribed", function* ([, given, problem]) {
    const file = typeof given === "string" ? new TextEncoder().encode(given) : given
    const audio = file instanceof Uint8Array ? AudioSource.fromBytes(file) : file
    const error = yield* Effect.flip(transcribe({ ...requestOf(bytes), audio }))
    expect(error).toBeInstanceOf(SttAudioUnreadable)
    expect(error.message).toContain(problem)
    expect(error.message).not.toMatch(/\.\./)
  })

  it("that fails keeps the finished pieces, and its message says so", function* () {
    const { calls, transcribe } = yield* serviceOf()
    const long = speak(evenWords(38))
    const audio = AudioSource.fromStream(Stream.concat(Stream.make(long.subarray(0, 290_000)), Stream.fail("lost")))
    const { message } = yield* Effect.flip(transcribe({ ...requestOf(long), audio }))
    const kept = (yield* calls).length
    expect(message.endsWith(` To go on, run it again with the whole recording: ${kept} pieces are kept.`)).toBe(true)
    expect(kept).toBeGreaterThan(1)
    const { pieces } = yield* transcribe(requestOf(long))
    expect(pieces.filter(({ source }) => source === "kept").length).toBe(kept)
  })
})

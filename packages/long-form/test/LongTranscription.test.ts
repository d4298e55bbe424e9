import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import { LongTranscription, PieceStore, PieceStoreError, SegmentReader } from "@effect-speech/long-form"
import {
  AudioSource,
  SpeechToText,
  type SpeechToTextService,
  SttAudioUnreadable,
  SttBadRequest,
  SttConnectionFailed,
  SttCreditExhausted,
  SttInvalidRequest,
  type TestAnswer,
  type TranscriptionRequest
} from "@effect-speech/stt"
import { CallReport } from "@effect-speech/transport"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { bytesOf, evenWords, requestOf, soon, speak, textOf, transactionId, transcriptOf, wordsOf } from "./words.js"

const platform = Layer.merge(NodeFileSystem.layer, PieceStore.layerMemory)

/** A service that answers so, over a new store, and what it received. */
const serviceOf = (answer: TestAnswer = transcriptOf) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(Layer.merge(SpeechToText.layerTest(answer), platform))
    return {
      calls: Effect.provide(SpeechToText.calls, context),
      transcribe: (
        request: LongTranscription.LongTranscriptionRequest,
        options?: LongTranscription.LongTranscriptionOptions
      ) => Effect.provide(LongTranscription.transcribe(request, { pieceMillis: 2000, ...options }), context)
    }
  })

/** Transcribes over a new service and a new store. */
const transcribe = (
  request: LongTranscription.LongTranscriptionRequest,
  options?: LongTranscription.LongTranscriptionOptions,
  answer?: TestAnswer
) => Effect.flatMap(serviceOf(answer), (service) => service.transcribe(request, options))

const words = evenWords(18)
const file = speak(words)

describe("a long recording", () => {
  it.scopedLive("becomes one transcript, with the times of the whole", () =>
    Effect.gen(function* () {
      const result = yield* transcribe(requestOf(file))
      expect(result.text).toBe(textOf(words))
      expect(result.segments).toEqual(
        words.map(({ end, start, word }) => ({
          start: expect.closeTo(start, -1),
          end: expect.closeTo(end, -1),
          text: `w${word}`,
          confidence: 0.25,
          times: "service"
        }))
      )
      expect(result).toMatchObject({ durationMillis: 9000, confidence: 0.5, warnings: [], transactionId })
    })
  )

  it.scopedLive("is sent in pieces that follow each other, under ids made from its own", () =>
    Effect.gen(function* () {
      const { calls, transcribe } = yield* serviceOf()
      const { pieces } = yield* transcribe(requestOf(file))
      expect(pieces.length).toBeGreaterThan(3)
      expect(pieces.map(({ number }) => number)).toEqual(pieces.map((_, index) => index + 1))
      expect(pieces.map(({ start }) => start)).toEqual([0, ...pieces.slice(0, -1).map(({ end }) => end)])
      expect(pieces.every(({ end, start }) => end - start <= 2000)).toBe(true)
      expect(pieces.at(-1)).toMatchObject({ end: 9000, ending: "end", source: "sent" })
      // The first by Python: uuid.uuid5(uuid.UUID(transactionId), "1")
      expect(pieces[0]?.transactionId).toBe("76e0ea0e-79f6-532b-be06-08db92aea6b6")
      const sent = (yield* calls).map((call) => call.transactionId)
      expect(sent.toSorted()).toEqual(pieces.map((piece) => piece.transactionId).toSorted())
      expect(pieces.every(({ call, transactionId }) => call?.sentId === transactionId)).toBe(true)
    })
  )

  it.scopedLive("has no word that is cut, and no other words, wherever its pauses are", () =>
    Effect.gen(function* () {
      const lengths = FastCheck.array(
        FastCheck.tuple(FastCheck.integer({ min: 60, max: 400 }), FastCheck.integer({ min: 200, max: 600 })),
        { minLength: 1, maxLength: 10 }
      )
      const samples = FastCheck.sample(FastCheck.tuple(lengths, FastCheck.integer({ min: 2000, max: 4000 })), {
        numRuns: 8,
        seed: 19
      })
      for (const [spoken, pieceMillis] of samples) {
        const all = wordsOf(spoken)
        const { segments, text } = yield* transcribe(requestOf(speak(all)), { pieceMillis })
        expect(text).toBe(textOf(all))
        expect(segments.every(({ start }, index) => Math.abs(start - (all[index]?.start ?? 0)) < 5)).toBe(true)
      }
    })
  )

  it.scopedLive("keeps the order of its pieces, and sends only as many at once as it may", () =>
    Effect.gen(function* () {
      const three = yield* Deferred.make<void>()
      let [running, most] = [0, 0]
      const answer = (request: TranscriptionRequest) =>
        Effect.gen(function* () {
          most = Math.max(most, ++running)
          if (most === 3) yield* Deferred.succeed(three, undefined)
          yield* Deferred.await(three)
          // The earlier pieces take longer.
          yield* Effect.sleep(30 - transcriptOf(request).text.length)
          running -= 1
          return transcriptOf(request)
        })
      expect((yield* transcribe(requestOf(file), { concurrency: 3 }, answer)).text).toBe(textOf(words))
      expect(most).toBe(3)
    })
  )

  it.scopedLive("weights the confidence of a piece by its duration", () =>
    Effect.gen(function* () {
      const { confidence, pieces } = yield* transcribe(requestOf(file), {}, (request) => ({
        auxInfo: { confidence: bytesOf(request).byteLength / 1e6 }
      }))
      const weighted = pieces.reduce((sum, { confidence = 0, end, start }) => sum + confidence * (end - start), 0)
      expect(confidence).toBeCloseTo(weighted / 9000)
    })
  )

  it.scopedLive("has no confidence if the service gives none", () =>
    Effect.gen(function* () {
      expect((yield* transcribe(requestOf(file), {}, "नमस्ते")).confidence).toBeUndefined()
    })
  )

  it.scopedLive("tells what happens to each piece", () =>
    Effect.gen(function* () {
      const { transcribe } = yield* serviceOf()
      const events: Array<LongTranscription.LongTranscriptionEvent> = []
      const options = {
        concurrency: 1,
        onEvent: (event: LongTranscription.LongTranscriptionEvent) => Effect.sync(() => void events.push(event))
      }
      const recording = requestOf(speak(evenWords(5)))
      const { pieces } = yield* transcribe(recording, options)
      const places = pieces.map(({ end, number, start }) => ({ number, start, end }))
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
  )

  it.scopedLive("is transcribed although a handler of events fails", () =>
    Effect.gen(function* () {
      const { text } = yield* transcribe(requestOf(file), { onEvent: () => Effect.die("no terminal") }).pipe(
        Logger.withMinimumLogLevel(LogLevel.None)
      )
      expect(text).toBe(textOf(words))
    })
  )

  it.scopedLive("gives a longer outage to its calls than a call has", () =>
    Effect.gen(function* () {
      const outages: Array<number> = []
      const stt = Context.get(yield* Layer.build(SpeechToText.layerTest("नमस्ते")), SpeechToText)
      const transcribe: SpeechToTextService["transcribe"] = (request, options) => {
        outages.push(Duration.toMillis(options?.outage ?? 0))
        return stt.transcribe(request)
      }
      for (const options of [{}, { outage: "1 hour" as const }]) {
        yield* LongTranscription.transcribe(requestOf(speak(evenWords(1))), options).pipe(
          Effect.provideService(SpeechToText, { transcribe }),
          Effect.provide(platform)
        )
      }
      expect(outages).toEqual([300_000, 3_600_000])
    })
  )

  it.scopedLive.each([
    ["concurrency", { concurrency: 0 }],
    ["pieceMillis", { pieceMillis: 999 }],
    ["outage", { outage: 0 }]
  ] as const)("is not opened if the option %s is invalid", ([field, options]) =>
    Effect.gen(function* () {
      const audio = AudioSource.fromStream(() => Stream.die("it was opened"))
      const error = yield* Effect.flip(transcribe({ ...requestOf(file), audio }, options))
      expect(error).toBeInstanceOf(SttInvalidRequest)
      expect(error).toMatchObject({ field })
    })
  )

  it.scopedLive("is not opened if the request is invalid", () =>
    Effect.gen(function* () {
      const audio = AudioSource.fromStream(() => Stream.die("it was opened"))
      const error = yield* Effect.flip(transcribe({ audio, model: " " }))
      expect(error).toMatchObject({ _tag: "SttInvalidRequest", field: "model" })
    })
  )
})

describe("the times of segments", () => {
  const one = speak(evenWords(3))
  const withSegments = (...segments_meta: ReadonlyArray<Record<string, unknown>>): TestAnswer => ({
    text: "एक दो",
    auxInfo: { confidence: 0.75, segments_meta }
  })
  const whole = { start: 0, end: 1500, text: "एक दो", confidence: 0.75, times: "piece" }

  it.scopedLive("are read from other fields, with dots in their names, in milliseconds", () =>
    Effect.gen(function* () {
      const answer = withSegments(
        { timestamps: [100, 200], words: { said: "एक" }, confidence: 0.5 },
        { timestamps: ["300", "400"], words: { said: "दो" } }
      )
      const segments = SegmentReader.fields({
        start: "timestamps.0",
        end: "timestamps.1",
        text: "words.said",
        unit: "millis"
      })
      const result = yield* transcribe(requestOf(one), { segments }, answer)
      expect(result.segments).toEqual([
        { start: 100, end: 200, text: "एक", confidence: 0.5, times: "service" },
        { start: 300, end: 400, text: "दो", confidence: undefined, times: "service" }
      ])
      expect(result.warnings).toEqual([])
    })
  )

  it.scopedLive.each([
    ["are missing", [{ confidence: 1 }]],
    [
      "have no text",
      [
        { start: 0, end: 0.5 },
        { start: 0.5, end: 1 }
      ]
    ],
    ["lie before the piece", [{ start: -1, end: 0.5, text: "एक दो" }]],
    ["lie behind the piece", [{ start: 0, end: 2, text: "एक दो" }]],
    ["end before they begin", [{ start: 1, end: 0.5, text: "एक दो" }]],
    ["are no numbers", [{ start: Number.NaN, end: "soon", text: "एक दो" }]],
    [
      "run backwards",
      [
        { start: 1, end: 1.4, text: "एक" },
        { start: 0, end: 0.9, text: "दो" }
      ]
    ],
    ["are beyond all numbers", [{ start: 0, end: 1e300, text: "एक दो" }]],
    ["are those of one segment only", [{ start: 0, end: 1, text: "एक" }, { text: "दो" }]]
  ] as const)("are those of the piece if they %s, and a warning says so", ([, segments]) =>
    Effect.gen(function* () {
      const result = yield* transcribe(requestOf(one), {}, withSegments(...segments))
      expect(result.segments).toEqual([whole])
      expect(result.warnings).toEqual([
        { _tag: "SegmentTimesUnread", pieces: 1, message: expect.stringContaining("option segments") }
      ])
    })
  )

  it.scopedLive("may end a little after the piece, since services round them", () =>
    Effect.gen(function* () {
      const { segments } = yield* transcribe(requestOf(one), {}, withSegments({ start: 0, end: 1.58, text: "एक दो" }))
      expect(segments).toMatchObject([{ start: 0, end: 1500, times: "service" }])
    })
  )

  it.scopedLive("belong to the whole text if there is one segment without a text", () =>
    Effect.gen(function* () {
      const { segments } = yield* transcribe(requestOf(one), {}, withSegments({ start: 0.1, end: 1 }))
      expect(segments).toMatchObject([{ start: 100, end: 1000, text: "एक दो", times: "service" }])
    })
  )

  it.scopedLive.each([
    ["miss a word", "एक दो", ["एक"]],
    ["have another word", "one two", ["one", "too"]],
    ["have a word more", "one two", ["one", "two", "three"]],
    ["have them in another order", "one two", ["two", "one"]],
    ["are empty", "one two", ["", " "]],
    ["miss a number", "platform 5", ["platform"]],
    ["miss a sign that is spoken", "5 €", ["5"]]
  ] as const)(
    "are those of the piece if the segments %s, so that no word is lost, and a warning says so",
    ([, text, said]) =>
      Effect.gen(function* () {
        const segments_meta = said.map((words, index) => ({ start: index / 4, end: (index + 1) / 4, text: words }))
        const result = yield* transcribe(requestOf(one), {}, { text, auxInfo: { confidence: 0.75, segments_meta } })
        expect(result.text).toBe(text)
        expect(result.segments).toEqual([{ ...whole, text }])
        expect(result.warnings).toEqual([
          { _tag: "SegmentTextsDiffer", pieces: 1, message: expect.stringContaining("do not have the words") }
        ])
      })
  )

  it.scopedLive.each([
    ["punctuation", "Yes, of course. “Really?”", ["yes of course", "really"]],
    ["case", "straße ΟΔΟΣ İ", ["STRASSE", "οδος", "i\u0307"]],
    ["the form of Unicode", "क़लम ज़रा é ﬁ", ["क़लम", "ज़रा", "é", "fi"]],
    ["joiners and spaces", "क्\u200dष\u00a0त्र  co\u00adop", ["क्षत्र", "coop"]],
    ["spaces in a script without them", "สวัสดีครับ", ["สวัสดี", "ครับ"]]
  ] as const)("are those of the service if text and segments differ by %s alone", ([, text, said]) =>
    Effect.gen(function* () {
      const segments_meta = said.map((words, index) => ({ start: index / 4, end: (index + 1) / 4, text: words }))
      const result = yield* transcribe(requestOf(one), {}, { text, auxInfo: { segments_meta } })
      expect(result.segments.map(({ text: words, times }) => [words, times])).toEqual(
        said.map((words) => [words, "service"])
      )
      expect(result.warnings).toEqual([])
    })
  )

  it.scopedLive("are not invented for words that are not in the transcript, and a warning says so", () =>
    Effect.gen(function* () {
      const answer = { text: " ", auxInfo: { segments_meta: [{ start: 0, end: 1, text: "hello" }] } }
      const { segments, text, warnings } = yield* transcribe(requestOf(one), {}, answer)
      expect([text, segments, warnings.map(({ _tag }) => _tag)]).toEqual(["", [], ["SegmentTextsDiffer"]])
    })
  )

  it.scopedLive("are those of the piece if a reader of your own fails", () =>
    Effect.gen(function* () {
      const segments = () => {
        throw new TypeError("no such field")
      }
      const result = yield* transcribe(requestOf(one), { segments }, withSegments({ start: 0, end: 1, text: "एक दो" }))
      expect(result).toMatchObject({ segments: [whole], warnings: [{ _tag: "SegmentTimesUnread" }] })
    })
  )

  it.scopedLive("and confidences that are none are left out", () =>
    Effect.gen(function* () {
      for (const confidence of [Number.NaN, Number.POSITIVE_INFINITY, -1, 2]) {
        const answer = {
          text: "a",
          auxInfo: { confidence, segments_meta: [{ start: 0, end: 1, text: "a", confidence }] }
        }
        const result = yield* transcribe(requestOf(one), {}, answer)
        expect([result.confidence, result.pieces[0]?.confidence, result.segments[0]?.confidence]).toEqual([
          undefined,
          undefined,
          undefined
        ])
      }
    })
  )

  it.scopedLive("are asked for if aux is undefined", () =>
    Effect.gen(function* () {
      const { calls, transcribe } = yield* serviceOf()
      yield* transcribe({ ...requestOf(speak(evenWords(2))), aux: undefined })
      expect(yield* calls).toMatchObject([{ aux: true }])
    })
  )

  it.scopedLive("are not asked for if you decline aux, and nothing is sent twice for it", () =>
    Effect.gen(function* () {
      const { calls, transcribe } = yield* serviceOf("एक दो")
      const { segments } = yield* transcribe({ ...requestOf(one), aux: false })
      expect(segments).toMatchObject([{ text: "एक दो", times: "piece" }])
      expect((yield* calls).map(({ aux }) => aux)).toEqual([false])
    })
  )
})

describe("a piece that fails", () => {
  /** Fails at the piece with this word, and answers the others. */
  const failsAt = (word: string) => (request: TranscriptionRequest) =>
    Effect.flatMap(soon(transcriptOf(request)), (transcript) =>
      transcript.text.split(" ").includes(word) ? Effect.fail(new SttCreditExhausted()) : Effect.succeed(transcript)
    )

  it.scopedLive("is named by the error of its call, with what is kept and what is left", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(transcribe(requestOf(file), { concurrency: 1 }, failsAt("w5")))
      if (error._tag !== "SttCreditExhausted") throw error
      const { piece } = error.call
      const before = (piece?.number ?? 0) - 1
      expect(piece).toMatchObject({ unit: "milliseconds", kept: before, left: 9000 - (piece?.start ?? 0) })
      expect(before).toBeGreaterThan(0)
      expect(error.message).toMatch(
        /\(402\)\. Top it up; .* Piece \d, from 0:00:0\d to 0:00:0\d of 0:00:09\. To go on, run it again: \d pieces? (is|are) kept, and the rest is 0:00:0\d of audio\.$/
      )
    })
  )

  it.scopedLive("keeps the message of its call if it is the whole recording", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(transcribe(requestOf(speak(evenWords(2))), {}, new SttCreditExhausted()))
      expect(error.message).toBe(new SttCreditExhausted().message)
    })
  )

  it.scopedLive("costs no piece twice: a new run sends the rest, and gives what an undisturbed one gives", () =>
    Effect.gen(function* () {
      let broken = true
      const { calls, transcribe } = yield* serviceOf((request) =>
        broken ? failsAt("w5")(request) : transcriptOf(request)
      )
      yield* Effect.flip(transcribe(requestOf(file), { concurrency: 2 }))
      const first = (yield* calls).map(bytesOf)
      broken = false
      const resumed = yield* transcribe(requestOf(file))
      const sent = (yield* calls).map(bytesOf)
      const kept = resumed.pieces.filter(({ source }) => source === "kept")
      // All that were sent first are kept, but the one that failed.
      expect(kept.length).toBe(first.length - 1)
      expect(sent.length).toBe(resumed.pieces.length + 1)
      const undisturbed = yield* Effect.flatMap(serviceOf(), (service) => service.transcribe(requestOf(file)))
      expect({ ...resumed, pieces: [] }).toEqual({ ...undisturbed, pieces: [] })
    })
  )

  it.scopedLive("lets those in flight end and be kept, and no other starts", () =>
    Effect.gen(function* () {
      const three = yield* Deferred.make<void>()
      let started = 0
      const { calls, transcribe } = yield* serviceOf((request) =>
        Effect.suspend(() => (++started === 3 ? Deferred.succeed(three, undefined) : Effect.void)).pipe(
          Effect.zipRight(Deferred.await(three)),
          Effect.zipRight(Effect.sleep(transcriptOf(request).text.startsWith("w0") ? 0 : 50)),
          Effect.zipRight(failsAt("w0")(request))
        )
      )
      yield* Effect.flip(transcribe(requestOf(file), { concurrency: 3 }))
      expect((yield* calls).length).toBe(3)
      const error = yield* Effect.flip(transcribe(requestOf(file), { concurrency: 1 }))
      expect(error).toMatchObject({ call: { piece: { number: 1, kept: 0 } } })
      expect((yield* calls).length).toBe(4)
    })
  )

  it.scopedLive("says that something may be billed if another piece was lost after it was sent", () =>
    Effect.gen(function* () {
      const two = yield* Deferred.make<void>()
      const lost = { ...CallReport.nothingSent, billing: "unknown" } as const
      const { transcribe } = yield* serviceOf((request) =>
        transcriptOf(request).text.startsWith("w0")
          ? Effect.zipRight(Deferred.await(two), Effect.fail(new SttBadRequest({ call: CallReport.nothingSent })))
          : Deferred.succeed(two, undefined).pipe(
              Effect.zipRight(Effect.sleep(50)),
              Effect.zipRight(Effect.fail(new SttConnectionFailed({ call: lost })))
            )
      )
      const error = yield* Effect.flip(transcribe(requestOf(file), { concurrency: 2 }))
      expect(error).toMatchObject({ _tag: "SttBadRequest", call: { billing: "unknown", piece: { number: 1 } } })
    })
  )

  it.scopedLive("is named if its result can't be kept", () =>
    Effect.gen(function* () {
      let puts = 0
      const full = {
        get: () => Effect.succeed(Option.none()),
        put: () => {
          puts += 1
          return Effect.fail(new PieceStoreError({ operation: "put", store: "full", message: "The disk is full." }))
        }
      }
      const error = yield* Effect.flip(
        LongTranscription.transcribe(requestOf(file), { pieceMillis: 2000, concurrency: 1 }).pipe(
          Effect.provideService(PieceStore, full),
          Effect.provide(Layer.merge(SpeechToText.layerTest(transcriptOf), NodeFileSystem.layer))
        )
      )
      expect(error).toMatchObject({ _tag: "PieceStoreError", piece: { number: 1, kept: 0 } })
      expect(error.message).toMatch(/^The disk is full\. Piece 1, from /)
      expect(puts).toBe(1)
    })
  )

  it.scopedLive("loses nothing that was paid for if you interrupt the run", () =>
    Effect.gen(function* () {
      let left = 2
      const { calls, transcribe } = yield* serviceOf((request) =>
        left-- === 0 ? Effect.never : soon(transcriptOf(request))
      )
      const fiber = yield* Effect.fork(transcribe(requestOf(file), { concurrency: 1 }))
      yield* Effect.repeat(Effect.sleep("1 millis"), { until: () => Effect.map(calls, (all) => all.length === 3) })
      yield* Fiber.interrupt(fiber)
      const { pieces } = yield* transcribe(requestOf(file))
      expect(pieces.map(({ source }) => source).slice(0, 3)).toEqual(["kept", "kept", "sent"])
    })
  )
})

describe("a transcript that was kept", () => {
  it.scopedLive.each([
    ["another model", { model: "ta-general-v2-8khz" }],
    ["hotwords", { hotwords: [{ phrase: "दिल्ली" }] }],
    ["numbers as digits", { parseNumber: true }],
    ["a further field", { additionalFields: { speakers: "2" } }]
  ] as const)("is not that of a request with %s", ([, change]) =>
    Effect.gen(function* () {
      const { calls, transcribe } = yield* serviceOf()
      const request = requestOf(speak(evenWords(2)))
      yield* transcribe(request)
      yield* transcribe({ ...request, ...change })
      yield* transcribe({ ...request, ...change, transactionId: crypto.randomUUID() })
      expect((yield* calls).length).toBe(2)
    })
  )

  it.scopedLive("serves equal pieces at the same time, so that one of them is paid for", () =>
    Effect.gen(function* () {
      const { calls, transcribe } = yield* serviceOf((request) =>
        Effect.delay(Effect.succeed(transcriptOf(request)), "50 millis")
      )
      const same = evenWords(40).map((spoken) => ({ ...spoken, word: 7 }))
      const { pieces, text } = yield* transcribe(requestOf(speak(same)), { concurrency: 8 })
      expect(text).toBe(textOf(same))
      const sent = pieces.filter(({ source }) => source === "sent")
      expect(new Set(pieces.map(({ transactionId }) => transactionId)).size).toBe(sent.length)
      expect([pieces.length, sent.length, (yield* calls).length]).toEqual([13, 4, 4])
    })
  )

  it.scopedLive("is not that of another service", () =>
    Effect.gen(function* () {
      const { calls, stt } = yield* Effect.gen(function* () {
        const context = yield* Layer.build(SpeechToText.layerTest("नमस्ते"))
        return { calls: Effect.provide(SpeechToText.calls, context), stt: Context.get(context, SpeechToText) }
      })
      const store = yield* Layer.build(platform)
      for (const baseUrl of ["https://one.example", "https://two.example", "https://one.example"]) {
        yield* LongTranscription.transcribe(requestOf(speak(evenWords(2)))).pipe(
          Effect.provideService(SpeechToText, { ...stt, baseUrl }),
          Effect.provide(store)
        )
      }
      expect((yield* calls).length).toBe(2)
    })
  )

  it.scopedLive("is made again if its file is damaged", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const store = yield* Layer.build(PieceStore.layerFolder(folder))
      const context = yield* Layer.build(SpeechToText.layerTest("नमस्ते"))
      const run = LongTranscription.transcribe(requestOf(speak(evenWords(2)))).pipe(
        Effect.provide(store),
        Effect.provide(context)
      )
      yield* run
      const [name = ""] = yield* fs.readDirectory(folder)
      expect(name).toMatch(/^[0-9a-f]{64}\.json$/)
      yield* fs.writeFileString(`${folder}/${name}`, '{"text":')
      expect((yield* run).pieces).toMatchObject([{ source: "sent", text: "नमस्ते" }])
      expect((yield* run).pieces).toMatchObject([{ source: "kept", text: "नमस्ते" }])
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})

describe("a recording", () => {
  const spoken = evenWords(6)
  const bytes = speak(spoken)
  const chunks = () =>
    Stream.fromIterable([bytes.subarray(0, 1001), bytes.subarray(1001, 30_000), bytes.subarray(30_000)])

  it.scopedLive("comes from a file, bytes, a blob or a stream, also one that can be read only once", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = `${yield* fs.makeTempDirectoryScoped()}/call.wav`
      yield* fs.writeFile(path, bytes)
      for (const audio of [
        AudioSource.fromPath(path),
        AudioSource.fromBytes(bytes),
        AudioSource.fromBlob(new Blob([new Uint8Array(bytes)])),
        AudioSource.fromStream(chunks),
        AudioSource.fromStream(chunks, { byteLength: bytes.byteLength }),
        AudioSource.fromOneShotStream(chunks())
      ]) {
        const result = yield* transcribe({ ...requestOf(bytes), audio })
        expect([result.text, result.durationMillis, result.warnings], audio._tag).toEqual([textOf(spoken), 3000, []])
      }
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  it.scopedLive.each([
    { sampleRate: 4000, channels: 1, encoding: "pcm16" },
    { sampleRate: 11_025, channels: 2, encoding: "float32" },
    { sampleRate: 44_100, channels: 2, encoding: "pcm16" },
    { sampleRate: 48_000, channels: 6, encoding: "pcm24" },
    { sampleRate: 192_000, channels: 1, encoding: "pcm32" },
    { sampleRate: 8000, channels: 2, encoding: "alaw" }
  ] as const)("may have $sampleRate Hz, $channels channels, and be $encoding", (format) =>
    Effect.gen(function* () {
      const loud = spoken.map((word) => ({ ...word, word: word.word * 6 }))
      const { durationMillis, text, warnings } = yield* transcribe(requestOf(speak(loud, { format })))
      expect([text, durationMillis]).toEqual([textOf(loud), 3000])
      expect(warnings.map(({ _tag }) => _tag)).toEqual(format.sampleRate === 4000 ? ["SampleRateFarFrom8kHz"] : [])
    })
  )

  it.scopedLive("of a second, or of a millisecond, is one piece", () =>
    Effect.gen(function* () {
      const second = yield* transcribe(requestOf(speak(evenWords(2))))
      expect([second.text, second.pieces.length]).toEqual(["w0 w1", 1])
      const short = yield* transcribe(requestOf(speak([{ word: 30, start: 0, end: 1 }], { tail: 0 })))
      expect([short.pieces.length, short.durationMillis]).toEqual([1, 1])
    })
  )

  it.scopedLive("of digital silence is not sent, and a warning says so", () =>
    Effect.gen(function* () {
      const { calls, transcribe } = yield* serviceOf()
      const result = yield* transcribe(requestOf(speak([], { tail: 5000 })))
      expect(result).toMatchObject({ text: "", durationMillis: 5000, segments: [], confidence: undefined })
      expect(result.pieces.every(({ source }) => source === "silence")).toBe(true)
      expect(result.warnings).toMatchObject([{ _tag: "NothingButSilence" }])
      expect(yield* calls).toEqual([])
    })
  )

  it.scopedLive("sends none of its pieces that are digital silence", () =>
    Effect.gen(function* () {
      const { calls, transcribe } = yield* serviceOf()
      const late = spoken.map(({ end, start, word }) => ({ word, start: start + 9000, end: end + 9000 }))
      const { segments, text } = yield* transcribe(requestOf(speak(late)))
      expect([text, segments[0]?.start]).toEqual([textOf(spoken), 9000])
      expect((yield* calls).length).toBeLessThan(5)
    })
  )

  it.scopedLive("in which nothing is recognised says why once", () =>
    Effect.gen(function* () {
      const warning = { _tag: "NothingRecognised", notice: "only its own", message: "Nothing was recognised." } as const
      const result = yield* transcribe(requestOf(file), {}, { text: "", warnings: [warning] })
      expect(result).toMatchObject({ text: "", segments: [], warnings: [warning] })
      expect(result.pieces.length).toBeGreaterThan(3)
    })
  )

  it.scopedLive("that was cut off is transcribed as far as it goes, and a warning says so", () =>
    Effect.gen(function* () {
      const { durationMillis, text, warnings } = yield* transcribe(requestOf(bytes.subarray(0, 44 + 16_000)))
      expect([text, durationMillis]).toEqual(["w0 w1", 1000])
      expect(warnings).toMatchObject([{ _tag: "RecordingEndsEarly", missingMillis: 2000 }])
      const cut = bytes.subarray(0, 44 + 16_000)
      const inChunks = AudioSource.fromStream(() =>
        Stream.make(cut.subarray(0, 20), cut.subarray(20, 40), cut.subarray(40))
      )
      expect((yield* transcribe({ ...requestOf(cut), audio: inChunks })).warnings).toEqual(warnings)
    })
  )

  it.scopedLive.each([
    ["is empty", AudioSource.fromBytes(new Uint8Array(0)), "it is empty"],
    ["does not exist", AudioSource.fromPath("/no/such/file.wav"), "it does not exist"],
    ["is text", AudioSource.fromBytes(new TextEncoder().encode("not a recording")), "this is not a recording"],
    ["is damaged", AudioSource.fromBytes(bytes.subarray(0, 30)), "it can't be decoded"],
    ["has no samples", AudioSource.fromBytes(bytes.subarray(0, 44)), "it has no samples"],
    [
      "is at 500 Hz",
      AudioSource.fromBytes(speak([], { format: { sampleRate: 500, channels: 1, encoding: "pcm16" } })),
      "too low"
    ],
    [
      "has no decoder",
      AudioSource.fromBytes(new TextEncoder().encode("fLaC0123456789")),
      "@effect-speech/local-service/Decoder"
    ],
    ["ends early", AudioSource.fromStream(chunks, { byteLength: 99_999 }), "it ended after 48044 of 99999 bytes"],
    [
      "fails while it is read",
      AudioSource.fromStream(() => Stream.concat(chunks(), Stream.fail("lost"))),
      "its stream failed"
    ]
  ] as const)("that %s can't be transcribed", ([, audio, problem]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(transcribe({ ...requestOf(bytes), audio }))
      expect(error).toBeInstanceOf(SttAudioUnreadable)
      expect(error.message).toContain(problem)
      expect(error.message).not.toMatch(/\.\./)
    })
  )

  it.scopedLive("that ends in an error keeps what was transcribed before", () =>
    Effect.gen(function* () {
      const { calls, transcribe } = yield* serviceOf()
      const long = speak(evenWords(38))
      const audio = AudioSource.fromStream(() =>
        Stream.concat(Stream.make(long.subarray(0, 290_000)), Stream.fail("lost"))
      )
      const error = yield* Effect.flip(transcribe({ ...requestOf(long), audio }))
      const before = (yield* calls).length
      expect(error).toMatchObject({
        _tag: "SttAudioUnreadable",
        message: expect.stringMatching(
          new RegExp(`To go on, run it again with the whole recording: ${before} pieces are kept\\.$`)
        )
      })
      expect(before).toBeGreaterThan(1)
      const { pieces } = yield* transcribe(requestOf(long))
      expect(pieces.filter(({ source }) => source === "kept").length).toBe(before)
    })
  )
})

describe("a store that keeps nothing", () => {
  const keepingNothing = Layer.succeed(PieceStore, { get: () => Effect.succeedNone, put: () => Effect.void })
  const long = speak(evenWords(38))

  it.scopedLive("lets no error say that pieces are kept", () =>
    Effect.gen(function* () {
      const audio = AudioSource.fromStream(() =>
        Stream.concat(Stream.make(long.subarray(0, 290_000)), Stream.fail("lost"))
      )
      const failing = (request: TranscriptionRequest) =>
        transcriptOf(request).text.split(" ").includes("w5")
          ? Effect.fail(new SttCreditExhausted())
          : Effect.succeed(transcriptOf(request))
      const errorOf = (request: LongTranscription.LongTranscriptionRequest, answer: TestAnswer) =>
        LongTranscription.transcribe(request, { pieceMillis: 2000, concurrency: 1 }).pipe(
          Effect.flip,
          Effect.provide([keepingNothing, SpeechToText.layerTest(answer), NodeFileSystem.layer])
        )
      const cut = yield* errorOf({ ...requestOf(long), audio }, transcriptOf)
      expect(cut).toMatchObject({ _tag: "SttAudioUnreadable" })
      expect(cut.message).not.toMatch(/kept/)

      const failed = yield* errorOf(requestOf(long), failing)
      expect(failed).toMatchObject({ call: { piece: { kept: 0 } } })
      expect(failed.message).toMatch(/ Piece [2-9], from 0:00:0\d to 0:00:0\d of 0:00:19\.$/)
    })
  )
})

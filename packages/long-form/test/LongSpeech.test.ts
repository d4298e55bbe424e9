import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect } from "@effect/vitest"
import { Pcm, PcmStream, Wav } from "@effect-speech/audio-codec"
import { LongSpeech, PieceStore, Subtitles } from "@effect-speech/long-form"
import { CallReport } from "@effect-speech/transport"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import {
  type Speech,
  type SynthesisRequest,
  TextToSpeech,
  TtsBadRequest,
  TtsCorruptAudio,
  TtsError
} from "@effect-speech/tts"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Hash from "effect/Hash"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { changedSpeech } from "effect-speech-test-support/changedSpeech"
import { effectTests, testFolder } from "effect-speech-test-support/effectTests"
import { silenceMillis, spoken } from "./tones.js"

const folder = testFolder("long-speech")

/** Six pieces of one sentence each. */
const sentences = ["Alpha one.", "Beta two.", "Gamma three.", "Delta four.", "Epsilon five.", "Zeta six."]
const text = sentences.join(" ")
const short: LongSpeech.Options = { firstCodePoints: 13, maximumCodePoints: 14 }

const double = TextToSpeech.layerTest(({ text }) => spoken(text))

const inMemory = Layer.mergeAll(double, PieceStore.layerMemory, NodeTransport.layer)
const it = effectTests(inMemory)

const storeIn = (name: string) => Layer.provideMerge(PieceStore.layerFolder(join(folder, name)), NodeTransport.layer)

const readAll = (request: LongSpeech.Request, options?: LongSpeech.Options) =>
  Effect.scoped(
    Effect.gen(function* () {
      const speech = yield* LongSpeech.stream(request, options)
      const bytes = yield* PcmStream.collect(speech)
      return { bytes, speech, plan: yield* speech.plan, report: yield* speech.report }
    })
  )

describe("the plan of a text", () => {
  const cyclic: Record<string, unknown> = {}
  cyclic.itself = cyclic

  it("says the pieces, the code points and the highest cost, and sends nothing", function* () {
    const passages = [{ text }, { text: "\n\n* * *\n\n" }, { text: "🙂  " }]
    expect(yield* LongSpeech.plan({ text: passages }, short)).toEqual({ pieces: 8, codePoints: 81, cost: 65 })
    expect(yield* TextToSpeech.calls).toEqual([])
  })

  it.each([
    [{ text: "" }, {}, "text", "must not be empty"],
    [{ text: [] }, {}, "text", "must not be empty"],
    [{ text: [{ text: "a" }].values() }, {}, "text", "must be a string, or an array of passages"],
    [{ text: " \n…" }, {}, "text", "has nothing to speak: no letter, no number and no symbol"],
    [{ text: "half \ud800" }, {}, "text", "holds half of a surrogate pair, which is not a character"],
    [{ text: [{ text: "a" }, { text: "b", speed: 9 }] }, {}, "text.1.speed", "must be a number from 0.25 to 4"],
    [{ text: "a", speed: 9 }, {}, "speed", "must be a number from 0.25 to 4"],
    [{ text: "a", requestId: "a".repeat(57) }, {}, "requestId", expect.stringContaining("must be 1 to 56 characters")],
    [{ text: "a", g2pOverrides: cyclic }, {}, "g2pOverrides or additionalFields", "must be a value that JSON can hold"],
    [{ text: "a" }, { maximumCodePoints: 10_001 }, "maximumCodePoints", "must be a whole number from 1 to 10000"],
    [{ text: "a" }, { concurrency: 0 }, "concurrency", "must be a whole number from 1 to 1000"],
    [{ text: "a" }, { pauses: { line: -1 } }, "pauses.line", 'must be a duration from "0 seconds" to "60 seconds"'],
    [{ text: "a" }, { fade: "61 seconds" }, "fade", 'must be a duration from "0 seconds" to "60 seconds"'],
    [{ text: "a" }, { edgeSilence: Number.NaN }, "edgeSilence", 'must be a duration from "0 seconds" to "60 seconds"'],
    [{ text: "a" }, { maximum: 1000 }, "maximum", "is not a known option"],
    [{ text: "a" }, { gracePeriod: "soon" }, "gracePeriod", expect.stringContaining("must be a duration, such as")],
    [{ text: "a" }, { onEvent: Effect.void }, "onEvent", "must be a function"],
    [{ text: "a" }, { outage: "0 seconds" }, "outage", expect.stringContaining("must be a duration longer than zero")]
  ] as const)("fails for %j with %j, before anything is sent", function* ([request, options, field, problem]) {
    const error = yield* Effect.flip(LongSpeech.plan(request as LongSpeech.Request, options as LongSpeech.Options))
    expect(error).toMatchObject({ _tag: "TtsInvalidRequest", field, problem })
  })
})

it("of values that were compared before is spoken as others are: their hash is no field", function* () {
  const passage = Data.struct({ text: "One two." })
  const pauses = Data.struct({ sentence: 10 })
  const request = Data.struct({ text: [passage, passage], lang: "en" })
  const options = Data.struct({ pauses })
  for (const value of [passage, pauses, request, options]) Hash.hash(value)
  expect((yield* LongSpeech.plan(request, options)).pieces).toBe(2)
})

describe("a long text", () => {
  it("becomes its pieces in order, with the pauses between them", function* () {
    const whole = `${sentences[0]} ${sentences[1]}\n${sentences[2]}\n\n${sentences[3]}`
    const { bytes, plan, report, speech } = yield* readAll({ text: whole, requestId: "book" }, short)
    expect(report.pieces.map(({ text }) => text).join("")).toBe(whole)
    expect(report.pieces.map(({ boundary }) => boundary)).toEqual(["sentence", "line", "paragraph", "end"])
    const audio = sentences.slice(0, 4).map((sentence) => 80 + 10 * sentence.length)
    const pauses = [250, 400, 600]
    let at = 0
    for (const [index, millis] of audio.entries()) {
      const piece = report.pieces[index]
      expect(piece).toMatchObject({ number: index + 1, startMillis: at, endMillis: at + millis, source: "sent" })
      expect(piece).toMatchObject({ requestId: `book.00${index + 1}`, call: { billing: "billed" } })
      expect(whole.slice(piece?.startIndex, piece?.endIndex)).toBe(piece?.text)
      at += millis + (pauses[index] ?? 0)
    }
    expect(bytes.byteLength).toBe(at * 8 * 4)
    expect(report.durationMillis).toBe(at)
    expect(speech.format).toEqual({ sampleRate: 8000, channels: 1, encoding: "float32" })
    const calls = yield* TextToSpeech.calls
    expect(calls.map(({ text }) => text).toSorted()).toEqual(sentences.slice(0, 4).toSorted())
    expect(plan).toEqual({ pieces: 4, codePoints: whole.length, cost: whole.length - 4 })
  })

  it("has no jump where its pieces are joined", function* () {
    const bare = TextToSpeech.layerTest({ bytes: new Uint8Array(new Float32Array(800).fill(0.5).buffer) })
    const { bytes, report } = yield* Effect.provide(readAll({ text }, short), bare)
    const samples = Pcm.decode(bytes, "float32")
    for (const { endFrame, startFrame } of report.pieces) {
      for (const frame of [startFrame, endFrame - 1]) expect(Math.abs(samples[frame] ?? 0)).toBeLessThan(0.001)
    }
  })

  it("may be passages, each with its language, voice and speed", function* () {
    const passages = [
      { text: "नमस्ते " },
      { text: "Mr. Rao,", lang: "en", voice: "default_male" },
      { text: " ...\n" },
      { text: "फिर मिलेंगे।", speed: 2 }
    ]
    const request = { text: passages, lang: "hi", voice: "default_female", speed: 1, requestId: "p" }
    const { report } = yield* readAll(request)
    expect(report.pieces.map(({ boundary, passage, source }) => [source, boundary, passage])).toEqual([
      ["sent", "word", 0],
      ["sent", "clause", 1],
      ["silence", "line", 2],
      ["sent", "end", 3]
    ])
    // Pieces begin at the same time, and reach the service in any order.
    const calls = [...(yield* TextToSpeech.calls)]
    expect(calls.sort((a, b) => (a.requestId ?? "").localeCompare(b.requestId ?? ""))).toEqual([
      { text: "नमस्ते", lang: "hi", voice: "default_female", speed: 1, requestId: "p.001" },
      { text: "Mr. Rao,", lang: "en", voice: "default_male", speed: 1, requestId: "p.002" },
      { text: "फिर मिलेंगे।", lang: "hi", voice: "default_female", speed: 2, requestId: "p.004" }
    ])
  })

  it("has one block of a pause in memory at a time, also before the first spoken piece", function* () {
    const text = [{ text: "***\n\n" }, { text: "***\n\n" }, { text: "One.\n\n" }, { text: "Two." }]
    const { stream } = yield* LongSpeech.stream({ text }, { pauses: { paragraph: "60 seconds" } })
    const lengths = yield* Stream.runCollect(Stream.map(Stream.chunks(stream), (chunk) => chunk.length))
    expect(lengths.length).toBeGreaterThan(80)
    expect(Math.max(...lengths)).toBe(1)
  })

  it("sounds when its first piece is there", function* () {
    const sounds = yield* Deferred.make<void>()
    const gated = TextToSpeech.layerTest(({ text }) =>
      Effect.as(text === sentences[0] ? Effect.void : Deferred.await(sounds), spoken(text))
    )
    const { stream } = yield* Effect.provide(LongSpeech.stream({ text }, short), gated)
    yield* Deferred.succeed(sounds, undefined)
    expect(yield* Stream.runCount(stream)).toBeGreaterThan(5)
  })

  it("is sent only so far ahead of its reader that twice the pieces at once are in memory", function* () {
    const { stream } = yield* LongSpeech.stream({ text: sentences.join(" ").repeat(3) }, { ...short, concurrency: 2 })
    const sent = Effect.map(TextToSpeech.calls, (calls) => calls.length)
    // The first piece was taken.
    yield* Effect.repeat(sent, { until: (count) => count >= 5, schedule: Schedule.spaced("1 millis") })
    yield* Effect.sleep(0)
    expect(yield* sent).toBe(5)
    yield* Stream.runDrain(stream)
  })

  /** The second piece is in another format. */
  const mixed = TextToSpeech.layerTest(({ text }) =>
    spoken(text, text === sentences[1] ? "16000:float32" : "8000:float32")
  )

  it("is converted to the requested format, or to that of its first piece", function* () {
    const read = (request: LongSpeech.Request) =>
      Effect.provide(readAll(request, { ...short, edgeSilence: "1 second" }), mixed)
    const { report, speech } = yield* read({ text })
    expect(speech.format).toMatchObject({ sampleRate: 8000, encoding: "float32" })
    const [, beta] = report.pieces
    // At twice the rate, it lasts half as long.
    expect((beta?.endMillis ?? 0) - (beta?.startMillis ?? 0)).toBeCloseTo((2 * silenceMillis + 90) / 2, -1)
    const other = yield* read({ text, outputFormat: "24000:pcm16" })
    expect(other.speech.format).toEqual({ sampleRate: 24_000, channels: 1, encoding: "pcm16" })
    expect(other.report.durationMillis).toBeCloseTo(report.durationMillis, -1)
  })

  it("fails at a piece in another format if you say so, also if that piece is done before the first one", function* () {
    const first = yield* Deferred.make<void>()
    const late = TextToSpeech.layerTest(({ text }) =>
      text === sentences[0]
        ? Effect.as(Deferred.await(first), spoken(text))
        : Effect.as(Deferred.succeed(first, undefined), spoken(text, "16000:float32"))
    )
    const error = yield* readAll({ text }, { ...short, differentFormat: "fail" }).pipe(
      Effect.provide(late),
      Effect.flip
    )
    expect(error).toMatchObject({ _tag: "TtsInvalidResponse", call: { piece: { number: 2 } } })
    expect(error.message).toContain("its audio is 16000 Hz, 1 channel, float32, and that of the whole is 8000 Hz")
  })

  const allowed = [undefined, "8000:float32"] as const
  it.each(allowed)(
    "keeps no piece in another format than it may have, and sends it again: %s",
    function* (outputFormat) {
      const fail = readAll({ text, outputFormat }, { ...short, differentFormat: "fail" })
      const error = yield* Effect.flip(Effect.provide(fail, mixed))
      expect(error).toMatchObject({ _tag: "TtsInvalidResponse", call: { piece: { number: 2 } } })
      // This keeps the other format, as it may.
      yield* Effect.provide(readAll({ text, outputFormat }, short), mixed)
      yield* fail
      expect((yield* TextToSpeech.calls).map(({ text }) => text)).toEqual([sentences[1]])
    }
  )

  it("has its sentences with their times, from which subtitles are made", function* () {
    const { report } = yield* readAll({ text }, short)
    expect(report.segments.map(({ text }) => text)).toEqual(sentences)
    expect(report.segments.map(({ endIndex, startIndex }) => text.slice(startIndex, endIndex))).toEqual(sentences)
    const [alpha, beta] = report.segments
    expect(alpha).toMatchObject({ startMillis: 40, endMillis: 140, estimated: false })
    expect(beta?.startMillis).toBe(180 + 250 + 40)
    expect(Subtitles.layout(report.segments)[0]).toMatchObject({
      startMillis: 40,
      text: expect.stringContaining("Alpha one.")
    })
  })
})

describe("every text", () => {
  const word = FastCheck.constantFrom("नमस्ते", "Dr.", "क्षेत्र", "!", "…", "one", "दो।", "1,200", "ठीक?", "👍🏽", "ச")
  const space = FastCheck.constantFrom(" ", ", ", "\n", "\n\n")
  const texts = FastCheck.array(FastCheck.tuple(word, space), { minLength: 1, maxLength: 12 }).map(
    (parts) => `a ${parts.flat().join("")}`
  )
  const passages = FastCheck.array(texts, { minLength: 1, maxLength: 3 }).map((all) => all.map((text) => ({ text })))
  const options = FastCheck.record({
    maximumCodePoints: FastCheck.integer({ min: 2, max: 60 }),
    firstCodePoints: FastCheck.integer({ min: 1, max: 20 }),
    concurrency: FastCheck.integer({ min: 1, max: 4 }),
    pauses: FastCheck.constant({ word: 10, cluster: 20, clause: 30, sentence: 40, line: 50, paragraph: 60 })
  })

  it("is spoken whole, as long as its pieces and pauses, costs no more than planned, and then nothing", function* () {
    yield* Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(passages, options, (text, options) =>
          Effect.gen(function* () {
            const { bytes, plan, report } = yield* readAll({ text }, options)
            const whole = text.map(({ text }) => text).join("")
            expect(report.pieces.map(({ text }) => text).join("")).toBe(whole)
            for (const { text, endIndex, startIndex } of report.segments) {
              expect(whole.slice(startIndex, endIndex)).toBe(text)
            }
            const millis = report.pieces.map(({ boundary, endMillis, startMillis }) => {
              const pause = boundary === "end" ? 0 : (options.pauses[boundary] ?? 0)
              return endMillis - startMillis + pause
            })
            expect(bytes.byteLength / 32).toBeCloseTo(
              millis.reduce((one, other) => one + other, 0),
              6
            )
            const spent = (calls: ReadonlyArray<{ readonly text: string }>) =>
              calls.reduce((sum, { text }) => sum + [...text].length, 0)
            const calls = yield* TextToSpeech.calls
            expect(spent(calls)).toBeLessThanOrEqual(plan.cost)
            if (new Set(calls.map(({ text }) => text)).size === report.pieces.length) {
              expect(spent(calls)).toBe(plan.cost)
            }
            const again = yield* readAll({ text }, options)
            expect(yield* TextToSpeech.calls).toHaveLength(calls.length)
            expect(Buffer.compare(again.bytes, bytes)).toBe(0)
          }).pipe(Effect.provide(inMemory), Effect.runPromise)
        ),
        { numRuns: 10, seed: 1 }
      )
    )
  })
})

describe("a piece that fails", () => {
  it("is named in the error, with its place, its first words, what is kept and what the rest costs", function* () {
    const refusing = TextToSpeech.layerTest(({ requestId = "", text }) =>
      text === "Gamma three."
        ? new TtsBadRequest({ field: "text", call: { ...CallReport.nothingSent, sentId: requestId } })
        : spoken(text)
    )
    const options = { ...short, concurrency: 1 }
    const error = yield* LongSpeech.writeFile({ text, requestId: "book" }, join(folder, "refused.wav"), options).pipe(
      Effect.provide([refusing, PieceStore.layerMemory, NodeTransport.layer]),
      Effect.flip
    )
    expect(readdirSync(folder)).not.toContain("refused.wav")
    if (!(error instanceof TtsBadRequest)) throw error
    const place = {
      _tag: "TextPiece",
      number: 3,
      of: 6,
      startIndex: 21,
      endIndex: 34,
      beginning: "Gamma three."
    } as const
    expect(error.call).toMatchObject({ sentId: "book.003", piece: { ...place, kept: 2, leftCodePoints: 45 } })
    const sentence =
      "Change text and send the request again. Piece 3 of 6, from character 22 (“Gamma three.”). " +
      "To go on, run it again: 2 pieces are kept, and the rest costs at most 45 code points."
    expect(error.message.endsWith(sentence)).toBe(true)
    const json = Schema.encodeSync(Schema.parseJson(TtsError))(error)
    expect(Schema.decodeSync(Schema.parseJson(TtsError))(json).call).toEqual(error.call)
  })

  it("ends the speech after the audio before it", function* () {
    const corrupt = TextToSpeech.layerTest(({ text }) =>
      text === "Delta four." ? new TtsCorruptAudio() : spoken(text)
    )
    let bytes = 0
    const error = yield* LongSpeech.stream({ text }, short).pipe(
      Effect.flatMap(({ stream }) => Stream.runForEach(stream, (chunk) => Effect.sync(() => (bytes += chunk.length)))),
      Effect.flip,
      Effect.provide(corrupt)
    )
    expect(error).toMatchObject({ _tag: "TtsCorruptAudio", call: { piece: { number: 4 } } })
    const millis = sentences.slice(0, 3).reduce((sum, { length }) => sum + 80 + 10 * length + 250, 0)
    expect(bytes).toBe(millis * 8 * 4)
  })
})

describe("a response that holds no speech", () => {
  const format = { sampleRate: 8000, channels: 1, encoding: "float32" } as const
  const tone = spoken("a").bytes
  it.each<readonly [what: string, audio: Partial<Pick<Speech, "bytes" | "format">>, problem: RegExp]>([
    ["a rate that is too low", { format: { ...format, sampleRate: 7999 } }, /7999 Hz, and must be from 8000 to 48000/],
    ["a rate that is too high", { format: { ...format, sampleRate: 48_001 } }, /48001 Hz, and must be from 8000 to/],
    ["two channels", { format: { ...format, channels: 2 } }, /2 channels/],
    ["no whole rate", { format: { ...format, sampleRate: 8000.5 } }, /8000.5 Hz/],
    ["no rate", { format: { ...format, sampleRate: Number.NaN } }, /NaN Hz/],
    ["an encoding of telephony", { format: { ...format, encoding: "alaw" } }, /encoding is alaw/],
    ["no samples", { bytes: new Uint8Array(0) }, /it is empty/],
    ["half a sample", { bytes: tone.subarray(1) }, /not a multiple of the 4 bytes/],
    ["a sample that is NaN", { bytes: new Uint8Array(Float32Array.of(0, Number.NaN).buffer) }, /NaN/],
    ["a sample that is too large", { bytes: new Uint8Array(Float32Array.of(3e38).buffer) }, /too large/],
    ["hours of samples", { bytes: new Uint8Array(4 * 8000 * 7201) }, /more than two hours/]
  ])("since it has %s is not kept, and fails with its piece", function* ([, audio, problem]) {
    const tts = yield* TextToSpeech
    for (const [index, sentence] of sentences.slice(0, 2).entries()) {
      const client = {
        ...tts,
        synthesize: (request: SynthesisRequest) =>
          Effect.map(tts.synthesize(request), (speech) =>
            request.text === sentence ? changedSpeech(speech, audio) : speech
          )
      }
      const error = yield* readAll({ text: "Alpha one. Beta two." }, { ...short, concurrency: 1 }).pipe(
        Effect.provideService(TextToSpeech, client),
        Effect.provide(PieceStore.layerMemory),
        Effect.flip
      )
      expect(error).toMatchObject({ _tag: "TtsInvalidResponse", problem: expect.stringMatching(problem) })
      expect(error).toMatchObject({ call: { billing: "billed", piece: { number: index + 1, kept: index } } })
    }
  })

  it("and that an earlier version kept is paid again once, and replaced", function* () {
    const store = yield* PieceStore
    // What that version kept: a whole result at such a rate.
    const put = (name: string, result: Uint8Array) => {
      const file = Buffer.from(result)
      file.writeUInt32LE(500, 24)
      file.write(createHash("sha256").update(file.subarray(0, -64)).digest("hex"), file.length - 64)
      return store.put(name, file)
    }
    const speak = readAll({ text: "Alpha one.", outputFormat: "8000:float32" })
    const { bytes } = yield* Effect.provideService(speak, PieceStore, { ...store, put })
    expect(Buffer.compare((yield* speak).bytes, bytes)).toBe(0)
    expect(yield* TextToSpeech.calls).toHaveLength(2)
    expect((yield* speak).report.pieces[0]?.source).toBe("kept")
  })
})

describe.skipIf(process.platform !== "linux")("a disk", () => {
  it("that is full under the file loses no piece that was sent", function* () {
    const error = yield* Effect.flip(LongSpeech.writeFile({ text }, "/dev/full", short))
    expect(error).toMatchObject({ _tag: "SystemError" })
    yield* LongSpeech.writeFile({ text }, join(folder, "after.wav"), short)
    expect((yield* TextToSpeech.calls).map((call) => call.text).toSorted()).toEqual(sentences.toSorted())
  })
})

describe("kept pieces", () => {
  it("are WAV files, and one that is damaged is paid again and replaced", function* () {
    const speak = Effect.provide(readAll({ text }, short), storeIn("damaged"))
    const { bytes } = yield* speak
    const files = readdirSync(join(folder, "damaged")).map((name) => join(folder, "damaged", name))
    expect(files.length).toBe(6)
    for (const [index, path] of files.entries()) {
      const file = readFileSync(path)
      expect(Either.getOrThrow(Wav.decode(file)).bytes.byteLength).toBeGreaterThan(2 * 8 * silenceMillis)
      if (index < 2) writeFileSync(path, file.subarray(0, -1))
    }
    expect(Buffer.compare((yield* speak).bytes, bytes)).toBe(0)
    expect(yield* TextToSpeech.calls).toHaveLength(6 + 2)
    yield* speak
    expect(yield* TextToSpeech.calls).toHaveLength(6 + 2)
  })

  it("are those of the same text, voice and service only", function* () {
    const tts = yield* TextToSpeech
    const changes: ReadonlyArray<Partial<LongSpeech.Request & { readonly baseUrl: string }>> = [
      {},
      { lang: "en", g2pOverrides: { a: 1, b: 2 } },
      { text: "Alpha one" },
      { voice: "a" },
      { numStep: 3 },
      { additionalFields: { a: 1 } },
      { baseUrl: "https://other.example" }
    ]
    const speak = ({ baseUrl, ...request }: (typeof changes)[number]) =>
      Effect.provideService(readAll({ text: "Alpha one.", ...request }), TextToSpeech, { ...tts, baseUrl })
    yield* Effect.forEach(changes, speak)
    const same = [{ text: " Alpha one.\n" }, { requestId: "other" }, { g2pOverrides: { b: 2, a: 1 }, lang: "en" }]
    yield* Effect.forEach(same, speak)
    expect(yield* TextToSpeech.calls).toHaveLength(changes.length)
  })
})

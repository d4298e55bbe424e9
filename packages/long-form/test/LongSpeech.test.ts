import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Pcm, PcmStream, Wav } from "@effect-speech/audio-codec"
import { LongSpeech, PieceStore, Subtitles } from "@effect-speech/long-form"
import * as NodeTransport from "@effect-speech/transport/node"
import {
  type Speech,
  type SynthesisRequest,
  TextToSpeech,
  TtsBadRequest,
  type TtsContract,
  TtsError
} from "@effect-speech/tts"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as TestServices from "effect/TestServices"
import { respondJson } from "../../../test/support/scriptedServer.js"
import { type SentPiece, sendTone, silenceMillis, speakingServer, toneOf } from "./speakingServer.js"

const folder = mkdtempSync(join(tmpdir(), "long-speech-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Six pieces of one sentence each. */
const sentences = ["Alpha one.", "Beta two.", "Gamma three.", "Delta four.", "Epsilon five.", "Zeta six."]
const text = sentences.join(" ")
const short: LongSpeech.LongSpeechOptions = { first: 13, maximum: 14 }

/** Speaks a tone for each text, without a server. */
const double = TextToSpeech.layerTest(({ text }) => ({
  bytes: new Uint8Array(toneOf(text).buffer),
  outputFormat: "8000:float32"
}))

const inMemory = Layer.merge(double, PieceStore.layerMemory)

const storeIn = (name: string) => Layer.provideMerge(PieceStore.layerFolder(join(folder, name)), NodeTransport.layer)

const readAll = (request: LongSpeech.LongSpeechRequest, options?: LongSpeech.LongSpeechOptions) =>
  Effect.scoped(
    Effect.gen(function* () {
      const speech = yield* LongSpeech.stream(request, options)
      const bytes = yield* PcmStream.collect(speech)
      return { bytes, speech, plan: yield* speech.plan, report: yield* speech.report }
    })
  )

const textsOf = (sent: ReadonlyArray<SentPiece>) => sent.map(({ body }) => body.text)

describe("the plan of a text", () => {
  const cyclic: Record<string, unknown> = {}
  cyclic.itself = cyclic

  it.effect("says the pieces, the code points and the highest cost, and sends nothing", () =>
    Effect.gen(function* () {
      const passages = [{ text }, { text: "\n\n* * *\n\n" }, { text: "🙂  " }]
      expect(yield* LongSpeech.plan({ text: passages }, short)).toEqual({ pieces: 8, codePoints: 81, cost: 65 })
      expect(yield* TextToSpeech.calls).toEqual([])
    }).pipe(Effect.provide(double))
  )

  it.effect.each([
    [{ text: "" }, {}, "text", "must not be empty"],
    [{ text: [] }, {}, "text", "must not be empty"],
    [{ text: [{ text: "a" }].values() }, {}, "text", "must be a string, or an array of passages"],
    [{ text: " \n…" }, {}, "text", "has nothing to speak: no letter, no number and no symbol"],
    [{ text: "half \ud800" }, {}, "text", "holds half of a surrogate pair, which is not a character"],
    [{ text: [{ text: "a" }, { text: "b", speed: 9 }] }, {}, "text.1.speed", "must be a number from 0.25 to 4"],
    [{ text: "a", speed: 9 }, {}, "speed", "must be a number from 0.25 to 4"],
    [{ text: "a", requestId: "a".repeat(57) }, {}, "requestId", expect.stringContaining("must be 1 to 56 characters")],
    [{ text: "a", g2pOverrides: cyclic }, {}, "g2pOverrides or additionalFields", "must be a value that JSON can hold"],
    [{ text: "a" }, { maximum: 10_001 }, "maximum", "must be a whole number from 1 to 10000"],
    [{ text: "a" }, { concurrency: 0 }, "concurrency", "must be a whole number from 1 to 1000"],
    [{ text: "a" }, { pauses: { line: -1 } }, "pauses.line", "must be milliseconds from 0 to 60000"],
    [{ text: "a" }, { outage: "0 seconds" }, "outage", expect.stringContaining("must be a duration longer than zero")]
  ] as const)("fails for %j with %j, before anything is sent", ([request, options, field, problem]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(LongSpeech.plan(request as LongSpeech.LongSpeechRequest, options))
      expect(error).toMatchObject({ _tag: "TtsInvalidRequest", field, problem })
    })
  )
})

describe("a long text", () => {
  it.effect("becomes its pieces in order, with the pauses between them", () =>
    Effect.gen(function* () {
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
        expect(whole.slice(piece?.textStart, piece?.textEnd)).toBe(piece?.text)
        at += millis + (pauses[index] ?? 0)
      }
      expect(bytes.byteLength).toBe(at * 8 * 4)
      expect(report.durationMillis).toBe(at)
      expect(speech.format).toEqual({ sampleRate: 8000, channels: 1, encoding: "float32" })
      const calls = yield* TextToSpeech.calls
      expect(calls.map(({ text }) => text).toSorted()).toEqual(sentences.slice(0, 4).toSorted())
      expect(plan).toEqual({ pieces: 4, codePoints: whole.length, cost: whole.length - 4 })
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("has no jump where its pieces are joined", () =>
    Effect.gen(function* () {
      const bare = TextToSpeech.layerTest({ bytes: new Uint8Array(new Float32Array(800).fill(0.5).buffer) })
      const { bytes, report } = yield* Effect.provide(readAll({ text }, short), bare)
      const samples = Pcm.decode(bytes, "float32")
      for (const { endFrame, startFrame } of report.pieces) {
        for (const frame of [startFrame, endFrame - 1]) expect(Math.abs(samples[frame] ?? 0)).toBeLessThan(0.001)
      }
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("may be passages, each with its language, voice and speed", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(inMemory))
  )

  it.live("runs as many pieces at once as it may, and sounds when the first one is there", () =>
    Effect.gen(function* () {
      const [two, sounds] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let [running, most] = [0, 0]
      const gated = TextToSpeech.layerTest(({ text }) =>
        Effect.gen(function* () {
          most = Math.max(most, ++running)
          if (running === 2) yield* Deferred.succeed(two, undefined)
          if (text !== sentences[0]) yield* Effect.zipRight(Deferred.await(two), Deferred.await(sounds))
          running--
          return { bytes: new Uint8Array(toneOf(text).buffer), outputFormat: "8000:float32" }
        })
      )
      const { report, stream } = yield* Effect.provide(LongSpeech.stream({ text }, { ...short, concurrency: 2 }), gated)
      yield* Deferred.succeed(sounds, undefined)
      yield* Stream.runDrain(stream)
      expect([(yield* report).pieces.length, most]).toEqual([6, 2])
    }).pipe(Effect.scoped, Effect.provide(PieceStore.layerMemory))
  )

  it.effect("is converted to the requested format, or to that of its first piece", () =>
    Effect.gen(function* () {
      const formats: Record<string, TtsContract.OutputFormat> = { "Beta two.": "16000:pcm16" }
      const mixed = TextToSpeech.layerTest(({ text }) => {
        const tone = toneOf(text)
        const outputFormat = formats[text] ?? "8000:float32"
        if (outputFormat === "8000:float32") return { bytes: new Uint8Array(tone.buffer), outputFormat }
        const twice = Float32Array.from({ length: 2 * tone.length }, (_, index) => tone[index >> 1] ?? 0)
        return { bytes: Pcm.encode(twice, "pcm16").bytes, outputFormat }
      })
      const read = (request: LongSpeech.LongSpeechRequest, options = {}) =>
        Effect.provide(readAll(request, { ...short, ...options }), mixed)
      const first = yield* read({ text })
      expect(first.speech.format).toMatchObject({ sampleRate: 8000, encoding: "float32" })
      const [, beta] = first.report.pieces
      expect(Math.abs((beta?.endMillis ?? 0) - (beta?.startMillis ?? 0) - 170)).toBeLessThanOrEqual(20)
      const asked = yield* read({ text, outputFormat: "24000:pcm16" })
      expect(asked.speech.format).toEqual({ sampleRate: 24_000, channels: 1, encoding: "pcm16" })
      expect(Math.abs(asked.report.durationMillis - first.report.durationMillis)).toBeLessThan(120)

      const error = yield* Effect.flip(read({ text }, { differentFormat: "fail" }))
      expect(error).toMatchObject({ _tag: "TtsInvalidResponse", call: { piece: { number: 2 } } })
      expect(error.message).toContain("its audio is 16000 Hz, 1 channel, pcm16, and that of the whole is 8000 Hz")
    }).pipe(Effect.provide(PieceStore.layerMemory))
  )

  it.effect("has the format of its first piece, also if another one is done before", () =>
    Effect.gen(function* () {
      const slow = TextToSpeech.layerTest(({ text }) =>
        Effect.delay(
          Effect.succeed({
            bytes: new Uint8Array(toneOf(text).buffer),
            outputFormat: text === sentences[0] ? "8000:float32" : "16000:float32"
          } as const),
          text === sentences[0] ? "2 seconds" : "1 seconds"
        )
      )
      const reading = yield* readAll({ text }, { ...short, differentFormat: "fail" }).pipe(
        Effect.provide(slow),
        Effect.flip,
        Effect.fork
      )
      yield* TestClock.adjust("1 minute")
      const error = yield* Fiber.join(reading)
      expect(error).toMatchObject({ _tag: "TtsInvalidResponse", call: { piece: { number: 2 } } })
    }).pipe(Effect.provide(PieceStore.layerMemory))
  )

  it.effect.each([undefined, "8000:float32"] as const)(
    "keeps no piece in another format than it may have, and sends it again: %s",
    (outputFormat) =>
      Effect.gen(function* () {
        let isHealthy = false
        const sent: Array<string> = []
        const changing = TextToSpeech.layerTest(({ text }) => {
          sent.push(text)
          const isOther = !isHealthy && text === sentences[1]
          return {
            bytes: new Uint8Array(toneOf(text).buffer),
            outputFormat: isOther ? "16000:float32" : "8000:float32"
          }
        })
        const read = (differentFormat: "fail" | "resample") =>
          readAll({ text, outputFormat }, { ...short, differentFormat }).pipe(Effect.provide(changing))
        const error = yield* Effect.flip(read("fail"))
        expect(error).toMatchObject({ _tag: "TtsInvalidResponse", call: { piece: { number: 2 } } })
        // This keeps the other format, as it may.
        yield* read("resample")
        isHealthy = true
        sent.length = 0
        yield* read("fail")
        expect(sent).toEqual([sentences[1]])
      }).pipe(Effect.provide(PieceStore.layerMemory))
  )

  it.effect("has its sentences with their times, from which subtitles are made", () =>
    Effect.gen(function* () {
      const { report } = yield* readAll({ text }, short)
      expect(report.segments.map(({ text }) => text)).toEqual(sentences)
      expect(report.segments.map(({ textEnd, textStart }) => text.slice(textStart, textEnd))).toEqual(sentences)
      const [alpha, beta] = report.segments
      expect(alpha).toMatchObject({ start: 40, end: 140, estimated: false })
      expect(beta?.start).toBe(180 + 250 + 40)
      expect(Subtitles.layout(report.segments)[0]).toMatchObject({
        start: 40,
        text: expect.stringContaining("Alpha one.")
      })
    }).pipe(Effect.provide(inMemory))
  )
})

describe("every text", () => {
  const word = FastCheck.constantFrom("नमस्ते", "Dr.", "क्षेत्र", "!", "…", "one", "दो।", "1,200", "ठीक?", "👍🏽", "ச")
  const space = FastCheck.constantFrom(" ", ", ", "\n", "\n\n")
  const texts = FastCheck.array(FastCheck.tuple(word, space), { minLength: 1, maxLength: 30 }).map(
    (parts) => `a ${parts.flat().join("")}`
  )
  const passages = FastCheck.array(texts, { minLength: 1, maxLength: 3 }).map((all) => all.map((text) => ({ text })))
  const options = FastCheck.record({
    maximum: FastCheck.integer({ min: 2, max: 60 }),
    first: FastCheck.integer({ min: 1, max: 20 }),
    concurrency: FastCheck.integer({ min: 1, max: 4 }),
    pauses: FastCheck.constant({ word: 10, cluster: 20, clause: 30, sentence: 40, line: 50, paragraph: 60 })
  })

  it.effect("is spoken whole, as long as its pieces and pauses, costs no more than planned, and then nothing", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(passages, options, (text, options) =>
          Effect.gen(function* () {
            const { bytes, plan, report } = yield* readAll({ text }, options)
            const whole = text.map(({ text }) => text).join("")
            expect(report.pieces.map(({ text }) => text).join("")).toBe(whole)
            for (const { text, textEnd, textStart } of report.segments) {
              expect(whole.slice(textStart, textEnd)).toBe(text)
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
  )
})

describe("a piece that fails", () => {
  it.scopedLive("is named in the error, with its place, its first words, what is kept and what the rest costs", () =>
    Effect.gen(function* () {
      const server = yield* speakingServer((piece, response) => {
        const isRefused = piece.body.text === "Gamma three."
        if (isRefused) respondJson(response, 400, { error: "text: a word is not allowed" })
        return isRefused
      })
      const write = LongSpeech.writeFile({ text, requestId: "book" }, join(folder, "refused.wav"), {
        ...short,
        concurrency: 1
      })
      const error = yield* Effect.flip(Effect.provide(write, server.layer))
      expect(error).toBeInstanceOf(TtsBadRequest)
      expect(readdirSync(folder)).not.toContain("refused.wav")
      const place = { number: 3, of: 6, unit: "characters", start: 21, end: 34, beginning: "Gamma three." } as const
      const left = text.length - 5 - "Alpha one.Beta two.".length
      expect(error).toMatchObject({ call: { sentId: "book.003", piece: { ...place, kept: 2, left } } })
      expect(error.message).toMatch(
        new RegExp(
          `Change text and send the request again\\. Piece 3 of 6, from character 22 \\(“Gamma three\\.”\\)\\. ` +
            `To go on, run it again: 2 pieces are kept, and the rest costs at most ${left} code points\\.$`
        )
      )
      const json = Schema.encodeSync(Schema.parseJson(TtsError))(error as TtsError)
      expect(Schema.decodeSync(Schema.parseJson(TtsError))(json).call).toEqual((error as TtsError).call)
    }).pipe(Effect.provide([PieceStore.layerMemory, NodeTransport.layer]))
  )

  it.effect("is retried through an outage that a call alone would not wait for", () =>
    Effect.gen(function* () {
      let requests = 0
      const events = new Set<string>()
      const client = HttpClient.make((request) =>
        Effect.map(TestClock.currentTimeMillis, (now) => {
          requests++
          if (now < 30_000) return HttpClientResponse.fromWeb(request, new Response("{}", { status: 502 }))
          const headers = { "x-sample-rate": "8000", "x-encoding": "float32", "x-request-id": "1" }
          return HttpClientResponse.fromWeb(request, new Response(toneOf("a").buffer as ArrayBuffer, { headers }))
        })
      )
      const layer = TextToSpeech.layer({ apiKey: Redacted.make("prefix.topsecret"), baseUrl: "https://host.example" })
      const speak = (outage?: Duration.DurationInput) =>
        Effect.gen(function* () {
          const onEvent = ({ _tag }: LongSpeech.LongSpeechEvent) => Effect.sync(() => events.add(_tag))
          const speaking = readAll({ text: "Alpha one." }, { outage, onEvent })
          const fiber = yield* Effect.fork(Effect.either(speaking))
          while (fiber.unsafePoll() === null) {
            // A digest takes real time.
            yield* TestServices.provideLive(Effect.sleep("2 millis"))
            yield* TestClock.adjust("1 second")
          }
          return yield* Fiber.join(fiber)
        }).pipe(
          Effect.provide(Layer.provide(layer, Layer.succeed(HttpClient.HttpClient, client))),
          Effect.provide(PieceStore.layerMemory)
        )
      expect(Either.isLeft(yield* speak("10 seconds"))).toBe(true)
      yield* TestClock.setTime(0)
      const outcome = yield* speak()
      expect(Either.isRight(outcome)).toBe(true)
      expect(requests).toBeGreaterThan(6)
      expect(Array.from(events).toSorted()).toEqual(["Called", "Done", "Planned", "Started"])
    })
  )

  it.scopedLive("with corrupt audio is not kept, and nothing of it is in the speech", () =>
    Effect.gen(function* () {
      let isDamaged = true
      const server = yield* speakingServer((piece, response) => {
        if (!isDamaged || piece.body.text !== "Delta four.") return false
        sendTone(response, piece, { millis: 9999 })
        return true
      })
      const received: Array<Uint8Array> = []
      const error = yield* LongSpeech.stream({ text }, short).pipe(
        Effect.flatMap(({ stream }) => Stream.runForEach(stream, (bytes) => Effect.sync(() => received.push(bytes)))),
        Effect.flip,
        Effect.provide(server.layer)
      )
      expect(error).toMatchObject({ _tag: "TtsCorruptAudio", call: { piece: { number: 4 } } })
      const millis = sentences.slice(0, 3).reduce((sum, { length }) => sum + 80 + 10 * length + 250, 0)
      expect(received.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(millis * 16)
      isDamaged = false
      server.sent.length = 0
      yield* Effect.provide(readAll({ text }, short), server.layer)
      expect(textsOf(server.sent)).toContain("Delta four.")
      expect(textsOf(server.sent)).not.toContain("Alpha one.")
    }).pipe(Effect.provide(PieceStore.layerMemory))
  )
})

describe("a response that holds no speech", () => {
  const format = { sampleRate: 8000, channels: 1, encoding: "float32" } as const
  const tone = new Uint8Array(toneOf("a").buffer)
  const odd: ReadonlyArray<readonly [what: string, audio: Partial<Pick<Speech, "bytes" | "format">>, problem: RegExp]> =
    [
      [
        "a rate that is too low",
        { format: { ...format, sampleRate: 7999 } },
        /7999 Hz, and must be from 8000 to 48000/
      ],
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
    ]
  it.effect.each(odd)("since it has %s is not kept, and fails with its piece", ([, audio, problem]) =>
    Effect.gen(function* () {
      const tts = yield* TextToSpeech
      for (const [index, sentence] of sentences.slice(0, 2).entries()) {
        const client = {
          ...tts,
          synthesize: (request: SynthesisRequest) =>
            Effect.map(tts.synthesize(request), (speech) =>
              request.text === sentence ? { ...speech, ...audio } : speech
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
    }).pipe(Effect.provide(double))
  )

  it.scopedLive("and that an earlier version kept is paid again once, and replaced", () =>
    Effect.gen(function* () {
      const server = yield* speakingServer()
      const store = yield* PieceStore
      // What that version kept: a whole result at such a rate.
      const damaged = {
        ...store,
        put: (name: string, result: Uint8Array) =>
          Effect.gen(function* () {
            const file = Buffer.from(result)
            file.writeUInt32LE(500, 24)
            file.write(createHash("sha256").update(file.subarray(0, -64)).digest("hex"), file.length - 64)
            yield* store.put(name, file)
          })
      }
      const request = { text: "Alpha one.", outputFormat: "8000:pcm16" } as const
      const speak = Effect.provide(readAll(request), server.layer)
      const { bytes } = yield* Effect.provideService(speak, PieceStore, damaged)
      expect(Buffer.compare((yield* speak).bytes, bytes)).toBe(0)
      expect(server.sent.length).toBe(2)
      expect((yield* speak).report.pieces[0]?.source).toBe("kept")
    }).pipe(Effect.provide(PieceStore.layerMemory))
  )
})

describe("a disk that is full", () => {
  it.scopedLive.skipIf(process.platform !== "linux")("under the file loses no piece that was sent", () =>
    Effect.gen(function* () {
      const server = yield* speakingServer()
      const write = (path: string) => Effect.provide(LongSpeech.writeFile({ text }, path, short), server.layer)
      const error = yield* Effect.flip(write("/dev/full"))
      expect(error).toMatchObject({ _tag: "SystemError" })
      const paid = textsOf(server.sent)
      server.sent.length = 0
      yield* write(join(folder, "after.wav"))
      expect(textsOf(server.sent).filter((text) => paid.includes(text))).toEqual([])
      expect(server.sent.length).toBe(6 - paid.length)
    }).pipe(Effect.provide([PieceStore.layerMemory, NodeTransport.layer]))
  )
})

describe("kept pieces", () => {
  it.effect("are WAV files, and one that is damaged is paid again and replaced", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(double))
  )

  it.scopedLive("are those of the same text, voice and service only", () =>
    Effect.gen(function* () {
      const [server, other] = yield* Effect.all([speakingServer(), speakingServer()])
      const first = "Alpha one."
      const speak = (to: typeof server, request: Partial<LongSpeech.LongSpeechRequest> = {}) =>
        Effect.provide(readAll({ text: first, ...request }, short), to.layer)
      yield* speak(server)
      for (const request of [{ text: " Alpha one.\n" }, { requestId: "other" }]) yield* speak(server, request)
      expect(server.sent.length).toBe(1)
      yield* speak(server, { lang: "en", g2pOverrides: { a: 1, b: 2 } })
      yield* speak(server, { g2pOverrides: { b: 2, a: 1 }, lang: "en" })
      expect(server.sent.splice(1).length).toBe(1)
      for (const request of [{ text: "Alpha one" }, { voice: "a" }, { numStep: 3 }, { additionalFields: { a: 1 } }]) {
        yield* speak(server, request)
      }
      expect(server.sent.length).toBe(5)
      yield* speak(other)
      expect(other.sent.length).toBe(1)
    }).pipe(Effect.provide(PieceStore.layerMemory))
  )
})

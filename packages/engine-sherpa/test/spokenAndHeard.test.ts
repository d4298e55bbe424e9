/** Each family, spoken and heard through the services: what a voice says is what a recogniser writes. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it, layer } from "@effect/vitest"
import * as Resampler from "@effect-speech/audio-codec/Resampler"
import { concat } from "@effect-speech/common/TypedArrays"
import { type Hotword, Recogniser, type SpokenSentence, Voice, type VoiceFailed } from "@effect-speech/engine"
import { Sherpa } from "@effect-speech/engine-sherpa"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { alphabets, spokenAsWritten, tinyName, writeTinyModels } from "effect-speech-test-support/tinyModels"

const folder = temporaryFolder("effect-speech-spoken-and-heard-")
writeTinyModels(folder)
writeTinyModels(folder, { language: "hi", families: ["nemo-ctc", "zipformer", "whisper", "vits"] })

const services = Sherpa.layer({ folder, threads: 1 }).pipe(Layer.provide(NodeFileSystem.layer))

interface Spoken {
  readonly samples: Float32Array
  readonly sentences: ReadonlyArray<SpokenSentence>
}

/** A text as a voice speaks it, at 16 kHz. */
const say = (text: string, { lang = "en", voice = "tiny_loud" } = {}): Effect.Effect<Spoken, unknown, Voice> =>
  Effect.gen(function* () {
    const sentences: Array<SpokenSentence> = []
    const { speak, voices } = yield* Voice
    const speech = speak({
      text,
      lang,
      voice,
      speed: 1,
      pronunciations: {},
      onSentence: (each) => sentences.push(each)
    })
    const blocks = speech instanceof Float32Array ? [speech] : Chunk.toArray(yield* Stream.runCollect(speech))
    const from = voices.find(({ name }) => name === voice)?.sampleRate ?? 0
    return { samples: Resampler.resample(concat(blocks, Float32Array), { from, to: 16_000 }), sentences }
  })

/** A recording as a telephone has it. */
const atTelephone = (samples: Float32Array) =>
  Resampler.resample(Resampler.resample(samples, { from: 16_000, to: 8000 }), { from: 8000, to: 16_000 })

const hear = (samples: Float32Array, model: string, lang: "en" | "hi" = "en", hotwords: ReadonlyArray<Hotword> = []) =>
  Effect.flatMap(Recogniser, ({ recognise }) => recognise({ model, lang, samples, hotwords }))

const status = Effect.flatMap(Recogniser, (recogniser) => recogniser.status ?? Effect.succeed([]))

const recognisers = ["nemo-ctc", "zipformer", "whisper"] as const

/** What a request calls the model. Whisper has one for each language. */
const named = (family: (typeof recognisers)[number], lang: "en" | "hi" = "en") =>
  family === "whisper" ? `${lang}-${tinyName(family, lang)}` : tinyName(family, lang)

/** Words of the letters that the models of a language know. */
const textsOf = (lang: "en" | "hi") => {
  const letters = alphabets[lang].slice(1, lang === "en" ? 37 : -3)
  const words = FastCheck.array(
    FastCheck.string({ unit: FastCheck.constantFrom(...letters), minLength: 2, maxLength: 9 }),
    { minLength: 3, maxLength: 12 }
  )
  return FastCheck.sample(
    words.map((all) => all.join(" ")),
    { numRuns: 2, seed: 36 }
  )
}

describe("a voice whose tokens are those of another model", () => {
  it.scopedLive("fails on a text with a reason, which shows no path", () =>
    Effect.gen(function* () {
      const models = temporaryFolder("effect-speech-other-tokens-")
      writeTinyModels(models, { families: ["vits"] })
      writeFileSync(join(models, tinyName("vits"), "tokens.txt"), "a 1\nb 999\n")
      const { voice } = yield* Sherpa.make({ folder: models })
      const speech = voice?.speak({ text: "b", lang: "en", voice: "tiny_loud", speed: 1, pronunciations: {} })
      const failure = yield* Effect.flip(Stream.runDrain(speech as Stream.Stream<Float32Array, VoiceFailed>))
      expect(failure).toMatchObject({ _tag: "VoiceFailed", reason: "Failed" })
      expect(failure.message).toMatch(/^The model tiny-vits-en failed on this text: .*idx=999/)
      expect(failure.message).not.toMatch(/\/shared|gather\.cc|tmp/)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})

describe("a recogniser that writes line breaks", () => {
  it.scopedLive("is heard without them", () =>
    Effect.gen(function* () {
      const models = temporaryFolder("effect-speech-line-breaks-")
      writeTinyModels(models, { families: ["vits", "whisper"] })
      const tokens = join(models, tinyName("whisper"), "tiny-tokens.txt")
      const [pair, broken] = ["he", "h\n"].map((text) => `${Buffer.from(text).toString("base64")} `)
      writeFileSync(tokens, readFileSync(tokens, "utf8").replace(pair ?? "", broken ?? ""))
      const heard = Effect.flatMap(say("hello"), ({ samples }) => hear(samples, named("whisper")))
      expect((yield* Effect.provide(heard, Sherpa.layer({ folder: models })))?.text).toBe("h llo")
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})

describe("each family of recognisers", () => {
  layer(services, { excludeTestServices: true })((it) => {
    for (const family of recognisers) {
      for (const lang of ["en", "hi"] as const) {
        it.effect(`${family} hears texts of ${lang} exactly, also from a telephone`, () =>
          Effect.forEach(textsOf(lang), (text) =>
            Effect.gen(function* () {
              const { samples } = yield* say(text, { lang })
              expect((yield* hear(samples, named(family, lang), lang))?.text).toBe(text)
              expect((yield* hear(atTelephone(samples), named(family, lang), lang))?.text).toBe(text)
            })
          )
        )
      }

      it.effect(`${family} hears a long recording whole, piece by piece`, () =>
        Effect.gen(function* () {
          const text = "one sentence here. and another one, somewhat longer. ".repeat(7).trim()
          const { samples } = yield* say(text)
          expect(samples.length).toBeGreaterThan(35 * 16_000)
          expect((yield* hear(samples, named(family)))?.text).toBe(text)
        })
      )
    }

    it.effect.each(["nemo-ctc", "zipformer"] as const)("%s says when each sentence is spoken", (family) =>
      Effect.gen(function* () {
        const { samples, sentences } = yield* say("The first sentence. And a second one.")
        const heard = yield* hear(samples, named(family))
        expect(heard?.segments?.map(({ text }) => text)).toEqual(["the first sentence.", "and a second one."])
        for (const [index, { endMillis, startMillis }] of (heard?.segments ?? []).entries()) {
          const { endSample = 0, startSample = 0 } = sentences[index] ?? {}
          expect(Math.abs(startMillis - startSample / 16)).toBeLessThan(200)
          expect(Math.abs(endMillis - endSample / 16)).toBeLessThan(300)
        }
      })
    )

    it.effect("a voice speaks with its own speaker", () =>
      Effect.gen(function* () {
        const loudest = ({ samples }: Spoken) => samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
        expect(loudest(yield* say("so", { voice: "tiny_loud" }))).toBeCloseTo(0.5, 1)
        expect(loudest(yield* say("so", { voice: "tiny_soft" }))).toBeCloseTo(0.2, 1)
      })
    )

    it.effect("Piper's form speaks letters of another script, and goes on", () =>
      Effect.gen(function* () {
        yield* say("नमस्ते", { voice: tinyName("piper") })
        const { samples } = yield* say(spokenAsWritten, { voice: tinyName("piper") })
        expect((yield* hear(samples, named("nemo-ctc")))?.text).toBe(spokenAsWritten)
      })
    )

    it.effect("only a transducer gives a confidence", () =>
      Effect.gen(function* () {
        const { samples } = yield* say("how sure are you")
        const heard = yield* Effect.forEach(recognisers, (family) => hear(samples, named(family)))
        expect(heard.map((each) => each?.confidence === undefined)).toEqual([true, false, true])
        expect(heard[1]?.confidence).toBeGreaterThan(0)
        expect(heard[1]?.confidence).toBeLessThanOrEqual(1)
      })
    )

    it.effect("only a transducer takes hotwords, and any are safe", () =>
      Effect.gen(function* () {
        const { samples } = yield* say("hello")
        const hotwords = [{ phrase: "Hellp", score: 20 }]
        const heard = yield* Effect.forEach(recognisers, (family) => hear(samples, named(family), "en", hotwords))
        expect(heard.map((each) => each?.text)).toEqual(["hello", "hellp", "hello"])
        expect(heard.map((each) => each?.hotwordsIgnored)).toEqual([1, undefined, 1])
        for (const phrase of [":", "/", "#x", "@", "a:b", "a/b :9", "ж", ""]) {
          yield* hear(samples, named("zipformer"), "en", [{ phrase, score: 1e300 }])
        }
        expect((yield* hear(samples, named("zipformer")))?.text).toBe("hello")
        expect((yield* status).filter(({ restarts }) => restarts > 0)).toEqual([])
      }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
    )
  })
})

import * as FastCheck from "effect/FastCheck"
import { holds } from "effect-speech-test-support/holds"
import { describe, expect, it } from "vitest"
import { makeEncoder, spellingOf } from "../src/internal/families/hotwords.js"
import { hearingFamily, longEnough } from "../src/internal/families/recognisers.js"
import { byModel, byPauses, joinTexts, type SegmentsOf } from "../src/internal/families/segments.js"
import { speakingFamily } from "../src/internal/families/voices.js"
import type { RecogniserDescription, VoiceDescription } from "../src/internal/folder/description.js"
import type { RawResult } from "../src/internal/host/protocol.js"

const resultOf = (parts: Partial<RawResult>): RawResult => ({
  text: "",
  tokens: [],
  timestamps: [],
  ys_log_probs: [],
  segment_texts: [],
  segment_timestamps: [],
  segment_durations: [],
  ...parts
})

describe("segments", () => {
  it("are split where no token starts for 600 ms", () => {
    const result = resultOf({
      text: "hello world. good day",
      tokens: [" he", "llo", " world", " .", " good", " day"],
      timestamps: [0.2, 0.4, 0.7, 0.9, 1.5, 1.8]
    })
    expect(byPauses(result, 2500)).toEqual([
      { text: "hello world.", startMillis: 200, endMillis: 1200 },
      { text: "good day", startMillis: 1500, endMillis: 2100 }
    ])
  })

  it("are split by the pause between two sounds, wherever the blank in it is", () => {
    const characters = resultOf({
      text: "a b c",
      tokens: ["a", " ", "b", " ", "c"],
      timestamps: [0, 0.3, 0.7, 0.8, 0.9]
    })
    expect(byPauses(characters, 2000)).toEqual([
      { text: "a", startMillis: 0, endMillis: 300 },
      { text: "b c", startMillis: 700, endMillis: 1200 }
    ])
  })

  it("of a transducer have the geometric mean of the probabilities of their tokens", () => {
    const result = resultOf({
      text: "a b",
      tokens: [" a", " b"],
      timestamps: [0, 0.1],
      ys_log_probs: [Math.log(0.9), Math.log(0.4)]
    })
    expect(byPauses(result, 1000)).toEqual([
      { text: "a b", startMillis: 0, endMillis: 400, confidence: expect.closeTo(0.6) }
    ])
  })

  it("have no confidence if the model gives none", () => {
    const [segment] = byPauses(resultOf({ text: "a", tokens: ["a"], timestamps: [0] }), 1000)
    expect(segment).not.toHaveProperty("confidence")
  })

  it("have the characters of tokens that are bytes", () => {
    const result = resultOf({
      text: "नमस्ते जी",
      tokens: [" नम", "<0xE0>", "<0xA4>", "<0xB8>", "्ते", " जी"],
      timestamps: [0, 0.1, 0.1, 0.1, 0.2, 1]
    })
    expect(byPauses(result, 2000).map(({ text }) => text)).toEqual(["नमस्ते", "जी"])
  })

  it.each([
    { language: "English", tokens: [" hel", "lo", " you"], timestamps: [0, 0.7, 1.4], segments: ["hello", "you"] },
    { language: "English", tokens: [" yes", "."], timestamps: [0, 0.7], segments: ["yes."] },
    { language: "Hindi", tokens: [" क", "्", "या"], timestamps: [0, 0.1, 0.75], segments: ["क्या"] },
    {
      language: "Chinese",
      tokens: ["你", "好", "世", "界", "。"],
      timestamps: [0, 0.2, 1, 1.2, 1.9],
      segments: ["你好", "世界。"]
    },
    { language: "Thai", tokens: ["สวัส", "ดี", "ครับ"], timestamps: [0, 0.7, 1.4], segments: ["สวัสดี", "ครับ"] },
    { language: "Korean", tokens: ["안", "녕"], timestamps: [0, 0.7], segments: ["안녕"] }
  ])("of $language begin only where a word begins: $segments", ({ segments, timestamps, tokens }) => {
    const result = resultOf({ text: tokens.join("").trim(), tokens, timestamps })
    expect(byPauses(result, 3000).map(({ text }) => text)).toEqual(segments)
  })

  it.each([
    { texts: ["hello", "world"], joined: "hello world" },
    { texts: ["नमस्ते", "जी"], joined: "नमस्ते जी" },
    { texts: ["안녕", "하세요"], joined: "안녕 하세요" },
    { texts: ["你好。", "世界"], joined: "你好。世界" },
    { texts: ["你好，", "世界"], joined: "你好，世界" },
    { texts: ["𠮷", "𠮷"], joined: "𠮷𠮷" },
    { texts: ["こんにちは", "世界"], joined: "こんにちは世界" },
    { texts: ["สวัสดี", "ครับ"], joined: "สวัสดีครับ" },
    { texts: ["世界", "hello"], joined: "世界 hello" }
  ])("of several pieces are joined as their scripts are written: $joined", ({ joined, texts }) => {
    expect(joinTexts(texts)).toBe(joined)
  })

  it("are one for the whole piece if the tokens do not have its text", () => {
    const result = resultOf({ text: "twenty", tokens: ["2", "0"], timestamps: [0, 1] })
    expect(byPauses(result, 2000)).toEqual([{ text: "twenty", startMillis: 0, endMillis: 2000 }])
  })

  it("of Whisper have the times that it writes, and an open one ends with the piece", () => {
    const result = resultOf({
      text: " Hello there. Good day.",
      segment_texts: [" Hello there.", " Good day."],
      segment_timestamps: [0.5, 2],
      segment_durations: [1, 0]
    })
    expect(byModel(result, 4000)).toEqual([
      { text: "Hello there.", startMillis: 500, endMillis: 1500 },
      { text: "Good day.", startMillis: 2000, endMillis: 4000 }
    ])
  })

  const seconds = FastCheck.oneof(FastCheck.double({ min: -5, max: 40, noNaN: true }), FastCheck.constant(0))
  const words = FastCheck.array(FastCheck.constantFrom(" a", "b", " ", "<0xE0>", "न", "", " 4.", "好"), {
    maxLength: 12
  })
  const results = FastCheck.record({
    text: FastCheck.option(FastCheck.string(), { nil: undefined }),
    tokens: words,
    timestamps: FastCheck.array(seconds, { maxLength: 12 }),
    ys_log_probs: FastCheck.array(FastCheck.double({ max: 1 }), { maxLength: 12 }),
    segment_texts: words,
    segment_timestamps: FastCheck.array(seconds, { maxLength: 12 }),
    segment_durations: FastCheck.array(seconds, { maxLength: 12 }),
    fits: FastCheck.boolean(),
    durationMillis: FastCheck.integer({ min: 0, max: 30_000 })
  })
  const bare = (text: string) => text.replaceAll(/\s/gu, "")

  it.each<[string, SegmentsOf, "tokens" | "segment_texts"]>([
    ["the pauses between tokens", byPauses, "tokens"],
    ["the segments of the model", byModel, "segment_texts"]
  ])(
    "by %s lose no text, cut no word, and are in order and in the piece, whatever the result is",
    (_, segmentsOf, parts) => {
      holds([results], {}, ({ durationMillis, fits, ...result }) => {
        const count = result[parts].length
        const fitting = Array.from({ length: count }, (_, index) => result.timestamps[index % 12] ?? index)
        const text = result.text ?? result[parts].join("")
        const told = fits
          ? { ...result, text, timestamps: fitting, segment_timestamps: fitting, segment_durations: fitting }
          : { ...result, text }
        const segments = segmentsOf(told, durationMillis)
        expect(bare(segments.map((segment) => segment.text).join(""))).toBe(bare(text))
        let end = 0
        let said = text.trim()
        for (const { confidence = 0, endMillis, startMillis, text } of segments) {
          expect(said.startsWith(text)).toBe(true)
          said = said.slice(text.length)
          expect(said).toMatch(text.endsWith("好") ? /^/u : /^\s|^$/u)
          said = said.trimStart()
          expect(text).toBe(text.trim())
          expect(text).not.toBe("")
          expect(startMillis).toBeGreaterThanOrEqual(end)
          expect(endMillis).toBeGreaterThan(startMillis)
          expect(endMillis).toBeLessThanOrEqual(Math.max(1, durationMillis))
          expect(confidence >= 0 && confidence <= 1).toBe(true)
          end = endMillis
        }
      })
    }
  )
})

describe("hotwords", () => {
  const characters = new Set(["<blk>", "▁", "H", "E", "L", "O", "'", "न", "म"])
  const pieces = new Set(["<blk>", "▁HE", "LLO", "M"])

  it("are characters with blanks between, in the case of the tokens", () => {
    const encode = makeEncoder("cjkchar", characters)
    expect(encode([{ phrase: "hello, Hell", score: 1.5 }])).toEqual({
      phrases: "H E L L O ▁ H E L L :1.500",
      unknown: 0
    })
    expect(encode([{ phrase: "नम", score: 2 }]).phrases).toBe("न म :2.000")
  })

  it("are words for a model with bpe.vocab", () => {
    const encode = makeEncoder("bpe", pieces)
    expect(encode([{ phrase: "hello  hell", score: 1 }]).phrases).toBe("HELLO HELL :1.000")
  })

  it("with an unknown character are left out and counted", () => {
    const encode = makeEncoder("cjkchar", characters)
    expect(
      encode([
        { phrase: "hello", score: 1 },
        { phrase: "xylo", score: 1 },
        { phrase: "!?", score: 1 }
      ])
    ).toEqual({ phrases: "H E L L O :1.000", unknown: 2 })
    expect(encode([{ phrase: "xylo", score: 1 }]).phrases).toBeUndefined()
  })

  it("are at most 1,000 phrases of at most 100 characters: others are left out and counted", () => {
    const encode = makeEncoder("bpe", pieces)
    const phrases = ["H".repeat(101), ...Array.from({ length: 1000 }, () => "H".repeat(100))]
    const encoded = encode(phrases.map((phrase) => ({ phrase, score: 1 })))
    expect(encoded.unknown).toBe(2)
    expect(encoded.phrases?.split("/").length).toBe(999)
  })

  it("never have a sign that sherpa-onnx reads as its own", () => {
    const signs = FastCheck.string({ unit: FastCheck.constantFrom(..."HELO'/:#@ \n\u200d▁न") })
    const scores = FastCheck.double()
    holds([FastCheck.array(signs), scores], {}, (phrases, score) => {
      for (const spelling of ["bpe", "cjkchar"] as const) {
        const encode = makeEncoder(spelling, new Set([...characters, "/", ":", "#", "@"]))
        const encoded = encode(phrases.map((phrase) => ({ phrase, score })))
        for (const phrase of encoded.phrases?.split("/") ?? [])
          expect(phrase).toMatch(/^[HELO'▁न ]+ :-?\d{1,4}\.\d{3}$/)
      }
    })
  })

  it.each([
    ["characters", characters, false, "cjkchar"],
    ["parts of words without bpe.vocab", pieces, false, undefined],
    ["parts of words with bpe.vocab", pieces, true, "bpe"],
    ["Chinese characters and parts of words", new Set([...pieces, "好"]), true, "cjkchar+bpe"],
    ["bytes", new Set(["▁ƌ", "Ă", "a"]), true, undefined]
  ])("of a model with %s have the spelling that it can take", (_, tokens, hasBpeVocab, spelling) => {
    expect(spellingOf(tokens, hasBpeVocab)).toBe(spelling)
  })
})

const described = {
  name: "m",
  folder: "/m",
  languages: ["hi"],
  licence: undefined,
  bytes: 1,
  numThreads: undefined
} as const

const recogniser = (
  family: "nemo-ctc" | "whisper" | "transducer" | "sense-voice",
  languages: ReadonlyArray<string> = ["hi"]
) => {
  const files = {
    model: "/m/m.onnx",
    encoder: "/m/e",
    decoder: "/m/d",
    joiner: "/m/j",
    tokens: "/m/t",
    bpeVocab: undefined
  }
  const description = { ...described, languages, _tag: "Recogniser", family, sampleRate: 16_000, files }
  return hearingFamily(description as RecogniserDescription, { threads: 2, tokens: new Set(["<blk>", "▁", "a"]) })
}

describe("a family of recognisers", () => {
  it("searches with a beam only if it takes hotwords: another model would end its process", () => {
    expect(recogniser("nemo-ctc")).toMatchObject({ takesHotwords: false, config: { decodingMethod: "greedy_search" } })
    expect(recogniser("transducer")).toMatchObject({
      takesHotwords: true,
      config: {
        decodingMethod: "modified_beam_search",
        modelConfig: { modelingUnit: "cjkchar", modelType: "transducer" }
      }
    })
  })

  it("is given no hotwords if it takes none, and each counts as unknown", () => {
    expect(recogniser("whisper").hotwordsOf([{ phrase: "a", score: 1 }])).toEqual({ phrases: undefined, unknown: 1 })
  })

  it("of Whisper hears 28 s, and is told only a language that it has", () => {
    const whisper = recogniser("whisper", ["en", "hi"])
    expect(whisper.longestPieceMillis).toBe(28_000)
    expect(["hi", "en", "xx"].map(whisper.languageOf)).toEqual(["hi", "en", undefined])
    expect(recogniser("nemo-ctc").longestPieceMillis).toBe(30_000)
  })

  it("is given half a second at least, since sherpa-onnx ends the process of a shorter piece", () => {
    expect(longEnough(Float32Array.of(0.5, -0.5))).toEqual(
      Float32Array.from({ length: 8000 }, (_, at) => [0.5, -0.5][at] ?? 0)
    )
    const enough = new Float32Array(8000)
    expect(longEnough(enough)).toBe(enough)
  })

  it("of SenseVoice finds the language itself, unless it has one", () => {
    const told = (languages: ReadonlyArray<string>) => recogniser("sense-voice", languages).config
    expect(told(["zh", "en"])).toMatchObject({ modelConfig: { senseVoice: { language: "auto" } } })
    expect(told(["ko"])).toMatchObject({ modelConfig: { senseVoice: { language: "ko" } } })
  })
})

const voice = (family: "vits" | "kokoro", dataDir?: string) => {
  const files = { model: "/m/m", tokens: "/m/t", dataDir, lexicons: [], ruleFsts: [], ruleFars: [], voices: "/m/v" }
  const description = { ...described, _tag: "Voice", family, sampleRate: 16_000, voices: { m: 0 }, files }
  return speakingFamily(description as VoiceDescription, { threads: 1, tokens: new Set(["é", "न", " "]) })
}

describe("a family of voices", () => {
  it("of characters speaks the lower case, and nothing if it knows no character of a text", () => {
    expect(voice("vits").speakableOf("É x.")).toBe("é x. ")
    expect(voice("vits").speakableOf("xyz")).toBeUndefined()
  })

  it("of phonemes speaks any text with a letter or a digit", () => {
    expect(voice("vits", "/m/espeak-ng-data").speakableOf("Xyz")).toBe("Xyz ")
    expect(voice("vits", "/m/espeak-ng-data").speakableOf(" … 🙂 ")).toBeUndefined()
  })

  it("is given no character that would cut a text or be noise", () => {
    const units = FastCheck.array(FastCheck.integer({ min: 0, max: 0xffff }))
    holds([units.map((codes) => String.fromCharCode(...codes))], {}, (text) => {
      const given = voice("vits", "/m/espeak-ng-data").speakableOf(text)
      expect(given ?? "a ").toMatch(/^[^\p{Cc}\p{Cs}]+ $/u)
    })
  })

  it("of Kokoro is told a language if it has no lexicon: it would end its process", () => {
    expect(voice("kokoro", "/m/espeak-ng-data").config).toMatchObject({ model: { kokoro: { lang: "hi" } } })
  })
})
